package io.txwatch.bench.overhead;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.util.Map;

/**
 * A connection that measures each call: executions by their statement's text, all others by their
 * kind. All variants use it, so its own cost is the same for all.
 */
final class TimedConnection {

  /** The ends of a transaction are sent to the server like statements. */
  private static final Map<String, String> TRANSACTION_ENDS =
      Map.of("commit", "COMMIT", "rollback", "ROLLBACK");

  private final CallTimings timings;

  private TimedConnection(CallTimings timings) {
    this.timings = timings;
  }

  static Connection on(Connection connection, CallTimings timings) {
    return new TimedConnection(timings).connection(connection);
  }

  private Connection connection(Connection target) {
    return proxy(
        Connection.class,
        (method, arguments) -> {
          String name = method.getName();
          Object result =
              timed(TRANSACTION_ENDS.getOrDefault(name, kind(name)), target, method, arguments);
          return result instanceof PreparedStatement statement
              ? statement(statement, (String) arguments[0])
              : result;
        });
  }

  private PreparedStatement statement(PreparedStatement target, String sql) {
    return proxy(
        PreparedStatement.class,
        (method, arguments) -> {
          String name = method.getName();
          Object result =
              timed(name.startsWith("execute") ? sql : kind(name), target, method, arguments);
          return result instanceof ResultSet rows ? rows(rows) : result;
        });
  }

  private ResultSet rows(ResultSet target) {
    return proxy(
        ResultSet.class,
        (method, arguments) ->
            timed("ResultSet." + kind(method.getName()), target, method, arguments));
  }

  /** All setters are one kind, and all getters are another. */
  private static String kind(String method) {
    return method.startsWith("set") ? "set…" : method.startsWith("get") ? "get…" : method;
  }

  private Object timed(String name, Object target, Method method, Object[] arguments)
      throws Throwable {
    long before = System.nanoTime();
    try {
      return method.invoke(target, arguments);
    } catch (InvocationTargetException e) {
      throw e.getCause();
    } finally {
      timings.add(name, System.nanoTime() - before);
    }
  }

  private interface Calls {
    Object call(Method method, Object[] arguments) throws Throwable;
  }

  private static <T> T proxy(Class<T> type, Calls calls) {
    return type.cast(
        Proxy.newProxyInstance(
            TimedConnection.class.getClassLoader(),
            new Class<?>[] {type},
            (proxy, method, arguments) -> calls.call(method, arguments)));
  }
}
