package io.txwatch.oracle.troc;

import io.txwatch.dbms.Dbms;
import io.txwatch.dbms.StableErrorMessages;
import io.txwatch.oracle.CaseExecutor;
import io.txwatch.oracle.ForeignKeyGraph;
import io.txwatch.oracle.troc.ChangeHistory.View;
import io.txwatch.schedule.Sandbox;
import io.txwatch.schedule.ScheduleExecutor;
import io.txwatch.schedule.Values;
import io.txwatch.testcase.TestCase;
import io.txwatch.testcase.WordSet;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The case's tables, filled with a view, and a statement executed on them: with no transaction
 * around it and nobody beside it.
 */
final class ViewExecutor implements AutoCloseable {

  /** What makes a statement on one table change, or look at, others. */
  private static final WordSet LINKS = WordSet.of("REFERENCES", "TRIGGER");

  private final Dbms dbms;
  private final Connection session;
  private final boolean inTransaction;

  /** True if its transaction is one of SQL: to begin it takes no round trip then. */
  private final boolean inSqlTransaction;

  /** True if a statement on one table may change another. */
  private final boolean hasLinkedTables;

  private final AugmentedTables tables;
  private final TableLoader loader;
  private final ForeignKeyGraph references;
  private final Map<String, Set<String>> relatedTables = new HashMap<>();
  private final Map<String, List<List<@Nullable Object>>> initial = new LinkedHashMap<>();

  /**
   * What came of a statement.
   *
   * @param error its error; empty if it succeeded
   * @param count its update count; -1 for a query
   * @param rows what it returned
   * @param updated rows that it updated, by table
   * @param after the rows of each table afterwards, by their numbers
   * @param inserted the rows of each table that are new
   */
  record Result(
      Optional<String> error,
      long count,
      List<List<@Nullable Object>> rows,
      Map<String, Set<Long>> updated,
      Map<String, TreeMap<Long, List<@Nullable Object>>> after,
      Map<String, List<List<@Nullable Object>>> inserted) {}

  /**
   * What a statement sees cannot be the rows of a table: versions of different times together break
   * a key.
   */
  static final class BrokenViewException extends SQLException {
    private static final long serialVersionUID = 1;

    BrokenViewException(SQLException cause) {
      super("what it sees together breaks a key: " + StableErrorMessages.of(cause), cause);
    }
  }

  /** Sets the case up and adds the columns. */
  ViewExecutor(CaseExecutor executor, TestCase testCase)
      throws SQLException, ScheduleExecutor.SetupException {
    this.dbms = executor.dbms();
    this.references = ForeignKeyGraph.of(testCase.setup());
    Sandbox sandbox = executor.sandbox();
    this.session = sandbox.session();
    String product = dbms.database().product();
    // Where an error ends a transaction, there is none; elsewhere one saves the commits.
    this.inTransaction = !product.equals("PostgreSQL");
    this.inSqlTransaction =
        inTransaction && dbms.multiStatement() == Dbms.MultiStatement.ONE_BY_ONE;
    this.hasLinkedTables = testCase.setup().stream().anyMatch(sql -> LINKS.occurIn(sql));
    this.tables = new AugmentedTables(product);
    this.loader = new TableLoader(session, tables, hasLinkedTables);
    try {
      if (!tables.requireColumnLists() && sandbox.define(testCase, tables::augment)) {
        if (!inSqlTransaction || !fillAndRead(sandbox, testCase)) {
          begin();
          sandbox.fill(testCase);
          read(sandbox, testCase);
        }
      } else {
        sandbox.setUp(testCase);
        read(sandbox, testCase);
        for (String table : tables.names()) {
          tables.augment(session, table);
        }
        begin();
      }
    } catch (SQLException | ScheduleExecutor.SetupException e) {
      close();
      throw e;
    }
  }

  private void begin() throws SQLException {
    if (inSqlTransaction) {
      control("BEGIN");
    } else if (inTransaction) {
      session.setAutoCommit(false);
    }
  }

  private void control(String sql) throws SQLException {
    try (Statement statement = session.createStatement()) {
      statement.execute(sql);
    }
  }

  private void read(Sandbox sandbox, TestCase testCase) throws SQLException {
    for (String table : sandbox.tables(testCase)) {
      try (Statement statement = session.createStatement();
          ResultSet result = statement.executeQuery("SELECT * FROM " + table)) {
        initial.put(table, tables.read(result, table));
      }
    }
  }

  /** Begins, fills, and reads in one round trip; false if that is not possible. */
  private boolean fillAndRead(Sandbox sandbox, TestCase testCase) throws SQLException {
    List<String> names = sandbox.tables(testCase);
    List<String> first = new ArrayList<>(List.of("BEGIN"));
    first.addAll(sandbox.fillStatements(testCase));
    List<String> texts = new ArrayList<>(dbms.bundle(first));
    int loader = texts.size();
    names.forEach(table -> texts.add("SELECT * FROM " + table));
    try (Statement statement = session.createStatement()) {
      statement.execute(String.join(";\n", texts));
      for (int i = 1; i < loader; i++) {
        statement.getMoreResults();
      }
      for (String table : names) {
        statement.getMoreResults();
        try (ResultSet result = statement.getResultSet()) {
          initial.put(table, tables.read(result, table));
        }
      }
      return true;
    } catch (SQLException e) {
      control("ROLLBACK"); // which statement it was shows when they are executed one by one
      return false;
    }
  }

  /** True if statements cannot see the added columns unless they name them. */
  boolean isHidden() {
    return tables.areHidden();
  }

  /** The rows that the set-up left, by table. */
  Map<String, List<List<@Nullable Object>>> initial() {
    return initial;
  }

