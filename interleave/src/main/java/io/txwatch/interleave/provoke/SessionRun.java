package io.txwatch.interleave.provoke;

import io.txwatch.history.IsolationLevel;
import java.util.ArrayList;
import java.util.List;

/** What a session has executed in its transaction. Guarded by the gate's lock. */
final class SessionRun {

  private static final int MAX_STATEMENTS = 500;

  private final List<CalledStatement> statements = new ArrayList<>();
  private IsolationLevel level = IsolationLevel.UNKNOWN;
  private boolean isTooLong;
  private boolean hasWaited;
  private boolean endsUnreported;

  void add(IsolationLevel of, List<CalledStatement> called) {
    if (statements.isEmpty()) {
      level = of;
    }
    if (statements.size() >= MAX_STATEMENTS) {
      isTooLong = true;
    } else {
      statements.addAll(called);
    }
  }

  /** The transaction ends. */
  void clear() {
    statements.clear();
    isTooLong = false;
    hasWaited = false;
  }

  List<CalledStatement> statements() {
    return statements;
  }

  IsolationLevel level() {
    return level;
  }

  boolean isTooLong() {
    return isTooLong;
  }

  /** True if it has been held in this transaction. */
  boolean hasWaited() {
    return hasWaited;
  }

  void waits() {
    hasWaited = true;
  }

  /** True if its last call ended a transaction, and no other call reports when it returns. */
  boolean endsUnreported() {
    return endsUnreported;
  }

  void endsUnreported(boolean ends) {
    endsUnreported = ends;
  }

  /** True if it may have locked rows. */
  boolean holdsRows() {
    return statements.stream().anyMatch(CalledStatement::locks);
  }

  /** True if it may have locked rows that a statement uses. */
  boolean holdsRowsOf(CalledStatement statement) {
    return statements.stream().anyMatch(one -> one.locks() && one.mayUseRowsOf(statement));
  }
}
