package io.txwatch.dbms.mysql;

import io.txwatch.dbms.WriteRecording;
import io.txwatch.history.IsolationLevel;
import java.util.ArrayList;
import java.util.List;

/** Records writes with triggers. */
final class InnodbWriteRecording extends WriteRecording {

  private static final String HIDDEN_KEY =
      ", id BIGINT UNSIGNED DEFAULT (UUID_SHORT()) INVISIBLE PRIMARY KEY";

  private final boolean hidesColumns;

  /**
   * Creates a recording.
   *
   * @param hidesColumns true if the server has invisible columns
   */
  InnodbWriteRecording(boolean hidesColumns) {
    this.hidesColumns = hidesColumns;
  }

  @Override
  public boolean requiresColumnLists() {
    return !hidesColumns;
  }

  @Override
  public List<String> definitions(List<String> tables) {
    List<String> sql = new ArrayList<>();
    String hidden = hidesColumns ? " INVISIBLE" : "";
    for (String table : tables) {
      sql.add(
          "ALTER TABLE %s ADD COLUMN %s BIGINT UNSIGNED%s, ADD COLUMN %s INT%s"
              .formatted(table, ROW, hidden, VERSION, hidden));
      sql.add(
          trigger("bi", "BEFORE INSERT", table)
              + "SET NEW.%s = UUID_SHORT(), NEW.%s = COALESCE(@ap_step, 0)"
                  .formatted(ROW, VERSION));
      sql.add(
          trigger("bu", "BEFORE UPDATE", table)
              + "SET NEW.%s = OLD.%s, NEW.%s = COALESCE(@ap_step, 0)".formatted(ROW, ROW, VERSION));
      sql.add(trigger("ai", "AFTER INSERT", table) + entry(table, "NEW", "NULL"));
      sql.add(trigger("au", "AFTER UPDATE", table) + entry(table, "NEW", "OLD." + VERSION));
      sql.add(trigger("ad", "AFTER DELETE", table) + entry(table, "OLD", "OLD." + VERSION));
    }
    return sql;
  }

  private String trigger(String name, String event, String table) {
    return "CREATE TRIGGER ap_%s_%s %s ON %s FOR EACH ROW ".formatted(name, table, event, table);
  }

  private String entry(String table, String row, String replaced) {
    // MySQL 9.7 has no default for an invisible column unless the columns are listed.
    return "INSERT INTO %s (step, tab, rid, replaced, deleted) VALUES (COALESCE(@ap_step, 0),"
        .concat(" '%s', %s.%s, %s, %d)")
        .formatted(LOG, table, row, ROW, replaced, row.equals("OLD") ? 1 : 0);
  }

  @Override
  public String marker(int step) {
    return "SELECT " + step + " INTO @ap_step";
  }

  @Override
  public boolean takesSnapshotAtFirstStatement() {
    return false;
  }

  @Override
  public List<String> log(boolean requiresPrimaryKey) {
    return List.of(logDefinition("BIGINT UNSIGNED", requiresPrimaryKey ? HIDDEN_KEY : ""));
  }

  @Override
  public boolean hasSnapshots(IsolationLevel level) {
    return level == IsolationLevel.REPEATABLE_READ;
  }
}
