package io.txwatch.version;

import io.txwatch.history.IsolationLevel;
import io.txwatch.history.Outcome;
import io.txwatch.history.RowValues;
import io.txwatch.history.StatedWrite;
import io.txwatch.history.StatementKind;
import io.txwatch.rules.DbmsRules;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/** A watched transaction, as far as its versions have to be resolved. */
final class TimedTransaction {

  final long id;
  final long session;

  /** The number of its connection; 0 if it is not known. */
  long connection;

  IsolationLevel level;

  /** When the oldest transaction began that was active when this one began. */
  long horizon = Long.MAX_VALUE;

  /** In order of execution. */
  final List<TimedStatement> statements = new ArrayList<>();

  /** Differs whenever what its statements state has changed. */
  private int revision;

  /** When COMMIT was executed; unknown while it is active. */
  Window end = Window.UNKNOWN;

  boolean endTimed;
  @Nullable Outcome outcome;

  /** Whether events of it are missing. */
  boolean lossy;

  /** Whether its end has been passed on: nothing can be added to it any more. */
  boolean passed;

  /** Whether values of it were observed. */
  boolean hasValues;

  boolean hasReads;

  /** Whether it read rows of which no values were observed. */
  boolean hasUnread;

  /** Whether several recorded transactions may be this one, and it is not known which. */
  boolean ambiguous;

  /** What the DBMS recorded of it; null if nothing, or not known yet. */
  @Nullable RecordedTransaction recorded;

  TimedTransaction(long id, long session, IsolationLevel level) {
    this.id = id;
    this.session = session;
    this.level = level;
  }

  void add(TimedStatement statement) {
    statements.add(statement);
    changed();
  }

  /** What a statement of it states has changed, or when it was executed. */
  void changed() {
    revision++;
  }

  int revision() {
    return revision;
  }

  @Nullable TimedStatement statement(int number) {
    for (int i = statements.size() - 1; i >= 0; i--) {
      if (statements.get(i).number == number) {
        return statements.get(i);
      }
    }
    return null;
  }

  void undone(int first, int last) {
    changed();
    for (TimedStatement statement : statements) {
      if (statement.number >= first && statement.number <= last) {
        statement.undone = true;
        statement.undoneThrough = Math.max(statement.undoneThrough, last);
      }
    }
  }

  /** Whether the record, or values that were observed, may show rows that it used. */
  boolean isResolved() {
    return hasValues || endTimed && mayHaveChanged();
  }

  boolean mayHaveChanged() {
    for (TimedStatement statement : statements) {
      if (statement.mayHaveChanged()) {
        return true;
      }
    }
    return false;
  }

  /**
   * Whether its only statement may have been committed with its execution by a time at which its
   * events had not arrived: they follow the beginning, which is known before the statement is sent.
   * All statements of a longer transaction are known before COMMIT is sent.
   */
  boolean mayHaveBeenCommittedUnknown(long time) {
    if (outcome != null || endTimed || statements.size() > 1) {
      return false;
    }
    return statements.isEmpty()
        || statements.get(0).mayHaveChanged()
            && (!statements.get(0).timed || statements.get(0).window.returned() > time);
  }

  /** When its first statement was sent; unknown if that statement's time is. */
  long began() {
    return statements.isEmpty() || !statements.get(0).timed
        ? Long.MIN_VALUE
        : statements.get(0).window.sent();
  }

  /** When its last observed statement had been executed. */
  long lastReturned() {
    return last(Window::returned);
  }

  /** When its last observed statement was sent. */
  long lastSent() {
    return last(Window::sent);
  }

  private long last(ToLongFunction<Window> time) {
    long last = Long.MIN_VALUE;
    for (TimedStatement statement : statements) {
      if (statement.timed) {
        last = Math.max(last, time.applyAsLong(statement.window));
      }
    }
    return last;
  }

  private @Nullable Map<HashedKey, Long> touched;

  /** Up to when it may have read or written each row; to be called when it has ended. */
  Map<HashedKey, Long> touched(DbmsRules rules) {
    Map<HashedKey, Long> known = touched;
    if (known == null) {
      known = new HashMap<>();
      for (TimedStatement statement : statements) {
        for (RowValues rows : statement.reads) {
          add(rows, ReadResolver.window(this, statement, rows.table(), rules).returned(), known);
        }
        if (statement.mayHaveChanged()) {
          for (StatedWrite write : statement.writes) {
            add(write.rows(), statement.window.returned(), known);
          }
        }
      }
      touched = known;
    }
    return known;
  }

  private static void add(RowValues rows, long time, Map<HashedKey, Long> to) {
    for (long key : rows.keys()) {
      if (key != 0) {
        to.merge(new HashedKey(rows.table(), key), time, Math::max);
      }
    }
  }

  /** Whose end it waits for; null if for none. */
  @Nullable TimedTransaction awaited;

  /** When COMMIT was sent, or the earliest time at which it may have been. */
  long commitSent() {
    return endTimed ? end.sent() : lastReturned();
  }

  /**
   * When it took its snapshot: from its first statement on, up to its first plain read of a row. In
   * InnoDB it is that read, or START TRANSACTION WITH CONSISTENT SNAPSHOT; elsewhere the first
   * statement. A SELECT without a table, as pools send it, takes none there.
   */
  Window snapshot() {
    for (TimedStatement statement : statements) {
      if (statement.kind == StatementKind.SELECT && statement.timed && statement.returnedRows) {
        return new Window(began(), statement.window.returned());
      }
    }
    return Window.UNKNOWN;
  }

  /** When it took its snapshot of a table, if it takes one of each: up to its first read of it. */
  Window snapshot(String table) {
    for (TimedStatement statement : statements) {
      if (statement.kind == StatementKind.SELECT && statement.timed && statement.reads(table)) {
        return new Window(began(), statement.window.returned());
      }
    }
    return Window.UNKNOWN;
  }
}
