package io.txwatch.bench.startup;

import io.txwatch.bench.JarOption;
import io.txwatch.bench.JdkProcess;
import io.txwatch.bench.Machine;
import io.txwatch.bench.Markdown;
import io.txwatch.bench.Median;
import io.txwatch.bench.Output;
import java.io.File;
import java.io.IOException;
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
    description = "Measures short-lived JVMs with and without txwatch, interleaved.",
    mixinStandardHelpOptions = true,
    showDefaultValues = true)
public final class StartupCommand implements Callable<Integer> {

  private static final String H2 = "h2:mem:startup";

  @Mixin private JarOption jar = new JarOption();

  @Option(names = "--rounds", description = "JVMs of each kind", defaultValue = "11")
  private int rounds = 11;

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
        double taken = run(kind.getValue());
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
    Markdown table = new Markdown("application", "ms", "spread");
    millis.forEach(
        (kind, taken) -> {
          Median of = Median.of(taken);
          table.row(
              kind,
              String.format(Locale.ROOT, "%.0f", of.median()),
              String.format(Locale.ROOT, "%.0f–%.0f", of.min(), of.max()));
        });
    output.write(table + "\n");
    return 0;
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

  private double run(List<String> arguments) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(JdkProcess.program("java").toString());
    command.addAll(List.of("-cp", classPath()));
    command.addAll(arguments);
    long started = System.nanoTime();
    Process process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start();
    int exit = process.waitFor();
    if (exit != 0) {
      throw new IOException("ended with " + exit + ": " + command);
    }
    return (System.nanoTime() - started) / 1e6;
  }
}
