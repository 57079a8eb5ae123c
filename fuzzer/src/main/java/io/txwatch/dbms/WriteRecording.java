package io.txwatch.dbms;

import io.txwatch.history.IsolationLevel;
import java.util.List;
import java.util.Optional;

/**
 * How a DBMS records writes. Each row gets a row id, and as its version the number of the step that
 * wrote it last, 0 for the initial rows. The session has the number of its current step in a
 * variable, which a marker statement sets.
 *
 * <p>MySQL, MariaDB and PostgreSQL log each write with triggers, as in the paper (Figure 4). A
 * trigger of H2 is a Java class that its driver would have to load, so on H2 each UPDATE assigns
 * the version, and each write is wrapped into a data change delta table, which returns the written
 * rows.
 */
public abstract class WriteRecording {

  /** The column with the id of a row. */
  public static final String ROW = "ap_row";

  /** The column with the step that wrote a row last. */
  public static final String VERSION = "ap_version";

  /** The table of the writes: step, table, row, replaced version, 1 if the row is deleted. */
  public static final String LOG = "ap_log";

  /** The forms of writes that are recorded in different ways. */
  public enum WriteForm {
    INSERT,
    UPDATE,
    DELETE,
    /** A form that changes rows in more than one way. */
    OTHER
  }

  /** The statements that define the columns and triggers of tables. */
  public abstract List<String> definitions(List<String> tables);

  /** The statement that stores the number of the session's next step. */
  public abstract String marker(int step);

  /**
   * True if the first statement of a transaction takes its snapshot, false if the first plain query
   * of a table does.
   */
  public abstract boolean takesSnapshotAtFirstStatement();

  /** The query that executes a write and returns the rows; empty if triggers log it. */
  public Optional<String> wrap(String write, WriteForm form, int step) {
    return Optional.empty();
  }

  /** True if triggers log the writes into the table {@link #LOG}. */
  public boolean hasLog() {
    return true;
  }

  /** True if a recorded write that fails changes nothing. */
  public boolean undoesFailedWrites() {
    return true;
  }

  /** True if an INSERT without a column list would need values for the added columns. */
  public boolean requiresColumnLists() {
    return false;
  }

  /** The definitions after the rows, for which tables are not used again. */
  public List<String> definitionsAfterRows(List<String> tables) {
    return List.of();
  }

  /**
   * The definition of the log.
   *
   * @param key the definition of a key that statements do not see; may be empty
   */
  protected static String logDefinition(String rowType, String key) {
    return "CREATE TABLE "
        + LOG
        + " (step INT, tab VARCHAR(64), rid "
        + rowType
        + ", replaced INT, deleted INT"
        + key
        + ") {ENGINE}";
  }

  /**
   * The definition of the log on this DBMS; empty if it has none.
   *
   * @param requiresPrimaryKey true if the server rejects tables without a primary key
   */
  public abstract List<String> log(boolean requiresPrimaryKey);

  /** True if plain reads of a transaction at this level see one snapshot. */
  public boolean hasSnapshots(IsolationLevel level) {
    return level.compareTo(IsolationLevel.REPEATABLE_READ) >= 0;
  }

  /** True if the writes of a foreign key's action are recorded, too. */
  public boolean recordsForeignKeyActions() {
    return false;
  }
}
