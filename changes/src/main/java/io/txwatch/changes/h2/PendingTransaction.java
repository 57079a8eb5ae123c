package io.txwatch.changes.h2;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.h2.command.Command;
import org.h2.command.CommandInterface;
import org.h2.engine.SessionLocal;
import org.h2.mvstore.tx.Transaction;
import org.jspecify.annotations.Nullable;

/**
 * What a transaction has changed and not rolled back. Written by the thread that executes the
 * transaction, read by that of the source once the transaction has ended.
 */
final class PendingTransaction {

  static final int MAX_ROWS = 100_000;

  /** In the thread of the application, for each rollback to a savepoint. */
  private static final int MAX_COMPARISONS = 200_000;

  /** A rollback to a savepoint is at work. H2 keeps the numbers of these two states to itself. */
  static final int STATUS_ROLLING_BACK = 4;

  /** The transaction is rolled back, or about to be. */
  static final int STATUS_ROLLED_BACK = 5;

  /** A changed row as H2 gave it. */
  static final class Change {
    private final WatchedTable table;
    private final @Nullable Object @Nullable [] before;
    private final @Nullable Object @Nullable [] after;
    private final int statement;
    private final int group;
    private final long version;

    /** The length of H2's undo log after it: what a rollback leaves is shorter. */
    private final long logLength;

    /** An UPDATE that gives the row another key: H2 restores two rows. */
    private final boolean movesKey;

    /** If a restored row is explained by it: each half once, if it moves the key. */
    private boolean explainsRemoved;

    private boolean explainsRestored;

    Change(
        WatchedTable table,
        @Nullable Object @Nullable [] before,
        @Nullable Object @Nullable [] after,
        int statement,
        int group,
        long version,
        long logLength) {
      this.table = table;
      this.before = before;
      this.after = after;
      this.statement = statement;
      this.group = group;
      this.version = version;
      this.logLength = logLength;
      movesKey = table.movesKey(before, after);
    }

    WatchedTable table() {
      return table;
    }

    @Nullable Object @Nullable [] before() {
      return before;
    }

    @Nullable Object @Nullable [] after() {
      return after;
    }

    /** The number of the statement that was sent, or as far as that is not known, of H2's. */
    int group() {
      return group;
    }

    long version() {
      return version;
    }

    /** True if this is where a row came to have its present image; null: where it vanished. */
    private boolean leadsTo(@Nullable Object @Nullable [] image) {
      return image == null ? after == null || movesKey : isSame(after, image);
    }

    private boolean explains(@Nullable Object @Nullable [] image) {
      return movesKey && image == null ? explainsRestored : explainsRemoved;
    }

    private void explain(@Nullable Object @Nullable [] image) {
      if (movesKey && image == null) {
        explainsRestored = true;
      } else {
        explainsRemoved = true;
      }
    }

    /** What the row was before, seen from an image that this change {@link #leadsTo}. */
    private @Nullable Object @Nullable [] origin(@Nullable Object @Nullable [] image) {
      return image != null && movesKey ? null : before;
    }

    private static boolean isSame(
        @Nullable Object @Nullable [] one, @Nullable Object @Nullable [] other) {
      if (one == null || other == null || one.length != other.length) {
        return one == other;
      }
      for (int i = 0; i < one.length; i++) {
        if (!isSame(one[i], other[i])) {
          return false;
        }
      }
      return true;
    }

    /** Large objects are not read here: two of them may be the same. */
    private static boolean isSame(@Nullable Object one, @Nullable Object other) {
      if (one instanceof byte[] bytes && other instanceof byte[] others) {
        return Arrays.equals(bytes, others);
      }
      return Objects.equals(one, other)
          || (one instanceof java.sql.Clob && other instanceof java.sql.Clob)
          || (one instanceof java.sql.Blob && other instanceof java.sql.Blob);
    }
  }

  private final Transaction transaction;
  private final int session;
  private final ArrayList<Change> changes = new ArrayList<>(4);
  private final @Nullable SentStatements sent;

  /** The number of H2's command: a trigger of the application may execute its own. */
  private int statement = -1;

  private int group = -1;
  private int groupSent;
  private @Nullable Object command;
  private @Nullable Object commandStart;
  private long lastChange;
  private boolean isTooLarge;

  /** The first statement that the present rollback undoes; more than all if it is none. */
  private int undoneFrom = Integer.MAX_VALUE;

  /** What the present rollback has restored and no removed change explains yet: rows counted. */
  private final Map<Image, Integer> effect = new HashMap<>(0);

