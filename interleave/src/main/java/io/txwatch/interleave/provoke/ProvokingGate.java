package io.txwatch.interleave.provoke;

import io.txwatch.history.Database;
import io.txwatch.jdbc.gate.Gate;
import io.txwatch.jdbc.gate.GatedCall;
import io.txwatch.jdbc.gate.GatedConnection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Holds sessions so that races of two transactions happen.
 *
 * <p>A transaction that has read what the race needs is held before its next statement until
 * another session has written that and committed. A transaction that would write it is held until
 * another one has read it, unless it may hold locks. Each transaction is held once, and for a
 * limited time; none while no other thread uses the database, and none that has locked rows which
 * another session is about to use. Whatever goes wrong, a call passes.
 */
final class ProvokingGate implements Gate {

  /** Threads without a call for longer are not expected to make one soon. */
  static final Duration ACTIVE = Duration.ofSeconds(1);

  private final long limitNanos;
  private final long activeNanos;
  private final Consumer<String> log;
  private final Map<String, RaceLearner> learners = new ConcurrentHashMap<>();
  private final Object lock = new Object();
  private final Map<String, Map<GatedConnection, SessionRun>> sessions = new HashMap<>();
  private final Map<String, RecentCallers> recentCallers = new HashMap<>();
  private final List<HeldSession> held = new ArrayList<>();
  private int heldTransactions;

  /**
   * A gate for no database yet.
   *
   * @param limit for how long a transaction is held
   * @param active for how long after a call another thread is expected to make the next one
   * @param log takes what the user must know, a line each
   */
  ProvokingGate(Duration limit, Duration active, Consumer<String> log) {
    this.limitNanos = limit.toNanos();
    this.activeNanos = active.toNanos();
    this.log = log;
  }

  /** Holds calls to a database from now on. */
  void add(Database database) {
    RaceLearner learner = new RaceLearner(database, log);
    if (learners.putIfAbsent(database.place(), learner) == null) {
      learner.start();
    }
  }

  /** Ends its threads. */
  void stop() {
    learners.values().forEach(RaceLearner::stop);
  }

  /** The races that are sought in all databases. */
  List<SoughtRace> races() {
    return learners.values().stream().flatMap(learner -> learner.races().all().stream()).toList();
  }

  /** How many sessions are held now, and not about to go on. */
  int heldSessions() {
    synchronized (lock) {
      return (int) held.stream().filter(one -> !one.isReleased()).count();
    }
  }

  /** How many transactions have been held. */
  int heldTransactions() {
    synchronized (lock) {
      return heldTransactions;
    }
  }

  @Override
  public void before(GatedCall call) {
    String place = call.connection().database().place();
    RaceLearner learner = learners.get(place);
    if (learner == null) {
      return;
    }
    try {
      before(call, place, learner);
    } catch (RuntimeException e) { // not the application's
      if (learners.remove(place, learner)) {
        learner.stop();
        log.accept("off for " + place + ": " + e);
      }
    }
  }

  private void before(GatedCall call, String place, RaceLearner learner) {
    List<CalledStatement> statements =
        call.statements().stream().map(one -> called(one, call.callSite(), learner)).toList();
    synchronized (lock) {
      SessionRun session = session(place, call.connection());
      long now = System.nanoTime();
      RecentCallers callers =
          recentCallers.computeIfAbsent(place, any -> new RecentCallers(activeNanos));
      callers.called(Thread.currentThread().getId(), now);
      if (session.endsUnreported()) {
        ended(session, true);
      }
      switch (call.type()) {
        case STATEMENT ->
            statement(call, statements, session, callers.isAnotherActive(now), learner);
        case COMMIT -> {
          learn(session, learner);
          session.clear();
          session.endsUnreported(true);
        }
        case ROLLBACK -> session.clear();
      }
    }
  }

  private static CalledStatement called(
      GatedCall.Statement statement, String callSite, RaceLearner learner) {
    return new CalledStatement(
        StatementPlace.of(learner.shape(statement.sql()), callSite), callSite, statement);
  }

  private SessionRun session(String place, GatedConnection connection) {
    return sessions
        .computeIfAbsent(place, any -> new WeakHashMap<>())
        .computeIfAbsent(connection, any -> new SessionRun());
  }

  private static void learn(SessionRun session, RaceLearner learner) {
    if (!session.isTooLong()) {
      learner.learn(session.level(), session.statements());
    }
  }

