package io.txwatch.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.anomaly.Phenomenon;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The pages of the phenomena are what the scenarios' table and the code imply. {@code
 * -Dphenomena=write} writes them.
 */
class PhenomenonPageTest {

  private static final Path PAGES = Path.of("..", "docs", "phenomena");
  private static final Path DATA =
      Path.of("..", "analyzer/src/main/resources/io/txwatch/page/phenomena.json");

  @ParameterizedTest
  @EnumSource(Phenomenon.class)
  void pageIsUpToDate(Phenomenon phenomenon) throws Exception {
    check(
        PAGES.resolve(PhenomenonPage.fileName(phenomenon)),
        new PhenomenonPage(phenomenon).markdown());
  }

  @Test
  void indexIsUpToDate() throws Exception {
    check(PAGES.resolve("README.md"), PhenomenonPage.index());
  }

  @Test
  void dataOfThePageForBrowsersAreUpToDate() throws Exception {
    check(DATA, PhenomenonPage.json());
  }

  private static void check(Path file, String expected) throws Exception {
    if ("write".equals(System.getProperty("phenomena"))) {
      Files.createDirectories(file.getParent());
      Files.writeString(file, expected);
    }
    assertThat(file).content().as("%s: run with -Dphenomena=write", file).isEqualTo(expected);
  }
}
