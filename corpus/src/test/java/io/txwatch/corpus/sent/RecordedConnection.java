package io.txwatch.corpus.sent;

import java.io.InputStream;
import java.io.Reader;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Array;
import java.sql.Blob;
import java.sql.CallableStatement;
import java.sql.Clob;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.Ref;
import java.sql.ResultSet;
import java.sql.RowId;
import java.sql.SQLException;
import java.sql.SQLXML;
import java.sql.Savepoint;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A driver's connection that records the calls of it, in order.
 *
 * <p>Recorded as sent is every call that may send something to the DBMS or that changes what is
 * sent: each execution with its text, the values and classes of its parameters, its batch and the
 * settings of its statement as they are at that moment; preparations; transaction control; settings
 * of the connection; changes of rows through a result; generated keys. When a parameter was set, or
 * an item was added to a batch, is not recorded, since neither sends anything.
 *
 * <p>Questions that drivers answer by themselves, such as metadata of a result, are counted by
 * name. Rows are not recorded.
 */
public final class RecordedConnection {

  /** What drivers answer without asking the DBMS. */
  private static final Set<String> ANSWERED_BY_DRIVER =
      Set.of(
          "getAutoCommit",
          "isClosed",
          "getMetaData",
          "getParameterMetaData",
          "unwrap",
          "isWrapperFor",
          "equals",
          "hashCode",
          "toString",
          "getUpdateCount",
          "getLargeUpdateCount",
          "getResultSet",
          "getConnection",
          "isCloseOnCompletion",
          "isPoolable",
          "getFetchSize",
          "getFetchDirection",
          "getMaxRows",
          "getLargeMaxRows",
          "getMaxFieldSize",
          "getQueryTimeout",
          "getResultSetType",
          "getResultSetConcurrency",
          "getResultSetHoldability",
          "getHoldability",
          "getTypeMap",
          "getClientInfo",
          "getNetworkTimeout",
          "wasNull");

  private static final Set<String> NAMES = Set.of("getCatalog", "getSchema");

  /** What changes rows through a result, or reads them again. */
  private static final Set<String> SENT_BY_RESULT =
      Set.of("updateRow", "insertRow", "deleteRow", "refreshRow");

  private final List<String> sent = new ArrayList<>();
  private final Map<String, Integer> answered = new TreeMap<>();
  private final Connection shown;
  private int statements;

  /**
   * True if the driver knows the current database and schema: those of MySQL and MariaDB (what they
   * send, {@link GeneralLog} shows), and H2 in this process. Others may ask the DBMS.
   */
  private final boolean knowsSchema;

  private RecordedConnection(Connection real) throws SQLException {
    String url = String.valueOf(real.getMetaData().getURL());
    this.knowsSchema = url.matches("(?s)jdbc:(?:mysql|mariadb|h2:(?!tcp:|ssl:)).*");
    this.shown = proxy(Connection.class, real, this::ofConnection);
  }

  /** Records the calls of a connection from now on. */
  public static RecordedConnection of(Connection real) throws SQLException {
    return new RecordedConnection(real);
  }

  /** The connection to use instead. */
  public Connection connection() {
    return shown;
  }

  /** What was sent, in order. */
  public synchronized List<String> sent() {
    return List.copyOf(sent);
  }

  /** How often each method was called that sends nothing. */
  public synchronized Map<String, Integer> answeredByDriver() {
    return new TreeMap<>(answered);
  }

  /** Begins a new record. */
  public synchronized void clear() {
    sent.clear();
    answered.clear();
  }

  private interface Call {
    @Nullable Object on(Object target, Method method, @Nullable Object[] arguments)
        throws Throwable;
  }

  private static <T> T proxy(Class<T> type, T target, Call call) {
    return type.cast(
        Proxy.newProxyInstance(
            RecordedConnection.class.getClassLoader(),
            new Class<?>[] {type},
            (self, method, arguments) ->
                call.on(target, method, arguments == null ? new Object[0] : arguments)));
  }

