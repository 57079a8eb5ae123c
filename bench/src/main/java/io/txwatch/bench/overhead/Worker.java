package io.txwatch.bench.overhead;

import java.io.BufferedReader;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.SQLException;

/**
 * The JVM of one variant. Each input line is for how many milliseconds to run, and for how many
 * transactions of each client at most; each output line is a {@link Slice}. It ends with its input.
 */
public final class Worker {

  /** The prefix of a line with a slice: the JVM may print other lines. */
  static final String SLICE_PREFIX = "slice ";

  private Worker() {}

  /** Arguments: variant, workload, URL, clients, seed, a directory for logs. */
  public static void main(String[] args) throws IOException, SQLException {
    Variant variant = Variant.ofOption(args[0]);
    Workload workload = WorkloadKind.ofOption(args[1]).create();
    variant.setUp(Path.of(args[5]));
    PrintStream out =
        new PrintStream(new FileOutputStream(FileDescriptor.out), true, StandardCharsets.UTF_8);
    System.setOut(System.err);
    BufferedReader in =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    try (ClosedLoopLoad load =
        new ClosedLoopLoad(
            variant, workload, args[2], Integer.parseInt(args[3]), Long.parseLong(args[4]))) {
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        String[] words = line.split(" ", -1);
        Slice slice = load.run(Long.parseLong(words[0]), Long.parseLong(words[1]));
        out.println(SLICE_PREFIX + slice.format());
      }
    }
  }
}
