package io.txwatch.changes.binlog;

import io.txwatch.changes.ChangeGap;
import io.txwatch.changes.ChangeGap.Reason;
import io.txwatch.changes.ChangedRow;
import io.txwatch.changes.ChangedTable;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The transaction whose events are being read. */
final class TransactionBuilder {

  /** More rows than that become a gap of their tables. */
  static final int MAX_ROWS = 100_000;

  long connectionId;
  final List<ChangedRow> rows = new ArrayList<>();

  /** By table; reported when the transaction has committed. */
  final Map<String, ChangeGap> gaps = new LinkedHashMap<>();

  @Nullable String text;
  @Nullable String xid;
  private final Map<String, Integer> savepoints = new HashMap<>();
  private int statement;
  private boolean isTooLarge;

  TransactionBuilder(long connectionId) {
    this.connectionId = connectionId;
  }

  int statement() {
    return statement;
  }

  void endStatement() {
    statement++;
    text = null;
  }

  void add(ChangedRow row) {
    rows.add(row);
    if (rows.size() > MAX_ROWS) {
      isTooLarge = true;
      Set<ChangedTable> tables = new LinkedHashSet<>();
      rows.forEach(each -> tables.add(each.table()));
      tables.forEach(table -> addTooLarge(table.schema(), table.name()));
      rows.clear();
    }
  }

  /** True if rows are no longer collected; then those of this table are in a gap, too. */
  boolean rejects(String schema, String table) {
    if (isTooLarge) {
      addTooLarge(schema, table);
    }
    return isTooLarge || gaps.containsKey(schema + "." + table);
  }

  private void addTooLarge(String schema, String table) {
    addGap(
        new ChangeGap(
            Reason.TOO_LARGE, schema, table, "a transaction of more than " + MAX_ROWS + " rows"));
  }

  void addGap(ChangeGap gap) {
    gaps.putIfAbsent(gap.schema() + "." + gap.table(), gap);
    rows.removeIf(
        row -> row.table().schema().equals(gap.schema()) && row.table().name().equals(gap.table()));
  }

  /** The rows of some tables become gaps. */
  void dropRows(Set<String> keys, String why) {
    for (ChangedRow row : List.copyOf(rows)) {
      String schema = row.table().schema();
      String table = row.table().name();
      if (keys.contains(TableDescriptions.key(schema, table))) {
        addGap(new ChangeGap(Reason.TABLE_UNKNOWN, schema, table, why));
      }
    }
  }

  void savepoint(String name) {
    savepoints.put(name, rows.size());
  }

  /**
   * Rows since then are rolled back, if their table has transactions. This is logged only where a
   * table without them is among them, so that which rows remain is not certain.
   */
  void rollbackTo(String name) {
    int from = Math.min(savepoints.getOrDefault(name, 0), rows.size());
    for (ChangedRow row : List.copyOf(rows.subList(from, rows.size()))) {
      addGap(
          new ChangeGap(
              Reason.ROLLED_BACK,
              row.table().schema(),
              row.table().name(),
              "rolled back to a savepoint, together with a table without transactions"));
    }
  }
}
