package io.txwatch.oracle.troc;

import io.txwatch.dbms.Dbms;
import io.txwatch.dbms.Messages;
import io.txwatch.oracle.Laboratory;
import io.txwatch.oracle.References;
import io.txwatch.schedule.Sandbox;
import io.txwatch.schedule.ScheduleExecutor;
import io.txwatch.schedule.Values;
import io.txwatch.testcase.TestCase;
import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.Date;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.StringJoiner;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The case's tables, filled with a view, and a statement executed on them: with no transaction
 * around it and nobody beside it. Each table has two more columns: the number of the row (Troc,
 * section III-C) and whether the statement updated it, be it to what it was.
 */
final class Scratch implements AutoCloseable {

  private static final String ROW = "txw_row";
  private static final String TOUCHED = "txw_touched";

  /** Text that every dialect writes in the same way. */
  private static final Pattern PLAIN = Pattern.compile("[A-Za-z0-9 _.,:-]*");

  private final Dbms dbms;
  private final Connection session;
  private final boolean hidden;
  private final boolean allColumnsNeeded;
  private final boolean inTransaction;
  private final Map<String, Layout> layouts = new LinkedHashMap<>();
  private final References references;
  private final Map<String, Set<String>> relatives = new HashMap<>();
  private final Map<String, TreeMap<Long, List<@Nullable Object>>> loaded = new HashMap<>();
  private final Map<String, List<List<@Nullable Object>>> initial = new LinkedHashMap<>();