  /** The table that statements call so. */
  Optional<String> tableNamed(String name) {
    return tables.named(name);
  }

  Set<String> tables() {
    return tables.names();
  }

  /** The tables that foreign keys tie to that one, directly or through others. */
  Set<String> relatedTables(String table) {
    return relatedTables.computeIfAbsent(
        table,
        of ->
            references.relatedTables(of).stream()
                .flatMap(name -> tableNamed(name).stream())
                .collect(Collectors.toSet()));
  }

  /** A statement's text as it has to be here to mean what it means on the tables as they were. */
  String adapt(StatementForm shape, String sql) {
    Optional<String> table = tableNamed(shape.table());
    return tables.requireColumnLists() && table.isPresent()
        ? StatementForm.withColumnNames(tables.layout(table.get()).columns(), sql)
        : sql;
  }

  /** Executes a query on a view. */
  Result query(String sql, View view) throws SQLException {
    return execute(sql, view, Set.of());
  }

  /** Executes a statement that writes to that table on a view. */
  Result write(String sql, View view, String table) throws SQLException {
    return execute(sql, view, hasLinkedTables ? tables.names() : Set.of(table));
  }

  private Result execute(String sql, View view, Set<String> written) throws SQLException {
    Optional<List<StatementResult>> answers = executeInOneRoundTrip(sql, view, written);
    if (answers.isEmpty()) {
      load(view);
      try {
        answers = Optional.of(List.of(executeOne(dbms.renderSql(sql))));
      } catch (SQLException e) {
        written.forEach(loader::invalidate);
        return new Result(
            Optional.of(StableErrorMessages.of(e)), -1, List.of(), Map.of(), Map.of(), Map.of());
      }
    }
    Iterator<StatementResult> next = answers.get().iterator();
    StatementResult answer = next.next();
    Map<String, Set<Long>> updated = new HashMap<>();
    Map<String, TreeMap<Long, List<@Nullable Object>>> after = new HashMap<>(view.tables());
    Map<String, List<List<@Nullable Object>>> inserted = new HashMap<>();
    for (String table : written) {
      StatementResult contents = next.hasNext() ? next.next() : executeOne(tables.contents(table));
      TreeMap<Long, List<@Nullable Object>> known = new TreeMap<>();
      List<List<@Nullable Object>> fresh = new ArrayList<>();
      Set<Long> touched = new HashSet<>();
      for (List<@Nullable Object> row : contents.rows()) {
        List<@Nullable Object> own = row.subList(2, row.size());
        if (row.get(0) instanceof Number number) {
          known.put(number.longValue(), own);
          if (row.get(1) != null) {
            touched.add(number.longValue());
          }
        } else {
          fresh.add(own);
        }
      }
      fresh.sort(Comparator.comparing(Values::line));
      if (!fresh.isEmpty() || !touched.isEmpty() || !loader.holds(table, known)) {
        loader.invalidate(table);
      }
      updated.put(table, touched);
      after.put(table, known);
      inserted.put(table, fresh);
    }
    return new Result(Optional.empty(), answer.count(), answer.visible(), updated, after, inserted);
  }

  /** The rows of the locked query's answer: their numbers. */
  Set<Long> numbers(String sql, View view) throws SQLException {
    Optional<List<StatementResult>> answers = executeInOneRoundTrip(sql, view, Set.of());
    if (answers.isEmpty()) {
      load(view);
      answers = Optional.of(List.of(executeOne(dbms.renderSql(sql))));
    }
    Set<Long> numbers = new HashSet<>();
    for (List<@Nullable Object> row : answers.get().get(0).rows()) {
      numbers.add(row.get(0) instanceof Number number ? number.longValue() : 0L);
    }
    return numbers;
  }

  /**
   * In one round trip: loads a view, executes a statement, and looks at the tables that it wrote.
   * Empty if that is not possible, or if something fails, be it one or the other: nothing is known
   * of the tables then.
   */
  private Optional<List<StatementResult>> executeInOneRoundTrip(
      String sql, View view, Set<String> written) {
    TableLoader.Plan plan = loader.plan(view);
    if (dbms.multiStatement() == Dbms.MultiStatement.UNSUPPORTED || !plan.bound().isEmpty()) {
      return Optional.empty();
    }
    List<String> texts = new ArrayList<>(dbms.bundle(plan.statements()));
    int loading = texts.size();
    texts.add(dbms.renderSql(sql));
    written.forEach(table -> texts.add(tables.contents(table)));
    List<StatementResult> answers = new ArrayList<>();
    try (Statement statement = session.createStatement()) {
      boolean isQuery = statement.execute(String.join(";\n", texts));
      for (int i = 0; i < texts.size(); i++) {
        answers.add(StatementResult.of(statement, isQuery));
        isQuery = statement.getMoreResults();
      }
    } catch (SQLException e) {
      loader.invalidate(); // which of them it was shows when they are executed one by one
      return Optional.empty();
    }
    loader.markExecuted(plan);
    return Optional.of(answers.subList(loading, answers.size()));
  }

  private StatementResult executeOne(String sql) throws SQLException {
    try (Statement statement = session.createStatement()) {
      return StatementResult.of(statement, statement.execute(sql));
    }
  }

  private void load(View view) throws SQLException {
    try {
      loader.execute(loader.plan(view));
    } catch (SQLException e) {
      loader.invalidate();
      throw Objects.requireNonNullElse(e.getSQLState(), "").startsWith("23")
          ? new BrokenViewException(e)
          : e;
    }
  }

  /** Leaves the session as it was. */
  @Override
  public void close() throws SQLException {
    if (inSqlTransaction) {
      control("ROLLBACK");
    } else if (!session.getAutoCommit()) {
      session.rollback();
      session.setAutoCommit(true);
    }
  }
}
