package io.txwatch.jdbc.execution;

import io.txwatch.capture.DeadlockSource;
import io.txwatch.capture.Observation;
import io.txwatch.capture.RunningSessions;
import io.txwatch.capture.RunningSessions.Snapshot;
import io.txwatch.history.Event.Deadlocked.Waiter;
import io.txwatch.jdbc.session.ConnectionNumber;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;

/**
 * Finds the other side of a deadlock that has just ended by an error. Nothing is sent on the
 * application's connection. A side that is not certain is not named.
 */
final class DeadlockObserver {

  private DeadlockObserver() {}

  /** Records in the observation with whom its statement was in a deadlock. */
  static void observe(ExecutionContext context, Observation failed, SQLException error) {
    failed.deadlocked(false, List.of());
    if (!failed.hasBeenSent()) {
      return;
    }
    try {
      List<Snapshot> sessions =
          certain(
              context,
              RunningSessions.OF_THIS_PROCESS.others(
                  context.tracker(), failed.sentAt(), failed.returnedAt()));
      long own = ConnectionNumber.of(context.real());
      List<Long> numbers = own == ConnectionNumber.UNKNOWN ? List.of() : numbers(context, error);
      if (numbers.contains(own)) {
        failed.deadlocked(true, named(numbers, own, sessions));
      } else {
        List<Snapshot> waiting = sessions.stream().filter(Snapshot::mayHaveWaited).toList();
        if (waiting.size() == 1) {
          failed.deadlocked(false, List.of(waiting.get(0).waiter()));
        }
      }
    } catch (RuntimeException e) {
      context.fault(e);
    }
  }

  /** Without statements that had returned, if it may be a COMMIT after them that waited. */
  private static List<Snapshot> certain(ExecutionContext context, List<Snapshot> sessions) {
    Optional<String> query = context.rules().deadlocks().waitingCommitsQuery();
    if (query.isEmpty() || sessions.stream().noneMatch(Snapshot::isOver)) {
      return sessions;
    }
    Optional<String> count = context.state().catalog().status(query.get());
    return count.filter("0"::equals).isPresent()
        ? sessions
        : sessions.stream().map(Snapshot::withoutReturned).toList();
  }

  private static List<Long> numbers(ExecutionContext context, SQLException error) {
    DeadlockSource source = context.rules().deadlocks();
    List<Long> stated = source.connections(error);
    Optional<String> query = source.statusQuery();
    return stated.isEmpty() && query.isPresent()
        ? context.state().catalog().status(query.get()).map(source::connections).orElse(List.of())
        : stated;
  }

  private static List<Waiter> named(List<Long> numbers, long own, List<Snapshot> sessions) {
    List<Long> order = new ArrayList<>(numbers);
    Collections.rotate(order, -order.indexOf(own));
    return order.stream()
        .skip(1)
        .map(
            number ->
                sessions.stream()
                    .filter(session -> session.connection() == number)
                    .findFirst()
                    .map(Snapshot::waiter)
                    .orElse(Waiter.NOT_WATCHED))
        .toList();
  }
}
