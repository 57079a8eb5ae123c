package io.txwatch.corpus.suite;

import io.txwatch.corpus.suite.JUnitReports.Result;
import io.txwatch.corpus.suite.JUnitReports.Test;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * {@code corpus/run suite}: executes a command that runs JUnit tests, once without and once with
 * the agent, each time on a new server, or on whatever databases the tests start themselves.
 *
 * <p>Tests that fail in only one of the two runs are repeated, class by class, in both. A test that
 * fails again in the same run only is a difference; the others are unstable. The anomalies that the
 * agent reported are counted beside them, where its options contain a {@code report=} below {@code
 * {reports}}.
 *
 * <p>With {@code --sent}, the suite runs twice without the agent, and what its connections sent to
 * the server in the three runs is compared ({@link SentReport}).
 */
@Command(
    name = "suite",
    description = "Runs a JUnit suite without and with the agent and compares the reports.",
    mixinStandardHelpOptions = true)
final class JUnitSuiteCommand implements Callable<Integer> {

  private static final String RAW = "raw";
  private static final String SECOND = "raw-second";
  private static final String WATCHED = "watched";

  @Mixin private ProgramRuns runs = new ProgramRuns();

  @Option(names = "--all", required = true, description = "the {selection} of all tests")
  private String all = "";

  @Option(
      names = "--class",
      required = true,
      description = "the {selection} of one class, with {class}; repeated for each class")
  private String oneClass = "";

  @Option(
      names = "--class-separator",
      description = "the separator between these; default: a space")
  private String separator = " ";

  @Option(
      names = "--sent",
      description = {
        "run raw twice, and compare what each connection sends to the server of --db, for agent",
        "options that change no statement; without TLS and compression; {port} is a relay's"
      })
  private boolean isSentCompared;

  /** What each run of all tests sent, with {@code --sent}. */
  private final Map<String, SentReport.Run> sent = new HashMap<>();

  @Override
  public Integer call() throws SQLException, IOException, InterruptedException {
    if (isSentCompared && !runs.hasServer()) {
      throw new IllegalArgumentException("--sent needs --db");
    }
    Map<String, Test> raw = run(RAW, false, all);
    if (isSentCompared) {
      run(SECOND, false, all);
    }
    Map<String, Test> watched = run(WATCHED, true, all);
    Set<String> onlySkipped = new TreeSet<>(watched.keySet());
    onlySkipped.removeIf(test -> !is(Result.SKIPPED, watched, test));
    onlySkipped.removeIf(test -> !is(Result.PASSED, raw, test));
    Set<String> suspects = new TreeSet<>(failedOnlyIn(watched, raw));
    suspects.addAll(failedOnlyIn(raw, watched));
    Set<String> onlyWatched = new TreeSet<>();
    Set<String> onlyRaw = new TreeSet<>();
    if (!suspects.isEmpty()) {
      String classes =
          suspects.stream()
              .map(test -> Objects.requireNonNullElse(watched.get(test), raw.get(test)).className())
              .distinct()
              .map(name -> oneClass.replace("{class}", name))
              .collect(Collectors.joining(separator));
      Map<String, Test> rawAgain = run("raw-again", false, classes);
      Map<String, Test> watchedAgain = run("watched-again", true, classes);
      onlyWatched.addAll(failedOnlyIn(watched, raw));
      onlyWatched.retainAll(failedOnlyIn(watchedAgain, rawAgain));
      onlyRaw.addAll(failedOnlyIn(raw, watched));
      onlyRaw.retainAll(failedOnlyIn(rawAgain, watchedAgain));
    }
    Set<String> unstable = new TreeSet<>(suspects);
    unstable.removeAll(onlyWatched);
    unstable.removeAll(onlyRaw);
    String report =
        report(raw, watched, onlyWatched, onlyRaw, onlySkipped, unstable)
            + ReportedAnomalies.count(runs.out(WATCHED))
            + ResolvedReads.count(runs.agent(), runs.out(WATCHED));
    boolean isSentEqual = true;
    if (isSentCompared) {
      SentReport compared = SentReport.of(sentBy(RAW), sentBy(SECOND), sentBy(WATCHED));
      report += compared.text();
      isSentEqual = compared.isEqual();
    }
    new PrintStream(System.out, true, StandardCharsets.UTF_8).println(report);
    Files.writeString(runs.out().resolve("report.md"), report);
    return onlyWatched.isEmpty() && onlyRaw.isEmpty() && isSentEqual ? 0 : 1;
  }

  private SentReport.Run sentBy(String run) {
    return Objects.requireNonNull(sent.get(run));
  }

  /** The tests that fail in one run and not in the other. */
  private static Set<String> failedOnlyIn(Map<String, Test> one, Map<String, Test> other) {
    return one.keySet().stream()
        .filter(test -> is(Result.FAILED, one, test) && !is(Result.FAILED, other, test))
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private static boolean is(Result result, Map<String, Test> run, String test) {
    Test found = run.get(test);
    return found != null && found.result() == result;
  }

  private Map<String, Test> run(String name, boolean isWatched, String selection)
      throws SQLException, IOException, InterruptedException {
    runs.run(name, isWatched, selection, isSentCompared && selection.equals(all))
        .ifPresent(run -> sent.put(name, run));
    Path reports = runs.out(name);
    Map<String, Test> tests = JUnitReports.read(reports);
    if (tests.isEmpty()) {
      throw new IOException("no test ran, see " + reports.resolve(ProgramRuns.OUTPUT));
    }
    return tests;
  }

  private static String report(
      Map<String, Test> raw,
      Map<String, Test> watched,
      Set<String> onlyWatched,
      Set<String> onlyRaw,
      Set<String> onlySkipped,
      Set<String> unstable) {
    StringBuilder text = new StringBuilder("| run | tests | passed | failed | skipped |\n");
    text.append("|---|---:|---:|---:|---:|\n").append(row("raw", raw));
    text.append(row("watched", watched)).append('\n');
    text.append(onlyWatched.size()).append(" fail only watched, ");
    text.append(onlyRaw.size()).append(" only raw, ");
    text.append(onlySkipped.size()).append(" are skipped only watched, ");
    text.append(unstable.size()).append(" are unstable\n");
    Map<String, List<String>> causes = new TreeMap<>();
    onlyWatched.forEach(test -> add(causes, "only watched", test, watched));
    onlyRaw.forEach(test -> add(causes, "only raw", test, raw));
    unstable.forEach(
        test -> add(causes, "unstable", test, is(Result.FAILED, watched, test) ? watched : raw));
    causes.forEach(
        (cause, tests) -> {
          text.append("\n").append(tests.size()).append("  ").append(cause).append('\n');
          tests.forEach(test -> text.append("    ").append(test).append('\n'));
        });
    return text.toString();
  }

  private static String row(String name, Map<String, Test> run) {
    return String.format(
        Locale.ROOT,
        "| %s | %d | %d | %d | %d |%n",
        name,
        run.size(),
        count(run, Result.PASSED),
        count(run, Result.FAILED),
        count(run, Result.SKIPPED));
  }

  private static long count(Map<String, Test> run, Result result) {
    return run.values().stream().filter(test -> test.result() == result).count();
  }

  private static void add(
      Map<String, List<String>> causes, String what, String test, Map<String, Test> run) {
    String message = Objects.requireNonNull(run.get(test)).message();
    String line = message.lines().findFirst().orElse("").replaceAll("@[0-9a-f]+|\\d+", "N");
    String cause = what + ": " + line.substring(0, Math.min(300, line.length()));
    causes.computeIfAbsent(cause, key -> new ArrayList<>()).add(test);
  }
}