  /** Where the next restored row is looked for first. */
  private int expected;

  /** How many more changes the present rollback may be compared with. */
  private int comparisons = MAX_COMPARISONS;

  /** Replaced, never modified. Another thread reads it when it drops a trigger. */
  private volatile List<WatchedTable> tables = List.of();

  /** Set by the thread that drops a trigger. */
  private volatile boolean isUncertain;

  PendingTransaction(Transaction transaction, int session, @Nullable SentStatements sent) {
    this.transaction = transaction;
    this.session = session;
    this.sent = sent;
  }

  Transaction transaction() {
    return transaction;
  }

  int session() {
    return session;
  }

  List<Change> changes() {
    return changes;
  }

  /** The number of its last change, in the order of all changes of the database. */
  long lastChange() {
    return lastChange;
  }

  /** True if changes were not kept, because they were too many. */
  boolean isTooLarge() {
    return isTooLarge;
  }

  /** True if it is not known whether it was committed or rolled back. */
  boolean isUncertain() {
    return isUncertain;
  }

  /** The trigger of a table is dropped. */
  void triggerRemoved(WatchedTable table) {
    if (tables.contains(table) && !hasEnded()) {
      isUncertain = true;
    }
  }

  /**
   * True if it has ended. Its changes are then complete and visible to the caller. One that is
   * rolled back has this state before its triggers fire, and is closed after they have.
   */
  boolean hasEnded() {
    int status = transaction.getStatus();
    return status == Transaction.STATUS_CLOSED || status == Transaction.STATUS_COMMITTED;
  }

  /**
   * Adds a changed row.
   *
   * @param number the number of the change
   * @param isFull true if the source holds as many rows as it may
   * @return by how much the number of rows held has changed
   */
  int add(
      WatchedTable table,
      SessionLocal writer,
      @Nullable Object @Nullable [] before,
      @Nullable Object @Nullable [] after,
      long version,
      long number,
      boolean isFull) {
    // A command that is executed again has another start.
    Object running = writer.getCurrentCommand();
    Object started = writer.getCommandStartOrEnd();
    // H2 has no command when a row's trigger fires after a trigger of the application.
    boolean isContinued = running == null && statement >= 0;
    boolean isNext =
        !isContinued && (statement < 0 || running != command || !started.equals(commandStart));
    if (isNext) {
      statement++;
      command = running;
      commandStart = started;
    }
    if (sent == null) {
      group = statement;
    } else {
      boolean isOther = group < 0 || groupSent != sent.number();
      isContinued = !isOther && (isContinued || !sent.isBatch());
      if (isOther || (isNext && sent.isBatch())) {
        group++;
        groupSent = sent.number();
      }
    }
    lastChange = number;
    if (!tables.contains(table)) {
      List<WatchedTable> more = new ArrayList<>(tables);
      more.add(table);
      tables = more;
    }
    long logLength = transaction.setSavepoint();
    // Within a statement nothing was rolled back, and a trigger of the application may have written
    // before the trigger of the row that fired it.
    int removed = finishUndo(isContinued ? Long.MAX_VALUE : logLength - 1);
    if (isTooLarge || isFull || changes.size() >= MAX_ROWS) {
      isTooLarge = true;
      return removed + clear();
    }
    changes.add(new Change(table, before, after, statement, group, version, logLength));
    return removed + 1;
  }

  /** Forgets all changes: the whole transaction is rolled back. */
  int rollBack() {
    isTooLarge = false;
    undoneFrom = Integer.MAX_VALUE;
    effect.clear();
    return clear();
  }

  private int clear() {
    int cleared = -changes.size();
    changes.clear();
    return cleared;
  }

  /**
   * A row was restored by a rollback to a savepoint, or of a failed statement.
   *
   * <p>Of a failed statement, all changes are undone. A rollback to a savepoint undoes the last
   * statements, and it is not known how many: H2 restores each row once, to what it was at the
   * savepoint: so the last chain of changes that leads from there to what the row was until now has
   * been undone, with all that followed its first change. Rows without such a chain are row locks,
   * which look like rows that do not change.
   *
   * @param removed the row as it was until now; null if it was deleted
   * @param restored the row as it is again; null if it was inserted
   * @return by how much the number of rows held has changed
   */
  int undo(
      WatchedTable table,
      SessionLocal writer,
      @Nullable Object @Nullable [] removed,
      @Nullable Object @Nullable [] restored) {
    if (hasFailed(writer)) {
      return removeStatement(writer);
    }
    if (Change.isSame(removed, restored)) {
      return 0;
    }
    if (undoneFrom == Integer.MAX_VALUE) {
      expected = changes.size() - 1;
    }
    Change first = start(table, removed, restored, expected);
    if (first == null) {
      for (int i = changes.size() - 1; i >= 0 && first == null && comparisons > 0; i--) {
        first = start(table, removed, restored, i);
      }
    }
    if (comparisons <= 0) {
      isUncertain = true;
    }
    if (first != null) {
      count(table, removed, 1);
      count(table, restored, -1);
      undoneFrom = Math.min(undoneFrom, first.statement);
    }
    return 0;
  }

