package io.txwatch.report;

import io.txwatch.anomaly.Anomaly;
import io.txwatch.anomaly.Confidence;
import io.txwatch.anomaly.ContextRead;
import io.txwatch.anomaly.CycleClass;
import io.txwatch.anomaly.ObservedStatement;
import io.txwatch.anomaly.ObservedTransaction;
import io.txwatch.anomaly.Phenomenon;
import io.txwatch.anomaly.Verdict;
import io.txwatch.dependency.Dependency;
import io.txwatch.dependency.DependencyKind;
import io.txwatch.dependency.EdgeEvidence;
import io.txwatch.history.Database;
import io.txwatch.history.IsolationLevel;
import io.txwatch.history.Outcome;
import io.txwatch.history.Product;
import io.txwatch.history.StatementKind;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Builds small anomalies in a few words.
 *
 * <pre>{@code
 * anomaly(LOST_UPDATE)
 *     .t(COMMITTED, "1 SELECT … @ A.java:1", "2 UPDATE … @ A.java:2")
 *     .t(COMMITTED, "2 UPDATE … @ A.java:2")
 *     .edge("1.1 rw 2.2 account 7")
 * }</pre>
 */
public final class AnomalyBuilder {

  private final Phenomenon phenomenon;
  private @Nullable CycleClass cycleClass;
  private Verdict verdict = Verdict.HAZARD;
  private Confidence confidence = Confidence.CONFIRMED;
  private String advice = "";
  private Database database = new Database(new Product("PostgreSQL", "18.6"), Map.of());
  private IsolationLevel level = IsolationLevel.READ_COMMITTED;
  private final List<ObservedTransaction> transactions = new ArrayList<>();
  private final List<Dependency> edges = new ArrayList<>();

  private AnomalyBuilder(Phenomenon phenomenon) {
    this.phenomenon = phenomenon;
  }

  public static AnomalyBuilder anomaly(Phenomenon phenomenon) {
    return new AnomalyBuilder(phenomenon);
  }

  /** Node 47 ("1b" in base 36), counted from 1. */
  public static long id(int transaction) {
    return 47L << 32 | transaction;
  }

  public AnomalyBuilder cycle(CycleClass is) {
    this.cycleClass = is;
    return this;
  }

  public AnomalyBuilder violation(Database of, IsolationLevel at) {
    this.verdict = Verdict.VIOLATION;
    this.database = of;
    this.level = at;
    return this;
  }

  public AnomalyBuilder suspected() {
    this.confidence = Confidence.SUSPECTED;
    return this;
  }

  /** When the last transaction ended. */
  public AnomalyBuilder endedAt(long micros) {
    ObservedTransaction t = last();
    return replaceLast(micros, t.name(), t.traceId(), t.context());
  }

  /** Names the last transaction. */
  public AnomalyBuilder named(String name) {
    ObservedTransaction t = last();
    return replaceLast(t.endedMicros(), name, t.traceId(), t.context());
  }

  /** The last transaction is part of a trace. */
  public AnomalyBuilder inTrace(String traceId) {
    ObservedTransaction t = last();
    return replaceLast(t.endedMicros(), t.name(), traceId, t.context());
  }

  /**
   * What the last transaction read before it wrote a row: "1 SELECT x @ A.java:1", 2, "account 7".
   */
  public AnomalyBuilder context(String statement, int write, String row) {
    ObservedTransaction t = last();
    String[] words = row.split(" ");
    List<ContextRead> context = new ArrayList<>(t.context());
    context.add(
        new ContextRead(statement(statement), write, words[0], Long.parseLong(words[1]), ""));
    return replaceLast(t.endedMicros(), t.name(), t.traceId(), context);
  }

  private ObservedTransaction last() {
    return transactions.get(transactions.size() - 1);
  }

  private AnomalyBuilder replaceLast(
      long endedMicros, String name, String traceId, List<ContextRead> context) {
    ObservedTransaction t = last();
    transactions.set(
        transactions.size() - 1,
        new ObservedTransaction(
            t.id(),
            t.session(),
            t.level(),
            t.outcome(),
            t.statements(),
            endedMicros,
            name,
            traceId,
            context));
    return this;
  }

  public AnomalyBuilder advice(String is) {
    this.advice = is;
    return this;
  }

  /** A committed transaction in a session of its own. */
  public AnomalyBuilder t(String... statements) {
    return t(Optional.of(Outcome.COMMITTED), "pool-" + (transactions.size() + 1), statements);
  }

  /** A transaction; each statement is "number SQL" or "number SQL @ call site". */
  public AnomalyBuilder t(Optional<Outcome> outcome, String session, String... statements) {
    List<ObservedStatement> observed =
        Stream.of(statements).map(AnomalyBuilder::statement).toList();
    transactions.add(
        new ObservedTransaction(id(transactions.size() + 1), session, level, outcome, observed));
    return this;
  }

  private static ObservedStatement statement(String text) {
    int space = text.indexOf(' ');
    int at = text.lastIndexOf(" @ ");
    String sql = text.substring(space + 1, at < 0 ? text.length() : at);
    return new ObservedStatement(
        Integer.parseInt(text.substring(0, space)),
        kind(sql),
        sql,
        at < 0 ? "" : text.substring(at + 3));
  }

  private static StatementKind kind(String sql) {
    return sql.startsWith("UPDATE") ? StatementKind.UPDATE : StatementKind.SELECT;
  }

  /**
   * An edge: "1.2 rw 2.3 account 7" leads from statement 2 of T1 to statement 3 of T2. Columns may
   * follow: "1.2 rw 2.3 account 7 balance owner"; "1.2 rw 2.3 account 7 ?" leads through a
   * predicate.
   */
  public AnomalyBuilder edge(String edge) {
    String[] words = edge.split(" ");
    String[] from = words[0].split("\\.");
    String[] to = words[2].split("\\.");
    List<String> last = List.of(words).subList(Math.min(5, words.length), words.length);
    boolean predicate = last.contains("?");
    edges.add(
        new Dependency(
            id(Integer.parseInt(from[0])),
            id(Integer.parseInt(to[0])),
            DependencyKind.valueOf(words[1].toUpperCase(Locale.ROOT)),
            words.length > 3 ? words[3] : "",
            words.length > 4 ? Long.parseLong(words[4]) : 0,
            "",
            Integer.parseInt(from[1]),
            Integer.parseInt(to[1]),
            predicate ? EdgeEvidence.PREDICATE : EdgeEvidence.ITEM,
            predicate ? List.of() : last));
    return this;
  }

  public Anomaly anomaly() {
    return new Anomaly(
        phenomenon,
        Optional.ofNullable(cycleClass),
        verdict,
        confidence,
        database,
        level,
        List.copyOf(transactions),
        List.copyOf(edges),
        advice);
  }

  String text() {
    return TextReport.of(anomaly());
  }
}
