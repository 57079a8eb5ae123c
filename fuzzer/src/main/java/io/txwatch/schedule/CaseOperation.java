package io.txwatch.schedule;

import io.txwatch.capture.CallSites;
import io.txwatch.dbms.Dbms;
import io.txwatch.dbms.Failure;
import io.txwatch.history.IsolationLevel;
import io.txwatch.history.RecordedValue;
import io.txwatch.schedule.ObservedPath.LeftException;
import io.txwatch.schedule.ObservedPath.Strictness;
import io.txwatch.schedule.ScheduleExecutor.SetupException;
import io.txwatch.testcase.SqlText;
import io.txwatch.testcase.StatementText;
import io.txwatch.testcase.Step;
import io.txwatch.testcase.TestCase;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The statements of one session of a case, executed again and again on the same connection. Its
 * result is what the statements return.
 *
 * <p>A session that begins no transaction is one transaction. After an error that ends the
 * transaction, or that other sessions have caused, it rolls back and throws the error, as an
 * application would; any other error is a result, and the session goes on. What is open at the end
 * is rolled back.
 */
final class CaseOperation implements Callable<String>, AutoCloseable {

  /** How a transaction was begun, and so how it has to be ended. */
  private enum Begun {
    NOT,
    BY_JDBC,
    BY_SQL
  }

  private final Dbms dbms;
  private final Connection connection;
  private final List<RenderedStep> steps;
  private final IsolationLevel level;
  private final Map<String, String> settings;
  private final boolean prepares;
  private final boolean isOneTransaction;
  private final boolean takesLocksOfSession;

  private final @Nullable ObservedPath path;
  private final Strictness strictness;

  /** What each statement returned when the session was alone; empty if that does not matter. */
  private List<String> alone = List.of();

  private final List<List<List<RecordedValue>>> returned = new ArrayList<>();
  private Begun begun = Begun.NOT;
  private volatile @Nullable Step current;
  private volatile boolean isExecuting;

  /**
   * An operation that has not been executed yet.
   *
   * @param connection closed by {@link #close}
   * @param steps those of the session
   * @param level the level of its transactions
   * @param isOneTransaction true if it is one transaction unless it begins one
   * @param path its steps as they were observed; null if they are just texts
   */
  CaseOperation(
      Dbms dbms,
      Connection connection,
      TestCase testCase,
      List<RenderedStep> steps,
      IsolationLevel level,
      boolean isOneTransaction,
      @Nullable ObservedPath path,
      Strictness strictness) {
    this.path = path;
    this.strictness = strictness;
    this.dbms = dbms;
    this.connection = connection;
    this.steps = List.copyOf(steps);
    this.takesLocksOfSession =
        steps.stream().anyMatch(one -> StatementText.takesLocksOfSession(one.text()));
    this.level = level;
    this.settings = testCase.settings();
    this.prepares =
        testCase.header(StatementText.JDBC_HEADER).equals(Optional.of(StatementText.PREPARED));
    this.isOneTransaction =
        isOneTransaction && steps.stream().allMatch(one -> one.step().role() == Step.Role.WORK);
  }

  /**
   * Gives the session its level and settings.
   *
   * @throws SetupException if the DBMS does not have one of the settings
   */
  void setUp() throws SQLException, SetupException {
    dbms.refreshSchema(connection);
    dbms.setLevel(connection, level);
    for (Map.Entry<String, String> setting : settings.entrySet()) {
      try (Statement statement = connection.createStatement()) {
        statement.execute(
            dbms.settingStatement(setting.getKey(), Optional.of(setting.getValue()))
                .orElseThrow(() -> new SQLException("no such settings on this DBMS", "0A000")));
      } catch (SQLException e) {
        throw new SetupException(setting.getKey(), e);
      }
    }
  }

  /**
   * Executes it while no other session does anything.
   *
   * @throws SQLException if a statement fails
   * @throws ObservedPath.LeftException if it leaves its path
   */
  void callAlone() throws SQLException {
    alone = List.of();
    List<String> results = new ArrayList<>();
    call(results);
    if (path != null) {
      requireObservedRows(path);
    }
    alone = List.copyOf(results);
  }