  /** The columns of a table, as statements spell them. */
  private record Layout(String columns, int width) {}

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
      super("what it sees together breaks a key: " + Messages.of(cause), cause);
    }
  }

  /** Sets the case up and adds the columns. */
  Scratch(Laboratory laboratory, TestCase testCase)
      throws SQLException, ScheduleExecutor.SetupException {
    this.dbms = laboratory.dbms();
    this.references = References.of(testCase.setup());
    Sandbox sandbox = laboratory.sandbox();
    this.session = sandbox.session();
    String product = dbms.database().product();
    // Where an error ends a transaction, there is none; elsewhere one saves the commits.
    this.inTransaction = !product.equals("PostgreSQL");
    this.hidden = Set.of("MySQL", "MariaDB", "TiDB", "H2").contains(product);
    this.allColumnsNeeded = !hidden && !product.equals("PostgreSQL");
    try {
      if (!allColumnsNeeded && sandbox.define(testCase, this::widen)) {
        begin();
        sandbox.fill(testCase);
        read(sandbox, testCase);
      } else {
        sandbox.setUp(testCase);
        read(sandbox, testCase);
        for (String table : layouts.keySet()) {
          widen(session, table);
        }
        begin();
      }
    } catch (SQLException | ScheduleExecutor.SetupException e) {
      close();
      throw e;
    }
  }

  private void begin() throws SQLException {
    if (inTransaction) {
      session.setAutoCommit(false);
    }
  }

  /** True if statements cannot see the added columns unless they name them. */
  boolean isHidden() {
    return hidden;
  }

  /** The rows that the set-up left, by table. */
  Map<String, List<List<@Nullable Object>>> initial() {
    return initial;
  }

  /** The table that statements call so. */
  Optional<String> table(String name) {
    String wanted = bare(name);
    return layouts.keySet().stream()
        .filter(table -> bare(table).equalsIgnoreCase(wanted))
        .findFirst();
  }

  Set<String> tables() {
    return layouts.keySet();
  }

  /** The tables that foreign keys tie to that one, directly or through others. */
  Set<String> relatives(String table) {
    return relatives.computeIfAbsent(
        table,
        of ->
            references.relatives(of).stream()
                .flatMap(name -> table(name).stream())
                .collect(Collectors.toSet()));
  }

  private static String bare(String table) {
    return table.replaceAll("[\"`]", "");
  }

  private void read(Sandbox sandbox, TestCase testCase) throws SQLException {
    for (String table : sandbox.tables(testCase)) {
      read(table);
    }
  }

  private void read(String table) throws SQLException {
    try (Statement statement = session.createStatement();
        ResultSet result = statement.executeQuery("SELECT * FROM " + table)) {
      ResultSetMetaData shape = result.getMetaData();
      String quote = table.startsWith("`") ? "`" : "\"";
      List<String> columns = new ArrayList<>();
      for (int i = 1; i <= shape.getColumnCount(); i++) {
        if (!isOurs(shape.getColumnName(i))) { // ours come last
          columns.add(quote + shape.getColumnName(i) + quote);
        }
      }
      layouts.put(table, new Layout(String.join(", ", columns), columns.size()));
      List<List<@Nullable Object>> rows = new ArrayList<>();
      while (result.next()) {
        rows.add(row(result, 1, columns.size()));
      }
      rows.sort(Comparator.comparing(Values::line));
      initial.put(table, rows);
    }
  }

  private static boolean isOurs(String column) {
    return column.equalsIgnoreCase(ROW) || column.equalsIgnoreCase(TOUCHED);
  }

  private static List<@Nullable Object> row(ResultSet result, int first, int width)
      throws SQLException {
    List<@Nullable Object> row = new ArrayList<>(width);
    for (int i = 0; i < width; i++) {
      row.add(result.getObject(first + i));
    }
    return row;
  }

  private void widen(Connection by, String table) throws SQLException {
    String alter = "ALTER TABLE " + table + " ADD COLUMN ";
    try (Statement statement = by.createStatement()) {
      switch (dbms.database().product()) {
        case "MySQL", "MariaDB", "TiDB" ->
            statement.execute(
                alter + ROW + " BIGINT INVISIBLE, ADD COLUMN " + TOUCHED + " INT INVISIBLE");
        case "H2" ->
            statement.execute(
                alter + "(" + ROW + " BIGINT INVISIBLE, " + TOUCHED + " INT INVISIBLE)");
        case "PostgreSQL" ->
            statement.execute(alter + ROW + " BIGINT, ADD COLUMN " + TOUCHED + " INT");
        default -> {
          statement.execute(alter + ROW + " BIGINT");
          statement.execute(alter + TOUCHED + " INT");
        }
      }
    }
  }

  /** A statement's text as it has to be here to mean what it means on the tables as they were. */
  String adapted(Shape shape, String sql) {
    Optional<String> table = table(shape.table());
    return allColumnsNeeded && table.isPresent()
        ? Shape.naming(layout(table.get()).columns(), sql)
        : sql;
  }

  /** Executes a statement on a view. */
  Result execute(String sql, RowVersions.View view, boolean writes) throws SQLException {
    load(view);
    long count = -1;
    List<List<@Nullable Object>> rows = List.of();
    try (Statement statement = session.createStatement()) {
      if (statement.execute(dbms.spell(sql))) {
        try (ResultSet result = statement.getResultSet()) {
          rows = visible(result);
        }
      } else {
        count = statement.getUpdateCount();
      }
    } catch (SQLException e) {
      if (writes) {
        loaded.clear();
      }
      return new Result(Optional.of(Messages.of(e)), -1, List.of(), Map.of(), Map.of(), Map.of());
    }
    Map<String, Set<Long>> updated = new HashMap<>();
    Map<String, TreeMap<Long, List<@Nullable Object>>> after = new HashMap<>();
    Map<String, List<List<@Nullable Object>>> inserted = new HashMap<>();
    if (writes) {
      for (String table : layouts.keySet()) {
        readBack(table, updated, after, inserted);
      }
    }
    return new Result(Optional.empty(), count, rows, updated, after, inserted);
  }

  /** The rows of a result without the added columns. */
  private static List<List<@Nullable Object>> visible(ResultSet result) throws SQLException {
    ResultSetMetaData shape = result.getMetaData();
    List<Integer> kept = new ArrayList<>();
    for (int i = 1; i <= shape.getColumnCount(); i++) {
      if (shape.getColumnCount() == 1 || !isOurs(shape.getColumnLabel(i))) {
        kept.add(i);
      }
    }
    List<List<@Nullable Object>> rows = new ArrayList<>();
    while (result.next()) {
      List<@Nullable Object> row = new ArrayList<>();
      for (int i : kept) {
        row.add(Values.value(result.getObject(i)));
      }
      rows.add(row);
    }
    return rows;
  }

  private void readBack(
      String table,
      Map<String, Set<Long>> updated,
      Map<String, TreeMap<Long, List<@Nullable Object>>> after,
      Map<String, List<List<@Nullable Object>>> inserted)
      throws SQLException {
    Layout layout = layout(table);
    TreeMap<Long, List<@Nullable Object>> known = new TreeMap<>();
    List<List<@Nullable Object>> fresh = new ArrayList<>();
    Set<Long> touched = new HashSet<>();
    try (Statement statement = session.createStatement();
        ResultSet result =
            statement.executeQuery(
                "SELECT " + ROW + ", " + TOUCHED + ", " + layout.columns() + " FROM " + table)) {
      while (result.next()) {
        List<@Nullable Object> row = row(result, 3, layout.width());
        long number = result.getLong(1);
        if (result.wasNull()) {
          fresh.add(row);
        } else {
          known.put(number, row);
          result.getInt(2);
          if (!result.wasNull()) {
            touched.add(number);
          }
        }
      }
    }
    fresh.sort(Comparator.comparing(Values::line));
    if (!fresh.isEmpty() || !touched.isEmpty() || !known.equals(loaded.get(table))) {
      loaded.remove(table);
    }
    updated.put(table, touched);
    after.put(table, known);
    inserted.put(table, fresh);
  }

  /** The rows of the locked query's answer: their numbers. */
  Set<Long> numbers(String sql, RowVersions.View view) throws SQLException {
    load(view);
    Set<Long> numbers = new HashSet<>();
    try (Statement statement = session.createStatement();
        ResultSet result = statement.executeQuery(dbms.spell(sql))) {
      while (result.next()) {
        numbers.add(result.getLong(1));
      }
    }
    return numbers;
  }

  /** The name of the column that holds a row's number. */
  static String rowColumn() {
    return ROW;
  }

  /** The name of the column that an update marks. */
  static String touchedColumn() {
    return TOUCHED;
  }

  private void load(RowVersions.View view) throws SQLException {
    try {
      fill(view);
    } catch (SQLException e) {
      loaded.clear();
      throw Objects.requireNonNullElse(e.getSQLState(), "").startsWith("23")
          ? new BrokenViewException(e)
          : e;
    }
  }

  /** Fills the tables that do not hold the view's rows already; parents before children. */
  private void fill(RowVersions.View view) throws SQLException {
    List<String> wrong = new ArrayList<>();
    for (String table : layouts.keySet()) {
      if (!view.rows(table).equals(loaded.get(table))) {
        wrong.add(table);
      }
    }
    if (wrong.isEmpty()) {
      return;
    }
    if (wrong.size() < layouts.size() && layouts.size() > 1) {
      wrong = new ArrayList<>(layouts.keySet()); // they may refer to each other
    }
    List<String> statements = new ArrayList<>();
    for (String table : wrong) {
      statements.add(0, "DELETE FROM " + table);
    }
    List<String> bound = new ArrayList<>();
    for (String table : wrong) {
      TreeMap<Long, List<@Nullable Object>> rows = view.rows(table);
      Optional<String> insert = insert(table, rows);
      if (bound.isEmpty() && insert.isPresent()) {
        statements.add(insert.get());
      } else if (!rows.isEmpty()) {
        bound.add(table);
      }
    }
    try (Statement statement = session.createStatement()) {
      for (String sql : statements) {
        statement.addBatch(sql);
      }
      statement.executeBatch();
    }
    for (String table : bound) {
      insertBound(table, view.rows(table));
    }
    wrong.forEach(table -> loaded.put(table, view.rows(table)));
  }

  /** An INSERT of the rows; empty if there are none, or a value is not plainly written. */
  private Optional<String> insert(String table, TreeMap<Long, List<@Nullable Object>> rows) {
    StringJoiner values = new StringJoiner(", ");
    for (Map.Entry<Long, List<@Nullable Object>> row : rows.entrySet()) {
      StringJoiner one = new StringJoiner(", ", "(", ")");
      for (Object value : row.getValue()) {
        if (value == null) {
          one.add("NULL");
        } else if (value instanceof String text && PLAIN.matcher(text).matches()) {
          one.add("'" + text + "'");
        } else if (value instanceof Integer || value instanceof Long) {
          one.add(value.toString());
        } else if (value instanceof BigDecimal number) {
          one.add(number.toPlainString());
        } else if (value instanceof Double) {
          one.add(value.toString());
        } else if (value instanceof Date day) {
          one.add("DATE '" + day + "'");
        } else {
          return Optional.empty();
        }
      }
      values.add(one.add(row.getKey().toString()).toString());
    }
    return rows.isEmpty()
        ? Optional.empty()
        : Optional.of("INSERT INTO " + table + " (" + columns(table) + ") VALUES " + values);
  }

  private String columns(String table) {
    return layout(table).columns() + ", " + ROW;
  }

  private void insertBound(String table, TreeMap<Long, List<@Nullable Object>> rows)
      throws SQLException {
    String one = "(" + "?, ".repeat(layout(table).width()) + "?)";
    String sql =
        "INSERT INTO "
            + table
            + " ("
            + columns(table)
            + ") VALUES "
            + String.join(", ", Collections.nCopies(rows.size(), one));
    try (PreparedStatement statement = session.prepareStatement(sql)) {
      int place = 1;
      for (Map.Entry<Long, List<@Nullable Object>> row : rows.entrySet()) {
        for (Object value : row.getValue()) {
          statement.setObject(place++, value);
        }
        statement.setLong(place++, row.getKey());
      }
      statement.execute();
    }
  }

  private Layout layout(String table) {
    return Objects.requireNonNull(layouts.get(table));
  }

  /** Leaves the session as it was. */
  @Override
  public void close() throws SQLException {
    if (!session.getAutoCommit()) {
      session.rollback();
      session.setAutoCommit(true);
    }
  }
}
