package io.txwatch.corpus.suite;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ResolvedReadsTest {

  @Test
  void sharesAreOfAllRowsThatWereRead() {
    Map<String, Long> rows = new TreeMap<>(Map.of("unique", 7L, "withoutKey", 1L, "none", 0L));

    assertThat(ResolvedReads.text(rows, Map.of("OPAQUE", 2L)))
        .isEqualTo(
            """

            8 rows were read by value, unique 7 (87.5 %), withoutKey 1 (12.5 %)
            not observed: {OPAQUE=2}
            """);
  }

  @Test
  void aRunWithoutHistorySaysSo(@TempDir Path folder) throws IOException {
    assertThat(ResolvedReads.count(Path.of("txwatch.jar"), folder))
        .isEqualTo("\nno history was written\n");
  }
}