  private static @Nullable Object invoke(Object target, Method method, @Nullable Object[] arguments)
      throws Throwable {
    try {
      return method.invoke(target, arguments);
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }

  private @Nullable Object ofConnection(Object target, Method method, @Nullable Object[] arguments)
      throws Throwable {
    record(method.getName(), call(method.getName(), arguments));
    Object result = invoke(target, method, arguments);
    if (result instanceof CallableStatement call) {
      return statement(CallableStatement.class, call, text(arguments));
    } else if (result instanceof PreparedStatement prepared) {
      return statement(PreparedStatement.class, prepared, text(arguments));
    }
    return result instanceof Statement plain ? statement(Statement.class, plain, "") : result;
  }

  private static String text(@Nullable Object[] arguments) {
    return String.valueOf(arguments[0]);
  }

  private synchronized <T extends Statement> T statement(Class<T> type, T real, String text) {
    return proxy(type, real, new OfStatement(++statements, text));
  }

  private synchronized void record(String method, String line) {
    if (ANSWERED_BY_DRIVER.contains(method) || (knowsSchema && NAMES.contains(method))) {
      answered.merge(method, 1, Integer::sum);
    } else {
      sent.add(line);
    }
  }

  private static String call(String name, @Nullable Object[] arguments) {
    return Stream.of(arguments)
        .map(RecordedConnection::describe)
        .collect(Collectors.joining(", ", name + "(", ")"));
  }

  /** A value with its class; of what can be read only once, or is the driver's own, the kind. */
  private static String describe(@Nullable Object value) {
    if (value == null) {
      return "null";
    }
    for (Class<?> kind :
        List.of(
            InputStream.class,
            Reader.class,
            Blob.class,
            Clob.class,
            Array.class,
            Ref.class,
            RowId.class,
            SQLXML.class,
            Savepoint.class)) {
      if (kind.isInstance(value)) {
        return kind.getSimpleName();
      }
    }
    String text =
        value instanceof byte[] bytes
            ? Arrays.toString(bytes)
            : value instanceof int[] numbers
                ? Arrays.toString(numbers)
                : value instanceof Object[] objects
                    ? Arrays.deepToString(objects)
                    : value.toString();
    return value instanceof String
        ? '"' + text + '"'
        : value.getClass().getSimpleName() + ' ' + text;
  }

  /** The calls of one statement. */
  private final class OfStatement implements Call {

    private final int number;
    private final String text;
    private final Map<String, String> settings = new TreeMap<>();
    private final Map<String, String> parameters = new TreeMap<>();
    private final List<String> batch = new ArrayList<>();

    OfStatement(int number, String text) {
      this.number = number;
      this.text = text;
    }

    @Override
    public @Nullable Object on(Object target, Method method, @Nullable Object[] arguments)
        throws Throwable {
      String name = method.getName();
      if (name.startsWith("set") && arguments.length > 1) {
        parameters.put(String.valueOf(arguments[0]), call(name, arguments));
      } else if (name.startsWith("set") || name.equals("closeOnCompletion")) {
        settings.put(name, call(name, arguments));
      } else if (name.equals("registerOutParameter")) {
        settings.put(name + arguments[0], call(name, arguments));
      } else if (name.equals("clearParameters")) {
        parameters.clear();
      } else if (name.equals("addBatch")) {
        batch.add(arguments.length == 0 ? parameters.toString() : call(name, arguments));
      } else if (name.equals("clearBatch")) {
        batch.clear();
      } else if (name.equals("executeBatch") || name.equals("executeLargeBatch")) {
        execution(name, arguments, batch.toString());
        batch.clear();
      } else if (name.startsWith("execute")) {
        execution(name, arguments, parameters.toString());
      } else if (!(target instanceof CallableStatement && name.startsWith("get"))
          || name.equals("getMoreResults")
          || name.equals("getGeneratedKeys")) {
        record(name, "#" + number + " " + call(name, arguments));
      }
      Object result = invoke(target, method, arguments);
      return result instanceof ResultSet rows && target instanceof Statement
          ? proxy(ResultSet.class, rows, this::ofResult)
          : name.equals("getConnection") && result != null ? shown : result;
    }

    private void execution(String name, @Nullable Object[] arguments, String values) {
      record(
          name,
          "#"
              + number
              + " "
              + call(name, arguments)
              + " "
              + text
              + " "
              + values
              + settings.values());
    }

    private @Nullable Object ofResult(Object target, Method method, @Nullable Object[] arguments)
        throws Throwable {
      if (SENT_BY_RESULT.contains(method.getName())) {
        record(method.getName(), "#" + number + " result " + call(method.getName(), arguments));
      }
      return invoke(target, method, arguments);
    }
  }
}
