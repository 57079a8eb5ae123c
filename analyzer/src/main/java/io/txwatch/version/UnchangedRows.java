package io.txwatch.version;

import io.txwatch.dependency.KnownRow;
import io.txwatch.history.Access;
import io.txwatch.history.Outcome;
import io.txwatch.history.RowAccess;
import io.txwatch.history.StatedWrite;
import io.txwatch.history.StatementKind;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The rows that a transaction updated by key without changing them: MySQL and MariaDB do not log
 * them, but lock them. If two sessions read 10 and both set 11, the second update is lost all the
 * same; {@link Access#TARGET} is what the analysis takes it for. Row locks and the times of the
 * statements show which versions were there before.
 */
final class UnchangedRows {

  private UnchangedRows() {}

  /** The rows by the number of the statement. */
  static Map<Integer, List<KnownRow>> of(TimedTransaction transaction, RecordedRows record) {
    if (transaction.outcome != Outcome.COMMITTED || transaction.lossy) {
      return Map.of();
    }
    Map<Integer, List<KnownRow>> unchanged = new HashMap<>();
    for (TimedStatement statement : transaction.statements) {
      if (statement.mayHaveChanged()
          && statement.timed
          && statement.kind == StatementKind.UPDATE
          && statement.statesAllWrites()) {
        List<KnownRow> rows = new ArrayList<>();
        for (StatedWrite write : statement.writes) {
          for (long key : write.rows().keys()) {
            RowChain chain = record.known(write.rows().table(), key);
            RowVersion version =
                chain == null ? null : unchanged(transaction, statement, chain, record.skew());
            if (version != null) {
              rows.add(
                  new KnownRow(
                      new RowAccess(
                          Access.TARGET,
                          version.row.table,
                          version.rowId,
                          version.writers(),
                          true)));
            }
          }
        }
        if (!rows.isEmpty()) {
          unchanged.put(statement.number, rows);
        }
      }
    }
    return unchanged;
  }

  /** The newest version when a statement updated the row; null if it may have made one itself. */
  private static @Nullable RowVersion unchanged(
      TimedTransaction transaction, TimedStatement statement, RowChain chain, long skew) {
    if (transaction.recorded == null
        && ReadResolver.hasUnattributed(chain, Window.minus(transaction.commitSent(), skew))) {
      return null;
    }
    RowVersion newest = null;
    for (RowVersion version : chain.versions) {
      if (version.by != null && version.by == transaction.recorded) {
        return null;
      }
      if (version.commit().sent() <= statement.window.returned()) {
        newest = version;
      }
    }
    return newest != null
            && !newest.deletion
            && newest.by != null
            && precedes(newest, newest.by, transaction, statement, skew)
        ? newest
        : null;
  }

  /**
   * Whether the writer of a version had the row's lock before a statement that updated the row: had
   * it waited for the statement's transaction, its own statement would have returned only after
   * that one had sent COMMIT.
   */
  private static boolean precedes(
      RowVersion version,
      RecordedTransaction by,
      TimedTransaction transaction,
      TimedStatement statement,
      long skew) {
    if (by.writer == null) {
      return Window.plus(version.commit().returned(), skew) < statement.window.sent();
    }
    TimedStatement writing =
        by.isCertain(version) ? by.writer.statement(by.statement(version)) : null;
    return writing != null
        && writing.timed
        && Window.plus(writing.window.returned(), skew) <= transaction.commitSent();
  }
}