  private void statement(
      GatedCall call,
      List<CalledStatement> statements,
      SessionRun session,
      boolean isAnotherActive,
      RaceLearner learner) {
    releaseOwners(session, statements);
    if (!call.isAutocommit() && !session.hasWaited() && isAnotherActive) {
      hold(session, statements, learner.races());
    }
    for (HeldSession one : held) {
      if (one.session() != session && statements.stream().anyMatch(one::isFor)) {
        one.partner(session);
      }
    }
    session.add(call.connection().level(), statements);
    if (call.isAutocommit()) {
      learn(session, learner);
      session.clear();
      session.endsUnreported(true);
    }
  }

  /** Releases those that may have locked rows which these statements use. */
  private void releaseOwners(SessionRun session, List<CalledStatement> statements) {
    for (HeldSession one : held) {
      if (one.session() != session && statements.stream().anyMatch(one.session()::holdsRowsOf)) {
        one.release();
        lock.notifyAll();
      }
    }
  }

  // ---------------------------------------------------------------- waiting

  private void hold(SessionRun session, List<CalledStatement> statements, SoughtRaces races) {
    if (isNeeded(session, statements)) {
      return;
    }
    Map<SoughtRace, List<CalledStatement>> first = asFirst(session, races);
    Map<SoughtRace, List<CalledStatement>> second =
        first.isEmpty() && !session.holdsRows() ? asSecond(statements, races) : Map.of();
    if (first.isEmpty() && second.isEmpty()) {
      return;
    }
    session.waits();
    heldTransactions++;
    HeldSession one = new HeldSession(session, first.isEmpty() ? second : first, !first.isEmpty());
    held.add(one);
    lock.notifyAll();
    try {
      await(one, statements);
    } finally {
      held.remove(one);
    }
  }

  /** True if another session is held until this one has gone on. */
  private boolean isNeeded(SessionRun session, List<CalledStatement> statements) {
    return held.stream()
        .filter(one -> one.session() != session)
        .anyMatch(one -> statements.stream().anyMatch(next -> one.needs(session, next)));
  }

  /** The races whose read it has executed, with the reads. */
  private Map<SoughtRace, List<CalledStatement>> asFirst(SessionRun session, SoughtRaces races) {
    Map<SoughtRace, List<CalledStatement>> found = new LinkedHashMap<>();
    for (CalledStatement executed : session.statements()) {
      for (SoughtRace race : races.ofRead(executed.place())) {
        if (race.level() == session.level()) {
          found.computeIfAbsent(race, any -> new ArrayList<>()).add(executed);
        }
      }
    }
    found.entrySet().removeIf(race -> !mayBeNext(race.getKey(), race.getValue()));
    return found;
  }

  /** False if others are held that would write other rows: it has still to read those. */
  private boolean mayBeNext(SoughtRace race, List<CalledStatement> read) {
    boolean isAnother = false;
    for (HeldSession one : held) {
      List<CalledStatement> write = one.isFirst() ? null : one.statements(race);
      if (write != null && CalledStatement.mayBeEqual(read, write, race.table())) {
        return true;
      }
      isAnother |= write != null;
    }
    return !isAnother;
  }

  /** The races whose write it is about to execute, with the write. */
  private static Map<SoughtRace, List<CalledStatement>> asSecond(
      List<CalledStatement> statements, SoughtRaces races) {
    Map<SoughtRace, List<CalledStatement>> found = new LinkedHashMap<>();
    for (CalledStatement next : statements) {
      for (SoughtRace race : races.ofWrite(next.place())) {
        if (!race.isOfOneOperation()) {
          found.computeIfAbsent(race, any -> new ArrayList<>()).add(next);
        }
      }
    }
    return found;
  }

  /** Waits on the lock, which others take meanwhile. */
  private void await(HeldSession one, List<CalledStatement> statements) {
    long deadline = System.nanoTime() + limitNanos;
    long remaining = limitNanos;
    while (!one.isReleased() && !isNeeded(one.session(), statements) && remaining > 0) {
      try {
        TimeUnit.NANOSECONDS.timedWait(lock, remaining);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt(); // the driver's call may react to it
        return;
      }
      remaining = deadline - System.nanoTime();
    }
  }

  // ---------------------------------------------------------------- ends

  @Override
  public void ended(GatedConnection connection, boolean hasCommitted) {
    String place = connection.database().place();
    if (learners.containsKey(place)) {
      synchronized (lock) {
        ended(session(place, connection), hasCommitted);
      }
    }
  }

  private void ended(SessionRun session, boolean hasCommitted) {
    session.endsUnreported(false);
    held.forEach(one -> one.partnerEnded(session, hasCommitted));
    lock.notifyAll();
  }
}
