package io.txwatch.bench.overhead;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.util.Map;

/**
 * A connection of which each call is timed: an execution by its statement's text, all others by
 * their kind. Every variant is timed so, and what that takes is the same for all.
 */
final class TimedCalls {

  /** What ends a transaction is sent to the server as a statement is. */
  private static final Map<String, String> ENDS =
      Map.of("commit", "COMMIT", "rollback", "ROLLBACK");

  private final Timings timings;

  private TimedCalls(Timings timings) {
    this.timings = timings;
  }

  static Connection on(Connection connection, Timings timings) {
    return new TimedCalls(timings).connection(connection);
  }

  private Connection connection(Connection target) {
    return proxy(
        Connection.class,
        (method, arguments) -> {
          String name = method.getName();
          Object result = timed(ENDS.getOrDefault(name, kind(name)), target, method, arguments);
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

  /** All setters are one kind, and all getters. */
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
            TimedCalls.class.getClassLoader(),
            new Class<?>[] {type},
            (proxy, method, arguments) -> calls.call(method, arguments)));
  }
}