  /** True if this is not ROLLBACK TO SAVEPOINT, nor a list of statements that may contain it. */
  private static boolean hasFailed(SessionLocal writer) {
    Command running = writer.getCurrentCommand();
    return running != null
        && switch (running.getCommandType()) {
          case CommandInterface.INSERT,
              CommandInterface.UPDATE,
              CommandInterface.DELETE,
              CommandInterface.MERGE,
              CommandInterface.REPLACE,
              CommandInterface.SELECT,
              CommandInterface.CALL ->
              !running.getClass().getName().endsWith("CommandList");
          default -> false;
        };
  }

  /** If the statement that failed is the last one here, all its changes are undone. */
  private int removeStatement(SessionLocal writer) {
    int held = changes.size();
    if (writer.getCurrentCommand() == command
        && writer.getCommandStartOrEnd().equals(commandStart)) {
      while (!changes.isEmpty() && changes.get(changes.size() - 1).statement == statement) {
        changes.remove(changes.size() - 1);
      }
    }
    return changes.size() - held;
  }

  /** The first change of the chain whose last one is at an index; null if none is. */
  private @Nullable Change start(
      WatchedTable table,
      @Nullable Object @Nullable [] removed,
      @Nullable Object @Nullable [] restored,
      int index) {
    @Nullable Object @Nullable [] image = removed;
    boolean isLast = true;
    for (int i = index; i >= 0 && comparisons > 0; i--) {
      comparisons--;
      Change change = changes.get(i);
      if (change.table == table && !change.explains(image) && change.leadsTo(image)) {
        @Nullable Object @Nullable [] later = image;
        image = change.origin(image);
        if (Change.isSame(image, restored)) {
          change.explain(later);
          expected = index - 1;
          return change;
        }
        isLast = false;
      } else if (isLast) {
        return null;
      }
    }
    return null;
  }

  /**
   * Removes what was rolled back: the smallest number of last statements that contains all that is
   * known to be undone, and whose effect is what was restored.
   *
   * @param logLength of H2's undo log, at most, when the last statement ended that remains
   * @return by how much the number of rows held has changed
   */
  int finishUndo(long logLength) {
    int held = changes.size();
    while (!changes.isEmpty()) {
      Change last = changes.get(changes.size() - 1);
      boolean isUndone =
          last.statement >= undoneFrom
              || (last.logLength > logLength && last.statement < statement);
      if (!isUndone && effect.isEmpty()) {
        break;
      }
      undoneFrom = Math.min(undoneFrom, last.statement);
      changes.remove(changes.size() - 1);
      count(last.table, last.after, -1);
      count(last.table, last.before, 1);
    }
    isUncertain |= !effect.isEmpty();
    effect.clear();
    undoneFrom = Integer.MAX_VALUE;
    comparisons = MAX_COMPARISONS;
    return changes.size() - held;
  }

  private void count(WatchedTable table, @Nullable Object @Nullable [] image, int difference) {
    if (image != null) {
      effect.merge(
          new Image(table, image),
          difference,
          (one, other) -> one + other == 0 ? null : one + other);
    }
  }

  /** A row, equal to another with the same values. */
  private record Image(WatchedTable table, @Nullable Object[] values) {
    @Override
    public boolean equals(@Nullable Object other) {
      return other instanceof Image image
          && table == image.table
          && Change.isSame(values, image.values);
    }

    @Override
    public int hashCode() {
      int hash = table.hashCode();
      for (Object value : values) {
        hash = 31 * hash + (value instanceof byte[] bytes ? Arrays.hashCode(bytes) : hash(value));
      }
      return hash;
    }

    private static int hash(@Nullable Object value) {
      return value instanceof java.sql.Clob || value instanceof java.sql.Blob
          ? 1
          : Objects.hashCode(value);
    }
  }

  /** Removes what was rolled back before it ended. */
  int finishUndo() {
    statement++; // the commit
    return finishUndo(transaction.setSavepoint());
  }
}
