package io.txwatch;

import io.txwatch.anomaly.Anomaly;
import io.txwatch.anomaly.Confidence;
import io.txwatch.anomaly.ObservedStatement;
import io.txwatch.anomaly.ObservedTransaction;
import io.txwatch.anomaly.Phenomenon;
import io.txwatch.anomaly.Verdict;
import io.txwatch.baseline.AcceptedAnomaly;
import io.txwatch.dependency.DependencyKind;
import io.txwatch.history.CallSite;
import io.txwatch.history.Ids;
import io.txwatch.history.IsolationLevel;
import io.txwatch.history.Outcome;
import io.txwatch.history.StatementKind;
import io.txwatch.report.AnomalyGroups;
import io.txwatch.report.Explanation;
import java.util.List;
import java.util.Optional;

/**
 * An anomaly, in the terms of the JSON report.
 *
 * @param phenomenon its name
 * @param cycleClass the class of its cycle, such as {@code G-single}; empty if it is not a cycle
 * @param verdict whose fault it is
 * @param confidence whether all its transactions have ended with a known outcome
 * @param fingerprint what identifies its kind over several runs: {@code 3056e409-b041}
 * @param accepted why the baseline of {@code txwatch.baseline} accepts it; empty if it does not,
 *     and for listeners
 * @param dbms the DBMS and its version
 * @param isolation the level that it is judged at
 * @param count the number of anomalies that differ from this one only in their rows and
 *     transactions, this one included
 * @param transactions its transactions; for a cycle, in the order of the cycle
 * @param cycle the dependencies between them; if it is not a cycle, the one that is wrong
 * @param advice what would prevent it
 * @param explanation why no serial order of its transactions has the same effect, a clause for each
 *     dependency; T1 is the first transaction
 */
public record FoundAnomaly(
    Phenomenon phenomenon,
    Optional<String> cycleClass,
    Verdict verdict,
    Confidence confidence,
    String fingerprint,
    Optional<String> accepted,
    String dbms,
    IsolationLevel isolation,
    long count,
    List<Transaction> transactions,
    List<Dependency> cycle,
    String advice,
    List<String> explanation) {

  /**
   * A transaction.
   *
   * @param id its id, unique among all processes
   * @param session the name of its session
   * @param isolation the level it ran at
   * @param outcome how it ended; empty while it runs
   * @param statements the statements that take part in the anomaly, in order
   * @param name what the application calls it, with Spring the {@code @Transactional} method:
   *     {@code shop.OrderService.sell}; empty if unknown
   * @param traceId the trace that it is part of, from OpenTelemetry or SLF4J's MDC, at most {@value
   *     io.txwatch.history.TraceId#MAX_CHARACTERS} characters; empty if unknown
   */
  public record Transaction(
      String id,
      String session,
      IsolationLevel isolation,
      Optional<Outcome> outcome,
      List<Statement> statements,
      String name,
      String traceId) {

    public Transaction {
      statements = List.copyOf(statements);
    }
  }

  /**
   * A statement.
   *
   * @param seq its number in its transaction
   * @param kind what it is
   * @param sql its text, without literals unless {@code txwatch.redact=false}
   * @param callSite the line of the application that executed it, {@code BankService.java:41};
   *     empty if unknown
   */
  public record Statement(int seq, StatementKind kind, String sql, String callSite) {}

  /**
   * A row.
   *
   * @param table its table
   * @param id the id that txwatch gave it, which is not its primary key
   */
  public record Row(String table, String id) {}

  /**
   * A dependency: in every equivalent serial order, {@code to} follows {@code from}.
   *
   * @param from the id of a transaction
   * @param to the id of a transaction
   * @param kind its kind
   * @param row the row; its table is empty for an order of transactions
   * @param fromStatement the number of the statement in {@code from}; 0 if unknown
   * @param toStatement the number of the statement in {@code to}; 0 if unknown
   * @param byPredicate whether it is a predicate dependency
   * @param possible whether it may not exist
   */
  public record Dependency(
      String from,
      String to,
      DependencyKind kind,
      Row row,
      int fromStatement,
      int toStatement,
      boolean byPredicate,
      boolean possible) {}

  public FoundAnomaly {
    transactions = List.copyOf(transactions);
    cycle = List.copyOf(cycle);
    explanation = List.copyOf(explanation);
  }

  static FoundAnomaly of(AnomalyGroups.Group group) {
    Anomaly anomaly = group.first();
    return new FoundAnomaly(
        anomaly.phenomenon(),
        anomaly.cycleTerm(),
        anomaly.verdict(),
        anomaly.confidence(),
        group.id().toString(),
        group.accepted().map(AcceptedAnomaly::reason),
        anomaly.database().product().displayName(),
        anomaly.isolation(),
        group.count(),
        anomaly.transactions().stream().map(FoundAnomaly::of).toList(),
        anomaly.cycle().stream().map(FoundAnomaly::of).toList(),
        anomaly.advice(),
        Explanation.of(anomaly));
  }

  private static Transaction of(ObservedTransaction transaction) {
    return new Transaction(
        Ids.display(transaction.id()),
        transaction.session(),
        transaction.level(),
        transaction.outcome(),
        transaction.statements().stream().map(FoundAnomaly::of).toList(),
        transaction.name(),
        transaction.traceId());
  }

  private static Statement of(ObservedStatement statement) {
    return new Statement(
        statement.number(), statement.kind(), statement.sql(), CallSite.line(statement.callSite()));
  }

  private static Dependency of(io.txwatch.dependency.Dependency edge) {
    return new Dependency(
        Ids.display(edge.from()),
        Ids.display(edge.to()),
        edge.kind(),
        new Row(edge.table(), Long.toString(edge.row())),
        edge.fromStatement(),
        edge.toStatement(),
        edge.evidence().byPredicate(),
        edge.evidence().possible());
  }

  /**
   * Whether part of its evidence is uncertain: one of its dependencies may not exist, or it is a
   * stale write, whose writer may not have used what was read. Such an anomaly is never a
   * violation.
   */
  public boolean possible() {
    return phenomenon == Phenomenon.STALE_WRITE || cycle.stream().anyMatch(Dependency::possible);
  }

  /** The rows of its dependencies, each once. */
  public List<Row> rows() {
    return cycle.stream()
        .map(Dependency::row)
        .filter(row -> !row.table().isEmpty())
        .distinct()
        .toList();
  }

  /** The lines of the application that executed its statements, each once. */
  public List<String> callSites() {
    return transactions.stream()
        .flatMap(transaction -> transaction.statements().stream())
        .map(Statement::callSite)
        .filter(site -> !site.isEmpty())
        .distinct()
        .toList();
  }

  /** Its name, verdict, lines, explanation and advice, as a failed assertion shows it. */
  @Override
  public String toString() {
    return phenomenon
        + " ("
        + verdict
        + ", "
        + confidence
        + (possible() ? ", possible" : "")
        + ", "
        + dbms
        + " at "
        + isolation
        + ", found "
        + count
        + " times) at "
        + callSites()
        + ": "
        + String.join(" ", explanation)
        + " "
        + advice;
  }
}
