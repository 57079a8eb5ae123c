package io.txwatch.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** A command ends, whatever a driver or an embedded database does at the end of its JVM. */
class ExitTest {

  /** As an embedded database whose hook waits for a statement that never ends. */
  static final class WithEndlessHook {
    public static void main(String[] args) {
      CountDownLatch never = new CountDownLatch(1);
      Runtime.getRuntime()
          .addShutdownHook(
              new Thread(
                  () -> {
                    try {
                      never.await();
                    } catch (InterruptedException e) {
                      Thread.currentThread().interrupt();
                    }
                  }));
      Main.main(args);
    }
  }

  private static int exitCode(String argument) throws Exception {
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty(
                    "surefire.test.class.path", System.getProperty("java.class.path")),
                WithEndlessHook.class.getName(),
                argument)
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start();
    try {
      assertThat(process.waitFor(60, TimeUnit.SECONDS)).as("it ended").isTrue();
      return process.exitValue();
    } finally {
      process.destroyForcibly();
    }
  }

  @Test
  void hookThatNeverEndsHoldsNothingUp() throws Exception {
    assertThat(exitCode("--version")).isEqualTo(ExitCode.CLEAN);
  }
}
