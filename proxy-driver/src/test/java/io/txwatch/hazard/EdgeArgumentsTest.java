package io.txwatch.hazard;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.jdbc.TestDatabase;
import io.txwatch.servers.ServerKind;
import io.txwatch.servers.TestServers;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.io.Reader;
import java.io.StringReader;
import java.lang.reflect.Array;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.math.BigDecimal;
import java.sql.CallableStatement;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.Date;
import java.sql.DriverManager;
import java.sql.JDBCType;
import java.sql.ParameterMetaData;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.SQLType;
import java.sql.Statement;
import java.sql.Time;
import java.sql.Timestamp;
import java.sql.Wrapper;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Calendar;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TimeZone;
import java.util.TreeMap;
import java.util.concurrent.Executor;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Every method of every JDBC interface, called raw and watched with arguments that are null, out of
 * range or meaningless, on objects in every state, closed ones among them. The outcome is the same:
 * the value, or the class, SQLState, vendor code and message of the error.
 */
class EdgeArgumentsTest {

  private static final String[] SETUP = {
    "CREATE TABLE item (id INT PRIMARY KEY, name VARCHAR(20), qty INT)",
    "INSERT INTO item VALUES (1, 'apple', 10), (2, 'pear', 20), (3, NULL, 20)"
  };

  /** Arguments for each type of parameter; null is among them for every object. */
  private static final Map<Class<?>, List<Object>> ARGUMENTS =
      Map.ofEntries(
          Map.entry(int.class, List.of(1, 4, 0, 99)),
          Map.entry(long.class, List.of(0L, 1L, -1L, Long.MAX_VALUE)),
          Map.entry(short.class, List.of((short) 1)),
          Map.entry(byte.class, List.of((byte) 1)),
          Map.entry(float.class, List.of(1.5f)),
          Map.entry(double.class, List.of(1.5d, Double.NaN)),
          Map.entry(boolean.class, List.of(true, false)),
          Map.entry(
              String.class,
              List.of(
                  "name",
                  "txw_rid",
                  "SELECT * FROM item ORDER BY id",
                  "UPDATE item SET qty = qty WHERE id = 1",
                  "nosuch")),
          Map.entry(
              Class.class,
              List.of(String.class, Integer.class, Object.class, Runnable.class, Long.class)),
          Map.entry(Object.class, List.of("x", 7)),
          Map.entry(BigDecimal.class, List.of(BigDecimal.ONE)),
          Map.entry(Date.class, List.of(new Date(0))),
          Map.entry(Time.class, List.of(new Time(0))),
          Map.entry(Timestamp.class, List.of(new Timestamp(0))),
          Map.entry(Calendar.class, List.of(Calendar.getInstance(TimeZone.getTimeZone("UTC")))),
          Map.entry(SQLType.class, List.of(JDBCType.INTEGER)),
          Map.entry(Map.class, List.of(Map.of())),
          Map.entry(Properties.class, List.of(new Properties())),
          Map.entry(int[].class, List.of(new int[0], new int[] {1}, new int[] {4})),
          Map.entry(
              String[].class, List.of(new String[0], new String[] {"id"}, new String[] {"nosuch"})),
          Map.entry(byte[].class, List.of(new byte[] {1})));

  /** They end a connection, or take a thread of the caller's. */
  private static final Set<String> LEFT_OUT = Set.of("abort", "hashCode", "wait", "getClass");

  private static final int MAX_CALLS_OF_ONE_METHOD = 6;

  /** Makes an object in some state. */
  private interface Making<T> {
    T of(Connection connection) throws SQLException;
  }

  private record State(String name, Class<?> type, Making<?> making) {}

