package io.txwatch.jdbc;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.function.Predicate;

/**
 * A driver's connection that does something of the test's just before a text of the test's choice
 * is executed: what another session might do at the worst moment.
 */
final class Between {

  /** What is done. */
  interface Action {
    void run() throws SQLException;
  }

  private final Predicate<String> text;
  private Action action = () -> {};

  Between(Predicate<String> text) {
    this.text = text;
  }

  /** Does this once, before the next such text. */
  void once(Action once) {
    action = once;
  }

  Connection around(Connection real) {
    return (Connection)
        proxy(
            real,
            Connection.class,
            (method, arguments, result) -> {
              if (result instanceof PreparedStatement prepared) {
                return statement(prepared, PreparedStatement.class, (String) arguments[0]);
              }
              return result instanceof Statement plain
                  ? statement(plain, Statement.class, "")
                  : result;
            });
  }

  private Object statement(Object real, Class<?> type, String prepared) {
    InvocationHandler handler =
        (self, method, arguments) -> {
          if (method.getName().startsWith("execute")) {
            String sql = arguments == null ? prepared : String.valueOf(arguments[0]);
            if (text.test(sql)) {
              Action now = action;
              action = () -> {};
              now.run();
            }
          }
          return invoke(real, method, arguments);
        };
    return Proxy.newProxyInstance(Between.class.getClassLoader(), new Class<?>[] {type}, handler);
  }

  /** Sees the result of a call. */
  private interface Seen {
    Object result(Method method, Object[] arguments, Object result);
  }

  private static Object proxy(Object real, Class<?> type, Seen seen) {
    InvocationHandler handler =
        (self, method, arguments) ->
            seen.result(method, arguments, invoke(real, method, arguments));
    return Proxy.newProxyInstance(Between.class.getClassLoader(), new Class<?>[] {type}, handler);
  }

  private static Object invoke(Object real, Method method, Object[] arguments) throws Throwable {
    try {
      return method.invoke(real, arguments);
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }
}
