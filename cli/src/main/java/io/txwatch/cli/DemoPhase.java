package io.txwatch.cli;

import io.txwatch.analyzer.Analyzer;
import io.txwatch.anomaly.Anomaly;
import io.txwatch.coverage.Coverage;
import io.txwatch.guarantee.Judge;
import io.txwatch.history.HistoryReader;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * One run of the demo's application, in a JVM of its own, watched as a user would watch theirs.
 *
 * @param name the phase
 * @param fixed true if it ran the corrected code
 * @param isolation the level that its transactions asked for
 * @param transactions how many of the service's transactions committed
 * @param output what the application printed, its last line left out
 * @param complaints what txwatch complained of in the application's standard error
 * @param live the anomalies that were found while it ran, a line of JSON each
 * @param recorded the same, from the history that it recorded
 * @param coverage how much was seen
 */
record DemoPhase(
    String name,
    boolean fixed,
    String isolation,
    long transactions,
    List<String> output,
    List<String> complaints,
    List<String> live,
    List<Anomaly> recorded,
    Coverage coverage) {

  /** The phases, in the order of the demo. */
  static final List<String> NAMES =
      List.of("lost-update", "double-booking", "write-skew", "read-skew");

  private static final String APPLICATION = "io.txwatch.demo.DemoApp";
  private static final Pattern LAST_LINE =
      Pattern.compile("transactions=(\\d+) isolation=([A-Z_]+)");
  private static final int SECONDS = 120;

  /** How the application is watched. */
  enum WatchMode {
    /** {@code -javaagent}. */
    AGENT,
    /** {@code jdbc:txwatch:} in front of the URL. */
    URL
  }

  /** Runs a phase. */
  static DemoPhase run(
      Path jar,
      List<Path> application,
      WatchMode watchMode,
      DemoDatabase database,
      String url,
      String name,
      boolean fixed)
      throws IOException {
    Path directory = NestedJars.temporaryDirectory();
    Path history = directory.resolve("history");
    Path report = directory.resolve("anomalies.jsonl");
    Path errors = directory.resolve("stderr");
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"));
    command.addAll(
        List.of(
            "-Dtxwatch.prepare=auto",
            "-Dtxwatch.history=" + history,
            "-Dtxwatch.report=" + report,
            "-Dtxwatch.log=none"));
    List<Path> classPath = new ArrayList<>(application);
    if (watchMode == WatchMode.AGENT) {
      command.add("-javaagent:" + jar);
    } else {
      classPath.add(jar);
    }
    command.add("-cp");
    command.add(
        String.join(java.io.File.pathSeparator, classPath.stream().map(Path::toString).toList()));
    command.add(APPLICATION);
    command.add("--url");
    command.add(
        watchMode == WatchMode.AGENT ? url : Drivers.WATCHED + url.substring("jdbc:".length()));
    command.addAll(List.of("--phase", name));
    if (fixed) {
      command.add("--fixed");
    }
    List<String> output = run(command, database.environment(), errors);
    Matcher last = LAST_LINE.matcher(output.isEmpty() ? "" : output.get(output.size() - 1));
    if (!last.matches()) {
      throw new IllegalStateException("the demo's application ended without its last line");
    }
    List<String> complaints =
        Files.readAllLines(errors).stream().filter(line -> line.startsWith("txwatch: ")).toList();
    if (!Files.exists(history)) {
      throw CommandException.badInput(
          "the demo's application ran unwatched: " + String.join("; ", complaints));
    }
    List<Anomaly> recorded = new ArrayList<>();
    Analyzer analyzer = new Analyzer(Judge.DBMS, recorded::add);
    try (HistoryReader reader = HistoryReader.open(history)) {
      reader.forEach(analyzer::accept);
    }
    analyzer.close();
    return new DemoPhase(
        name,
        fixed,
        last.group(2),
        Long.parseLong(last.group(1)),
        output.subList(0, output.size() - 1),
        complaints,
        anomalies(report),
        recorded,
        analyzer.coverage());
  }

  private static List<String> run(
      List<String> command, Map<String, String> environment, Path errors) throws IOException {
    ProcessBuilder builder = new ProcessBuilder(command).redirectError(errors.toFile());
    builder.environment().putAll(environment);
    Process process = builder.start();
    List<String> output = new ArrayList<>();
    try (BufferedReader lines =
        new BufferedReader(
            new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
      Thread guard = new Thread(() -> endLate(process));
      guard.setDaemon(true);
      guard.start();
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        output.add(line);
      }
      int code = process.waitFor();
      if (code != 0) {
        String said = tail(Files.readAllLines(errors));
        throw code == ExitCode.UNREACHABLE
            ? CommandException.unreachable(said)
            : new IllegalStateException("the demo's application ended with " + code + ": " + said);
      }
      return output;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    } finally {
      process.destroy();
    }
  }

  private static void endLate(Process process) {
    try {
      if (!process.waitFor(SECONDS, TimeUnit.SECONDS)) {
        process.destroyForcibly();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static String tail(List<String> lines) {
    return String.join("\n", lines.subList(Math.max(0, lines.size() - 20), lines.size()));
  }

  private static List<String> anomalies(Path report) throws IOException {
    if (!Files.exists(report)) {
      return List.of();
    }
    return Files.readAllLines(report).stream()
        .filter(line -> line.startsWith("{\"type\":\"anomaly\""))
        .toList();
  }
}
