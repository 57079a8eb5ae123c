package io.txwatch.hazard;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.txwatch.jdbc.Transcript;
import io.txwatch.rewrite.RewritePlanner.Level;
import io.txwatch.servers.ServerKind;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.StringReader;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.math.BigDecimal;
import java.sql.CallableStatement;
import java.sql.Connection;
import java.sql.Date;
import java.sql.JDBCType;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLType;
import java.sql.Statement;
import java.sql.Time;
import java.sql.Timestamp;
import java.sql.Types;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Calendar;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TimeZone;
import java.util.TreeMap;
import java.util.concurrent.Executor;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/**
 * Every method of the statements, results and connections of {@code java.sql}, by what becomes of
 * it: called between {@code addBatch} and the execution, between a setter and the execution, on an
 * open result, it does watched what it does raw.
 */
class JdbcMethodsTest {

  private static final List<Class<?>> INTERFACES =
      List.of(
          Connection.class,
          Statement.class,
          PreparedStatement.class,
          CallableStatement.class,
          ResultSet.class);

  /** How a wrapper treats a method. */
  enum Treatment {
    /** What was set is kept, and set again on another text, or when a batch is collected anew. */
    SENT_AGAIN,
    /** The driver alone has what it sets; a wrapper passes it on to the one statement it has. */
    DELEGATED,
    /** It changes what plans or known rows depend on, or the transaction. */
    INVALIDATES,
    /** It executes, or ends what was executed. */
    EXECUTES,
    /** It changes nothing. */
    NO_STATE
  }

  /** Names that would end the comparison itself, or wait. */
  private static final Set<String> NOT_CALLED = Set.of("abort", "cancel", "unwrap", "isWrapperFor");

  private static final Map<String, Treatment> TABLE = table();

  private static Map<String, Treatment> table() {
    Map<String, Treatment> table = new TreeMap<>();
    try (InputStream in = JdbcMethodsTest.class.getResourceAsStream("jdbc-methods.txt")) {
      for (String line : new String(in.readAllBytes(), UTF_8).split("\n")) {
        String[] row = line.split(" ", 2);
        if (!line.isBlank() && !line.startsWith("#")) {
          assertThat(table.put(row[1], Treatment.valueOf(row[0]))).as(line).isNull();
        }
      }
    } catch (IOException e) {
      throw new AssertionError(e);
    }
    return table;
  }

  private static String signature(Method method) {
    return method.getDeclaringClass().getSimpleName()
        + "."
        + method.getName()
        + Stream.of(method.getParameterTypes())
            .map(Class::getSimpleName)
            .collect(Collectors.joining(", ", "(", ")"));
  }

  private static List<Method> methods(Class<?> type) {
    return Stream.of(type.getDeclaredMethods())
        .filter(method -> !Modifier.isStatic(method.getModifiers()) && !method.isSynthetic())
        .sorted(Comparator.comparing(JdbcMethodsTest::signature))
        .toList();
  }

  private static List<Method> called(Class<?> type, Treatment... treatments) {
    return methods(type).stream()
        .filter(method -> !NOT_CALLED.contains(method.getName()))
        .filter(method -> List.of(treatments).contains(TABLE.get(signature(method))))
        .toList();
  }

  @Test
  @DisplayName("33, 59 the table has a row for each method of java.sql")
  void everyMethodIsInTheTable() {
    assertThat(TABLE.keySet())
        .containsExactlyInAnyOrderElementsOf(
            INTERFACES.stream()
                .flatMap(type -> methods(type).stream())
                .map(JdbcMethodsTest::signature)
                .toList());
  }

  // ---------------------------------------------------------------- between addBatch and sending

  @OnEach
  @DisplayName("33 each method of a prepared statement while its batch is collected")
  void whileABatchIsCollected(Place place) throws SQLException {
    twins(place)
        .run(
            (connection, transcript) -> {
              connection.setAutoCommit(false);
              List<Method> methods = new ArrayList<>();
              for (Class<?> type : List.of(Statement.class, PreparedStatement.class)) {
                methods.addAll(called(type, Treatment.SENT_AGAIN, Treatment.DELEGATED));
              }
              for (Method method : methods) {
                transcript.step(signature(method), () -> batch(connection, transcript, method));
                connection.rollback();
              }
            });
  }

