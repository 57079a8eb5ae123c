package io.txwatch.report;

import io.txwatch.anomaly.Phenomenon;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Races that were predicted and executed on copies of the tables. None of them was observed, so
 * they are no anomalies of a history.
 *
 * @param confirmed the races that an order of statements shows
 * @param refuted how many candidates no order shows
 * @param undecided how many candidates could not be decided
 */
public record PredictedRaces(List<Race> confirmed, long refuted, long undecided) {

  /** The heading of the section, in all formats. */
  public static final String HEADING = "Predicted: executed on copies of the tables, not observed";

  /** What every race is: the term of one whose phenomenon is not known. */
  public static final String UNNAMED = "not serializable";

  public PredictedRaces {
    confirmed = List.copyOf(confirmed);
  }

  /** How many candidates have which result, as a sentence. */
  public String counts() {
    return String.format(
        Locale.ROOT,
        "%s, %,d refuted, %,d undecided.",
        confirmed.isEmpty()
            ? "No race confirmed"
            : Counted.of(confirmed.size(), "race") + " confirmed",
        refuted,
        undecided);
  }

  /**
   * A confirmed race.
   *
   * @param phenomenon what it is; empty if it is not known which
   * @param dbms where it was executed: {@code PostgreSQL 18.6}
   * @param isolation the levels of its operations, in words
   * @param operations the operations; the first one is session T1 of the order, and so on
   * @param order the statements that show it
   * @param prevention the changes with which no order shows it, the cheapest first
   * @param assumptions what is not certain about it, a sentence each
   */
  public record Race(
      Optional<Phenomenon> phenomenon,
      String dbms,
      String isolation,
      List<PredictedOperation> operations,
      List<OrderedStatement> order,
      List<String> prevention,
      List<String> assumptions) {

    public Race {
      operations = List.copyOf(operations);
      order = List.copyOf(order);
      prevention = List.copyOf(prevention);
      assumptions = List.copyOf(assumptions);
    }

    /** The title: {@code Lost update: BankService.withdraw and BankService.withdraw}. */
    public String title() {
      String term = phenomenon.map(Phenomenon::term).orElse(UNNAMED);
      return term.substring(0, 1).toUpperCase(Locale.ROOT)
          + term.substring(1)
          + ": "
          + operations.stream().map(PredictedOperation::name).collect(Collectors.joining(" and "));
    }

    /** Where it was executed: {@code PostgreSQL 18.6 at READ COMMITTED}. */
    public String circumstances() {
      return dbms + " at " + isolation;
    }
  }

  /**
   * An operation of a race.
   *
   * @param name what the application calls it, or its methods
   * @param callSite where its first statement is executed; empty if unknown
   * @param seen the number of its transactions in the history
   */
  public record PredictedOperation(String name, String callSite, long seen) {

    @Override
    public String toString() {
      return name
          + (callSite.isEmpty() ? "" : ", " + callSite)
          + ", observed "
          + Counted.of(seen, "time");
    }
  }

  /**
   * A statement of the order.
   *
   * @param session the session that executes it: {@code T1}
   * @param sql its text, every literal replaced
   */
  public record OrderedStatement(String session, String sql) {

    @Override
    public String toString() {
      return session + ": " + sql;
    }
  }
}
