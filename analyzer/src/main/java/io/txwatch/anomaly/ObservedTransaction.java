package io.txwatch.anomaly;

import io.txwatch.dependency.OperationName;
import io.txwatch.history.IsolationLevel;
import io.txwatch.history.Outcome;
import java.util.List;
import java.util.Optional;

/**
 * A transaction as a report shows it.
 *
 * @param id its id
 * @param session the name of its session
 * @param level the level it ran at
 * @param outcome how it ended; empty while it runs
 * @param statements the statements that take part in the anomaly, in order
 * @param endedMicros when it ended, by its node's clock, in microseconds since 1970; 0 if unknown
 * @param name what the application calls it: {@code shop.OrderService.sell}; empty if unknown
 * @param traceId the trace that it is part of; empty if unknown
 * @param context what it read of rows before it wrote them, in the order of the statements
 * @param attempt 2 if it repeats one that a conflict rolled back, 3 if it repeats that; else 1
 */
public record ObservedTransaction(
    long id,
    String session,
    IsolationLevel level,
    Optional<Outcome> outcome,
    List<ObservedStatement> statements,
    long endedMicros,
    String name,
    String traceId,
    List<ContextRead> context,
    int attempt) {

  private static final List<String> ATTEMPTS = List.of("second try", "third try", "fourth try");

  /** A transaction that is not known to repeat another one. */
  public ObservedTransaction(
      long id,
      String session,
      IsolationLevel level,
      Optional<Outcome> outcome,
      List<ObservedStatement> statements,
      long endedMicros,
      String name,
      String traceId,
      List<ContextRead> context) {
    this(id, session, level, outcome, statements, endedMicros, name, traceId, context, 1);
  }

  /** A transaction without reads as context. */
  public ObservedTransaction(
      long id,
      String session,
      IsolationLevel level,
      Optional<Outcome> outcome,
      List<ObservedStatement> statements,
      long endedMicros,
      String name,
      String traceId) {
    this(id, session, level, outcome, statements, endedMicros, name, traceId, List.of());
  }

  /** A transaction whose time, name and trace are unknown. */
  public ObservedTransaction(
      long id,
      String session,
      IsolationLevel level,
      Optional<Outcome> outcome,
      List<ObservedStatement> statements) {
    this(id, session, level, outcome, statements, 0, "", "");
  }

  /** The name without the packages: {@code OrderService.sell}; empty if unknown. */
  public String shortName() {
    return OperationName.withoutPackages(name);
  }

  /** For titles: the short name, if it has one, the session, and which try it is of several. */
  public String title() {
    return (name.isEmpty() ? session : shortName() + ", " + session)
        + (attempt == 1 ? "" : ", " + attemptText());
  }

  private String attemptText() {
    return attempt - 2 < ATTEMPTS.size() ? ATTEMPTS.get(attempt - 2) : "try " + attempt;
  }
}
