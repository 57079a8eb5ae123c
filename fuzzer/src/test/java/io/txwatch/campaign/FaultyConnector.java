package io.txwatch.campaign;

import io.txwatch.dbms.Connector;
import io.txwatch.history.IsolationLevel;
import io.txwatch.servers.ServerKind;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Opens connections through a driver with a fault, which an oracle has to find in the DBMS. */
enum FaultyConnector implements Connector {
  SERIALIZABLE_AS_REPEATABLE_READ(ServerKind.POSTGRESQL, 200) {
    @Override
    int level(int level) {
      return level == Connection.TRANSACTION_SERIALIZABLE
          ? Connection.TRANSACTION_REPEATABLE_READ
          : level;
    }
  },
  REPEATABLE_READ_AS_READ_COMMITTED(ServerKind.POSTGRESQL, 200) {
    @Override
    int level(int level) {
      return level == Connection.TRANSACTION_REPEATABLE_READ
          ? Connection.TRANSACTION_READ_COMMITTED
          : level;
    }
  },
  ALL_AS_READ_COMMITTED(ServerKind.H2, 48) {
    @Override
    int level(int level) {
      return Connection.TRANSACTION_READ_COMMITTED;
    }
  },
  ALL_AS_READ_UNCOMMITTED(ServerKind.MARIADB, 80) {
    @Override
    int level(int level) {
      return Connection.TRANSACTION_READ_UNCOMMITTED;
    }

    @Override
    String sql(String sql, List<String> before) {
      return sql.replaceAll("(?<=ISOLATION LEVEL )[A-Z ]+", "READ UNCOMMITTED");
    }
  },
  /** Rows as of the transaction's begin, where each query must return the committed ones. */
  STALE_ROWS(ServerKind.MARIADB, 64) {
    @Override
    int level(int level) {
      return level == Connection.TRANSACTION_READ_COMMITTED
          ? Connection.TRANSACTION_REPEATABLE_READ
          : level;
    }

    @Override
    String sql(String sql, List<String> before) {
      return sql.equals("BEGIN")
          ? "START TRANSACTION WITH CONSISTENT SNAPSHOT"
          : sql.replace("ISOLATION LEVEL READ COMMITTED", "ISOLATION LEVEL REPEATABLE READ");
    }
  },
  LOST_COMMIT(ServerKind.POSTGRESQL, 200) {
    @Override
    String sql(String sql, List<String> before) {
      List<String> transaction = openTransaction(before);
      return sql.equals("COMMIT")
              && transaction.size() == 1
              && transaction.get(0).startsWith("DELETE")
          ? "ROLLBACK"
          : sql;
    }
  },
  /** Beside another transaction each write is committed at once. */
  EARLY_COMMIT(ServerKind.POSTGRESQL, 32) {
    @Override
    String sql(String sql, List<String> before) {
      return isInTransaction(before) && openTransactions() > 1 && WRITE.matcher(sql).lookingAt()
          ? sql + ";\nCOMMIT;\nBEGIN"
          : sql;
    }
  },
  ROLLBACK_KEEPS_A_WRITE(ServerKind.H2, 32) {
    @Override
    String sql(String sql, List<String> before) {
      return sql.equals("ROLLBACK")
              && openTransaction(before).stream().filter(WRITE.asPredicate()).count() == 1
          ? "COMMIT"
          : sql;
    }
  },
  SAVEPOINT_STAYS(ServerKind.MARIADB, 48) {
    @Override
    String sql(String sql, List<String> before) {
      return sql.startsWith("ROLLBACK TO") ? "DO 0" : sql;
    }
  },
  UNLOCKED_FOR_UPDATE(ServerKind.MARIADB, 32) {
    @Override
    String sql(String sql, List<String> before) {
      return sql.startsWith("SELECT") ? sql.replace(" FOR UPDATE", "") : sql;
    }
  },
  /** Beside another transaction an UPDATE changes no second row. */
  UPDATE_OF_ONE_ROW(ServerKind.MARIADB, 24) {
    @Override
    String sql(String sql, List<String> before) {
      return openTransactions() > (isInTransaction(before) ? 1 : 0)
              && sql.matches("UPDATE \\w+ SET .*")
              && !sql.contains(" LIMIT ")
          ? sql + " LIMIT 1"
          : sql;
    }
  };

  private static final Pattern WRITE = Pattern.compile("^(INSERT|UPDATE|DELETE|REPLACE|MERGE)");

  private final ServerKind kind;
  private final int cases;
  private final Set<Session> inTransactions = ConcurrentHashMap.newKeySet();

  /**
   * A fault.
   *
   * @param kind the DBMS that it is planted in
   * @param cases the cases of seed 1 in which it is found, and somewhat more
   */
  FaultyConnector(ServerKind kind, int cases) {
    this.kind = kind;
    this.cases = cases;
  }

  /** The DBMS that the fault is planted in. */
  ServerKind kind() {
    return kind;
  }

  /** The cases of seed 1 in which it is found. */
  int cases() {
    return cases;
  }

  int openTransactions() {
    return inTransactions.size();
  }

  /** The level that sessions get instead of a stronger one; empty if the fault is another one. */
  Optional<IsolationLevel> weakerLevel() {
    int as = name().indexOf("_AS_");
    return as < 0 ? Optional.empty() : IsolationLevel.parse(name().substring(as + "_AS_".length()));
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

  private static boolean isInTransaction(List<String> before) {
    return openTransaction(before).stream().noneMatch(sql -> sql.matches("COMMIT|ROLLBACK"))
        && before.stream().anyMatch(FaultyConnector::begins);
  }

  private static boolean begins(String sql) {
    return sql.equals("BEGIN") || sql.startsWith("START TRANSACTION");
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

  /** Opens connections through a driver with another fault besides. */
  Connector with(FaultyConnector other) {
    return url -> new Session().wrap(other.connect(url));
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
            } else if (method.matches("commit|rollback|close")) {
              before.add("ROLLBACK");
              inTransactions.remove(this);
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
        if (isInTransaction(before)) {
          inTransactions.add(this);
        } else {
          inTransactions.remove(this);
        }
      }
      return String.join(";\n", executed);
    }
  }

  /** Changes the arguments of a call. */
  private interface Change {
    void apply(String method, Object @Nullable [] arguments);
  }
}
