package io.txwatch.version;

import io.txwatch.history.RowValues;
import io.txwatch.history.ValueHash;
import io.txwatch.history.WriterList;
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

  /** The columns of {@link #values}. */
  List<String> columns;

  /** The hashes of its values; null if none is known. */
  int @Nullable [] values;

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
    this.values = values;
    this.base = base;
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
        && by.statement(group) == by.statement(other.group);
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
    String own = by == null ? "" : by.token(group);
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
