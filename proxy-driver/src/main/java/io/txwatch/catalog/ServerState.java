package io.txwatch.catalog;

import java.lang.reflect.Method;
import java.sql.Connection;

/**
 * Whether a server session is in a transaction, as the server last reported to its driver. JDBC has
 * no such question, so the drivers' own interfaces are used; no round trip is made.
 */
public enum ServerState {
  /** In no transaction. */
  IDLE,
  /** In a transaction. */
  OPEN,
  /** In a transaction that takes nothing but its end. */
  FAILED,
  /** The driver does not report it. */
  UNKNOWN;

  private static final int MARIADB_IN_TRANSACTION = 1;

  /** The state of the session behind the connection. */
  public static ServerState of(Connection connection) {
    try {
      String name = connection.getClass().getName();
      if (name.startsWith("org.postgresql.")) {
        return ServerState.valueOf(String.valueOf(call(connection, "getTransactionState")));
      }
      if (name.startsWith("org.mariadb.jdbc.")) {
        Object status = call(call(connection, "getContext"), "getServerStatus");
        return status instanceof Integer bits
            ? ofBoolean((bits & MARIADB_IN_TRANSACTION) != 0)
            : UNKNOWN;
      }
      if (name.startsWith("com.mysql.cj.jdbc.")) {
        Object session = call(call(connection, "getSession"), "getServerSession");
        return ofBoolean(Boolean.TRUE.equals(call(session, "inTransactionOnServer")));
      }
    } catch (ReflectiveOperationException | RuntimeException e) {
      return UNKNOWN;
    }
    return UNKNOWN;
  }

  private static ServerState ofBoolean(boolean inTransaction) {
    return inTransaction ? OPEN : IDLE;
  }

  private static Object call(Object on, String method) throws ReflectiveOperationException {
    Method found = on.getClass().getMethod(method);
    return found.invoke(on);
  }
}
