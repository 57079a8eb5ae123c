package io.txwatch.servers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.BufferedReader;
import java.io.File;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ServerLifetimeTest {

  /** Starts a server in a separate JVM, which runs until it is killed. */
  static final class Holder {
    private Holder() {}

    public static void main(String[] args) throws Exception {
      DatabaseServer server = TestServers.of(ServerKind.valueOf(args[0]));
      System.out.println(server.kind() + " is up");
      Thread.sleep(Long.MAX_VALUE);
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"POSTGRESQL", "MARIADB", "MYSQL"})
  void serverEndsWithAKilledJvm(ServerKind kind) throws Exception {
    assumeTrue(TestServers.missing(kind).isEmpty(), () -> TestServers.missing(kind).orElseThrow());
    assumeTrue(TestServers.startsItself(kind), kind + " is another's, by TXWATCH_TEST_URLS");
    Process jvm =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty(
                    "surefire.test.class.path", System.getProperty("java.class.path")),
                "-Xmx64m",
                Holder.class.getName(),
                kind.name())
            .redirectError(new File("/dev/null"))
            .start();
    try (BufferedReader output = jvm.inputReader()) {
      assertThat(output.readLine()).isEqualTo(kind + " is up");
      List<ProcessHandle> family = jvm.descendants().toList();
      assertThat(family).hasSizeGreaterThanOrEqualTo(2);

      jvm.destroyForcibly().waitFor();

      for (ProcessHandle process : family) {
        process.onExit().get(30, TimeUnit.SECONDS);
        assertThat(process.isAlive()).isFalse();
      }
    } finally {
      jvm.destroyForcibly();
    }
  }

  @Test
  void serverThatCannotStartReportsWhy() throws Exception {
    Path directory = java.nio.file.Files.createTempDirectory("txwatch-none");
    assertThat(
            org.assertj.core.api.Assertions.catchThrowableOfType(
                ServerUnavailableException.class,
                () ->
                    ServerProcess.start(
                        List.of("sh", "-c", "echo no room; exit 3"),
                        java.util.Map.of(),
                        directory,
                        "KILL",
                        () -> false)))
        .hasMessage("the server did not start: no room");
    assertThat(directory).doesNotExist();
  }
}
