package io.txwatch.cli;

import java.io.File;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A JVM of its own for {@code java -jar txwatch.jar fuzz}. A campaign executes code of drivers and
 * of embedded databases that takes minutes to optimize, on processors that the server needs; a jar
 * cannot set the options that prevent this. With any option of the JVM's own on the command line,
 * the choice was made there, and no other JVM is started.
 */
final class FuzzJvm {

  private static final List<String> OPTIONS =
      List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC");

  private FuzzJvm() {}

  /**
   * Runs a command line in another JVM, if it is one for it.
   *
   * @return its exit code; empty if the command is to be run in this JVM
   */
  static Optional<Integer> run(String... args) {
    String jar = System.getProperty("java.class.path");
    boolean isOneJar = jar.endsWith(".jar") && !jar.contains(File.pathSeparator);
    if (args.length == 0 || !args[0].equals("fuzz") || !isOneJar) {
      return Optional.empty();
    }
    List<String> chosen = ManagementFactory.getRuntimeMXBean().getInputArguments();
    if (chosen.stream().anyMatch(option -> !option.startsWith("-D"))) {
      return Optional.empty();
    }
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(OPTIONS);
    command.addAll(chosen);
    command.addAll(List.of("-jar", jar));
    command.addAll(List.of(args));
    Process process;
    try {
      process = new ProcessBuilder(command).inheritIO().start();
    } catch (IOException e) {
      return Optional.empty(); // no other JVM can be started: this one is slower
    }
    Thread onSignal = new Thread(() -> stop(process), "stop");
    Runtime.getRuntime().addShutdownHook(onSignal);
    try {
      return Optional.of(process.waitFor());
    } catch (InterruptedException e) {
      stop(process);
      Thread.currentThread().interrupt();
      return Optional.of(ExitCode.INTERNAL);
    }
  }

  /** Hands on a signal, and waits until the other JVM has printed what it found. */
  private static void stop(Process process) {
    process.destroy();
    try {
      process.waitFor();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
