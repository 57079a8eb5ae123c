package io.txwatch.corpus.suite;

import io.txwatch.analyzer.Analyzer;
import io.txwatch.anomaly.Anomaly;
import io.txwatch.capture.Pipeline;
import io.txwatch.corpus.Difference;
import io.txwatch.corpus.suite.PostgresRegressSession.Result;
import io.txwatch.guarantee.Judge;
import io.txwatch.history.Ids;
import io.txwatch.rewrite.RewritePlanner.Level;
import io.txwatch.servers.ServerKind;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code corpus/run postgres-regress}. */
@Command(
    name = "postgres-regress",
    description = "Runs PostgreSQL's regression scripts raw and watched and compares the outcomes.",
    mixinStandardHelpOptions = true)
final class PostgresRegressCommand implements Callable<Integer> {

  private static final String SETUP = "test_setup";

  @Parameters(
      paramLabel = "CHECKOUT",
      description = "a checkout of PostgreSQL, or a folder of its regression scripts (*.sql)")
  private Path checkout = Path.of("");

  @Option(
      names = "--files",
      split = ",",
      description = "names of scripts without .sql; test_setup always comes first; default: all")
  private List<String> files = List.of();

  @Option(names = "--skip", split = ",", description = "names of scripts that are not executed")
  private List<String> skip = List.of();

  @Option(
      names = "--levels",
      split = ",",
      description = "levels of instrumentation: ${COMPLETION-CANDIDATES}; default: all")
  private List<Level> levels = List.of(Level.values());

  @Option(
      names = "--minutes",
      description = "begin no script after so many minutes; default: ${DEFAULT-VALUE}")
  private int minutes = 600;

  @Option(names = "--out", description = "append the report to this file, too")
  private Path out = Path.of("");

  private final Causes causes = new Causes();
  private final Map<Level, Long> differences = new EnumMap<>(Level.class);
  private final Map<Level, List<Anomaly>> anomalies = new EnumMap<>(Level.class);
  private long statements;
  private long failed;
  private long unstable;

  @Override
  public Integer call() throws SQLException, IOException {
    long began = System.nanoTime();
    Path folder = folder(checkout);
    List<String> names = scripts(folder);
    Path data = Objects.requireNonNull(folder.toAbsolutePath().getParent());
    List<PostgresRegressSession> raw = new ArrayList<>();
    Map<Level, PostgresRegressSession> watched = new EnumMap<>(Level.class);
    Map<Level, Analyzer> analyzers = new EnumMap<>(Level.class);
    int done = 0;
    try {
      for (int i = 0; i < 2; i++) {
        raw.add(new PostgresRegressSession(data, Optional.empty(), Optional.empty()));
      }
      for (Level level : levels) {
        List<Anomaly> found = new ArrayList<>();
        anomalies.put(level, found);
        Analyzer analyzer = new Analyzer(Judge.named("dbms"), found::add);
        analyzers.put(level, analyzer);
        Pipeline pipeline = new Pipeline(Ids.ofNode(1), analyzer);
        watched.put(
            level, new PostgresRegressSession(data, Optional.of(level), Optional.of(pipeline)));
      }
      for (String name : names) {
        if (System.nanoTime() - began > minutes * 60_000_000_000L) {
          break;
        }
        System.err.println(name);
        String script =
            new String(Files.readAllBytes(folder.resolve(name + ".sql")), StandardCharsets.UTF_8);
        Map<Integer, Result> one = raw.get(0).run(script);
        Map<Integer, Result> other = raw.get(1).run(script);
        statements += one.size();
        failed += one.values().stream().filter(Result::failed).count();
        for (Map.Entry<Level, PostgresRegressSession> entry : watched.entrySet()) {
          compare(name, entry.getKey(), one, other, entry.getValue().run(script));
        }
        unstable +=
            one.entrySet().stream()
                .filter(e -> !e.getValue().equals(other.get(e.getKey())))
                .count();
        done++;
      }
      Map<String, List<String>> one = raw.get(0).contents();
      Map<String, List<String>> other = raw.get(1).contents();
      for (Map.Entry<Level, PostgresRegressSession> entry : watched.entrySet()) {
        compareContents(entry.getKey(), one, other, entry.getValue().contents());
        Objects.requireNonNull(analyzers.get(entry.getKey())).close();
      }
      report(
          done, names.size(), raw.get(0).skipped(), (System.nanoTime() - began) / 1_000_000_000L);
    } finally {
      for (PostgresRegressSession session : raw) {
        session.close();
      }
      for (PostgresRegressSession session : watched.values()) {
        session.close();
      }
    }
    boolean reported = anomalies.values().stream().anyMatch(found -> !found.isEmpty());
    return causes.isEmpty() && !reported ? 0 : 1;
  }

