package io.txwatch.cli;

import io.txwatch.analyzer.Analyzer;
import io.txwatch.anomaly.Anomaly;
import io.txwatch.guarantee.Judge;
import io.txwatch.history.HistoryReader;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Runs the demo's application, each phase in a JVM and a database of its own.
 *
 * @param jar {@code txwatch.jar}
 * @param application the application's class path
 * @param versions where row versions come from, as the setting has it
 */
record DemoRunner(
    Path jar,
    List<Path> application,
    DemoPhase.WatchMode watchMode,
    String versions,
    DemoDatabase database) {

  private static final String APPLICATION = "io.txwatch.demo.DemoApp";
  private static final Pattern LAST_LINE =
      Pattern.compile("transactions=(\\d+) isolation=([A-Z_]+)");
  private static final int TIMEOUT_SECONDS = 120;

  /** Runs a phase, of the corrected code if {@code fixed}. */
  DemoPhase run(String name, boolean fixed) throws IOException, SQLException {
    String url = database.empty(name.replace('-', '_') + (fixed ? "_fixed" : ""));
    Path directory = NestedJars.temporaryDirectory();
    Path history = directory.resolve("history");
    Path report = directory.resolve("anomalies.jsonl");
    Path errors = directory.resolve("stderr");
    List<String> command = command(url, history, report);
    command.addAll(List.of("--phase", name));
    if (fixed) {
      command.add("--fixed");
    }
    List<String> output = run(command, errors);
    Matcher last = LAST_LINE.matcher(output.isEmpty() ? "" : output.get(output.size() - 1));
    if (!last.matches()) {
      throw new IllegalStateException("the demo's application ended without its last line");
    }
    List<String> warnings =
        Files.readAllLines(errors).stream()
            .filter(line -> line.startsWith("txwatch: "))
            .filter(line -> !line.startsWith("txwatch: row versions come from "))
            .toList();
    if (!Files.exists(history)) {
      throw CommandException.badInput(
          "the demo's application ran unwatched: " + String.join("; ", warnings));
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
        warnings,
        anomalies(report),
        recorded,
        analyzer.coverage());
  }

  private List<String> command(String url, Path history, Path report) {
    boolean byAgent = watchMode == DemoPhase.WatchMode.AGENT;
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"));
    command.addAll(
        List.of(
            "-Dtxwatch.versions=" + versions,
            "-Dtxwatch.prepare=" + (versions.equals("columns") ? "auto" : "off"),
            "-Dtxwatch.history=" + history,
            "-Dtxwatch.report=" + report,
            "-Dtxwatch.log=none"));
    List<Path> classPath = new ArrayList<>(application);
    if (byAgent) {
      command.add("-javaagent:" + jar);
    } else {
      classPath.add(jar);
    }
    command.add("-cp");
    command.add(String.join(File.pathSeparator, classPath.stream().map(Path::toString).toList()));
    command.add(APPLICATION);
    command.add("--url");
    command.add(byAgent ? url : Drivers.WATCHED + url.substring("jdbc:".length()));
    return command;
  }

  private List<String> run(List<String> command, Path errors) throws IOException {
    ProcessBuilder builder = new ProcessBuilder(command).redirectError(errors.toFile());
    builder.environment().putAll(database.environment());
    Process process = builder.start();
    List<String> output = new ArrayList<>();
    try (BufferedReader lines =
        new BufferedReader(
            new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
      Thread watchdog = new Thread(() -> killAfterTimeout(process));
      watchdog.setDaemon(true);
      watchdog.start();
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        output.add(line);
      }
      int code = process.waitFor();
      if (code != 0) {
        String lastLines = tail(Files.readAllLines(errors));
        throw code == ExitCode.UNREACHABLE
            ? CommandException.unreachable(lastLines)
            : new IllegalStateException(
                "the demo's application ended with " + code + ": " + lastLines);
      }
      return output;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    } finally {
      process.destroy();
    }
  }

  private static void killAfterTimeout(Process process) {
    try {
      if (!process.waitFor(TIMEOUT_SECONDS, TimeUnit.SECONDS)) {
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
