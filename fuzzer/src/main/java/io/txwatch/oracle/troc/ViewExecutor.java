package io.txwatch.oracle.troc;

import io.txwatch.dbms.Dbms;
import io.txwatch.dbms.StableErrorMessages;
import io.txwatch.oracle.CaseExecutor;
import io.txwatch.oracle.ForeignKeyGraph;
import io.txwatch.oracle.troc.ChangeHistory.View;
import io.txwatch.schedule.Sandbox;
import io.txwatch.schedule.ScheduleExecutor;
import io.txwatch.schedule.Values;
import io.txwatch.testcase.SqlText;
import io.txwatch.testcase.TestCase;
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
 * Executes single statements on the case's tables, loaded with a view, without concurrent sessions.
 */
final class ViewExecutor implements AutoCloseable {

  /** Keywords by which a statement on one table may change or read others. */
  private final Dbms dbms;

  private final Connection session;
  private final boolean inTransaction;

  /** True if SQL controls its transaction: BEGIN then needs no round trip. */
  private final boolean inSqlTransaction;

  /** True if a statement on one table may change another. */
  private final boolean hasLinkedTables;

  private final AugmentedTables tables;
  private final TableLoader loader;
  private final List<String> definitions;
  private final ForeignKeyGraph references;
  private final Map<String, Set<String>> relatedTables = new HashMap<>();
  private final Map<String, List<List<@Nullable Object>>> initial = new LinkedHashMap<>();

  /**
   * The error of a statement.
   *
   * @param message its message
   * @param sqlState its SQLSTATE; empty if it has none
   * @param vendorCode the vendor's code; 0 if it has none
   */
  record Error(String message, String sqlState, int vendorCode) {

    static Error of(SQLException error) {
      return new Error(
          StableErrorMessages.of(error),
          Objects.requireNonNullElse(error.getSQLState(), ""),
          error.getErrorCode());
    }
  }

  /**
   * The outcome of a statement.
   *
   * @param error its error; empty if it succeeded
   * @param count its update count; -1 for a query
   * @param rows the returned rows
   * @param updated the updated rows, by table
   * @param after the rows of each table afterwards, by their numbers
   * @param inserted the new rows of each table
   */
  record Outcome(
      Optional<Error> error,
      long count,
      List<List<@Nullable Object>> rows,
      Map<String, Set<Long>> updated,
      Map<String, TreeMap<Long, List<@Nullable Object>>> after,
      Map<String, List<List<@Nullable Object>>> inserted) {

    /** True if another write has the same count and leaves the same rows in a table. */
    boolean doesSameTo(String table, Outcome other) {
      return count == other.count
          && Objects.equals(after.get(table), other.after.get(table))
          && Objects.equals(inserted.get(table), other.inserted.get(table));
    }

    /** The outcome of a statement that failed. */
    static Outcome failed(SQLException error) {
      return new Outcome(Optional.of(Error.of(error)), -1, List.of(), Map.of(), Map.of(), Map.of());
    }
  }

  /** The view cannot be loaded: versions of different points in time together violate a key. */
  static final class BrokenViewException extends SQLException {
    private static final long serialVersionUID = 1;

    BrokenViewException(SQLException cause) {
      super(
          "its view violates a key: " + StableErrorMessages.of(cause),
          cause.getSQLState(),
          cause.getErrorCode(),
          cause);
    }
  }

  /** Sets up the case and adds the columns. */
  ViewExecutor(CaseExecutor executor, TestCase testCase)
      throws SQLException, ScheduleExecutor.SetupException {
    this(executor.dbms(), executor.sandbox(), testCase);
  }

