package io.txwatch.schedule;

import io.txwatch.dbms.Dbms;
import io.txwatch.dbms.WaitMonitor;
import java.sql.SQLException;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Tells whether the sessions of a case are at rest: each idle, or blocked by one that is. The DBMS
 * says who waits. One that waits in this process is looked at, too, for what is said of it may be
 * late: whether its thread waits, and how much of the processor's time it has had.
 */
final class Lookout {

  /** More than a statement computes to fail, once it may go on, unless its code is new. */
  private static final long MOST_RETURNING_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

  /** More than one computes to try again, and to find that it still has to wait. */
  private static final long MOST_TRYING_NANOS = TimeUnit.MICROSECONDS.toNanos(200);

  /** One that waits and tries again and again is shown to wait at one look in five, or more. */
  private static final int MOST_LOOKS = 100;

  /**
   * Many tries. Looks show the same as long as the one that is looked at has no processor: one
   * counts that finds it so much further than the one before.
   */
  private static final long BETWEEN_LOOKS_NANOS = TimeUnit.MICROSECONDS.toNanos(20);

  /** One that was set free goes on before it is looked at so often, the longer apart the more. */
  private static final int MOST_LOOKS_AT_FREED = 8;

  private final Dbms dbms;
  private final WaitMonitor monitor;
  private final Map<String, Session> own;
  private final Queue<Session> completed;
  private final Pace pace;

  /** Those that the DBMS said to wait when it was asked last. */
  private Set<Long> listed = Set.of();

  /** Whom those wait for that try again and again, as they were shown since the last completion. */
  private final Map<Long, Set<Long>> shown = new HashMap<>();

  /** How often the DBMS has been asked since something happened. */
  private int looks;

  /** The same of those that try again and again: the looks that count. */
  private final Map<Long, Looks> looksAt = new HashMap<>();

  /**
   * Looks at one that tries again and again.
   *
   * @param computedNanos how much it had computed at the last that counts
   */
  private record Looks(int count, long computedNanos) {}

  /** Those that had changed anything when all were last at rest, as far as the DBMS tells. */
  private Set<Long> changers = Set.of();

  /** True if others waited when the last step was submitted. */
  private boolean othersWaited;

  /**
   * For one case.
   *
   * @param own its sessions
   */
  Lookout(CaseRun.Surroundings surroundings, Map<String, Session> own) {
    this.dbms = surroundings.dbms();
    this.monitor = surroundings.monitor();
    this.completed = surroundings.completed();
    this.pace = surroundings.pace();
    this.own = own;
  }

  /** A step is about to be submitted. */
  void submitted(boolean othersWait) {
    othersWaited = othersWait;
    pace.begin();
  }

  /** A step has been submitted, or has completed: those who wait may be free. */
  void somethingHappens() {
    shown.clear();
    looks = 0;
    looksAt.clear();
    if (dbms.waitsInCallingThread()) {
      own.values().stream().filter(Session::isBusy).forEach(Session::mayBeFree);
    }
  }

  /** Who waits for whom, if each of those that are busy is blocked by one that is idle. */
  Optional<Map<Long, Set<Long>>> whoWaits(List<Session> busy) throws SQLException {
    if (busy.size() == own.size()) { // nobody is left who could block them
      boolean isLong = dbms.triesAgain() && busy.stream().anyMatch(this::computesForEver);
      listed = isLong ? waiting(busy).keySet() : Set.of();
      return Optional.empty();
    }
    if (someoneGoesOn(busy)) {
      return Optional.empty();
    }
    Map<Long, Set<Long>> waiting = waiting(busy);
    listed = waiting.keySet();
    if (!busy.stream().allMatch(session -> waiting.containsKey(session.key()))
        || busy.stream().anyMatch(session -> isHeldUpByOthers(waiting.get(session.key())))
        || busy.stream().anyMatch(session -> mayBeFree(waiting.get(session.key())))
        || someoneGoesOn(busy)
        || !completed.isEmpty()
        || isInCircle(waiting)) {
      return Optional.empty();
    }
    changers = monitor.changers();
    return Optional.of(waiting);
  }

