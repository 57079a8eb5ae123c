package io.txwatch.campaign;

import io.txwatch.dbms.Connector;
import io.txwatch.history.IsolationLevel;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Opens connections through a driver with a fault, which an oracle has to find in the DBMS. */
enum FaultyConnector implements Connector {
  SERIALIZABLE_AS_REPEATABLE_READ {
    @Override
    int level(int level) {
      return level == Connection.TRANSACTION_SERIALIZABLE
          ? Connection.TRANSACTION_REPEATABLE_READ
          : level;
    }
  },
  REPEATABLE_READ_AS_READ_COMMITTED {
    @Override
    int level(int level) {
      return level == Connection.TRANSACTION_REPEATABLE_READ
          ? Connection.TRANSACTION_READ_COMMITTED
          : level;
    }
  },
  LOST_COMMIT {
    @Override
    Optional<IsolationLevel> weakerLevel() {
      return Optional.empty();
    }

    @Override
    String sql(String sql, List<String> before) {
      List<String> transaction = openTransaction(before);
      return sql.equals("COMMIT")
              && transaction.size() == 1
              && transaction.get(0).startsWith("DELETE")
          ? "ROLLBACK"
          : sql;
    }
  };

  /** The level that sessions get instead of a stronger one; empty if the fault is another one. */
  Optional<IsolationLevel> weakerLevel() {
    return IsolationLevel.parse(name().substring(name().indexOf("_AS_") + "_AS_".length()));
  }

  /** The level that sessions get which set another one. */
  int level(int level) {
    return level;
  }

  /**
   * The statement that is executed instead of another one.
   *
   * @param before what the session executed before, since its connection was opened
   */
  String sql(String sql, List<String> before) {
    return sql;
  }

  /** What a session has executed since its last BEGIN. */
  private static List<String> openTransaction(List<String> before) {
    int begin = Math.max(before.lastIndexOf("BEGIN"), before.lastIndexOf("START TRANSACTION"));
    return begin < 0 ? List.of() : before.subList(begin + 1, before.size());
  }

  @Override
  public Connection connect(String url) throws SQLException {
    return new Session().wrap(DriverManager.getConnection(url));
  }

  /** What a connection has executed. */
  private final class Session {
    private final List<String> before = new ArrayList<>();

    Connection wrap(Connection connection) {
      return proxy(
          Connection.class,
          connection,
          (method, arguments) -> {
            if (method.equals("setTransactionIsolation") && arguments != null) {
              arguments[0] = level((Integer) arguments[0]);
            } else if (method.startsWith("prepare") && arguments != null) {
              arguments[0] = replaced((String) arguments[0]);
            }
          });
    }

    private <T> T proxy(Class<T> type, T target, Change change) {
      return type.cast(
          Proxy.newProxyInstance(
              type.getClassLoader(),
              new Class<?>[] {type},
              (self, method, arguments) -> {
                change.apply(method.getName(), arguments);
                try {
                  Object result = method.invoke(target, arguments);
                  return method.getName().equals("createStatement")
                      ? proxy(Statement.class, (Statement) result, this::replaceText)
                      : result;
                } catch (InvocationTargetException e) {
                  throw e.getCause();
                }
              }));
    }

    private void replaceText(String method, Object @Nullable [] arguments) {
      if (method.startsWith("execute") && arguments != null) {
        arguments[0] = replaced((String) arguments[0]);
      }
    }

    /** Replaces each of several statements that are sent together. */
    private String replaced(String text) {
      List<String> executed = new ArrayList<>();
      for (String sql : text.split(";\n", -1)) {
        executed.add(sql(sql, before));
        before.add(sql);
      }
      return String.join(";\n", executed);
    }
  }

  /** Changes the arguments of a call. */
  private interface Change {
    void apply(String method, Object @Nullable [] arguments);
  }
}
