package io.txwatch.schedule;

import io.txwatch.dbms.Dbms;
import io.txwatch.dbms.Failure;
import io.txwatch.history.IsolationLevel;
import io.txwatch.testcase.Step;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Tells where a case is no longer ours to order: sessions that wait are set free at the same time,
 * and run side by side until each is at rest. Which of them comes first to what both want is the
 * scheduler's doing, and another run may end otherwise.
 *
 * <p>Told by who waited for whom when the sessions were last at rest, and who has ended since, so
 * that it is the same in every run, whoever wins ({@link SideBySide}).
 */
final class Races {

  private static final Pattern ROLLBACK_TO = Pattern.compile("(?i)^\\s*ROLLBACK\\s+TO\\b");

  /** True if who was let through a lock keeps it to its end, whatever it then does with the row. */
  private final boolean locksAreKept;

  private final boolean victimsHangOnTime;
  private final boolean wakesByChance;
  private final boolean locksAreSeized;

  /** Who waited for whom when all were last at rest. */
  private Map<Long, Set<Long>> waited = Map.of();

  /** The session that submitted, if it had done nothing before that others can wait for. */
  private @Nullable Session harmless;

  private final Set<Long> ended = new HashSet<>();
  private final Set<Long> victims = new HashSet<>();

  /** Those that have taken back a part of their transaction, by an error or by going back. */
  private final Set<Long> takenBack = new HashSet<>();

  /** The same when all were last at rest. */
  private Set<Long> hadTakenBack = Set.of();

  private @Nullable Session submitter;

  /** True if what it submitted can but end its transaction, or a part of it. */
  private boolean onlyEnds;

  private Optional<String> found = Optional.empty();

  Races(Dbms dbms, IsolationLevel level) {
    this.locksAreKept = level.compareTo(IsolationLevel.READ_COMMITTED) > 0;
    this.victimsHangOnTime = dbms.victimsHangOnTime();
    this.wakesByChance = dbms.wakesByChance();
    this.locksAreSeized = dbms.locksAreSeized();
  }

  /** A session submits a step, while the others are at rest. */
  void submitted(Session session, Step step) {
    submitter = session;
    onlyEnds = step.role() != Step.Role.WORK || goesBack(step);
    harmless = session.holdsLocks() ? null : session;
  }

  /** A step has completed. */
  void completed(Session session, StepOutcome outcome) {
    Failure failure = outcome.failure();
    if (failure != null && failure.kind() == Failure.Kind.DEADLOCK) {
      victims.add(session.key());
    }
    boolean ends = !session.isInTransaction() || session.owesRollback();
    boolean takesBack =
        !ends
            && (goesBack(outcome.step())
                || (!outcome.succeeded() && waited.containsKey(session.key())));
    if (takesBack
        && wakesByChance
        && found.isEmpty()
        && waited.values().stream().anyMatch(blockers -> blockers.contains(session.key()))) {
      found = Optional.of("who waits is woken by '" + outcome.step().sql() + "' or not");
    }
    if (ends) {
      takenBack.remove(session.key());
    } else if (goesBack(outcome.step()) || !outcome.succeeded()) {
      takenBack.add(session.key());
    }
    if ((ends || takesBack) && session != harmless) {
      ended(session);
    }
  }

  private static boolean goesBack(Step step) {
    return ROLLBACK_TO.matcher(step.sql()).find();
  }

  /** A session's transaction has ended. */
  void ended(Session session) {
    ended.add(session.key());
  }

  /** All are at rest again, these because they wait for those. */
  void settled(Map<Long, Set<Long>> waiting) {
    if (waited.size() > 1 && found.isEmpty() && isRace(waiting.keySet())) {
      found = Optional.of("several sessions are set free at a time");
    }
    if (wakesByChance && !victims.isEmpty() && found.isEmpty() && someoneTriesAgain()) {
      found = Optional.of("who finds a deadlock is who closes the circle, or who waits in it");
    }
    hadTakenBack = Set.copyOf(takenBack);
    waited = waiting;
    submitter = null;
    onlyEnds = false;
    harmless = null;
    ended.clear();
    victims.clear();
  }

  /**
   * True if one that waited looked for circles again and again, beside who closed one: H2's do that
   * wait for one that has taken something back. Who waits for the victim is not woken if another
   * one than the victim has found the circle (2.5.252).
   */
  private boolean someoneTriesAgain() {
    return waited.values().stream()
        .anyMatch(blockers -> blockers.stream().anyMatch(hadTakenBack::contains));
  }

  private boolean isRace(Set<Long> waiting) {
    if (!victims.isEmpty() && victimsHangOnTime) {
      return true;
    }
    Set<Long> held = locksAreSeized ? Set.of() : waiting;
    SideBySide sideBySide = new SideBySide(ended, victims, held, locksAreKept);
    return submitter == null || onlyEnds
        ? sideBySide.mayRunAfterEnds(waited)
        : sideBySide.mayRunAfterStatementOf(submitter.key(), waited);
  }

  /** Why another run may go another way. */
  Optional<String> found() {
    return found;
  }
}