  /**
   * Who of the case waits for whom. One that tries again and again is not shown to wait at every
   * moment: to be shown once is enough, as long as nothing else happens. One that was freed is
   * shown until it has gone on; whom it waited for has nothing left then that others could wait
   * for.
   */
  private Map<Long, Set<Long>> waiting(List<Session> busy) throws SQLException {
    looks++;
    Map<Long, Set<Long>> waiting = new HashMap<>(monitor.waiting());
    waiting.keySet().retainAll(own.values().stream().map(Session::key).toList());
    for (Session session : busy) {
      if (triesAgain(session)) {
        countLook(session);
        Set<Long> now = waiting.remove(session.key());
        if (now != null && monitor.changers().containsAll(now)) {
          shown.put(session.key(), now);
        }
        Set<Long> known = shown.get(session.key());
        if (known != null) {
          waiting.put(session.key(), known);
        }
      }
    }
    return waiting;
  }

  private void countLook(Session session) {
    Looks sofar = looksAt.getOrDefault(session.key(), new Looks(0, 0));
    long computed = session.computedNanos();
    if (computed - sofar.computedNanos() >= BETWEEN_LOOKS_NANOS) {
      looksAt.put(session.key(), new Looks(sofar.count() + 1, computed));
    }
  }

  /**
   * True if none of those that a session waits for is of this case: a vacuum, say, which will not
   * take long.
   */
  private boolean isHeldUpByOthers(@Nullable Set<Long> blockers) {
    return blockers != null
        && !blockers.isEmpty()
        && own.values().stream().noneMatch(session -> blockers.contains(session.key()));
  }

  /**
   * True if whom a session waits for has nothing left that it could wait for: it has been set free,
   * and its thread has not had its turn; or it was overlooked, and waits for good.
   */
  private boolean mayBeFree(@Nullable Set<Long> blockers) {
    return dbms.waitsInCallingThread()
        && blockers != null
        && looks < MOST_LOOKS_AT_FREED
        && !monitor.changers().containsAll(blockers);
  }

  /** True if one has been set free, whatever the DBMS still says of it. */
  private boolean someoneGoesOn(Collection<Session> busy) {
    return busy.stream()
        .anyMatch(
            session -> triesAgain(session) && session.computedNanos() < mostGoingOnNanos(session));
  }

  /** How much one computes at most that has been set free, while it is still shown to wait. */
  private long mostGoingOnNanos(Session session) {
    if (isVictim(session)) {
      return pace.mostComputingNanos();
    }
    return session.isBlocked() || !othersWaited ? MOST_TRYING_NANOS : MOST_RETURNING_NANOS;
  }

  /**
   * True if one that is busy does not wait in its own thread: it goes on, or tries again and again,
   * as H2's sessions do while they wait for one that has gone back to a savepoint, be it because a
   * statement has failed.
   */
  boolean triesAgain(Session session) {
    return dbms.waitsInCallingThread() && !session.waitsItself();
  }

  /**
   * True if one is a deadlock's victim that is on its way back: it is shown to wait until then. It
   * had changed something, for which others waited, and that has been rolled back.
   */
  private boolean isVictim(Session session) {
    return changers.contains(session.key()) && !monitor.changers().contains(session.key());
  }

  /**
   * True if one computes for longer than any statement of a case takes, and the DBMS does not say
   * that it waits, or only for one that waits as well: told by the processor's time, which does not
   * hang on what else the machine does. All others have to wait, or to have had their time, too:
   * they could set it free.
   */
  boolean someoneTriesForEver(Collection<Session> busy) {
    boolean nobodyIsIdle = busy.size() == own.size();
    return dbms.triesAgain()
        && busy.stream()
            .anyMatch(
                session ->
                    (nobodyIsIdle || !listed.contains(session.key()))
                        && computesForEver(session)
                        && wasLookedAtOften(session))
        && busy.stream()
            .allMatch(
                session ->
                    computesForEver(session)
                        || (listed.contains(session.key())
                            && (!nobodyIsIdle || session.waitsItself())))
        && completed.isEmpty();
  }

  private boolean wasLookedAtOften(Session session) {
    Looks sofar = looksAt.get(session.key());
    return sofar != null && sofar.count() >= MOST_LOOKS;
  }

  private boolean computesForEver(Session session) {
    return session.computedNanos() > pace.mostComputingNanos();
  }

  /** True if some of our sessions wait in a circle, or for those that do. */
  private static boolean isInCircle(Map<Long, Set<Long>> waiting) {
    Set<Long> stuck = new HashSet<>(waiting.keySet());
    boolean shrinks = true;
    while (shrinks) {
      shrinks =
          stuck.removeIf(
              session ->
                  waiting.getOrDefault(session, Set.of()).stream().noneMatch(stuck::contains));
    }
    return !stuck.isEmpty();
  }
}
