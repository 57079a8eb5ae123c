package io.txwatch.prepare;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Locale;
import java.util.regex.Pattern;

/**
 * A connection that something happens to right after its n-th statement that changes anything, as
 * when a process or its connection is killed there.
 */
final class BreakingConnection {

  private static final Pattern CHANGES =
      Pattern.compile("(?is)\\s*(alter|create|drop|comment|grant|insert|update|delete)\\b.*");

  private final Connection real;
  private final int breaksAfter;
  private final Event event;
  private int changes;

  /** What happens. */
  interface Event {
    void happen() throws SQLException;
  }

  BreakingConnection(Connection real, int breaksAfter, Event event) {
    this.real = real;
    this.breaksAfter = breaksAfter;
    this.event = event;
  }

  /** The connection to be used. */
  Connection connection() {
    return proxy(
        Connection.class,
        (proxy, method, arguments) -> {
          Object result = call(real, method, arguments);
          if (result instanceof PreparedStatement statement) {
            String sql = String.valueOf(arguments[0]);
            return proxy(PreparedStatement.class, (p, m, a) -> executed(statement, sql, m, a));
          }
          if (result instanceof Statement statement) {
            return proxy(Statement.class, (p, m, a) -> executed(statement, "", m, a));
          }
          return result;
        });
  }

  /** True if it has happened. */
  boolean hasBroken() {
    return changes >= breaksAfter;
  }

  private Object executed(
      Statement statement, String prepared, java.lang.reflect.Method method, Object[] arguments)
      throws Throwable {
    Object result = call(statement, method, arguments);
    if (method.getName().startsWith("execute")) {
      String sql = arguments == null ? prepared : String.valueOf(arguments[0]);
      if (CHANGES.matcher(sql.toLowerCase(Locale.ROOT)).matches() && ++changes == breaksAfter) {
        event.happen();
      }
    }
    return result;
  }

  private static Object call(Object target, java.lang.reflect.Method method, Object[] arguments)
      throws Throwable {
    try {
      return method.invoke(target, arguments);
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }

  private static <T> T proxy(Class<T> type, InvocationHandler handler) {
    return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
  }
}