  private void compare(
      String name,
      Level level,
      Map<Integer, Result> one,
      Map<Integer, Result> other,
      Map<Integer, Result> seen) {
    Set<Integer> offsets = new LinkedHashSet<>(one.keySet());
    offsets.addAll(seen.keySet());
    for (int offset : offsets) {
      Result raw = one.get(offset);
      Result watched = seen.get(offset);
      if (Objects.equals(raw, other.get(offset)) && !Objects.equals(raw, watched)) {
        Result any = Objects.requireNonNull(raw == null ? watched : raw);
        add(
            level,
            name + ":" + any.line(),
            "outcome",
            any.sql(),
            raw == null ? List.of("not executed") : raw.outcome(),
            watched == null ? List.of("not executed") : watched.outcome());
      }
    }
  }

  private void compareContents(
      Level level,
      Map<String, List<String>> one,
      Map<String, List<String>> other,
      Map<String, List<String>> seen) {
    Set<String> tables = new LinkedHashSet<>(one.keySet());
    tables.addAll(seen.keySet());
    for (String table : tables) {
      List<String> raw = one.getOrDefault(table, List.of("no such table"));
      List<String> watched = seen.getOrDefault(table, List.of("no such table"));
      if (raw.equals(other.getOrDefault(table, List.of("no such table"))) && !raw.equals(watched)) {
        add(level, "at the end", "tables", table, raw, watched);
      }
    }
  }

  private void add(
      Level level, String at, String aspect, String sql, List<String> raw, List<String> seen) {
    differences.merge(level, 1L, Long::sum);
    causes.add(Difference.of(ServerKind.POSTGRESQL, level, at, aspect, sql, raw, seen));
  }

  private void report(int done, int all, Map<String, Long> skipped, long seconds)
      throws IOException {
    StringBuilder text = new StringBuilder();
    text.append(
        String.format(
            Locale.ROOT,
            "%d of %d scripts, %d statements, %d of them failed raw, %d differ between two raw runs"
                + " (not compared); %d seconds%nmeta commands not executed: %s%n",
            done,
            all,
            statements,
            failed,
            unstable,
            seconds,
            skipped));
    for (Level level : levels) {
      text.append(
          String.format(
              Locale.ROOT,
              "%s: %d differences, %d anomalies reported%n",
              level.name().toLowerCase(Locale.ROOT),
              differences.getOrDefault(level, 0L),
              Objects.requireNonNull(anomalies.get(level)).size()));
    }
    text.append('\n').append(causes.describe());
    anomalies.forEach(
        (level, found) ->
            found.stream()
                .limit(5)
                .forEach(anomaly -> text.append(level).append(' ').append(anomaly).append('\n')));
    new PrintStream(System.out, true, StandardCharsets.UTF_8).println(text);
    if (!out.toString().isEmpty()) {
      Files.writeString(out, text, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    }
  }

  private static Path folder(Path checkout) {
    Path inCheckout = checkout.resolve("src/test/regress/sql");
    return Files.isDirectory(inCheckout) ? inCheckout : checkout;
  }

  /** The names of the scripts: in the schedule's order if there is one, or else alphabetically. */
  private List<String> scripts(Path folder) throws IOException {
    Set<String> all = new LinkedHashSet<>(List.of(SETUP));
    Path schedule = folder.resolveSibling("parallel_schedule");
    if (Files.exists(schedule)) {
      for (String line : Files.readAllLines(schedule)) {
        if (line.startsWith("test:")) {
          all.addAll(List.of(line.substring("test:".length()).strip().split("\\s+")));
        }
      }
    } else {
      try (Stream<Path> paths = Files.list(folder)) {
        paths
            .map(path -> path.getFileName().toString())
            .filter(name -> name.endsWith(".sql"))
            .map(name -> name.substring(0, name.length() - ".sql".length()))
            .sorted()
            .forEach(all::add);
      }
    }
    return all.stream()
        .filter(name -> name.equals(SETUP) || files.isEmpty() || files.contains(name))
        .filter(name -> !skip.contains(name))
        .filter(name -> Files.exists(folder.resolve(name + ".sql")))
        .toList();
  }
}
