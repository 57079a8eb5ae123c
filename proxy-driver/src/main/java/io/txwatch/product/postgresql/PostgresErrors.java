package io.txwatch.product.postgresql;

import io.txwatch.dialect.ErrorChange;
import io.txwatch.sql.dialect.Dialect;
import java.sql.SQLException;
import java.util.Map;

/** Errors of PostgreSQL's driver, whose classes are used by name. */
final class PostgresErrors {

  /** The texts of an error on the wire, by the methods that return them. */
  private static final Map<Character, String> TEXTS =
      Map.ofEntries(
          Map.entry('S', "getSeverity"),
          Map.entry('C', "getSQLState"),
          Map.entry('M', "getMessage"),
          Map.entry('D', "getDetail"),
          Map.entry('H', "getHint"),
          Map.entry('W', "getWhere"),
          Map.entry('q', "getInternalQuery"),
          Map.entry('s', "getSchema"),
          Map.entry('t', "getTable"),
          Map.entry('c', "getColumn"),
          Map.entry('d', "getDatatype"),
          Map.entry('n', "getConstraint"),
          Map.entry('F', "getFile"),
          Map.entry('R', "getRoutine"));

  /** Those that state something of rows and texts. */
  private static final String SAYING = "MDHW";

  private PostgresErrors() {}

  /** The error as it is to be shown; itself if that makes no difference. */
  static SQLException make(SQLException error, ErrorChange change)
      throws ReflectiveOperationException {
    Object server = error.getClass().getMethod("getServerErrorMessage").invoke(error);
    return server == null ? ofDriver(error, change) : ofServer(error, server, change);
  }

  private static SQLException ofServer(SQLException error, Object server, ErrorChange change)
      throws ReflectiveOperationException {
    Class<?> type = server.getClass();
    StringBuilder wire = new StringBuilder();
    boolean changed = false;
    for (Map.Entry<Character, String> field : TEXTS.entrySet()) {
      Object value = type.getMethod(field.getValue()).invoke(server);
      if (value != null) {
        String text = value.toString();
        String shown = SAYING.indexOf(field.getKey()) < 0 ? text : change.message(text);
        changed |= !shown.equals(text);
        wire.append(field.getKey()).append(shown).append('\0');
      }
    }
    int position = (int) type.getMethod("getPosition").invoke(server);
    int shownPosition = position > 0 ? change.position(position, Dialect.POSTGRESQL) : position;
    if (!changed && shownPosition == position) {
      return error;
    }
    addNumber(wire, 'P', shownPosition);
    addNumber(wire, 'p', (int) type.getMethod("getInternalPosition").invoke(server));
    addNumber(wire, 'L', (int) type.getMethod("getLine").invoke(server));
    Object shown = type.getConstructor(String.class).newInstance(wire.toString());
    // The setting logServerErrorDetail leaves some of it out of the message.
    boolean whole = server.toString().equals(error.getMessage());
    return error.getClass().getConstructor(type, boolean.class).newInstance(shown, whole);
  }

  private static void addNumber(StringBuilder wire, char field, int number) {
    if (number > 0) {
      wire.append(field).append(number).append('\0');
    }
  }

  private static SQLException ofDriver(SQLException error, ErrorChange change)
      throws ReflectiveOperationException {
    Class<? extends SQLException> type = error.getClass();
    String message = error.getMessage();
    String shown = message == null ? null : change.message(message);
    if (shown == null || shown.equals(message)) {
      return error;
    }
    Class<?> states = Class.forName("org.postgresql.util.PSQLState", true, type.getClassLoader());
    for (Object state : states.getEnumConstants()) {
      if (states.getMethod("getState").invoke(state).equals(error.getSQLState())) {
        return type.getConstructor(String.class, states).newInstance(shown, state);
      }
    }
    return error;
  }
}
