package io.txwatch.capture;

import io.txwatch.history.Outcome;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The branches of distributed transactions whose work is done and whose outcome is awaited (X/Open
 * XA, hazard 42). A branch is committed or rolled back by its id, after it was prepared perhaps by
 * another session than the one that did the work; so the ids are known to the whole process. One
 * that another process ends is never told of: whoever waits for too long is given up as unknown.
 */
final class Branches {

  /** More of them than this do not wait: the oldest is given up. */
  static final int MOST = 1024;

  /** Those of this process. */
  static final Branches HERE = new Branches();

  /**
   * A session's part of a branch.
   *
   * @param tracker the session that did the work
   * @param transaction what it did
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
  private final List<Branch> tooMany = new ArrayList<>();

  private Branches() {}

  synchronized void add(String id, Branch branch) {
    waiting.computeIfAbsent(id, key -> new ArrayList<>(1)).add(branch);
    if (waiting.size() > MOST) {
      Iterator<List<Branch>> oldest = waiting.values().iterator();
      tooMany.addAll(oldest.next());
      oldest.remove();
    }
  }

  /** A session's own part, which it goes on with; empty if it has none. */
  synchronized List<Branch> takeOwn(String id, SessionTracker tracker) {
    List<Branch> known = waiting.getOrDefault(id, List.of());
    List<Branch> taken = take(known, branch -> branch.tracker() == tracker);
    if (known.isEmpty()) {
      waiting.remove(id);
    }
    return taken;
  }

  /** What a session has done that was not prepared, and so goes when the session goes. */
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

  synchronized void prepared(String id) {
    waiting
        .getOrDefault(id, List.of())
        .replaceAll(b -> new Branch(b.tracker(), b.transaction(), b.failed(), true));
  }

  /** A branch has ended. To be called without the lock of any session. */
  void ended(String id, Outcome outcome) {
    List<Branch> done;
    synchronized (this) {
      List<Branch> known = waiting.remove(id);
      done = known == null ? List.of() : known;
    }
    done.forEach(branch -> branch.ended(outcome));
    giveUp();
  }

  /** Tells the end of those that waited for too long. To be called as {@link #ended} is. */
  void giveUp() {
    List<Branch> given;
    synchronized (this) {
      given = List.copyOf(tooMany);
      tooMany.clear();
    }
    given.forEach(branch -> branch.ended(Outcome.UNKNOWN));
  }
}
