package io.txwatch.version;

import io.txwatch.dependency.KnownRow;
import io.txwatch.dependency.KnownRow.Bound;
import io.txwatch.history.Access;
import io.txwatch.history.IsolationLevel;
import io.txwatch.history.RowAccess;
import io.txwatch.history.RowChoice;
import io.txwatch.history.RowValues;
import io.txwatch.history.StatementKind;
import io.txwatch.rules.DbmsRules;
import io.txwatch.rules.PlainReads;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Finds the versions that the statements of a transaction read. */
final class ReadResolver {

  private final Window[] commits = new Window[Candidates.MAX_VERSIONS];
  private final ColumnPlaces places = new ColumnPlaces();
  private long unique;
  private long run;
  private long several;
  private long none;
  private long unrecorded;
  private long withoutKey;

  Resolution counts() {
    return new Resolution(unique, run, several, none, unrecorded, withoutKey);
  }

  /** The record did not show in time what these rows may be. */
  void unrecorded(List<RowValues> reads) {
    for (RowValues rows : reads) {
      unrecorded += rows.size();
    }
  }

  /** When a statement's rows of a table were current, if its transaction did not write them. */
  static Window window(
      TimedTransaction transaction, TimedStatement statement, String table, DbmsRules rules) {
    if (statement.kind != StatementKind.SELECT) {
      return statement.window;
    }
    PlainReads reads =
        transaction.level.isKnown() ? rules.plainReads(transaction.level) : PlainReads.UNCERTAIN;
    return switch (reads) {
      case NEWEST -> statement.window;
      case SNAPSHOT -> transaction.snapshot();
      case SNAPSHOT_OF_TABLE -> transaction.snapshot(table);
      case UNCERTAIN -> transaction.snapshot().with(statement.window);
    };
  }

  /** Adds what a statement read, as far as that is known. */
  void resolve(
      TimedTransaction transaction,
      TimedStatement statement,
      RecordedRows record,
      DbmsRules rules,
      List<KnownRow> out) {
    if (statement.reads.isEmpty()) {
      return;
    }
    if (statement.kind.mayWrite() || !statement.timed) {
      unrecorded(statement.reads);
      return;
    }
    boolean certain =
        transaction.level.isKnown() && transaction.level != IsolationLevel.READ_UNCOMMITTED;
    for (RowValues rows : statement.reads) {
      Window window = window(transaction, statement, rows.table(), rules).widened(record.skew());
      ConditionValue condition = condition(statement, rows.table());
      for (int i = 0; i < rows.size(); i++) {
        ReadRow row = new ReadRow(rows, i, condition);
        resolve(transaction, statement, record, window, certain, row, out);
      }
    }
  }

  /** The condition that is true for each row that a statement read of a table; null if unknown. */
  private @Nullable ConditionValue condition(TimedStatement statement, String table) {
    for (RowChoice choice : statement.choices) {
      if (choice.table().equals(table)) {
        return new ConditionValue(choice.condition(), choice.constants(), places);
      }
    }
    return null;
  }

  /**
   * A row that was read.
   *
   * @param condition by which it was chosen; null if that is not known
   */
  private record ReadRow(RowValues rows, int index, @Nullable ConditionValue condition) {

    /** Whether it may be a version: it has the values, and would have been chosen. */
    boolean mayBe(RowVersion version) {
      return version.agrees(rows, index)
          && (condition == null
              || version.deletion
              || (condition.of(version.plainColumns, version.plain) & ConditionValue.TRUE) != 0);
    }
  }