  private static final List<State> STATES =
      List.of(
          new State("connection", Connection.class, connection -> connection),
          new State("statement", Statement.class, Connection::createStatement),
          new State(
              "statement with a result",
              Statement.class,
              connection -> {
                Statement statement = connection.createStatement();
                statement.execute("SELECT * FROM item ORDER BY id");
                return statement;
              }),
          new State(
              "statement with a count",
              Statement.class,
              connection -> {
                Statement statement = connection.createStatement();
                statement.execute("UPDATE item SET qty = qty WHERE id = 1");
                return statement;
              }),
          new State("closed statement", Statement.class, c -> closed(c.createStatement())),
          new State(
              "query",
              PreparedStatement.class,
              c -> c.prepareStatement("SELECT * FROM item WHERE id = ?")),
          new State(
              "set query",
              PreparedStatement.class,
              c -> set(c.prepareStatement("SELECT * FROM item WHERE id = ?"))),
          new State(
              "update",
              PreparedStatement.class,
              c -> c.prepareStatement("UPDATE item SET qty = qty WHERE id = ?")),
          new State(
              "set update",
              PreparedStatement.class,
              c -> set(c.prepareStatement("UPDATE item SET qty = qty WHERE id = ?"))),
          new State(
              "insert",
              PreparedStatement.class,
              c -> c.prepareStatement("INSERT INTO item VALUES (?, ?, ?)")),
          new State(
              "insert with keys",
              PreparedStatement.class,
              c ->
                  c.prepareStatement(
                      "INSERT INTO item VALUES (?, ?, ?)", Statement.RETURN_GENERATED_KEYS)),
          new State(
              "closed query",
              PreparedStatement.class,
              c -> closed(c.prepareStatement("SELECT * FROM item WHERE id = ?"))),
          new State(
              "closed update",
              PreparedStatement.class,
              c -> closed(c.prepareStatement("UPDATE item SET qty = qty WHERE id = ?"))),
          new State("call", CallableStatement.class, c -> c.prepareCall("{? = call abs(?)}")),
          new State(
              "closed call",
              CallableStatement.class,
              c -> closed(c.prepareCall("{? = call abs(?)}"))),
          new State(
              "result before its first row",
              ResultSet.class,
              c -> c.createStatement().executeQuery("SELECT * FROM item ORDER BY id")),
          new State(
              "result on a row",
              ResultSet.class,
              c -> onRow(c.createStatement().executeQuery("SELECT * FROM item ORDER BY id"))),
          new State(
              "result of one column",
              ResultSet.class,
              c -> onRow(c.createStatement().executeQuery("SELECT qty FROM item ORDER BY id"))),
          new State(
              "result at its end",
              ResultSet.class,
              connection -> {
                ResultSet result =
                    connection.createStatement().executeQuery("SELECT * FROM item ORDER BY id");
                while (result.next()) {
                  // to its end
                }
                return result;
              }),
          new State(
              "closed result",
              ResultSet.class,
              c -> closed(c.createStatement().executeQuery("SELECT * FROM item ORDER BY id"))),
          new State(
              "result that scrolls",
              ResultSet.class,
              c ->
                  onRow(
                      c.createStatement(
                              ResultSet.TYPE_SCROLL_INSENSITIVE, ResultSet.CONCUR_READ_ONLY)
                          .executeQuery("SELECT * FROM item ORDER BY id"))),
          new State(
              "result of metadata",
              ResultSet.class,
              c -> onRow(c.getMetaData().getColumns(null, null, "item", "%"))),
          new State(
              "columns",
              ResultSetMetaData.class,
              c -> c.createStatement().executeQuery("SELECT * FROM item").getMetaData()),
          new State(
              "columns of a prepared query",
              ResultSetMetaData.class,
              c -> c.prepareStatement("SELECT * FROM item WHERE id = ?").getMetaData()),
          new State(
              "parameters",
              ParameterMetaData.class,
              c ->
                  c.prepareStatement("UPDATE item SET qty = ? WHERE id = ?")
                      .getParameterMetaData()),
          new State("metadata", DatabaseMetaData.class, Connection::getMetaData));

  private static <T extends AutoCloseable> T closed(T object) throws SQLException {
    try {
      object.close();
      return object;
    } catch (SQLException | RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw new SQLException(e);
    }
  }

  private static PreparedStatement set(PreparedStatement statement) throws SQLException {
    statement.setInt(1, 1);
    return statement;
  }

  private static ResultSet onRow(ResultSet result) throws SQLException {
    result.next();
    return result;
  }

