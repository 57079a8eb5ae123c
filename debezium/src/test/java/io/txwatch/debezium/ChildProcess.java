package io.txwatch.debezium;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Processes with txwatch.jar in their class path, where the engine's libraries are not. */
final class ChildProcess {

  /** No anomaly, or one. */
  private static final Set<Integer> RESULTS = Set.of(0, 1);

  private ChildProcess() {}

  static Path jar() {
    return Path.of("").toAbsolutePath().resolveSibling("cli/target/txwatch.jar");
  }

  /** A command of txwatch.jar. */
  static String txwatch(String... arguments) throws Exception {
    List<String> command = new ArrayList<>(List.of("-jar", jar().toString()));
    command.addAll(List.of(arguments));
    return java(command);
  }

  /**
   * Runs a JVM to its end.
   *
   * @return what it wrote to standard output and standard error
   */
  static String java(List<String> arguments) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add("-XX:TieredStopAtLevel=1");
    command.addAll(arguments);
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    int code = process.waitFor();
    if (!RESULTS.contains(code)) {
      throw new IllegalStateException(
          String.join(" ", arguments) + " ended with exit code " + code + ": " + output);
    }
    return output;
  }
}
