package io.txwatch.interleave;

import io.txwatch.interleave.explore.DivergedException;
import io.txwatch.interleave.explore.Program;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;

/**
 * The order of calls that once showed a race, kept in a file beside the test, and executed first
 * when the test runs again.
 *
 * @param lines the calls: {@code buy A: SELECT …}
 */
record KeptSchedule(List<String> lines) {

  private static final String HEADER =
      "# The order of calls that showed a race. It is executed first when the test runs again;\n"
          + "# keep it with the test. Lines that begin with \"# \" are ignored.\n";

  KeptSchedule {
    lines = List.copyOf(lines);
  }

  /**
   * That of a file; empty if there is no such file.
   *
   * @throws UncheckedIOException if it cannot be read
   */
  static KeptSchedule read(Path file) {
    if (!Files.exists(file)) {
      return new KeptSchedule(List.of());
    }
    try {
      return new KeptSchedule(
          Files.readAllLines(file).stream()
              .map(String::strip)
              .filter(line -> !line.isEmpty() && !line.startsWith("# "))
              .toList());
    } catch (IOException e) {
      throw new UncheckedIOException(
          "the kept schedule " + file + " cannot be read: delete it, and it is written again", e);
    }
  }

  /** Writes it to a file, whose folder is created. */
  void write(Path file) throws IOException {
    Path folder = file.toAbsolutePath().getParent();
    if (folder != null) {
      Files.createDirectories(folder);
    }
    Files.writeString(file, HEADER + String.join("\n", lines) + "\n");
  }

  boolean isEmpty() {
    return lines.isEmpty();
  }

  /**
   * Chooses operations in this order.
   *
   * @param names the names of the operations, by their numbers
   */
  Program.Scheduler scheduler(List<String> names) {
    List<Integer> order = lines.stream().map(line -> operation(line, names)).toList();
    return (step, enabled, last) -> {
      int chosen = step < order.size() ? order.get(step) : -1;
      if (chosen < 0 || (enabled >> chosen & 1) == 0) {
        throw new DivergedException(step);
      }
      return chosen;
    };
  }

  /** The operation that makes a call; -1 if there is none of that name. */
  private static int operation(String line, List<String> names) {
    return IntStream.range(0, names.size())
        .filter(i -> line.startsWith(names.get(i) + ": "))
        .boxed()
        .max(Comparator.comparingInt(i -> names.get(i).length()))
        .orElse(-1);
  }
}