  private static void batch(Connection connection, Transcript transcript, Method method)
      throws SQLException {
    try (PreparedStatement insert =
            connection.prepareStatement("INSERT INTO m (id, a) VALUES (?, ?)");
        Statement other = connection.createStatement()) {
      for (int id = 1; id <= 3; id++) {
        insert.setInt(1, id);
        insert.setString(2, "before");
        call(transcript, insert, method, 2);
        insert.addBatch();
        // The number of the statement that the batch will be is another one now.
        other.executeUpdate("UPDATE m SET a = 'between' WHERE id < 0");
      }
      transcript.step("sent", () -> transcript.line(Arrays.toString(insert.executeBatch())));
      settings(transcript, insert);
      rows(transcript, other.executeQuery("SELECT id, a FROM m ORDER BY id"));
    }
  }

  @OnEach
  @DisplayName("33 each method of a statement while its batch is collected")
  void whileTextsAreCollected(Place place) throws SQLException {
    twins(place)
        .run(
            (connection, transcript) -> {
              connection.setAutoCommit(false);
              for (Method method :
                  called(Statement.class, Treatment.SENT_AGAIN, Treatment.DELEGATED)) {
                for (boolean first : new boolean[] {true, false}) {
                  transcript.step(
                      signature(method), () -> texts(connection, transcript, method, first));
                  connection.rollback();
                }
              }
            });
  }

  private static void texts(
      Connection connection, Transcript transcript, Method method, boolean first)
      throws SQLException {
    try (Statement statement = connection.createStatement();
        Statement other = connection.createStatement()) {
      String escaped = "INSERT INTO m (id, a) VALUES (%d, {fn concat('x', 'y')})";
      if (first) {
        call(transcript, statement, method, 2);
      }
      statement.addBatch(escaped.formatted(11));
      if (!first) {
        call(transcript, statement, method, 2);
      }
      statement.addBatch("INSERT INTO m (id, a) VALUES (12, 'plain')");
      transcript.step("sent", () -> transcript.line(Arrays.toString(statement.executeBatch())));
      if (connection.getMetaData().getDatabaseProductName().equals("PostgreSQL")) {
        connection.rollback();
      }
      settings(transcript, statement);
      rows(transcript, other.executeQuery("SELECT id, a FROM m ORDER BY id"));
    }
  }

  @OnEach({ServerKind.MYSQL})
  @DisplayName("33 texts in the batch of a prepared statement, which MySQL's driver allows")
  void textsInAPreparedBatch(Place place) throws SQLException {
    for (String control : new String[] {"", "COMMIT"}) {
      twins(place)
          .run(
              (connection, transcript) -> {
                for (boolean autoCommit : new boolean[] {true, false}) {
                  connection.setAutoCommit(autoCommit);
                  for (int keys : new int[] {1, 2}) {
                    for (int lead = 0; lead < 2; lead++) {
                      mixed(connection, transcript, keys, lead, control);
                    }
                  }
                }
              });
    }
  }

  private static void mixed(
      Connection connection, Transcript transcript, int keys, int lead, String control)
      throws SQLException {
    try (PreparedStatement insert =
            connection.prepareStatement("INSERT INTO m (id, a) VALUES (?, ?)", keys);
        Statement other = connection.createStatement()) {
      for (int round = 0; round < 3; round++) {
        int from = round * 10;
        if (round > 0) {
          insert.setInt(1, from);
          insert.setString(2, "single");
          transcript.updated(insert, insert.executeUpdate());
        }
        insert.addBatch(
            "INSERT INTO m (id, a) VALUES (%d, 'x'), (%d, 'y')".formatted(from + 1, from + 2));
        insert.setInt(1, from + 3);
        insert.setString(2, "set");
        insert.addBatch();
        insert.addBatch(null);
        if (!control.isEmpty()) {
          insert.addBatch(control);
        }
        insert.addBatch("DELETE FROM m WHERE id = " + (from + 1));
        insert.setInt(1, round == 1 ? from + 3 : from + 4);
        insert.addBatch();
        for (int i = 0; i < lead; i++) {
          other.executeUpdate("UPDATE m SET a = 'between' WHERE id < 0");
        }
        transcript.step(
            "sent " + keys + lead + round,
            () -> transcript.line(Arrays.toString(insert.executeBatch())));
        transcript.step(
            "again", () -> transcript.line(Arrays.toString(insert.executeLargeBatch())));
        rows(transcript, other.executeQuery("SELECT id, a FROM m ORDER BY id"));
      }
      other.executeUpdate("DELETE FROM m WHERE id > 0");
    }
    if (!connection.getAutoCommit()) {
      connection.commit();
    }
  }

