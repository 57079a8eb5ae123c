package io.txwatch.bench.nested;

import io.txwatch.anomaly.Anomaly;
import io.txwatch.bench.Machine;
import io.txwatch.bench.OptionNames;
import io.txwatch.bench.Output;
import io.txwatch.bench.UnusableOptionException;
import io.txwatch.bench.nested.DependencyJudge.Truth;
import io.txwatch.bench.nested.NestedSoakRun.Judged;
import io.txwatch.bench.nested.NestedSoakRun.Result;
import io.txwatch.dependency.Dependency;
import io.txwatch.history.IsolationLevel;
import io.txwatch.report.Explanation;
import io.txwatch.servers.ServerKind;
import java.io.IOException;
import java.sql.SQLException;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help.Visibility;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code soak-nested}: whether the anomalies that are reported for nested queries are true. */
@Command(
    name = "soak-nested",
    description = {
      "Judges the anomalies of random transactions with nested queries.",
      "The judge knows what each query returned, and every version from an audit trigger.",
      "The exit code is 1 if an anomaly is false."
    },
    mixinStandardHelpOptions = true,
    showDefaultValues = true)
public final class NestedSoakCommand implements Callable<Integer> {

  private static final int MAX_EXPLAINED = 5;

  @Parameters(
      arity = "0..1",
      paramLabel = "N",
      description = "how many commits on each DBMS and level",
      defaultValue = "50000")
  private int commits = 50_000;

  @Option(
      names = "--db",
      split = ",",
      description = "postgresql, mariadb, mysql, h2, sqlite",
      defaultValue = "postgresql,mariadb,mysql")
  private List<String> databases = List.of();

  @Option(
      names = "--isolation",
      split = ",",
      description = "READ_COMMITTED, REPEATABLE_READ, SERIALIZABLE, or RC, RR, SER",
      defaultValue = "RC")
  private List<String> levels = List.of();

  @Option(
      names = "--instrument",
      description = "inline, items, predicates",
      defaultValue = "inline")
  private String instrument = "inline";

  @Option(
      names = "--versions",
      description = "auto, system, columns, log, triggers, statements",
      defaultValue = "auto")
  private String versions = "auto";

  @Option(
      names = "--clients",
      description = "how many are watched (default: 4; 8 with --hot)",
      defaultValue = "0",
      showDefaultValue = Visibility.NEVER)
  private int clients;

  @Option(
      names = "--hot",
      description =
          "write six rows with three values; no query returns the version; updates that are undone"
              + " by a savepoint, a trigger that writes another table, a client that is not watched")
  private boolean isHot;

  @Option(names = "--seed", defaultValue = "1")
  private long seed = 1;

  @Mixin private Output output = new Output();

  @Override
  public Integer call() throws IOException, SQLException, InterruptedException {
    output.write(Machine.describe() + "\n\n");
    output.write(
        "| DBMS, level | committed | rolled back | seconds | queries | rows seen for | reported:"
            + " true | undecided | false | possible: true | undecided | false | unexplained"
            + " queries |\n"
            + "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---:"
            + " | ---: |\n");
    boolean isFalse = false;
    for (ServerKind kind : OptionNames.serverKinds(databases)) {
      for (String name : levels) {
        IsolationLevel level =
            IsolationLevel.parse(name)
                .orElseThrow(() -> new UnusableOptionException("unknown level " + name));
        Result result =
            new NestedSoakRun(kind, level, instrument, versions, isHot)
                .run(seed, clients > 0 ? clients : isHot ? 8 : 4, commits);
        output.write(row(kind, level, result));
        output.progress(kind + " " + level + ": " + result.coverage());
        explain(result);
        isFalse |= result.of(Truth.FALSE, false).findAny().isPresent();
      }
    }
    return isFalse ? 1 : 0;
  }

  private static String row(ServerKind kind, IsolationLevel level, Result result) {
    long committed =
        result.transactions().values().stream().filter(LoggedTransaction::committed).count();
    long queries =
        result.transactions().values().stream()
            .flatMap(transaction -> transaction.statements.stream())
            .filter(LoggedTransaction.Query.class::isInstance)
            .count();
    return String.format(
        Locale.ROOT,
        "| %s, %s%s | %,d | %,d | %.0f | %,d | %.1f %% | %,d | %,d | %,d | %,d | %,d | %,d | %,d |%n",
        kind.product(),
        level,
        result.complete() ? "" : " (not all)",
        committed,
        result.transactions().size() - committed,
        result.seconds(),
        queries,
        100.0 * result.observed() / Math.max(1, result.statements()),
        result.of(Truth.TRUE, false).count(),
        result.of(Truth.UNDECIDED, false).count(),
        result.of(Truth.FALSE, false).count(),
        result.of(Truth.TRUE, true).count(),
        result.of(Truth.UNDECIDED, true).count(),
        result.of(Truth.FALSE, true).count(),
        result.judge().unexplained().size());
  }

  /** Writes some of the false anomalies, and of the queries that the judge cannot explain. */
  private void explain(Result result) {
    Stream.of(false, true)
        .flatMap(possible -> result.of(Truth.FALSE, possible).limit(MAX_EXPLAINED))
        .forEach(each -> explain(each, result.judge()));
    result.judge().unexplained().stream()
        .limit(MAX_EXPLAINED)
        .forEach(
            query ->
                output.progress("unexplained: " + query.query().sql() + "\n" + query.result()));
  }

  private void explain(Judged judged, DependencyJudge judge) {
    Anomaly anomaly = judged.anomaly();
    output.progress(
        (anomaly.possible() ? "possible: " : "FALSE: ")
            + anomaly.phenomenon()
            + "\n  "
            + String.join("\n  ", Explanation.of(anomaly))
            + "\n"
            + anomaly.transactions().stream()
                .flatMap(
                    t ->
                        t.statements().stream()
                            .map(s -> "  " + t.name() + "/" + s.number() + " " + s.sql()))
                .collect(Collectors.joining("\n")));
    for (Dependency dependency : anomaly.cycle()) {
      Truth truth = judge.judge(anomaly, dependency);
      output.progress("  " + truth + ": " + dependency);
      if (truth == Truth.FALSE) {
        output.progress("  " + judge.describe(anomaly, dependency));
      }
    }
  }
}
