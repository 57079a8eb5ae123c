package io.txwatch.jdbc;

import java.sql.BatchUpdateException;
import java.sql.ParameterMetaData;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Everything that an application can see of what it does, as lines that can be compared. */
public final class Transcript {

  private final List<String> lines = new ArrayList<>();

  /** Something that an application does. */
  public interface Step {
    void run() throws SQLException;
  }

  /**
   * MySQL's driver gives a savepoint without a name a random one; MariaDB's lists labels in the
   * order of a hash map.
   */
  private static String withoutNames(String message) {
    int list = message.indexOf("Possible value [");
    if (list >= 0) {
      String[] labels = message.substring(list + 16, message.length() - 1).split(", ");
      Arrays.sort(labels);
      return message.substring(0, list) + String.join(" ", labels);
    }
    return message
        .replaceAll(
            "SAVEPOINT \\p{XDigit}{8}(_\\p{XDigit}{4}){3}_\\p{XDigit}{12}", "SAVEPOINT (unnamed)")
        // Where the values stand that are too many: ours are among those that PostgreSQL counts.
        .replaceAll("(more expressions than target columns\\s+Position: )\\d+", "$1N")
        // A text that is not understood is not rewritten, and H2 gives the whole row's values.
        .replaceAll(", CAST\\(\\d+ AS BIGINT\\), ''\\)", ")")
        .replaceAll("@\\p{XDigit}{1,8}\\b", "@(object)");
  }

  public void line(String line) {
    // The names of the two databases that are compared.
    lines.add(
        line.replaceAll("(?i)txw_\\d+_\\d+", "DB")
            .replaceAll("\\(conn=\\d+\\)", "")
            .replaceAll("_jid_\\d+|SYSTEM_SAVEPOINT_\\d+", "SP")
            .replaceAll("prep\\d+", "PREP"));
  }

  /** Does something and notes the error, if it ends with one. */
  public void step(String what, Step step) {
    line("-- " + what);
    try {
      step.run();
    } catch (SQLException e) {
      error(e);
    } catch (RuntimeException e) {
      line("error " + e.getClass().getName());
    }
  }

  /** Does something that is an error by the number of columns, or by a name that may be hidden. */
  public void wrong(String what, Step step) {
    try {
      step.run();
      line(what + " has no error");
    } catch (SQLException e) {
      line(what);
      error(e);
    } catch (RuntimeException e) {
      line(what + " " + e.getClass().getName());
    }
  }

  /** Where two transcripts differ: the step, and the first lines that are not the same. */
  public static List<String> differences(Transcript expected, Transcript actual) {
    List<List<String>> left = expected.steps();
    List<List<String>> right = actual.steps();
    List<String> differences = new ArrayList<>();
    for (int i = 0; i < Math.max(left.size(), right.size()); i++) {
      List<String> one = i < left.size() ? left.get(i) : List.of();
      List<String> other = i < right.size() ? right.get(i) : List.of();
      if (!one.equals(other)) {
        int j = 0;
        while (j < one.size() && j < other.size() && one.get(j).equals(other.get(j))) {
          j++;
        }
        differences.add(
            (one.isEmpty() ? other : one).get(0)
                + "\n    raw:     "
                + (j < one.size() ? one.get(j) : "nothing more")
                + "\n    watched: "
                + (j < other.size() ? other.get(j) : "nothing more"));
      }
    }
    return differences;
  }

  private List<List<String>> steps() {
    List<List<String>> steps = new ArrayList<>();
    for (String line : lines) {
      if (steps.isEmpty() || line.startsWith("-- ")) {
        steps.add(new ArrayList<>());
      }
      steps.get(steps.size() - 1).add(line);
    }
    return steps;
  }

