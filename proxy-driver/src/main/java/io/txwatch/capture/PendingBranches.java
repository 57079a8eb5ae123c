package io.txwatch.capture;

import io.txwatch.history.Outcome;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The branches of distributed transactions whose work is done and whose outcome is pending (X/Open
 * XA, hazard 42). A branch is committed or rolled back by its id, possibly by another session than
 * the one that did the work, so branches are registered per process. The end of a branch that
 * another process completes is not observed: the oldest branches are evicted with outcome unknown.
 */
final class PendingBranches {

  /** The maximum number of pending branches; beyond it the oldest is evicted. */
  static final int MAX_PENDING = 1024;

  /** The branches of this process. */
  static final PendingBranches OF_THIS_PROCESS = new PendingBranches();

  /**
   * A session's part of a branch.
   *
   * @param tracker the session that did the work
   * @param transaction its transaction
   * @param failed true if the DBMS accepts nothing but a rollback of it
   * @param prepared true if it outlives its session
   */
  record Branch(
      SessionTracker tracker,
      SessionState.Transaction transaction,
      boolean failed,
      boolean prepared) {

    void ended(Outcome outcome) {
      tracker.branchDone(transaction, failed ? Outcome.ABORTED : outcome);
    }
  }

  private final Map<String, List<Branch>> waiting = new LinkedHashMap<>();
  private final List<Branch> overflow = new ArrayList<>();

  private PendingBranches() {}

  synchronized void add(String id, Branch branch) {
    waiting.computeIfAbsent(id, key -> new ArrayList<>(1)).add(branch);
    if (waiting.size() > MAX_PENDING) {
      Iterator<List<Branch>> oldest = waiting.values().iterator();
      overflow.addAll(oldest.next());
      oldest.remove();
    }
  }

  /**
   * Removes and returns the session's own part of a branch, to be continued; empty if it has none.
   */
  synchronized List<Branch> takeOwn(String id, SessionTracker tracker) {
    List<Branch> known = waiting.getOrDefault(id, List.of());
    List<Branch> taken = take(known, branch -> branch.tracker() == tracker);
    if (known.isEmpty()) {
      waiting.remove(id);
    }
    return taken;
  }

  /** Removes and returns the session's unprepared branches, which end with the session. */
  synchronized List<Branch> takeUnprepared(SessionTracker tracker) {
    List<Branch> taken = new ArrayList<>();
    for (List<Branch> branches : waiting.values()) {
      taken.addAll(take(branches, b -> b.tracker() == tracker && !b.prepared()));
    }
    waiting.values().removeIf(List::isEmpty);
    return taken;
  }

  private static List<Branch> take(
      List<Branch> branches, java.util.function.Predicate<Branch> which) {
    List<Branch> taken = branches.stream().filter(which).toList();
    if (!taken.isEmpty()) {
      branches.removeAll(taken);
    }
    return taken;
  }

  /** A branch was prepared; one without statements is not known here. */
  synchronized void prepared(String id) {
    waiting.computeIfPresent(
        id,
        (key, branches) -> {
          branches.replaceAll(b -> new Branch(b.tracker(), b.transaction(), b.failed(), true));
          return branches;
        });
  }

  /** Notes when the outcome of a branch is sent. Must be called without a session's lock. */
  void endSent(String id, long nanos) {
    List<Branch> known;
    synchronized (this) {
      known = List.copyOf(waiting.getOrDefault(id, List.of()));
    }
    known.forEach(branch -> branch.tracker().endSent(branch.transaction(), nanos));
  }

  /** Ends a branch. Must be called without holding a session's lock. */
  void ended(String id, Outcome outcome) {
    List<Branch> done;
    synchronized (this) {
      List<Branch> known = waiting.remove(id);
      done = known == null ? List.of() : known;
    }
    done.forEach(branch -> branch.ended(outcome));
    endOverflow();
  }

  /** Ends the evicted branches. Must be called without holding a session's lock. */
  void endOverflow() {
    List<Branch> given;
    synchronized (this) {
      given = List.copyOf(overflow);
      overflow.clear();
    }
    given.forEach(branch -> branch.ended(Outcome.UNKNOWN));
  }
}