  ViewExecutor(Dbms dbms, Sandbox sandbox, TestCase testCase)
      throws SQLException, ScheduleExecutor.SetupException {
    this.dbms = dbms;
    this.definitions = testCase.setup().stream().map(dbms::renderSql).toList();
    this.references = ForeignKeyGraph.of(definitions);
    this.session = sandbox.session();
    // A transaction saves commits; without one where an error aborts it.
    this.inTransaction = !dbms.abortsTransactionOnError();
    this.inSqlTransaction =
        inTransaction && dbms.multiStatement() == Dbms.MultiStatement.ONE_BY_ONE;
    this.hasLinkedTables =
        testCase.setup().stream().anyMatch(sql -> SqlText.of(sql).hasAny("REFERENCES", "TRIGGER"));
    this.tables = new AugmentedTables(dbms);
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

  /** Begins, fills and reads in one round trip; false if that is not possible. */
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
      control("ROLLBACK"); // single execution will show which statement failed
      return false;
    }
  }

  /** True if statements cannot see the added columns unless they name them. */
  boolean isHidden() {
    return tables.areHidden();
  }

  /** How the DBMS identifies rows. */
  RowIdentity rowIdentity() {
    return RowIdentity.of(dbms, definitions, tables);
  }

  /** The index of a column in a table's rows; -1 if it has none of that name. */
  int columnIndex(String table, String column) {
    return tables.columnIndex(table, column);
  }

  /** The keys and indexes of the tables. */
  TableKeys keys() {
    return TableKeys.of(definitions);
  }

  /** The tables that statements read. */
  TableReads tableReads() {
    return new TableReads(this, definitions);
  }

  /** The rows after the set-up, by table. */
  Map<String, List<List<@Nullable Object>>> initial() {
    return initial;
  }

  /** The table that statements refer to by this name. */
  Optional<String> tableNamed(String name) {
    return tables.named(name);
  }

  Set<String> tables() {
    return tables.names();
  }

  /** The tables that foreign keys relate to a table, directly or transitively. */
  Set<String> relatedTables(String table) {
    return relatedTables.computeIfAbsent(
        table,
        of ->
            references.relatedTables(of).stream()
                .flatMap(name -> tableNamed(name).stream())
                .collect(Collectors.toSet()));
  }

  /** The text that has the same meaning on the augmented tables. */
  String adapt(StatementForm form, String sql) {
    Optional<String> table = tableNamed(form.table());
    return tables.requireColumnLists() && table.isPresent()
        ? SqlText.of(sql).withColumns(tables.layout(table.get()).columns())
        : sql;
  }

  /** Executes a query on a view. */
  Outcome query(String sql, View view) throws SQLException {
    return execute(sql, view, Set.of());
  }

  /** Executes a write to the table on a view. */
  Outcome write(String sql, View view, String table) throws SQLException {
    return execute(sql, view, hasLinkedTables ? tables.names() : Set.of(table));
  }

  private Outcome execute(String sql, View view, Set<String> written) throws SQLException {
    Optional<List<StatementResult>> answers = executeInOneRoundTrip(sql, view, written);
    if (answers.isEmpty()) {
      load(view);
      try {
        answers = Optional.of(List.of(executeOne(dbms.renderSql(sql))));
      } catch (SQLException e) {
        written.forEach(loader::invalidate);
        return Outcome.failed(e);
      }
    }
    Iterator<StatementResult> next = answers.get().iterator();
    StatementResult answer = next.next();
    Outcome outcome =
        new Outcome(
            Optional.empty(),
            answer.count(),
            answer.visible(),
            new HashMap<>(),
            new HashMap<>(view.tables()),
            new HashMap<>());
    for (String table : written) {
      addChanges(outcome, table, next.hasNext() ? next.next() : executeOne(tables.contents(table)));
    }
    return outcome;
  }

  /** Adds the changes of a table to an outcome, given the table's rows afterwards. */
  private void addChanges(Outcome outcome, String table, StatementResult contents) {
    TreeMap<Long, List<@Nullable Object>> known = new TreeMap<>();
    List<List<@Nullable Object>> inserted = new ArrayList<>();
    Set<Long> updated = new HashSet<>();
    for (List<@Nullable Object> row : contents.rows()) {
      List<@Nullable Object> own = row.subList(2, row.size());
      if (row.get(0) instanceof Number number) {
        known.put(number.longValue(), own);
        if (row.get(1) != null) {
          updated.add(number.longValue());
        }
      } else {
        inserted.add(own);
      }
    }
    inserted.sort(Comparator.comparing(Values::line));
    if (!inserted.isEmpty() || !updated.isEmpty() || !loader.holds(table, known)) {
      loader.invalidate(table);
    }
    outcome.updated().put(table, updated);
    outcome.after().put(table, known);
    outcome.inserted().put(table, inserted);
  }

  /** The rows of a view that a write updated or deleted, by table. */
  Map<String, Set<Long>> touched(View view, Outcome result) {
    Map<String, Set<Long>> touched = new HashMap<>();
    for (String table : tables.names()) {
      Set<Long> rows = new HashSet<>(result.updated().getOrDefault(table, Set.of()));
      TreeMap<Long, List<@Nullable Object>> after =
          result.after().getOrDefault(table, new TreeMap<>());
      view.rows(table)
          .forEach(
              (row, data) -> {
                if (!data.equals(after.get(row))) {
                  rows.add(row);
                }
              });
      touched.put(table, rows);
    }
    return touched;
  }

  /** The numbers of the rows that the query returns. */
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
   * Loads a view, executes a statement and reads the written tables, in one round trip. Empty if
   * that is not possible or if anything fails: the tables' rows are then unknown.
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
      loader.invalidate(); // single execution will show which statement failed
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

  /** Restores the session to autocommit mode. */
  @Override
  public void close() throws SQLException {
    if (inSqlTransaction) {
      control("ROLLBACK");
    } else if (!session.getAutoCommit()) {
      session.rollback();
      session.setAutoCommit(true);
    }
  }

  /** The DBMS that executes the statements. */
  Dbms dbms() {
    return dbms;
  }
}