  static Stream<ServerKind> kinds() {
    return TestServers.kinds();
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("kinds")
  @Execution(ExecutionMode.CONCURRENT)
  @DisplayName("Every method with arguments at the edge and beyond")
  void everyMethod(ServerKind kind) throws Exception {
    String rawUrl = TestServers.freshDatabase(kind);
    try (Connection raw = DriverManager.getConnection(rawUrl)) {
      TestDatabase.execute(raw, SETUP);
    }
    TestDatabase database = TestDatabase.of(kind, SETUP);
    List<String> differences = new ArrayList<>();
    try (Side raw = new Side(() -> DriverManager.getConnection(rawUrl));
        Side watched = new Side(database::watched)) {
      for (State state : STATES) {
        for (Method method : methods(state.type())) {
          for (Object[] arguments : argumentsOf(method)) {
            if (leavesOut(kind, state, method)) {
              continue;
            }
            String expected = raw.outcome(state, method, arguments);
            String actual = watched.outcome(state, method, arguments);
            if (!expected.equals(actual)) {
              differences.add(
                  state.name()
                      + ": "
                      + method.getName()
                      + shown(arguments)
                      + "\n    raw:     "
                      + expected
                      + "\n    watched: "
                      + actual);
            }
          }
        }
      }
      assertThat(raw.calls).isGreaterThan(2000).isEqualTo(watched.calls);
    }
    assertThat(String.join("\n", differences)).isEmpty();
  }

  /**
   * What a column returns by its text. That of the database's name differs: PostgreSQL's driver
   * fails on some names as it looks for a date in them, and on others as it finds none.
   */
  private static final Set<String> DEPENDING_ON_TEXT =
      Set.of("getBytes", "getDate", "getTime", "getTimestamp");

  private static boolean leavesOut(ServerKind kind, State state, Method method) {
    return
    // Before a getter was called: SQLite's driver speaks of the last column of whatever result.
    (kind == ServerKind.SQLITE && method.getName().equals("wasNull"))
        // A query each, slow on some servers; TransparencyTest compares what they give.
        || (state.type() == DatabaseMetaData.class && method.getReturnType() == ResultSet.class)
        || (state.name().equals("result of metadata")
            && DEPENDING_ON_TEXT.contains(method.getName()));
  }

  private static List<Method> methods(Class<?> type) {
    Map<String, Method> methods = new TreeMap<>();
    for (Method method : type.getMethods()) {
      boolean inherited =
          !method.getDeclaringClass().equals(type)
              && !method.getDeclaringClass().equals(Wrapper.class)
              && type != CallableStatement.class;
      boolean isStatic = java.lang.reflect.Modifier.isStatic(method.getModifiers());
      if (!LEFT_OUT.contains(method.getName())
          && !isStatic
          && !(inherited && type == ResultSet.class)) {
        methods.put(method.getName() + Arrays.toString(method.getParameterTypes()), method);
      }
    }
    return methods.values().stream()
        .sorted(Comparator.comparing(EdgeArgumentsTest::changesState))
        .toList();
  }

  /** As many tuples as the parameter with most arguments has of them. */
  private static List<Object[]> argumentsOf(Method method) {
    Class<?>[] types = method.getParameterTypes();
    int most = 1;
    List<List<@Nullable Object>> candidates = new ArrayList<>();
    for (Class<?> type : types) {
      List<@Nullable Object> one = new ArrayList<>(ARGUMENTS.getOrDefault(type, List.of()));
      if (!type.isPrimitive()) {
        one.add(null);
      }
      if (type == InputStream.class || type == Reader.class || type == Executor.class) {
        one.add(type);
      }
      candidates.add(one);
      most = Math.max(most, one.size());
    }
    List<Object[]> tuples = new ArrayList<>();
    for (int i = 0; i < Math.min(most, MAX_CALLS_OF_ONE_METHOD); i++) {
      Object[] tuple = new Object[types.length];
      for (int j = 0; j < types.length; j++) {
        tuple[j] = candidates.get(j).get(i % candidates.get(j).size());
      }
      tuples.add(tuple);
    }
    return tuples;
  }

  private static String shown(Object[] arguments) {
    String deep = Arrays.deepToString(arguments);
    return "(" + deep.substring(1, deep.length() - 1) + ")";
  }

  private static boolean changesState(Method method) {
    String name = method.getName();
    boolean asks =
        (name.startsWith("get") && !name.equals("getMoreResults"))
            || name.startsWith("is")
            || name.startsWith("supports")
            || name.startsWith("find")
            || name.startsWith("unwrap");
    // What is set, also on a row, is set on both sides.
    boolean sets =
        (name.startsWith("set") && method.getParameterCount() > 1)
            || (name.startsWith("update") && method.getParameterCount() > 0);
    return !asks && !sets;
  }

  /** Opens a connection. */
  private interface Opening {
    Connection open() throws SQLException;
  }

  /** Raw, or watched. */
  private static final class Side implements AutoCloseable {
    private static final int CHANGES_OF_A_CONNECTION = 20;

    private final Opening opening;
    private @Nullable Connection connection;
    private @Nullable State state;
    private @Nullable Object object;
    private @Nullable String noObject;
    private int calls;
    private int changes;

    Side(Opening opening) {
      this.opening = opening;
    }

    private Connection connection() throws SQLException {
      Connection open = connection;
      if (open == null || open.isClosed()) {
        open = opening.open();
        connection = open;
      }
      return open;
    }

    String outcome(State wanted, Method method, Object[] arguments) throws Exception {
      calls++;
      if (object == null || !wanted.equals(state)) {
        state = wanted;
        noObject = null;
        try {
          object = wanted.making().of(connection());
        } catch (SQLException e) {
          noObject = error(e);
        }
      }
      if (noObject != null) {
        return noObject;
      }
      String outcome;
      try {
        outcome = value(method, method.invoke(object, fresh(arguments)));
      } catch (InvocationTargetException e) {
        outcome = error(java.util.Objects.requireNonNull(e.getCause()));
      }
      if (changesState(method)) {
        restore(wanted);
      }
      return anonymous(outcome);
    }

    private void restore(State wanted) throws SQLException {
      if (object instanceof AutoCloseable closeable && !(object instanceof Connection)) {
        try {
          closeable.close();
        } catch (Exception e) {
          // it is of no more use in any case
        }
      }
      object = null;
      Connection used = connection();
      if (!used.getAutoCommit()) {
        used.rollback();
        used.setAutoCommit(true);
      }
      if (wanted.type() == Connection.class && ++changes % CHANGES_OF_A_CONNECTION == 0) {
        connection = null;
        try {
          used.close();
        } catch (SQLException e) {
          // SQLite's driver, about statements that were closed twice
        }
      }
    }

    /** A stream can be read once. */
    private static Object[] fresh(Object[] arguments) {
      return Arrays.stream(arguments)
          .map(
              argument ->
                  argument == InputStream.class
                      ? new ByteArrayInputStream(new byte[] {1})
                      : argument == Reader.class
                          ? new StringReader("1")
                          : argument == Executor.class ? (Executor) Runnable::run : argument)
          .toArray();
    }

    private static String value(Method method, @Nullable Object value) throws Exception {
      if (value == null) {
        return "null";
      }
      // One class implements several of them on SQLite: what counts is what was asked for.
      Class<?> declared = method.getReturnType();
      if (declared != ResultSet.class && declared.getPackage() == Wrapper.class.getPackage()) {
        return declared.getSimpleName();
      }
      if (declared == Object.class && value instanceof Wrapper) {
        return "an object";
      }
      if (value instanceof SQLException error) {
        return error(error);
      }
      if (value instanceof ResultSet result) {
        if (result.isClosed()) {
          return "closed result";
        }
        ResultSetMetaData columns = result.getMetaData();
        StringBuilder text = new StringBuilder("result");
        for (int i = 1; columns != null && i <= columns.getColumnCount(); i++) {
          text.append(' ').append(label(columns, i));
        }
        return text.toString();
      }
      if (value.getClass().isArray()) {
        StringBuilder text = new StringBuilder(value.getClass().getSimpleName());
        for (int i = 0; i < Array.getLength(value); i++) {
          text.append(' ').append(Array.get(value, i));
        }
        return text.toString();
      }
      return value.getClass().getSimpleName() + " " + value;
    }

    /** PostgreSQL's driver has none for some results of metadata. */
    private static String label(ResultSetMetaData columns, int i) throws SQLException {
      try {
        return columns.getColumnLabel(i);
      } catch (NullPointerException e) {
        return "?";
      }
    }

    private static String error(Throwable error) {
      if (!(error instanceof SQLException sql)) {
        return error.getClass().getName();
      }
      SQLException next = sql.getNextException();
      return String.join(
          " | ",
          sql.getClass().getName(),
          String.valueOf(sql.getSQLState()),
          String.valueOf(sql.getErrorCode()),
          sql.getMessage(),
          next == null || next == sql ? "" : error(next));
    }

    /** Without the names of the two databases, of connections and of savepoints. */
    private static String anonymous(String outcome) {
      return outcome
          .replaceAll("(?i)txw_\\d+_\\d+", "DB")
          .replaceAll("\\(conn=\\d+\\)", "")
          .replaceAll("@\\p{XDigit}{1,8}\\b", "@(object)")
          .replaceAll("_jid_\\d+|SYSTEM_SAVEPOINT_\\d+", "SP")
          .replaceAll("(?i)(conn|prep|stat|rs|pmeta|meta|ar|blob|clob|sqlxml|sp)\\d+", "$1N");
    }

    @Override
    public void close() throws SQLException {
      if (connection != null) {
        connection.close();
      }
    }
  }
}
