package io.txwatch.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * {@code java -jar txwatch.jar}, run to its end.
 *
 * @param code its exit code
 * @param out what it wrote to standard output
 * @param err what it wrote to standard error
 */
record JarRun(int code, String out, String err) {

  /** The jar that the build has made. */
  static final Path JAR = Path.of("target", "txwatch.jar").toAbsolutePath();

  /** The jar for applications, without commands. */
  static final Path AGENT_JAR = Path.of("target", "txwatch-agent.jar").toAbsolutePath();

  static JarRun of(Path directory, String... args) throws Exception {
    Path out = Files.createTempFile(directory, "out", "");
    Path err = Files.createTempFile(directory, "err", "");
    Process process = start(out, err, args);
    assertThat(process.waitFor(300, TimeUnit.SECONDS)).isTrue();
    return new JarRun(process.exitValue(), Files.readString(out), Files.readString(err));
  }

  /** Starts it, and does not wait for its end. */
  static Process start(Path out, Path err, String... args) throws IOException {
    return start(Path.of("/dev/null"), out, err, args);
  }

  /** The same, with a file as its standard input. */
  static Process start(Path in, Path out, Path err, String... args) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"));
    command.add("-Dtxwatch.servers.path=" + DemoIT.serversPath());
    command.addAll(List.of("-jar", JAR.toString()));
    command.addAll(List.of(args));
    return new ProcessBuilder(command)
        .redirectInput(in.toFile())
        .redirectOutput(out.toFile())
        .redirectError(err.toFile())
        .start();
  }
}