  private void resolve(
      TimedTransaction transaction,
      TimedStatement statement,
      RecordedRows record,
      Window window,
      boolean certain,
      ReadRow read,
      List<KnownRow> out) {
    RowValues rows = read.rows();
    int row = read.index();
    long key = rows.keys()[row];
    if (key == 0) {
      withoutKey++;
      return;
    }
    if (mayHaveReadUndone(transaction, statement, rows.table(), key)) {
      none++;
      return;
    }
    RowChain chain = record.chain(rows.table(), key);
    int own = lastOwn(transaction, statement, chain);
    if (own == UNCERTAIN) {
      unrecorded++;
      return;
    }
    if (own >= 0) {
      RowVersion version = chain.versions.get(own);
      if (version.deletion || !version.agrees(rows, row)) {
        none++;
      } else {
        unique++;
        RecordedTransaction by = version.by;
        TimedStatement writer = by == null ? null : transaction.statement(by.statement(version));
        if (writer != null && writer.mayHaveAssigned(rows.table(), key)) {
          out.add(new KnownRow(access(version, certain)));
        } // else a trigger wrote it: a column that is as before may be assigned all the same
      }
      return;
    }
    if (mayBeOfOther(transaction.recorded, chain, read)) {
      unrecorded++;
      return;
    }
    if (transaction.recorded == null
        && hasUnattributed(chain, Window.minus(transaction.commitSent(), record.skew()))
        && mayHaveWritten(transaction, statement, rows.table(), key)) {
      unrecorded++; // it may have read its own version
      return;
    }
    StatedWrites stated = record.stated;
    if (stated != null && hasStated(transaction, statement, rows.table(), key)) {
      unrecorded++; // it read its own version, whose place is not known
      return;
    }
    Window when =
        mayHaveWritten(transaction, statement, rows.table(), key)
            ? window.with(statement.window.widened(record.skew()))
            : window;
    if (when.sent() < chain.keptSince) {
      unrecorded++;
      return;
    }
    List<RowVersion> current = current(chain, when);
    if (current.size() > Candidates.MAX_VERSIONS) {
      unrecorded++;
      return;
    }
    long candidates = candidates(chain, current, read, when, transaction);
    if (stated == null) {
      add(current, candidates, when, certain, out);
    } else if (candidates == 0) {
      none++;
      if (certain) {
        stated.readUnknown(rows.table(), when.returned());
      }
    } else {
      int first = Long.numberOfTrailingZeros(candidates);
      int last = Long.SIZE - 1 - Long.numberOfLeadingZeros(candidates);
      boolean isBetween = StatedWrites.isBetweenCommits(current, first, last, when);
      boolean sure =
          certain
              && (isBetween
                  || current.get(first).isShown(rows, row)
                      && current.get(last).isShown(rows, row)
                      && !stated.mayBeOther(chain, when, transaction));
      RowVersion version = current.get(last);
      if (sure) {
        version.usedUntil = Math.max(version.usedUntil, when.returned());
      }
      if (sure && isBetween && first == last && version.isNews(rows, row)) {
        version.learn(rows, row);
      }
      add(current, candidates, when, sure, out);
    }
  }

  private static boolean hasStated(
      TimedTransaction transaction, TimedStatement before, String table, long key) {
    for (TimedStatement statement : transaction.statements) {
      if (statement.number < before.number
          && statement.mayHaveChanged()
          && statement.states(table, key)) {
        return true;
      }
    }
    return false;
  }

  private static final int UNCERTAIN = -2;

  /**
   * The last version of the row that the transaction itself wrote before a statement; -1 if it
   * wrote none, {@link #UNCERTAIN} if it is not certain which.
   */
  private static int lastOwn(
      TimedTransaction transaction, TimedStatement statement, RowChain chain) {
    RecordedTransaction recorded = transaction.recorded;
    int last = -1;
    if (recorded != null) {
      for (int i = 0; i < chain.versions.size(); i++) {
        RowVersion version = chain.versions.get(i);
        if (version.by == recorded && !recorded.isAfter(statement.number, version)) {
          if (!recorded.isCertain(version)) {
            return UNCERTAIN;
          }
          last = recorded.statement(version) < statement.number ? i : last;
        }
      }
    }
    return last;
  }

  /** Whether it may have read a version that is thought to be its own, and was not written yet. */
  private static boolean mayBeOfOther(
      @Nullable RecordedTransaction own, RowChain chain, ReadRow row) {
    if (own == null || !own.doubtful) {
      return false;
    }
    for (RowVersion version : chain.versions) {
      if (version.by == own && !version.deletion && row.mayBe(version)) {
        return true;
      }
    }
    return false;
  }

  /** Whether there is a version of an unknown writer that committed after a time, if at all. */
  static boolean hasUnattributed(RowChain chain, long after) {
    for (RowVersion version : chain.versions) {
      if (version.by != null && version.by.writer == null && version.by.received >= after) {
        return true;
      }
    }
    return false;
  }