  /** What an application does with other rows than observed is not known. */
  private void requireObservedRows(ObservedPath observed) {
    for (int i = 0; i < returned.size(); i++) {
      if (!observed.found().get(i).are(returned.get(i))) {
        throw new LeftException(
            "'" + observed.texts().get(i).observed() + "' found other rows than when observed");
      }
    }
  }

  @Override
  public String call() throws SQLException {
    List<String> results = new ArrayList<>();
    call(results);
    return results.toString();
  }

  private void call(List<String> results) throws SQLException {
    returned.clear();
    isExecuting = true;
    try {
      if (isOneTransaction) {
        begin();
      }
      for (RenderedStep step : steps) {
        execute(step, results);
      }
      if (isOneTransaction) {
        if (path != null && hasReadOther(results) && writesFrom(path, 0)) {
          throw new LeftException("a statement before the commit has returned something else");
        }
        commit();
      }
    } finally {
      try {
        if (begun != Begun.NOT) {
          rollBack();
        }
      } finally {
        try {
          releaseLocks();
        } finally {
          isExecuting = false;
        }
      }
    }
  }

  /**
   * Releases the locks that last longer than the transaction: an application does so behind it, or
   * where it fails. The statement is observed like the others, as it lets other sessions go on.
   */
  private void releaseLocks() throws SQLException {
    Optional<String> release = dbms.releaseLocksStatement();
    if (path == null || release.isEmpty() || !takesLocksOfSession) {
      return;
    }
    try (Statement statement = connection.createStatement()) {
      statement.execute(release.get());
    }
    if (!connection.getAutoCommit()) {
      connection.commit();
    }
  }

  /** Its steps up to the one that it is executing, or was before it ended. */
  List<Step> begunSteps() {
    List<Step> all = steps();
    return all.subList(0, all.indexOf(current) + 1);
  }

  /** Its steps. */
  List<Step> steps() {
    return steps.stream().map(RenderedStep::step).toList();
  }

  /** True while it is called. */
  boolean isExecuting() {
    return isExecuting;
  }

  /** The name of its session. */
  String name() {
    return steps.get(0).step().session();
  }

  Connection connection() {
    return connection;
  }

  private void execute(RenderedStep step, List<String> results) throws SQLException {
    current = step.step();
    try {
      switch (step.step().role()) {
        case BEGIN -> begin(step.text());
        case COMMIT -> {
          if (begun == Begun.BY_JDBC) {
            commit();
          } else {
            results(step.text());
            begun = Begun.NOT;
          }
        }
        case ROLLBACK -> {
          if (begun == Begun.BY_JDBC) {
            rollBack();
          } else {
            results(step.text());
            begun = Begun.NOT;
          }
        }
        case WORK -> {
          if (path == null) {
            results.add(results(step.text()));
          } else {
            execute(path, results);
          }
        }
      }
    } catch (SQLException e) {
      if (path != null) {
        throw e;
      }
      Failure failure = dbms.failure(e);
      if (failure.endsTransaction() || failure.isConcurrencyRelated()) {
        throw e;
      }
      results.add("error " + e.getSQLState());
    }
  }

  // ---------------------------------------------------------------- observed paths

  private void execute(ObservedPath observed, List<String> results) throws SQLException {
    int number = results.size();
    String sql = observed.texts().get(number).text(returned, dbms::literal);
    boolean isNeeded = ComputedText.needed(observed.texts()).contains(number);
    if (!StatementText.isQuery(sql) && hasReadOther(results)) {
      throw new LeftException(
          "a statement before '" + sql + "' has returned something else than observed");
    }
    CallSites.repeat(observed.callSites().get(number));
    try (Statement statement = connection.createStatement()) {
      boolean isQuery =
          isNeeded
              ? statement.execute(sql, Statement.RETURN_GENERATED_KEYS)
              : statement.execute(sql);
      List<List<RecordedValue>> rows = new ArrayList<>();
      String result;
      long count;
      if (isQuery) {
        try (ResultSet set = statement.getResultSet()) {
          rows.addAll(recorded(set));
        }
        result = StatementText.drawsNumbers(sql) ? "numbers of a sequence" : text(rows);
        count = rows.size();
      } else {
        count = statement.getUpdateCount();
        result = count == 1 ? "1 row" : count + " rows";
        if (isNeeded) {
          try (ResultSet keys = statement.getGeneratedKeys()) {
            rows.addAll(recorded(keys));
          }
        }
      }
      returned.add(rows);
      results.add(result);
      int expected = observed.rows().get(number);
      if (expected >= 0
          && count != expected
          && (strictness != Strictness.LAST_COUNT || !writesFrom(observed, number + 1))) {
        throw new LeftException(
            "'" + sql + "' found " + count + " rows, and " + expected + " when it was observed");
      }
    } finally {
      CallSites.repeat(null);
    }
  }

