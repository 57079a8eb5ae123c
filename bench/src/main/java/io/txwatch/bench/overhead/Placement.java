package io.txwatch.bench.overhead;

import io.txwatch.bench.UnusableOptionException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Assigns processors to the application and to the server.
 *
 * <p>A server on its client's processor answers a simple statement in 40 microseconds, one on
 * another processor in 110, because a processor must be woken on either side. Without placement,
 * the scheduler chooses at random which client gets the shared processor, and keeps the choice for
 * a long time: a benchmark would measure that choice instead of the overhead.
 */
enum Placement {
  /** Each has one half of the processors, like separate hosts but for the network. */
  APART,
  /** As the scheduler decides. */
  SHARED;

  private static final Path STATUS = Path.of("/proc/self/status");

  /** The processors that this process had at its start. */
  private static final List<Integer> ALL = processors();

  /**
   * This placement, if this machine supports it.
   *
   * @throws UnusableOptionException if there are fewer than two processors, or if they are unknown
   */
  Placement usable() {
    if (this == APART) {
      half(ALL, 0);
    }
    return this;
  }

  /** A sentence for reports. */
  String describe() {
    return switch (this) {
      case APART ->
          "The clients run on one half of the processors, and the server, if the benchmark started"
              + " it, on the other.";
      case SHARED -> "Clients and server share the processors.";
    };
  }

  /** The prefix of the command line of an application's process. */
  List<String> ofApplication() {
    return this == SHARED ? List.of() : List.of("taskset", "-c", half(ALL, 0));
  }

  /**
   * Moves the servers, that is, all processes that this process has started so far, and their
   * threads, to their processors.
   */
  void placeServers() throws IOException {
    if (this == SHARED) {
      return;
    }
    for (ProcessHandle server : ProcessHandle.current().descendants().toList()) {
      place(server, half(ALL, 1));
    }
  }

  /** Moves this process to the application's processors. */
  void placeThisProcess() throws IOException {
    if (this == APART) {
      place(ProcessHandle.current(), half(ALL, 0));
    }
  }

  private static void place(ProcessHandle process, String processors) throws IOException {
    String pid = Long.toString(process.pid());
    Process taskset =
        new ProcessBuilder("taskset", "-a", "-p", "-c", processors, pid)
            .redirectErrorStream(true)
            .start();
    String output = new String(taskset.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    if (exit(taskset) != 0 && process.isAlive()) {
      throw new IOException("cannot place process " + pid + ": " + output.strip());
    }
  }

  private static int exit(Process process) throws IOException {
    try {
      return process.waitFor();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    }
  }

  /** The processors that this process may run on. */
  private static List<Integer> processors() {
    try (var lines = Files.lines(STATUS)) {
      return lines
          .filter(line -> line.startsWith("Cpus_allowed_list:"))
          .findFirst()
          .map(line -> parse(line.substring(line.indexOf(':') + 1).strip()))
          .orElse(List.of());
    } catch (IOException e) {
      return List.of(); // not Linux
    }
  }

  /** Parses a list in Linux's notation: {@code 0-3,8}. */
  static List<Integer> parse(String list) {
    List<Integer> processors = new ArrayList<>();
    for (String range : list.split(",", -1)) {
      String[] ends = range.split("-", -1);
      int last = Integer.parseInt(ends[ends.length - 1]);
      for (int i = Integer.parseInt(ends[0]); i <= last; i++) {
        processors.add(i);
      }
    }
    return processors;
  }

  /**
   * The first or second half of the processors in Linux's notation; of an odd number the second has
   * more.
   *
   * @throws UnusableOptionException if there are fewer than two
   */
  static String half(List<Integer> processors, int which) {
    if (processors.size() < 2) {
      throw new UnusableOptionException(
          "application and server cannot have processors of their own here: --processors shared");
    }
    int middle = processors.size() / 2;
    return (which == 0
            ? processors.subList(0, middle)
            : processors.subList(middle, processors.size()))
        .stream().map(String::valueOf).collect(Collectors.joining(","));
  }
}
