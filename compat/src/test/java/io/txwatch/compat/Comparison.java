package io.txwatch.compat;

import io.txwatch.compat.ApplicationRun.Installation;
import io.txwatch.servers.ServerKind;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/**
 * An application on one DBMS, unwatched and watched in both ways.
 *
 * @param lines how many lines were compared
 * @param reported the anomalies that were reported in each way
 * @param faults every difference, and what is wrong with a report; empty if all is well
 */
record Comparison(
    Application application,
    ServerKind kind,
    int lines,
    Map<Way, Integer> reported,
    List<String> faults) {

  private static final int MAX_SHOWN = 8;

  /** Runs it, all ways at the same time. */
  static Comparison of(
      Installation installation, Application application, ServerKind kind, Path folder)
      throws IOException {
    Map<Way, CompletableFuture<ApplicationRun>> running = new EnumMap<>(Way.class);
    for (Way way : Way.values()) {
      running.put(
          way,
          CompletableFuture.supplyAsync(
              () -> {
                try {
                  return ApplicationRun.of(
                      installation, application, kind, way, folder.resolve(way.name()));
                } catch (IOException | SQLException | InterruptedException e) {
                  throw new CompletionException(e);
                }
              }));
    }
    Map<Way, ApplicationRun> runs = new EnumMap<>(Way.class);
    List<String> failures = new ArrayList<>();
    running.forEach(
        (way, run) -> {
          try {
            runs.put(way, run.join());
          } catch (CompletionException e) {
            failures.add(way + ": " + e.getCause());
          }
        });
    return failures.isEmpty()
        ? of(installation, application, kind, runs)
        : new Comparison(application, kind, 0, Map.of(), failures);
  }

  private static Comparison of(
      Installation installation,
      Application application,
      ServerKind kind,
      Map<Way, ApplicationRun> runs)
      throws IOException {
    ReportedLines reported = new ReportedLines(installation.module(), application);
    List<String> faults = new ArrayList<>();
    ApplicationRun raw = run(runs, Way.RAW);
    if (raw.exitCode() != 0 || raw.lines().isEmpty()) {
      faults.add("raw: exit code " + raw.exitCode() + ": " + raw.errors());
    }
    Map<Way, Integer> anomalies = new EnumMap<>(Way.class);
    for (Way way : List.of(Way.AGENT, Way.URL, Way.DEFAULT)) {
      ApplicationRun watched = run(runs, way);
      List<String> found = new ArrayList<>();
      if (watched.exitCode() != raw.exitCode()) {
        found.add("exit code " + watched.exitCode());
      }
      found.addAll(differences(raw.lines(), watched.lines()));
      found.addAll(
          application.logsInAnyOrder()
              ? stable(watched.errors()).stream()
                  .filter(line -> line.startsWith("txwatch:"))
                  .toList()
              : differences(stable(raw.errors()), stable(watched.errors())));
      found.addAll(reported.faults(watched.report()));
      anomalies.put(way, watched.report().size());
      found.forEach(fault -> faults.add(way + ": " + fault));
    }
    return new Comparison(application, kind, raw.lines().size(), anomalies, faults);
  }

  private static ApplicationRun run(Map<Way, ApplicationRun> runs, Way way) {
    ApplicationRun run = runs.get(way);
    if (run == null) {
      throw new IllegalStateException(way + " was not run");
    }
    return run;
  }

  /**
   * Standard error without what differs from run to run, and without the line that names where row
   * versions come from.
   */
  private static List<String> stable(String errors) {
    return errors
        .lines()
        .map(line -> line.replaceAll("@[0-9a-f]+|\\d+", "N"))
        .filter(line -> !line.contains("Sharing is only supported for boot loader classes"))
        .filter(line -> !line.matches("txwatch: (?:no )?row versions come from .*"))
        .toList();
  }

  private static List<String> differences(List<String> raw, List<String> watched) {
    List<String> found = new ArrayList<>();
    int lines = Math.max(raw.size(), watched.size());
    for (int i = 0; i < lines && found.size() < MAX_SHOWN; i++) {
      String expected = i < raw.size() ? raw.get(i) : "(no line)";
      String actual = i < watched.size() ? watched.get(i) : "(no line)";
      if (!expected.equals(actual)) {
        found.add("line " + (i + 1) + "\n    raw      " + expected + "\n    watched  " + actual);
      }
    }
    return found;
  }

  /** A row of a table in Markdown. */
  String row() {
    return String.format(
        "| %s | %s | %d | %d / %d / %d | %s |",
        application.label(),
        kind,
        lines,
        reported.getOrDefault(Way.AGENT, 0),
        reported.getOrDefault(Way.URL, 0),
        reported.getOrDefault(Way.DEFAULT, 0),
        faults.isEmpty() ? "0" : String.valueOf(faults.size()));
  }
}
