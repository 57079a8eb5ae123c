package io.txwatch.endtoend;

import io.txwatch.endtoend.Scenario.Step;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * Runs a scenario: submits each statement in the order of the file, each session from a thread and
 * a connection of its own.
 *
 * <p>After each submission the runner waits until every session is at rest: idle, or blocked by one
 * that is. A blocked statement is let wait and the file goes on; the lines of its session queue up
 * and follow as soon as it resumes. Sessions that wait for each other in a circle are not at rest,
 * for the DBMS is about to abort one of them.
 *
 * <p>After an error that ends the transaction the session rolls back at once and skips the rest of
 * the transaction, as an application does.
 */
final class ScenarioRunner {

  /** Opens the connections of a run. */
  @FunctionalInterface
  interface Opener {
    Connection open() throws SQLException;
  }

  private static final Duration PATIENCE = Duration.ofSeconds(120);
  private static final long LOOK_AGAIN_MICROS = 500;

  private final Target target;
  private final BlockMonitor monitor;
  private final Style style;
  private final BlockingQueue<ScenarioSession> completed = new LinkedBlockingQueue<>();
  private final Map<String, ScenarioSession> sessions = new LinkedHashMap<>();
  private final Map<Step, StatementOutcome> outcomes = new IdentityHashMap<>();

  private ScenarioRunner(Target target, BlockMonitor monitor, Style style) {
    this.target = target;
    this.monitor = monitor;
    this.style = style;
  }

  /**
   * Runs a scenario on a database that has been set up.
   *
   * @param level the level of every transaction, the final reader's included
   */
  static ScenarioRun run(
      Scenario scenario,
      Target target,
      Target.Database database,
      String level,
      Style style,
      Opener opener)
      throws SQLException, InterruptedException {
    try (BlockMonitor monitor = target.monitor(database)) {
      return new ScenarioRunner(target, monitor, style).run(scenario, level, opener);
    }
  }

  /** Runs the lines {@code I:} of a scenario. */
  static void setUp(Scenario scenario, Target target, Connection connection) throws SQLException {
    try (var statement = connection.createStatement()) {
      for (String sql : scenario.setup()) {
        statement.execute(target.spell(sql));
      }
    }
  }

  private ScenarioRun run(Scenario scenario, String level, Opener opener)
      throws SQLException, InterruptedException {
    try {
      for (String name : scenario.sessions()) {
        Connection connection = opener.open();
        target.setLevel(connection, level);
        sessions.put(
            name,
            new ScenarioSession(
                name, connection, monitor.sessionOf(connection), style, completed::add));
      }
      for (Step step : scenario.steps()) {
        session(step).enqueue(step);
        settle(false);
      }
      settle(true);
      return new ScenarioRun(
          scenario.steps().stream().map(this::outcome).toList(),
          committed(),
          readFinals(scenario, level, opener));
    } finally {
      for (ScenarioSession session : sessions.values()) {
        session.close();
      }
    }
  }

  /**
   * Waits until every session is idle, or, unless it is the {@code end}, blocked by one that is.
   */
  private void settle(boolean end) throws SQLException, InterruptedException {
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    while (true) {
      for (ScenarioSession session : sessions.values()) {
        submitNext(session);
      }
      List<ScenarioSession> busy =
          sessions.values().stream().filter(ScenarioSession::isBusy).toList();
      if (busy.isEmpty()) {
        return;
      }
      ScenarioSession done = completed.poll(LOOK_AGAIN_MICROS, TimeUnit.MICROSECONDS);
      if (done != null) {
        take(done);
      } else if (areAtRest(busy) && !end) {
        return;
      }
      if (System.nanoTime() > deadline) {
        throw new IllegalStateException("does not come to rest: " + busy);
      }
    }
  }

  private void submitNext(ScenarioSession session) {
    while (!session.isBusy()) {
      Optional<Step> next = session.next();
      if (next.isEmpty()) {
        return;
      }
      Step step = next.get();
      if (session.isBroken()) {
        outcomes.put(step, StatementOutcome.skipped(step));
        session.skip(step);
      } else {
        session.submit(step, target.spell(step.sql()));
      }
    }
  }

  private void take(ScenarioSession session) {
    Optional<StatementOutcome> outcome = session.takeOutcome();
    if (outcome.isPresent()) {
      outcomes.put(outcome.get().step(), outcome.get());
      session.error().filter(target::endsTransaction).ifPresent(error -> session.breakOff());
    }
  }

  /** True if each of the sessions is blocked by one that is idle, directly or over others. */
  private boolean areAtRest(Collection<ScenarioSession> busy) throws SQLException {
    Map<Long, Set<Long>> waiting = monitor.waiting();
    if (!busy.stream().allMatch(session -> waiting.containsKey(session.key()))) {
      return false;
    }
    if (!inCircles(waiting).isEmpty()) {
      return false;
    }
    busy.forEach(ScenarioSession::noteBlocked);
    return true;
  }

  /** Those that wait in a circle, and those that wait for one of them. */
  private static Set<Long> inCircles(Map<Long, Set<Long>> waiting) {
    Set<Long> stuck = new HashSet<>(waiting.keySet());
    boolean shrinks = true;
    while (shrinks) {
      shrinks =
          stuck.removeIf(
              session ->
                  waiting.getOrDefault(session, Set.of()).stream().noneMatch(stuck::contains));
    }
    return stuck;
  }

  private Set<String> committed() {
    Set<String> committed = new HashSet<>();
    for (ScenarioSession session : sessions.values()) {
      if (session.hasCommitted()) {
        committed.add(session.name());
      }
    }
    return committed;
  }

  private List<StatementOutcome> readFinals(Scenario scenario, String level, Opener opener)
      throws SQLException {
    List<StatementOutcome> finals = new ArrayList<>();
    try (Connection connection = opener.open()) {
      target.setLevel(connection, level);
      connection.setAutoCommit(false);
      for (String sql : scenario.finals()) {
        Step step = new Step("F", Optional.empty(), sql);
        finals.add(style.execute(connection, step, target.spell(sql)));
      }
      connection.commit();
    }
    return finals;
  }

  private ScenarioSession session(Step step) {
    return Objects.requireNonNull(sessions.get(step.session()));
  }

  private StatementOutcome outcome(Step step) {
    return Objects.requireNonNull(outcomes.get(step), step::toString);
  }
}
