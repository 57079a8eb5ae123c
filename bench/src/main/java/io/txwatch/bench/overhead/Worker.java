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
 * The JVM of one variant. Each input line is a number of milliseconds to run; each output line is a
 * {@link Slice}. It ends with its input.
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
        out.println(SLICE_PREFIX + load.run(Long.parseLong(line)).format());
      }
    }
  }
}
