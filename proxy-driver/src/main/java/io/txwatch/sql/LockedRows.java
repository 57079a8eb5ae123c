package io.txwatch.sql;

import io.txwatch.history.StatementKind;
import io.txwatch.sql.FromNode.TableRef;
import io.txwatch.sql.KeyedRow.Role;
import io.txwatch.sql.KeyedRow.Unsettled;
import io.txwatch.sql.RewritePlanner.Level;
import java.util.Optional;

/**
 * What a statement has to do with the rows that its transaction has locked, each found by a key.
 * {@code SELECT … WHERE id = ? FOR UPDATE} has returned which row it is and who wrote it, and
 * nobody else writes it before the transaction ends; so {@code UPDATE … WHERE id = ?} writes that
 * very row, on that very version. It need not be asked (PostgreSQL), and can be given the list of
 * its writers as a whole (MySQL, MariaDB).
 *
 * <p>That holds as long as the transaction itself gives no other row the key and writes the row in
 * no other way. So whatever may run something that we do not look into (functions, triggers, rules,
 * actions of foreign keys) makes all that is known void: {@link Role#ANY_MAY_MOVE}.
 */
final class LockedRows {

  private LockedRows() {}

  /** What a statement that is alone in its text has to do with rows that are locked. */
  static KeyedRow of(Draft draft) {
    StatementShape shape = draft.shape;
    if (!Repeatability.holds(draft, shape.from, shape.to)) {
      return KeyedRow.ANY_MAY_MOVE;
    }
    return switch (shape.kind) {
      case SELECT -> KeyedRow.NONE;
      case LOCKING_SELECT -> isLockedForWriting(draft) ? KeyedRows.read(draft) : KeyedRow.NONE;
      case INSERT, UPDATE -> write(draft);
      default -> KeyedRow.ANY_MAY_MOVE;
    };
  }

  /**
   * The same on MySQL and MariaDB, where rows are known by a key even if they are not locked. A
   * write that may change nothing shows nothing: it may have made no version.
   *
   * <p>What a foreign key does to other rows it does where a column is changed that it refers to,
   * and InnoDB has an index over each of these.
   *
   * @param row what it has to do with rows that are known, locked or not
   */
  static KeyedRow ofInnoDb(Draft draft, KeyedRow row) {
    StatementShape shape = draft.shape;
    TableRef target = shape.target;
    if (!Repeatability.holds(draft, shape.from, shape.to)) {
      return row.unsettling(Unsettled.ALL);
    }
    return switch (shape.kind) {
      case SELECT -> row;
      case LOCKING_SELECT ->
          row.role() == Role.READS && isInline(draft) && isLockedForWriting(draft)
              ? row.beCertain()
              : row;
      case INSERT ->
          target != null && shape.onConflict < 0 && runsNothing(draft, target)
              ? row.unsettling(Unsettled.OF_TABLE)
              : row.unsettling(Unsettled.ALL);
      case UPDATE -> updateOfInnoDb(draft, row);
      default -> row.unsettling(Unsettled.ALL);
    };
  }

  private static KeyedRow updateOfInnoDb(Draft draft, KeyedRow row) {
    TableRef target = draft.shape.target;
    if (target == null
        || !writesItAlone(draft, target)
        || KeyedRows.mayAssignIndexed(draft, target)) {
      return row.unsettling(Unsettled.ALL);
    }
    if (row.role() == Role.WRITES && isInline(draft) && draft.changesAlways) {
      return row.beCertain();
    }
    return row.role() == Role.NONE
        ? KeyedRow.without(Role.NONE, draft.tables.display(target), Unsettled.OF_TABLE)
        : row.unsettling(Unsettled.OF_TABLE);
  }

  /** True if it names no other table to write or to join, and nothing else runs. */
  private static boolean writesItAlone(Draft draft, TableRef target) {
    StatementShape shape = draft.shape;
    return !shape.multiTable && shape.sources.size() <= 1 && runsNothing(draft, target);
  }

  private static boolean isInline(Draft draft) {
    return draft.extent.level() == Level.INLINE;
  }

  private static boolean runsNothing(Draft draft, TableRef table) {
    return draft.tables.find(table).map(known -> known.traits().runsNothing()).orElse(false);
  }

  /** {@code FOR UPDATE} or {@code FOR NO KEY UPDATE}, and nothing else. */
  private static boolean isLockedForWriting(Draft draft) {
    SelectBlock top = draft.shape.top();
    if (top == null || !top.locking) {
      return false;
    }
    int clauses = 0;
    for (int i = top.lockFrom; i < top.lockEnd; i++) {
      clauses += draft.tokens.isWord(i, "FOR") ? 1 : 0;
    }
    return clauses == 1
        && (draft.tokens.areWords(top.lockFrom, "FOR", "UPDATE")
            || draft.tokens.areWords(top.lockFrom, "FOR", "NO", "KEY", "UPDATE"));
  }

  private static KeyedRow write(Draft draft) {
    StatementShape shape = draft.shape;
    TableRef target = shape.target;
    if (target == null || !writesItAlone(draft, target)) {
      return KeyedRow.ANY_MAY_MOVE;
    }
    boolean plain = shape.kind == StatementKind.UPDATE && shape.returning < 0 && isInline(draft);
    return Optional.of(draft)
        .filter(all -> plain)
        .flatMap(KeyedRows::write)
        .orElse(KeyedRows.mayMove(draft, target));
  }
}
