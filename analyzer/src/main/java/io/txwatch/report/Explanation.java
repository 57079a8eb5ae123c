package io.txwatch.report;

import io.txwatch.anomaly.Anomaly;
import io.txwatch.anomaly.ObservedTransaction;
import io.txwatch.anomaly.Phenomenon;
import io.txwatch.dependency.Dependency;
import io.txwatch.dependency.DependencyKind;
import io.txwatch.history.Ids;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Explains an anomaly in a sentence: a clause for each edge, {@code T1 < T2} for "T1 must come
 * before T2 in a serial order", and the contradiction between them.
 */
public final class Explanation {

  private static final double MICROS_PER_MILLI = 1000;

  private Explanation() {}

  /** The clauses, in the order of the cycle, each for a line of its own. */
  public static List<String> of(Anomaly anomaly) {
    RowNames rows = RowNames.of(anomaly);
    List<String> clauses = new ArrayList<>();
    for (Dependency edge : anomaly.cycle()) {
      clauses.add(
          anomaly.phenomenon().isCycle()
              ? order(anomaly, edge, rows.withColumns(edge))
              : clause(anomaly, edge, rows));
    }
    if (anomaly.phenomenon() == Phenomenon.STALE_WRITE && !anomaly.transactions().isEmpty()) {
      clauses.add(doubtOfStaleWrite(anomaly));
    }
    return anomaly.phenomenon().isCycle() ? joined(clauses) : clauses;
  }

  /** The name of a transaction within one report: T1, T2, … in the order of the anomaly. */
  static String label(Anomaly anomaly, long transaction) {
    for (int i = 0; i < anomaly.transactions().size(); i++) {
      if (anomaly.transactions().get(i).id() == transaction) {
        return label(i);
      }
    }
    return Ids.display(transaction);
  }

  /** The name of the transaction at a position, from 0. */
  public static String label(int column) {
    return "T" + (column + 1);
  }

  /** What an edge states of a phenomenon that is no cycle. */
  private static String clause(Anomaly anomaly, Dependency edge, RowNames rows) {
    return switch (anomaly.phenomenon()) {
      case ABORTED_READ -> abortedRead(anomaly, edge, rows.of(edge));
      case INTERMEDIATE_READ -> intermediateRead(anomaly, edge, rows.of(edge));
      case INTERNAL -> internal(anomaly, edge, rows.of(edge));
      case GARBAGE_READ ->
          label(anomaly, edge.to())
              + " read from "
              + rows.of(edge)
              + " what no transaction of the history wrote.";
      case DUPLICATE_WRITE ->
          label(anomaly, edge.to())
              + " read from "
              + rows.of(edge)
              + " an element twice that was appended once.";
      case INCOMPATIBLE_ORDER ->
          label(anomaly, edge.from())
              + " and "
              + label(anomaly, edge.to())
              + " saw the writes of "
              + rows.of(edge)
              + " in orders that contradict each other.";
      case STALE_WRITE -> staleWrite(anomaly, edge, rows.withColumns(edge));
      case STALE_READ -> staleRead(anomaly, edge, rows.withColumns(edge));
      case DEADLOCK -> wait(anomaly, edge);
      default ->
          throw new IllegalStateException("no clause: " + anomaly.phenomenon()); // a test has all
    };
  }

  private static List<String> joined(List<String> clauses) {
    List<String> lines = new ArrayList<>();
    for (int i = 0; i < clauses.size(); i++) {
      boolean last = i == clauses.size() - 1;
      lines.add(
          (last && i > 0 ? "but " : "") + clauses.get(i) + (last ? ": a contradiction." : ";"));
    }
    return lines;
  }

  private static String order(Anomaly anomaly, Dependency edge, String row) {
    String from = label(anomaly, edge.from());
    String to = label(anomaly, edge.to());
    if (edge.from() == edge.to()) {
      return from + " read " + row + " twice and saw two versions of it";
    }
    String because =
        edge.evidence().byPredicate()
            ? byPredicate(edge, from, to, row)
            : byItem(edge, from, to, row);
    return from + " < " + to + " because " + because + doubt(edge) + undoneRead(anomaly, edge);
  }

  /** What follows from a read holds although a savepoint took its statement back. */
  private static String undoneRead(Anomaly anomaly, Dependency edge) {
    boolean undone =
        switch (edge.kind()) {
          case RW -> isUndone(anomaly, edge.from(), edge.fromStatement());
          case WR -> isUndone(anomaly, edge.to(), edge.toStatement());
          default -> false;
        };
    return undone ? " (a read before its ROLLBACK TO SAVEPOINT, which does not undo it)" : "";
  }

  private static boolean isUndone(Anomaly anomaly, long transaction, int statement) {
    return anomaly.transactions().stream()
        .filter(one -> one.id() == transaction)
        .flatMap(one -> one.statements().stream())
        .anyMatch(one -> one.number() == statement && one.undone());
  }

  private static String doubt(Dependency edge) {
    return switch (edge.evidence()) {
      case ITEM, PREDICATE -> "";
      case POSSIBLE_ITEM -> " (possible: the read may have been of another version)";
      case POSSIBLE_PREDICATE -> " (possible: the predicate may not have looked at this row)";
    };
  }