  /** Whether a statement before it may have written the row, even if that changed nothing. */
  private static boolean mayHaveWritten(
      TimedTransaction transaction, TimedStatement before, String table, long key) {
    for (TimedStatement statement : transaction.statements) {
      if (statement.number >= before.number) {
        return false;
      }
      if (mayWrite(statement, table, key)) {
        return true;
      }
    }
    return false;
  }

  /** Whether it may have read what a rollback to a savepoint undid later. */
  private static boolean mayHaveReadUndone(
      TimedTransaction transaction, TimedStatement reading, String table, long key) {
    for (TimedStatement statement : transaction.statements) {
      if (statement.number >= reading.number) {
        return false;
      }
      if (statement.undone
          && statement.undoneThrough >= reading.number
          && mayWrite(statement, table, key)) {
        return true;
      }
    }
    return false;
  }

  private static boolean mayWrite(TimedStatement statement, String table, long key) {
    return statement.mayWrite
        && (!statement.statesAllWrites()
            || !statement.statesWriteTo(table) // but a trigger may
            || statement.states(table, key));
  }

  /** The versions that others may have seen at a time: those neither replaced nor later. */
  private static List<RowVersion> current(RowChain chain, Window when) {
    List<RowVersion> all = chain.versions;
    int first = all.size();
    for (long replaced = Long.MAX_VALUE; first > 0 && replaced >= when.sent(); first--) {
      replaced = Math.min(replaced, all.get(first - 1).commit().returned());
    }
    int end = first;
    while (end < all.size() && all.get(end).commit().sent() <= when.returned()) {
      end++;
    }
    return all.subList(first, end);
  }

  private long candidates(
      RowChain chain, List<RowVersion> current, ReadRow row, Window when, TimedTransaction reader) {
    long agrees = 0;
    int first = current.isEmpty() ? 0 : chain.versions.indexOf(current.get(0));
    for (int i = 0; i < current.size(); i++) {
      RowVersion version = current.get(i);
      commits[i] = version.commit();
      boolean isOwn = version.by != null && version.by == reader.recorded;
      if (!version.deletion && !isOwn && !chain.isIntermediate(first + i) && row.mayBe(version)) {
        agrees |= 1L << i;
      }
    }
    return Candidates.of(commits, current.size(), agrees, when);
  }

  private void add(
      List<RowVersion> current, long candidates, Window when, boolean certain, List<KnownRow> out) {
    if (candidates == 0) {
      none++;
      return;
    }
    int first = Long.numberOfTrailingZeros(candidates);
    int last = Long.SIZE - 1 - Long.numberOfLeadingZeros(candidates);
    boolean isOfWriter = isOfWriter(current.get(first), when);
    if (first == last && isOfWriter) {
      unique++;
      out.add(new KnownRow(access(current.get(first), certain)));
      return;
    }
    boolean isRun = Candidates.areNeighbors(candidates) && certain && isOfWriter;
    if (isRun) {
      run++;
    } else {
      several++;
    }
    if (certain) {
      if (isOfWriter) {
        out.add(new KnownRow(access(current.get(first), true), Bound.LOWER));
      }
      out.add(new KnownRow(access(current.get(last), true), Bound.UPPER));
    }
    if (!isRun) {
      for (int i = first; i <= last; i++) {
        if ((candidates & 1L << i) != 0) {
          out.add(new KnownRow(access(current.get(i), false)));
        }
      }
    }
  }

  /** Whether a read of a version follows the transaction that is known as its writer. */
  private static boolean isOfWriter(RowVersion version, Window read) {
    return version.by == null || !version.by.doubtful || version.commit().returned() < read.sent();
  }

  private static RowAccess access(RowVersion version, boolean certain) {
    return new RowAccess(Access.READ, version.row.table, version.rowId, version.writers(), certain);
  }

  /** The access by which a transaction made a version; null if another one of it replaced that. */
  static @Nullable RowAccess written(RowVersion version) {
    RowChain chain = version.row;
    int index = chain.versions.indexOf(version);
    if (index < 0
        || index + 1 < chain.versions.size()
            && chain.versions.get(index + 1).isOfSameStatement(version)) {
      return null;
    }
    if (version.deletion) {
      RowVersion before = chain.before(version);
      return before == null
          ? null
          : new RowAccess(Access.DELETE, chain.table, version.rowId, before.writers());
    }
    return new RowAccess(
        version.insertion ? Access.INSERT : Access.UPDATE,
        chain.table,
        version.rowId,
        version.writers());
  }
}
