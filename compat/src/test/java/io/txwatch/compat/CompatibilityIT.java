package io.txwatch.compat;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.compat.ApplicationRun.Installation;
import io.txwatch.servers.ServerKind;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** One application of the suite, in each build; {@code compat/run} runs them all. */
class CompatibilityIT {

  @Test
  void applicationBehavesAsUnwatchedAndItsLostUpdateIsReported(@TempDir Path folder)
      throws Exception {
    Path module = Path.of("").toAbsolutePath();
    Installation installation =
        new Installation(
            module,
            Path.of(System.getProperty("java.home"), "bin", "java"),
            module.resolveSibling("cli/target/txwatch.jar"));

    Comparison comparison = Comparison.of(installation, Application.JDBI, ServerKind.H2, folder);

    assertThat(comparison.lines()).isGreaterThan(40);
    assertThat(comparison.faults()).isEmpty();
  }
}
