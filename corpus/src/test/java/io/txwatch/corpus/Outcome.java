package io.txwatch.corpus;

import java.sql.BatchUpdateException;
import java.sql.Clob;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.regex.Pattern;

/** What is visible to an application of one step, as lines that can be compared. */
public final class Outcome {

  private static final int MAX_RESULTS = 5;

  // Names of databases, and names and numbers that drivers generate for each connection.
  private static final Pattern DATABASE = Pattern.compile("(?i)txw_\\d+_\\d+");
  private static final Pattern CONNECTION = Pattern.compile("\\(conn=\\d+\\)");
  private static final Pattern SAVEPOINT = Pattern.compile("_jid_\\d+|SYSTEM_SAVEPOINT_\\d+");

  final boolean ordered;
  private final boolean classByFirstRow;
  private final List<String> lines = new ArrayList<>();
  private boolean failed;
  private long affectedRows;

  /**
   * @param ordered false if the order of the rows is undefined
   * @param classByFirstRow true if the driver derives a column's class from the value in the first
   *     row (SQLite); the class is then as undefined as the order
   */
  Outcome(boolean ordered, boolean classByFirstRow) {
    this.ordered = ordered;
    this.classByFirstRow = classByFirstRow;
  }

  /** Calls of an application. */
  public interface Action {
    void run(Outcome outcome) throws SQLException;
  }

  /** Executes an action and records its error, if any. */
  public static Outcome of(boolean ordered, boolean classByFirstRow, Action action) {
    Outcome outcome = new Outcome(ordered, classByFirstRow);
    try {
      action.run(outcome);
    } catch (SQLException e) {
      outcome.error(e);
    } catch (RuntimeException e) {
      outcome.failed = true;
      outcome.line("error " + e.getClass().getName());
    }
    return outcome;
  }

  /** True if the step ended with an error. */
  public boolean failed() {
    return failed;
  }

  /** The number of rows that were returned or counted. */
  long affectedRows() {
    return affectedRows;
  }

  /** The outcome, without names that differ between databases and connections. */
  public List<String> lines() {
    return lines;
  }

  /** Adds a line. */
  public void line(String line) {
    String text = DATABASE.matcher(line).replaceAll("DB");
    text = CONNECTION.matcher(text).replaceAll("");
    lines.add(SAVEPOINT.matcher(text).replaceAll("SP"));
  }

  /** Records all results of {@code execute}. */
  void results(Statement statement, boolean isResult) throws SQLException {
    boolean more = isResult;
    for (int i = 0; i < MAX_RESULTS; i++) {
      int count = statement.getUpdateCount();
      line((more ? "result " : "count ") + count);
      if (more) {
        rows(statement.getResultSet(), ordered);
      } else if (count == -1) {
        break;
      } else {
        affectedRows += count;
      }
      more = statement.getMoreResults();
    }
    warnings(statement.getWarnings());
  }

  /** Records an update count. */
  void updated(long count) {
    line("updated " + count);
    affectedRows += count;
  }

  /** Records generated keys, which SQLite returns even if nothing was written. */
  void keys(ResultSet keys) throws SQLException {
    long before = affectedRows;
    rows(keys, ordered);
    affectedRows = before;
  }

  /** Records a result: its metadata and all rows. */
  void rows(ResultSet result, boolean inOrder) throws SQLException {
    ResultSetMetaData metaData = result.getMetaData();
    int columns = metaData.getColumnCount();
    for (int i = 1; i <= columns; i++) {
      line(
          "column "
              + String.join(
                  " | ",
                  metaData.getColumnLabel(i),
                  metaData.getColumnName(i),
                  metaData.getTableName(i),
                  metaData.getColumnTypeName(i),
                  String.valueOf(metaData.getColumnType(i)),
                  String.valueOf(metaData.getPrecision(i)),
                  String.valueOf(metaData.getScale(i)),
                  String.valueOf(metaData.isNullable(i)),
                  String.valueOf(metaData.isAutoIncrement(i)),
                  classByFirstRow && !inOrder ? "" : metaData.getColumnClassName(i)));
    }
    List<String> rows = new ArrayList<>();
    while (result.next()) {
      List<String> values = new ArrayList<>();
      for (int i = 1; i <= columns; i++) {
        values.add(format(result.getObject(i)));
      }
      rows.add("row " + values);
    }
    if (!inOrder) {
      Collections.sort(rows);
    }
    affectedRows += rows.size();
    rows.forEach(this::line);
    warnings(result.getWarnings());
    result.close();
  }

  private static String format(Object value) throws SQLException {
    if (value == null) {
      return "null";
    }
    if (value instanceof byte[] bytes) {
      return "bytes " + HexFormat.of().formatHex(bytes);
    }
    if (value instanceof Clob clob) {
      return "clob " + clob.getSubString(1, (int) clob.length());
    }
    if (value instanceof java.sql.Blob blob) {
      return "blob " + HexFormat.of().formatHex(blob.getBytes(1, (int) blob.length()));
    }
    if (value instanceof ResultSet) {
      return "result";
    }
    if (value instanceof java.sql.Array array) {
      return "array " + Arrays.deepToString((Object[]) array.getArray());
    }
    return value.getClass().getSimpleName() + " " + value;
  }

  /** Records a chain of warnings. */
  public void warnings(SQLWarning first) {
    for (SQLWarning w = first; w != null; w = w.getNextWarning()) {
      line("warning " + w.getSQLState() + " " + w.getErrorCode() + " " + w.getMessage());
    }
  }

  private void error(SQLException error) {
    failed = true;
    for (SQLException e = error; e != null; e = e.getNextException()) {
      line("error " + e.getClass().getName() + " " + e.getSQLState() + " " + e.getErrorCode());
      if (e instanceof BatchUpdateException batch) {
        line("counts " + Arrays.toString(batch.getUpdateCounts()));
      }
    }
    String message = normalized(String.valueOf(error.getMessage()));
    // If several rows violate a constraint, the DBMS names the one that it checks first.
    line("message " + (ordered ? message : message.replaceAll("\\)=\\(.*?\\)", ")=(a key)")));
  }

  /**
   * A message without the parts that depend on the text sent and on the stored row: a position in
   * the text, the text with its parameters, the number of columns, a failing row in full, the name
   * that H2 generated for an index.
   */
  private static String normalized(String message) {
    return message
        .replaceAll("(?s); SQL statement:.*", "")
        .replaceAll("Position: \\d+", "Position")
        .replaceAll("(?s)(Batch entry \\d+ ).* was aborted", "$1 was aborted")
        .replaceAll("(?s)(Failing row contains ).*?\\)\\.", "$1(the row)")
        .replaceAll("\\([^()]*columns[^()]*\\)", "(columns)")
        .replaceAll("INDEX PUBLIC\\.\\w+ ON", "INDEX ON")
        .replaceAll("(?s)\\( /\\* key:\\d+ \\*/.*?\\)(?=\")", "(the row)");
  }
}