  // ---------------------------------------------------------------- between a setter and sending

  @OnEach
  @DisplayName("32 each method of a prepared statement before an execution that has another text")
  void beforeAnotherText(Place place) throws SQLException {
    twins(place)
        .run(
            (connection, transcript) -> {
              connection.setAutoCommit(false);
              List<Method> methods = new ArrayList<>();
              for (Class<?> type : List.of(Statement.class, PreparedStatement.class)) {
                methods.addAll(called(type, Treatment.SENT_AGAIN, Treatment.DELEGATED));
              }
              for (Method method : methods) {
                transcript.step(signature(method), () -> single(connection, transcript, method));
                connection.rollback();
              }
            });
  }

  private static void single(Connection connection, Transcript transcript, Method method)
      throws SQLException {
    try (PreparedStatement update =
            connection.prepareStatement("UPDATE m SET a = ? WHERE id <= ?");
        Statement other = connection.createStatement()) {
      update.setInt(2, 100);
      update.setString(1, "before");
      call(transcript, update, method, 1);
      transcript.step(
          "executed after " + signature(method),
          () -> transcript.updated(update, update.executeUpdate()));
      settings(transcript, update);
      if (connection.getMetaData().getDatabaseProductName().equals("PostgreSQL")) {
        connection.rollback();
      }
      transcript.step(
          "in a batch",
          () -> {
            update.setString(1, "batch");
            update.setInt(2, 100);
            update.addBatch();
            transcript.line(Arrays.toString(update.executeBatch()));
          });
      settings(transcript, update);
      if (connection.getMetaData().getDatabaseProductName().equals("PostgreSQL")) {
        connection.rollback();
      }
      rows(transcript, other.executeQuery("SELECT id, a FROM m ORDER BY id"));
    }
  }

  @OnEach
  @DisplayName("32 each method of a connection between a setter, or addBatch, and the execution")
  void onTheConnection(Place place) throws SQLException {
    assumeThat(place.level()).as("the wrappers are the same").isNotEqualTo(Level.INLINE);
    List<Method> methods = new ArrayList<>();
    for (Method method :
        called(
            Connection.class,
            Treatment.SENT_AGAIN,
            Treatment.DELEGATED,
            Treatment.INVALIDATES,
            Treatment.EXECUTES)) {
      if (List.of("setCatalog", "setSchema").contains(method.getName())) {
        continue; // to another database: of its own
      }
      methods.add(method);
    }
    twins(place)
        .serve(
            (connections, transcript) -> {
              for (Method method : methods) {
                try (Connection connection = connections.open()) {
                  transcript.step(signature(method), () -> between(connection, transcript, method));
                }
              }
            });
  }

  private static void between(Connection connection, Transcript transcript, Method method)
      throws SQLException {
    connection.setAutoCommit(false);
    try (PreparedStatement insert =
            connection.prepareStatement("INSERT INTO m (id, a) VALUES (?, ?)");
        PreparedStatement update = connection.prepareStatement("UPDATE m SET a = ? WHERE id = ?");
        Statement texts = connection.createStatement()) {
      insert.setInt(1, 21);
      insert.setString(2, "x");
      insert.addBatch();
      update.setString(1, "y");
      update.setInt(2, 0);
      texts.addBatch("INSERT INTO m (id, a) VALUES (22, 'z')");
      call(transcript, connection, method, 1);
      insert.setInt(1, 23);
      insert.addBatch();
      transcript.step("update", () -> transcript.line("updated " + update.executeUpdate()));
      transcript.step("batch", () -> transcript.line(Arrays.toString(insert.executeBatch())));
      transcript.step("texts", () -> transcript.line(Arrays.toString(texts.executeBatch())));
    }
    transcript.step(
        "end",
        () -> {
          if (!connection.getAutoCommit()) {
            connection.commit();
          }
        });
    transcript.step(
        "rows",
        () -> {
          try (Statement other = connection.createStatement()) {
            rows(transcript, other.executeQuery("SELECT id, a FROM m ORDER BY id"));
            other.executeUpdate("DELETE FROM m WHERE id > 0");
            if (!connection.getAutoCommit()) {
              connection.commit();
            }
          }
        });
  }