  private void error(SQLException error) {
    for (SQLException e = error; e != null; e = e.getNextException()) {
      line("error " + e.getClass().getName() + " " + e.getSQLState() + " " + e.getErrorCode());
      if (e instanceof BatchUpdateException batch) {
        line("counts " + Arrays.toString(batch.getUpdateCounts()));
      }
    }
    line("message " + withoutNames(String.valueOf(error.getMessage())));
  }

  /** All results of a statement that was executed with {@code execute}. */
  public void results(Statement statement, boolean isResult) throws SQLException {
    boolean more = isResult;
    for (int i = 0; i < 5; i++) {
      int count = statement.getUpdateCount();
      ResultSet result = statement.getResultSet();
      line((more ? "result" : "count") + " " + count + " " + (result != null));
      if (!more && count == -1) {
        break;
      }
      if (more) {
        rows(result);
      }
      more = statement.getMoreResults();
    }
    warnings(statement.getWarnings());
  }

  /** What is left of a statement that was executed with {@code executeUpdate}. */
  public void updated(Statement statement, int count) throws SQLException {
    line("updated " + count);
    if (!sqlite(statement)) {
      line("count " + statement.getUpdateCount());
      line("more " + statement.getMoreResults());
      line("count " + statement.getUpdateCount());
    }
    warnings(statement.getWarnings());
  }

  /** Its driver fails with a NullPointerException. */
  private static boolean sqlite(Statement statement) throws SQLException {
    return statement.getConnection().getMetaData().getDatabaseProductName().equals("SQLite");
  }

  public void warnings(SQLWarning first) {
    for (SQLWarning w = first; w != null; w = w.getNextWarning()) {
      line("warning " + w.getSQLState() + " " + w.getErrorCode() + " " + w.getMessage());
    }
  }

  /** A result from its metadata to its end. */
  public void rows(ResultSet result) throws SQLException {
    metaData(result.getMetaData());
    int columns = result.getMetaData().getColumnCount();
    while (result.next()) {
      List<String> values = new ArrayList<>();
      for (int i = 1; i <= columns; i++) {
        Object value = result.getObject(i);
        values.add(value == null ? "null" : value.getClass().getSimpleName() + " " + value);
        values.add(result.wasNull() ? "null" : "");
        String label = result.getMetaData().getColumnLabel(i);
        values.add(String.valueOf(result.findColumn(label)));
        values.add(String.valueOf(result.getString(label)));
      }
      line("row " + values);
    }
    if (columns > 0) {
      wrong("column beyond", () -> result.getString(columns + 1));
      wrong("column 0", () -> result.getString(0));
    }
    wrong("hidden name", () -> result.getString("txw_rid"));
    wrong("hidden name", () -> result.findColumn("TXW_WL"));
    wrong("no such name", () -> result.findColumn("nosuch"));
    warnings(result.getWarnings());
    result.close();
    line("closed " + result.isClosed());
  }

  public void metaData(ResultSetMetaData metaData) throws SQLException {
    if (metaData == null) {
      line("no columns");
      return;
    }
    line("columns " + metaData.getColumnCount());
    for (int i = 1; i <= metaData.getColumnCount(); i++) {
      line(
          String.join(
              " | ",
              metaData.getColumnLabel(i),
              metaData.getColumnName(i),
              metaData.getColumnTypeName(i),
              String.valueOf(metaData.getColumnType(i)),
              String.valueOf(metaData.getPrecision(i)),
              String.valueOf(metaData.getScale(i)),
              String.valueOf(metaData.isNullable(i)),
              String.valueOf(metaData.isAutoIncrement(i)),
              metaData.getColumnClassName(i),
              metaData.getTableName(i)));
    }
    wrong("metadata beyond", () -> metaData.getColumnLabel(metaData.getColumnCount() + 1));
  }

  public void parameters(ParameterMetaData metaData) throws SQLException {
    line("parameters " + metaData.getParameterCount());
    for (int i = 1; i <= metaData.getParameterCount(); i++) {
      line("parameter " + metaData.getParameterTypeName(i) + " " + metaData.getParameterMode(i));
    }
  }
}