  /** Whether the application may decide by what it has read to write something else, or nothing. */
  private boolean hasReadOther(List<String> results) {
    return strictness == Strictness.VALUES
        && !alone.isEmpty()
        && !results.equals(alone.subList(0, results.size()));
  }

  private static boolean writesFrom(ObservedPath observed, int number) {
    return observed.texts().stream()
        .skip(number)
        .anyMatch(text -> !StatementText.isQuery(text.observed()));
  }

  private static List<List<RecordedValue>> recorded(ResultSet set) throws SQLException {
    int width = set.getMetaData().getColumnCount();
    List<List<RecordedValue>> rows = new ArrayList<>();
    while (set.next()) {
      List<RecordedValue> row = new ArrayList<>();
      for (int i = 1; i <= width; i++) {
        row.add(RecordedValue.of(set.getObject(i)));
      }
      rows.add(row);
    }
    return rows;
  }

  private static String text(List<List<RecordedValue>> rows) {
    return rows.stream()
        .map(
            row -> row.stream().map(RecordedValue::text).collect(Collectors.joining(",", "(", ")")))
        .sorted()
        .collect(Collectors.joining(" "));
  }

  // ---------------------------------------------------------------- transactions

  private void begin(String sql) throws SQLException {
    SqlText text = SqlText.of(sql);
    int words =
        text.startsWithAny("START") || text.tokens().isAnyWord(1, "WORK", "TRANSACTION") ? 2 : 1;
    if (begun == Begun.NOT && text.tokens().count() == words) {
      begin();
    } else {
      if (begun == Begun.NOT) {
        requireAutocommit();
        begun = Begun.BY_SQL;
      }
      results(sql);
    }
  }

  private void begin() throws SQLException {
    if (connection.getAutoCommit()) {
      connection.setAutoCommit(false);
    }
    begun = Begun.BY_JDBC;
  }

  private void commit() throws SQLException {
    connection.commit();
    begun = Begun.NOT;
  }

  private void rollBack() throws SQLException {
    boolean isBySql = begun == Begun.BY_SQL;
    begun = Begun.NOT;
    if (isBySql) {
      results("ROLLBACK");
    } else {
      connection.rollback();
    }
  }

  /** Leaves the transactions of JDBC. None is open. */
  private void requireAutocommit() throws SQLException {
    if (!connection.getAutoCommit()) {
      connection.setAutoCommit(true);
    }
  }

  // ---------------------------------------------------------------- statements

  /** Executes a statement; returns what it has returned. */
  private String results(String sql) throws SQLException {
    if (begun == Begun.NOT) {
      requireAutocommit();
    }
    if (prepares) {
      try (PreparedStatement statement = PreparedText.of(sql).prepare(connection)) {
        return result(statement, statement.execute());
      }
    }
    try (Statement statement = connection.createStatement()) {
      return result(statement, statement.execute(sql));
    }
  }

  private static String result(Statement statement, boolean isQuery) throws SQLException {
    if (!isQuery) {
      int count = statement.getUpdateCount();
      return count == 1 ? "1 row" : count + " rows";
    }
    try (ResultSet result = statement.getResultSet()) {
      List<String> rows = Values.bag(Values.rows(result));
      return rows.isEmpty() ? "no row" : "(" + String.join(") (", rows) + ")";
    }
  }

  @Override
  public void close() throws SQLException {
    connection.close();
  }
}