  // ---------------------------------------------------------------- calls and results

  @OnEach({ServerKind.MYSQL, ServerKind.MARIADB, ServerKind.H2, ServerKind.POSTGRESQL})
  @DisplayName("35 each method of a callable statement")
  void onACall(Place place) throws SQLException {
    assumeThat(place.level()).as("the wrappers are the same").isNotEqualTo(Level.INLINE);
    twins(place)
        .run(
            (connection, transcript) -> {
              for (Method method : called(CallableStatement.class, Treatment.values())) {
                transcript.step(
                    signature(method),
                    () -> {
                      try (CallableStatement call = connection.prepareCall("{? = call abs(?)}")) {
                        call.registerOutParameter(1, Types.INTEGER);
                        call.setInt(2, -7);
                        boolean reads = method.getName().startsWith("get");
                        if (!reads) {
                          call(transcript, call, method, 2);
                        }
                        call.execute();
                        transcript.line("gives " + call.getInt(1));
                        if (reads) {
                          call(transcript, call, method, 1);
                        }
                      }
                    });
              }
            });
  }

  @OnEach
  @DisplayName("31 each method of a result, which is read only and which is not")
  void onAResult(Place place) throws SQLException {
    assumeThat(place.level()).as("the wrappers are the same").isNotEqualTo(Level.INLINE);
    twins(place)
        .run(
            (connection, transcript) -> {
              connection.setAutoCommit(false);
              for (Method method : called(ResultSet.class, Treatment.values())) {
                for (int concurrency : new int[] {1007, 1008}) {
                  transcript.step(
                      signature(method) + concurrency,
                      () -> onAResult(connection, transcript, method, concurrency));
                  connection.rollback();
                }
              }
            });
  }

  private static void onAResult(
      Connection connection, Transcript transcript, Method method, int concurrency)
      throws SQLException {
    int type = ResultSet.TYPE_SCROLL_INSENSITIVE;
    boolean forwardOnly = !connection.getMetaData().supportsResultSetType(type);
    try (Statement statement =
            connection.createStatement(
                forwardOnly ? ResultSet.TYPE_FORWARD_ONLY : type,
                forwardOnly ? ResultSet.CONCUR_READ_ONLY : concurrency);
        ResultSet result = statement.executeQuery("SELECT id, a FROM m WHERE id < 1 ORDER BY id")) {
      result.next();
      result.next();
      result.getString(2); // wasNull is of the value read last
      call(transcript, result, method, 2);
      if (method.getName().startsWith("update")) {
        transcript.step("row", result::updateRow);
      }
    }
    if (connection.getMetaData().getDatabaseProductName().equals("PostgreSQL")) {
      return;
    }
    try (Statement statement = connection.createStatement()) {
      rows(transcript, statement.executeQuery("SELECT id, a FROM m ORDER BY id"));
    }
  }

  // ---------------------------------------------------------------- how they are called

  private static Twins twins(Place place) {
    return place.of(
        "CREATE TABLE m (id INT PRIMARY KEY, a VARCHAR(100))",
        "INSERT INTO m VALUES (0, '5'), (-1, '6'), (-2, NULL)");
  }

  /** The rows, without the numbers that PostgreSQL gives to large objects. */
  private static void rows(Transcript transcript, ResultSet rows) throws SQLException {
    try (rows) {
      while (rows.next()) {
        String value = String.valueOf(rows.getString(2));
        transcript.line(rows.getInt(1) + " " + value.replaceAll("^\\d{5,}$", "(number)"));
      }
    }
  }