  private static String byPredicate(Dependency edge, String from, String to, String row) {
    return edge.kind() == DependencyKind.RW
        ? from + "'s predicate did not see " + to + "'s write of " + row
        : to + "'s predicate saw " + from + "'s write of " + row;
  }

  private static String byItem(Dependency edge, String from, String to, String row) {
    return switch (edge.kind()) {
      case RW -> from + " did not see " + to + "'s write of " + row;
      case WR -> to + " saw " + from + "'s write of " + row;
      case WW -> to + " overwrote " + from + "'s write of " + row;
      case RT -> to + " began after " + from + " had ended";
      case SO -> to + " came after " + from + " in the same session";
      case WAITS -> from + " waited for " + to;
    };
  }

  private static String abortedRead(Anomaly anomaly, Dependency edge, String row) {
    String writer = label(anomaly, edge.from());
    return label(anomaly, edge.to())
        + " saw "
        + writer
        + "'s write of "
        + row
        + ", but "
        + writer
        + (isUndone(anomaly, edge.from(), edge.fromStatement())
            ? " undid it by ROLLBACK TO SAVEPOINT"
            : " was aborted")
        + ": no serial order contains that write.";
  }

  private static String intermediateRead(Anomaly anomaly, Dependency edge, String row) {
    String writer = label(anomaly, edge.from());
    return label(anomaly, edge.to())
        + " saw "
        + writer
        + "'s write of "
        + row
        + ", but "
        + writer
        + " wrote that row again: only its last write exists in a serial order.";
  }

  private static String staleWrite(Anomaly anomaly, Dependency edge, String row) {
    String from = label(anomaly, edge.from());
    String to = label(anomaly, edge.to());
    if (edge.kind() == DependencyKind.RW) {
      return from + " read " + row + ", and " + to + " wrote it after that;";
    }
    return to
        + ", later in "
        + label(0)
        + (isInOneTrace(anomaly) ? "'s trace" : "'s session")
        + ", overwrote "
        + from
        + "'s write without having read the row again.";
  }

  private static boolean isInOneTrace(Anomaly anomaly) {
    ObservedTransaction reader = anomaly.transactions().get(0);
    ObservedTransaction writer = anomaly.transactions().get(anomaly.transactions().size() - 1);
    return !reader.traceId().isEmpty() && reader.traceId().equals(writer.traceId());
  }

  private static String doubtOfStaleWrite(Anomaly anomaly) {
    String writer = label(anomaly.transactions().size() - 1);
    return isInOneTrace(anomaly)
        ? "(possible: " + writer + " may have used other data than " + label(0) + " read)"
        : "(possible: a pool lends one connection to many requests, so "
            + writer
            + " may not have used what "
            + label(0)
            + " read)";
  }

  private static String staleRead(Anomaly anomaly, Dependency edge, String row) {
    String from = label(anomaly, edge.from());
    String to = label(anomaly, edge.to());
    return switch (edge.kind()) {
      case RW ->
          from + " read an older version on a standby, without " + to + "'s write of " + row + ";";
      case WR -> to + " had seen " + from + "'s write of " + row + ";";
      default ->
          from
              + " is earlier in "
              + to
              + "'s trace"
              + (edge.evidence().possible()
                  ? " (possible: in another process, so "
                      + to
                      + " may have begun before "
                      + from
                      + " committed)."
                  : ", and had committed before "
                      + to
                      + " began; "
                      + to
                      + " ended "
                      + delay(anomaly)
                      + " after that.");
    };
  }

  /** How long after the first transaction the last one ended. */
  private static String delay(Anomaly anomaly) {
    List<ObservedTransaction> all = anomaly.transactions();
    long first = all.get(0).endedMicros();
    long last = all.get(all.size() - 1).endedMicros();
    return String.format(Locale.ROOT, "%.1f ms", (last - first) / MICROS_PER_MILLI);
  }

  private static String wait(Anomaly anomaly, Dependency edge) {
    String lock = edge.table().isEmpty() ? "a lock" : "a lock on " + edge.table();
    return label(anomaly, edge.from())
        + " waited "
        + (edge.fromStatement() == 0 ? "" : "in statement " + edge.fromStatement() + " ")
        + "for "
        + lock
        + " that "
        + label(anomaly, edge.to())
        + " held"
        + (edge.toStatement() == 0 ? "" : " since its statement " + edge.toStatement())
        + (edge.evidence().possible() ? " (possible: only what was executing shows it)" : "")
        + (isRolledBack(anomaly, edge) ? "; the DBMS rolled " + label(0) + " back." : ";");
  }

  private static boolean isRolledBack(Anomaly anomaly, Dependency edge) {
    return edge.equals(anomaly.cycle().get(anomaly.cycle().size() - 1));
  }

  private static String internal(Anomaly anomaly, Dependency edge, String row) {
    String reader = anomaly.transactions().isEmpty() ? label(anomaly, edge.to()) : label(0);
    return reader + " wrote " + row + ", but its later read did not see that write.";
  }
}
