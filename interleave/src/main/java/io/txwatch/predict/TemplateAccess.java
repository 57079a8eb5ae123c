package io.txwatch.predict;

import io.txwatch.history.AccessedColumns.Columns;
import java.util.Set;

/**
 * What a statement of a template does with one table.
 *
 * @param table the table's name, as in histories
 * @param read the columns that determine the result and the values written, those of the predicate
 *     included
 * @param predicate the columns that determine which rows are chosen
 * @param written the columns that are assigned
 * @param effect whether rows are added, removed or neither
 * @param lock how a read locks the rows
 * @param key which rows
 */
public record TemplateAccess(
    String table,
    Columns read,
    Columns predicate,
    Columns written,
    Effect effect,
    RowLock lock,
    KeyTerms key) {

  /** What becomes of rows. */
  public enum Effect {
    /** They are read, or their columns are assigned. */
    NONE,
    /** They are added. */
    INSERTED,
    /** They are removed. */
    DELETED
  }

  /** Whether rows are written. */
  boolean writes() {
    return effect != Effect.NONE || !isEmpty(written);
  }

  /** Whether rows that exist are chosen. */
  boolean chooses() {
    return effect != Effect.INSERTED || !isEmpty(read);
  }

  /** Whether an INSERT may write a row that exists, instead of adding one. */
  private boolean mayUpdate() {
    return effect == Effect.INSERTED && predicate.all();
  }

  /** Whether a plain SELECT read the rows: from a snapshot, where there is one. */
  boolean isPlainRead() {
    return !writes() && lock == RowLock.NONE;
  }

  /** The columns that the row is chosen by, apart from its key. */
  Columns condition() {
    return predicate.all()
        ? Columns.NONE // what is not known checks nothing
        : Columns.of(predicate.names().stream().filter(name -> !isOfKey(name)).toList());
  }

  private boolean isOfKey(String column) {
    return key.variables().keySet().stream()
        .anyMatch(columns -> Set.of(columns.split(",")).contains(column));
  }

  /** The lock that the transaction holds on the rows from this statement on. */
  RowLock held() {
    return writes() ? RowLock.EXCLUSIVE : lock;
  }

  /** Whether what is read here depends on what the other one writes, if the rows are the same. */
  boolean readsFrom(TemplateAccess writer) {
    if (!isSameTable(writer) || !writer.writes() || !chooses()) {
      return false;
    }
    if (writer.effect == Effect.INSERTED
        && key.unique()
        && !mayChoose(writer.key)
        && !writer.mayUpdate()) {
      return false; // the key of the new row is generated
    }
    return writer.effect != Effect.NONE || intersect(read, writer.written);
  }

  private boolean mayChoose(KeyTerms inserted) {
    return key.variables().keySet().stream().anyMatch(inserted.variables()::containsKey);
  }

  /** Whether both write the same columns, if the rows are the same. */
  boolean overwrites(TemplateAccess earlier) {
    if (!isSameTable(earlier) || !writes() || !earlier.writes()) {
      return false;
    }
    if (mayUpdate() || (earlier.mayUpdate() && effect != Effect.INSERTED)) {
      return true;
    }
    if (effect == Effect.INSERTED && earlier.effect == Effect.INSERTED) {
      return false; // of one key, the second one fails
    }
    boolean inserts = effect == Effect.INSERTED || earlier.effect == Effect.INSERTED;
    return inserts
        ? key.unique() && earlier.key.unique()
        : effect != Effect.NONE
            || earlier.effect != Effect.NONE
            || intersect(written, earlier.written);
  }

  private boolean isSameTable(TemplateAccess other) {
    return table.equals(other.table);
  }

  static boolean isEmpty(Columns columns) {
    return !columns.all() && columns.names().isEmpty();
  }

  static boolean intersect(Columns one, Columns other) {
    if (one.all() || other.all()) {
      return !isEmpty(one) && !isEmpty(other);
    }
    return one.names().stream().anyMatch(other.names()::contains);
  }
}
