package io.txwatch.version;

import io.txwatch.history.RowValues;
import io.txwatch.history.ValueHash;
import io.txwatch.history.WriterList;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A version of a row in the DBMS's record. */
final class RowVersion {

  final RowChain row;

  /** The id of the row in dependencies: another one after each INSERT. */
  final long rowId;

  /** Who wrote it; null for what was there when the record, or what is kept of it, begins. */
  final @Nullable RecordedTransaction by;

  final int group;
  final boolean insertion;
  final boolean deletion;

  /** Whether its statement gave the row this key, or another one: it was there, or still is. */
  boolean moved;

  /** The columns of {@link #values}. */
  List<String> columns;

  /** The hashes of its values; null if none is known. */
  int @Nullable [] values;

  /** The values themselves, in the order in which the record has the columns; null if not known. */
  @Nullable Object @Nullable [] plain;

  /** The columns of {@link #plain}. */
  List<String> plainColumns = List.of();

  /** How many of the columns its statement assigned: the first ones. */
  private final int assigned;

  /** When its statement, or an earlier one of its transaction, got the lock of the row. */
  Window written = Window.UNKNOWN;

  /** Until when reads are certain to have returned it, or one before it. */
  long usedUntil = Long.MIN_VALUE;

  private @Nullable WriterList writers;
  private final @Nullable WriterList base;

  /** The version at the beginning of what is known. */
  RowVersion(RowChain row, long rowId, WriterList base) {
    this(row, rowId, null, 0, false, false, List.of(), null, base);
  }

  RowVersion(
      RowChain row,
      long rowId,
      @Nullable RecordedTransaction by,
      int group,
      boolean insertion,
      boolean deletion,
      List<String> columns,
      int @Nullable [] values,
      @Nullable WriterList base) {
    this.row = row;
    this.rowId = rowId;
    this.by = by;
    this.group = group;
    this.insertion = insertion;
    this.deletion = deletion;
    this.columns = columns;
    this.assigned = columns.size();
    this.values = values;
    this.base = base;
  }

  /** Its values themselves are known. */
  RowVersion withPlain(List<String> ofColumns, @Nullable Object[] known) {
    if (known.length > 0) {
      plainColumns = ofColumns;
      plain = known;
    }
    return this;
  }

  /** Whether the transaction's changes of the row end with this version, so that others see it. */
  boolean isLastOfWriter() {
    int next = row.versions.indexOf(this) + 1;
    return by == null || next >= row.versions.size() || row.versions.get(next).by != by;
  }

  /** Whether somebody was given its list of writers, so that none can precede it any more. */
  boolean isUsed() {
    return writers != null;
  }

  boolean isDecided() {
    return by == null || by.decided;
  }

  /** When its writer committed; before all times if that is what was there first. */
  Window commit() {
    return by == null ? new Window(Long.MIN_VALUE, Long.MIN_VALUE) : by.commit();
  }

  /** Whether the same statement wrote both: they are one version in dependencies. */
  boolean isOfSameStatement(RowVersion other) {
    return by != null
        && by == other.by
        && rowId == other.rowId
        && by.statement(this) == by.statement(other);
  }

  /** Whether a read row may be this version. */
  boolean agrees(RowValues rows, int row) {
    int[] own = values;
    if (own == null) {
      return true;
    }
    for (int i = 0; i < rows.columns().size(); i++) {
      int read = rows.value(row, i);
      if (read != ValueHash.UNKNOWN) {
        int column = columns.indexOf(rows.columns().get(i));
        int known = column < 0 ? ValueHash.UNKNOWN : own[column];
        if (known != ValueHash.UNKNOWN && known != read) {
          return false;
        }
      }
    }
    return true;
  }

  /** A read certainly returned it: what the read shows of its values is known from now on. */
  void learn(RowValues rows, int row) {
    List<String> allColumns = new ArrayList<>(columns);
    int[] own = values == null ? new int[columns.size()] : values;
    int[] all = Arrays.copyOf(own, own.length + rows.columns().size());
    for (int i = 0; i < rows.columns().size(); i++) {
      int column = allColumns.indexOf(rows.columns().get(i));
      if (column < 0) {
        column = allColumns.size();
        allColumns.add(rows.columns().get(i));
      }
      int read = rows.value(row, i);
      all[column] = read == ValueHash.UNKNOWN ? all[column] : read;
    }
    columns = List.copyOf(allColumns);
    values = Arrays.copyOf(all, columns.size());
  }

  /**
   * Whether a read row that {@linkplain #agrees agrees} shows what was written: a value that the
   * statement assigned, and none that it assigned and that is not known. Of a row that was inserted
   * or there first, all values are to be known.
   */
  boolean isShown(RowValues rows, int row) {
    int[] own = values;
    if (own == null) {
      return false;
    }
    boolean all = by == null || insertion;
    boolean shown = false;
    for (int i = 0; i < rows.columns().size(); i++) {
      int column = columns.indexOf(rows.columns().get(i));
      if (rows.value(row, i) != ValueHash.UNKNOWN && (all || column >= 0 && column < assigned)) {
        if (column < 0 || own[column] == ValueHash.UNKNOWN) {
          return false;
        }
        shown = true;
      }
    }
    return shown;
  }

  /** Whether a value that is stated for its row is certainly not the one that it has. */
  boolean isOther(RowValues rows, int row) {
    return !deletion && !agrees(rows, row);
  }

  /** Whether a read shows a value of it that is not known. */
  boolean isNews(RowValues rows, int row) {
    int[] own = values;
    for (int i = 0; i < rows.columns().size(); i++) {
      int column = own == null ? -1 : columns.indexOf(rows.columns().get(i));
      if (rows.value(row, i) != ValueHash.UNKNOWN
          && (own == null || column < 0 || own[column] == ValueHash.UNKNOWN)) {
        return true;
      }
    }
    return false;
  }

  /**
   * Its writers' list: the one before it, and its own. Its writer and the one before must be
   * decided; the list never changes afterwards.
   */
  WriterList writers() {
    WriterList known = writers;
    if (known == null) {
      known = base != null ? base : list();
      writers = known;
    }
    return known;
  }

  private WriterList list() {
    String own = by == null ? "" : by.token(this);
    RowVersion before = insertion ? null : row.before(this);
    if (before == null) {
      return new WriterList(own, insertion);
    }
    WriterList lower = before.writers();
    if (lower.tokens().isEmpty()) {
      return new WriterList(own, lower.complete());
    }
    String last = lower.tokens().substring(lower.tokens().length() - TOKEN);
    return new WriterList(last + own, false);
  }

  private static final int TOKEN = io.txwatch.history.WriterToken.LENGTH;
}
