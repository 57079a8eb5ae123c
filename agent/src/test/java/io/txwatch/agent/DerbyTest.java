package io.txwatch.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;

import java.nio.file.Path;
import java.util.List;
import org.example.app.DerbyApplication;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An application on Apache Derby with nothing but the agent in front. */
class DerbyTest {

  private final Path directory;

  DerbyTest(@TempDir Path directory) {
    this.directory = directory;
  }

  @Test
  void aLostUpdateIsReportedWithItsLinesOfCodeAndTheCorrectedOneIsNot() throws Exception {
    ChildJvm jvm =
        ChildJvm.run(
            directory,
            List.of(
                ChildJvm.agent(directory, ""),
                "-Dderby.stream.error.file=" + directory.resolve("derby.log")),
            DerbyApplication.class,
            List.of());
    assertThat(jvm.exitCode()).as(jvm.errors()).isZero();
    assertThat(jvm.lines())
        .hasSize(2)
        .contains("corrected: 70")
        .containsAnyOf("racing: 90", "racing: 80");
    assertThat(jvm.errors())
        .contains("at DerbyApplication.withdraw", "ACCOUNT row")
        .doesNotContain("fault of txwatch");
    assertThat(jvm.errors().lines().dropWhile(line -> !line.equals("txwatch: in all")).skip(1))
        .filteredOn(line -> line.contains("HAZARD") || line.contains("VIOLATION"))
        .singleElement(STRING)
        .contains("LOST_UPDATE", "Apache Derby", "1 time  at DerbyApplication.java:");
  }
}
