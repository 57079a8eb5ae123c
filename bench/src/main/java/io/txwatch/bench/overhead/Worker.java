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
 * The JVM of one variant. Each line of its standard input is a number of milliseconds to run for;
 * each line of its standard output is a {@link Slice}. It ends with its input.
 */
public final class Worker {

  /** What a line with a slice begins with: the JVM may have something to say, too. */
  static final String MARK = "slice ";

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
    try (Load load =
        new Load(variant, workload, args[2], Integer.parseInt(args[3]), Long.parseLong(args[4]))) {
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        out.println(MARK + load.run(Long.parseLong(line)).format());
      }
    }
  }
}
