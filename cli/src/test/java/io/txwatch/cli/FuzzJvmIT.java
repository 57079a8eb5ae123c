package io.txwatch.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The JVMs of {@code java -jar txwatch.jar fuzz}. */
class FuzzJvmIT {

  @TempDir private Path directory = Path.of("");

  @Test
  @Timeout(120)
  void anotherJvmRunsTheCampaignAndEndsWithIt() throws Exception {
    Process fuzz = fuzz();
    awaitBegin();
    List<ProcessHandle> others = fuzz.descendants().toList();
    assertThat(others).hasSize(1);
    assertThat(others.get(0).info().commandLine().orElse(""))
        .contains("-XX:TieredStopAtLevel=1", "-jar");

    fuzz.destroy();
    fuzz.waitFor();

    assertThat(others).noneMatch(ProcessHandle::isAlive);
    assertThat(out()).content().contains("seed 4 generates the same cases again");
  }

  @Test
  @Timeout(120)
  void optionsOnTheCommandLineAreAChoice() throws Exception {
    Process fuzz = fuzz("-Xmx300m");
    try {
      awaitBegin();

      assertThat(fuzz.descendants()).isEmpty();
    } finally {
      fuzz.destroy();
      fuzz.waitFor();
    }
  }

  @Test
  @Timeout(120)
  void theExitCodeIsThatOfTheCampaign() throws Exception {
    JarRun bad = JarRun.of(directory, "fuzz", "--workers", "0");

    assertThat(bad.code()).isEqualTo(ExitCode.BAD_INPUT);
    assertThat(bad.err()).isEqualTo("txwatch: --workers 0: expected at least 1\n");
  }

  private Path out() {
    return directory.resolve("out");
  }

  private void awaitBegin() throws IOException, InterruptedException {
    while (!Files.exists(out()) || !Files.readString(out()).contains("seed 4")) {
      Thread.sleep(20);
    }
  }

  private Process fuzz(String... jvmOptions) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of(jvmOptions));
    command.addAll(List.of("-jar", JarRun.JAR.toString()));
    command.addAll(List.of("fuzz", "--duration", "100s", "--seed", "4", "--fail-on", "never"));
    return new ProcessBuilder(command)
        .redirectOutput(out().toFile())
        .redirectError(ProcessBuilder.Redirect.DISCARD)
        .start();
  }
}
