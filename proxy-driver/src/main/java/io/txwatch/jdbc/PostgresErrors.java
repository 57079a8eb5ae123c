package io.txwatch.jdbc;

import java.sql.SQLException;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * PostgreSQL's errors of a violated constraint, which tell the values of the whole failing row in
 * their detail: ours are taken out. pgjdbc is not ours to link with, so its classes are asked by
 * name, and only for such an error.
 */
final class PostgresErrors {

  private static final String FAILING_ROW = "Failing row contains (";

  /** The row's last two values, if they can be ours: a row id, and writer tokens. */
  private static final Pattern LAST_TWO =
      Pattern.compile(
          "(?s)(Failing row contains \\(.*), (?:-?\\d+|null), (?:[-\\w]*|null)(?:\\.\\.\\.)?\\)\\.");

  /** The fields of an error on the wire, by the methods that tell them. */
  private static final Map<Character, String> FIELDS =
      Map.ofEntries(
          Map.entry('S', "getSeverity"),
          Map.entry('C', "getSQLState"),
          Map.entry('M', "getMessage"),
          Map.entry('D', "getDetail"),
          Map.entry('H', "getHint"),
          Map.entry('W', "getWhere"),
          Map.entry('s', "getSchema"),
          Map.entry('t', "getTable"),
          Map.entry('c', "getColumn"),
          Map.entry('d', "getDatatype"),
          Map.entry('n', "getConstraint"),
          Map.entry('F', "getFile"),
          Map.entry('R', "getRoutine"));

  private PostgresErrors() {}

  static boolean showsOurColumns(SQLException error) {
    String message = error.getMessage();
    return message != null
        && message.contains(FAILING_ROW)
        && error.getClass().getName().equals("org.postgresql.util.PSQLException");
  }

  /** A message, or its detail, without what the failing row has of ours. */
  static String withoutOurValues(String text) {
    return LAST_TWO.matcher(text).replaceFirst("$1).");
  }

  /** The same error; itself if it cannot be made again, or its last values are not ours. */
  static SQLException withoutOurColumns(SQLException error) {
    try {
      Object told = error.getClass().getMethod("getServerErrorMessage").invoke(error);
      if (told == null) {
        return error;
      }
      StringBuilder wire = new StringBuilder();
      for (Map.Entry<Character, String> field : FIELDS.entrySet()) {
        Object value = told.getClass().getMethod(field.getValue()).invoke(told);
        if (value != null) {
          String text = value.toString();
          wire.append(field.getKey())
              .append(field.getKey() == 'D' ? withoutOurValues(text) : text)
              .append('\0');
        }
      }
      int line = (int) told.getClass().getMethod("getLine").invoke(told);
      if (line > 0) {
        wire.append('L').append(line).append('\0');
      }
      Object retold = told.getClass().getConstructor(String.class).newInstance(wire.toString());
      SQLException shown =
          (SQLException) error.getClass().getConstructor(told.getClass()).newInstance(retold);
      shown.setStackTrace(error.getStackTrace());
      if (error.getNextException() != null) {
        shown.setNextException(error.getNextException());
      }
      return shown;
    } catch (ReflectiveOperationException | ClassCastException e) {
      return error; // a driver that is made otherwise: its message tells of our columns
    }
  }
}
