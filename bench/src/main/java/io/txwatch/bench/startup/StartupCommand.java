package io.txwatch.bench.startup;

import io.txwatch.bench.JarOption;
import io.txwatch.bench.JdkProcess;
import io.txwatch.bench.Machine;
import io.txwatch.bench.MarkdownTable;
import io.txwatch.bench.Median;
import io.txwatch.bench.Output;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code startup}: the duration of short-lived JVMs. */
@Command(
    name = "startup",
    description = "Measures starting JVMs, and the memory of one, with and without txwatch.",
    mixinStandardHelpOptions = true,
    showDefaultValues = true)
public final class StartupCommand implements Callable<Integer> {

  private static final String H2 = "h2:mem:startup";

  @Mixin private JarOption jar = new JarOption();

  @Option(names = "--rounds", description = "JVMs of each kind", defaultValue = "11")
  private int rounds = 11;

  @Option(names = "--statements", description = "for the memory; 0: none", defaultValue = "1000000")
  private int statements = 1_000_000;

  @Mixin private Output output = new Output();

  @Override
  public Integer call() throws IOException, InterruptedException {
    Map<String, List<String>> kinds = new LinkedHashMap<>();
    String agent = "-javaagent:" + jar.path().toAbsolutePath();
    kinds.put("nothing", List.of(application()));
    kinds.put("nothing, with the agent", List.of(agent, application()));
    kinds.put("four statements on H2, raw", List.of(application(), "jdbc:" + H2));
    kinds.put("four statements on H2, jdbc:txwatch:", List.of(application(), "jdbc:txwatch:" + H2));
    kinds.put(
        "the same, tables prepared",
        List.of("-Dtxwatch.prepare=auto", application(), "jdbc:txwatch:" + H2));
    kinds.put("four statements on H2, with the agent", List.of(agent, application(), "jdbc:" + H2));
    Map<String, List<Double>> millis = new LinkedHashMap<>();
    for (int round = 0; round <= rounds; round++) {
      for (Map.Entry<String, List<String>> kind : kinds.entrySet()) {
        double taken = run(kind.getValue(), ProcessBuilder.Redirect.DISCARD);
        if (round > 0) { // the first round only fills the page cache
          millis.computeIfAbsent(kind.getKey(), k -> new ArrayList<>()).add(taken);
        }
      }
      output.progress("round " + round);
    }
    output.write("## Startup\n\n" + Machine.describe() + "\n\n");
    output.write(
        String.format(
            Locale.ROOT,
            "Milliseconds from starting a JVM to its end: median, least and most of %d interleaved"
                + " runs.%n%n",
            rounds));
    MarkdownTable table = new MarkdownTable("application", "ms", "spread");
    millis.forEach(
        (kind, taken) -> {
          Median of = Median.of(taken);
          table.row(
              kind,
              String.format(Locale.ROOT, "%.0f", of.median()),
              String.format(Locale.ROOT, "%.0f–%.0f", of.min(), of.max()));
        });
    output.write(table + "\n");
    if (statements > 0) {
      memory(agent);
    }
    return 0;
  }

  /** Runs the application of many statements, raw and with the agent. */
  private void memory(String agent) throws IOException, InterruptedException {
    String url = "jdbc:h2:mem:memory;DB_CLOSE_DELAY=-1";
    List<String> application =
        List.of(ManyStatements.class.getName(), url, Integer.toString(statements));
    List<String> watched = new ArrayList<>(List.of(agent + "=prepare=auto,log=none"));
    watched.addAll(application);
    List<String> raw = lines(application);
    List<String> withAgent = lines(watched);
    output.write(
        String.format(
            Locale.ROOT,
            "MiB of heap after a collection, and at the end the peak of the resident set, of an"
                + " application with ten connections to H2 in memory.%n%n"));
    MarkdownTable table = new MarkdownTable("statements", "raw", "with the agent");
    for (int i = 0; i < raw.size(); i++) {
      String[] cells = raw.get(i).split(" ");
      table.row(cells[0], mebibytes(cells[1]), mebibytes(withAgent.get(i).split(" ")[1]));
    }
    output.write(table + "\n");
  }

  private static String mebibytes(String bytes) {
    return String.format(Locale.ROOT, "%.1f", Long.parseLong(bytes) / 1_048_576.0);
  }

  /** What a JVM prints. */
  private List<String> lines(List<String> arguments) throws IOException, InterruptedException {
    Path out = Files.createTempFile("startup", "");
    try {
      run(arguments, ProcessBuilder.Redirect.to(out.toFile()));
      return Files.readAllLines(out);
    } finally {
      Files.delete(out);
    }
  }

  private static String application() {
    return FirstStatements.class.getName();
  }

  /**
   * The jar, the driver and the application, as a user has them; no other classes of this project.
   */
  private String classPath() {
    String h2 =
        Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
            .filter(entry -> entry.contains("h2-") || entry.endsWith("bench/target/classes"))
            .collect(Collectors.joining(File.pathSeparator));
    return jar.path().toAbsolutePath() + File.pathSeparator + h2;
  }

  private double run(List<String> arguments, ProcessBuilder.Redirect out)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(JdkProcess.program("java").toString());
    command.addAll(List.of("-cp", classPath()));
    command.addAll(arguments);
    long started = System.nanoTime();
    Process process =
        new ProcessBuilder(command)
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .redirectOutput(out)
            .start();
    int exit = process.waitFor();
    if (exit != 0) {
      throw new IOException("ended with " + exit + ": " + command);
    }
    return (System.nanoTime() - started) / 1e6;
  }
}