  private static void settings(Transcript transcript, Statement statement) {
    transcript.step(
        "settings",
        () ->
            transcript.line(
                List.of(
                        statement.isClosed() || statement.isPoolable(),
                        statement.getMaxRows(),
                        statement.getFetchSize(),
                        statement.getFetchDirection(),
                        statement.getQueryTimeout(),
                        statement.getMaxFieldSize(),
                        statement.isCloseOnCompletion())
                    .toString()));
  }

  private static void call(Transcript transcript, Object target, Method method, int place) {
    transcript.step(
        "called " + signature(method),
        () -> {
          try {
            @Nullable Object[] arguments = new @Nullable Object[method.getParameterCount()];
            for (int i = 0; i < arguments.length; i++) {
              arguments[i] = argument(target, method, i, place);
            }
            transcript.line("gave " + shown(method.invoke(target, arguments)));
          } catch (InvocationTargetException e) {
            if (e.getCause() instanceof SQLException error) {
              throw error;
            }
            transcript.line("threw " + e.getTargetException().getClass().getName());
          } catch (IllegalAccessException e) {
            throw new AssertionError(e);
          }
        });
  }

  private static String shown(Object value) {
    boolean plain =
        value == null
            || value instanceof Number
            || value instanceof Boolean
            || value instanceof CharSequence
            || value instanceof java.util.Date;
    if (value instanceof byte[] bytes) {
      return Arrays.toString(bytes);
    }
    return plain ? String.valueOf(value) : "an object";
  }

  private static @Nullable Object argument(Object target, Method method, int number, int place)
      throws SQLException {
    Class<?> type = method.getParameterTypes()[number];
    String name = method.getName();
    boolean isPlace =
        number == 0
            && method.getParameterCount()
                > (target instanceof Statement && !name.startsWith("get") ? 1 : 0)
            && !(target instanceof Connection)
            && method.getDeclaringClass() != Statement.class;
    if (type == int.class) {
      return switch (name) {
        case "setNull", "registerOutParameter" -> number == 0 ? place : Types.VARCHAR;
        case "setTransactionIsolation" -> Connection.TRANSACTION_SERIALIZABLE;
        case "setHoldability" -> ResultSet.CLOSE_CURSORS_AT_COMMIT;
        case "setFetchDirection" -> ResultSet.FETCH_FORWARD;
        case "setObject", "updateObject" -> number == 0 ? place : number == 2 ? Types.VARCHAR : 1;
        case "setNetworkTimeout" -> 60_000; // ms
        case "setQueryTimeout" -> 60; // s
        default -> isPlace ? place : 1;
      };
    }
    if (type == String.class) {
      boolean label = number == 0 && target instanceof ResultSet;
      return label ? "a" : name.equals("addBatch") ? "DELETE FROM m WHERE id = -1" : "3";
    }
    if (type == InputStream.class) {
      return new ByteArrayInputStream("s".getBytes(UTF_8));
    }
    if (type == java.io.Reader.class) {
      return new StringReader("r");
    }
    if (type == byte[].class) {
      return "b".getBytes(UTF_8);
    }
    if (type == Executor.class) {
      return (Executor) Runnable::run;
    }
    if (type == Calendar.class) {
      return Calendar.getInstance(TimeZone.getTimeZone("UTC"));
    }
    if (type == SQLType.class) {
      return JDBCType.VARCHAR;
    }
    if (type == java.sql.Savepoint.class) {
      return ((Connection) target).setSavepoint();
    }
    return VALUES.get(type);
  }

  private static final Map<Class<?>, Object> VALUES =
      Map.ofEntries(
          Map.entry(long.class, 1L),
          Map.entry(short.class, (short) 1),
          Map.entry(byte.class, (byte) 1),
          Map.entry(boolean.class, true),
          Map.entry(float.class, 1f),
          Map.entry(double.class, 1d),
          Map.entry(Object.class, "o"),
          Map.entry(Class.class, String.class),
          Map.entry(Map.class, Map.of()),
          Map.entry(BigDecimal.class, BigDecimal.ONE),
          Map.entry(Date.class, Date.valueOf("2020-01-02")),
          Map.entry(Time.class, Time.valueOf("03:04:05")),
          Map.entry(Timestamp.class, Timestamp.valueOf("2020-01-02 03:04:05")));
}
