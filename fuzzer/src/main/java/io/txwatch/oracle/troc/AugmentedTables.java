package io.txwatch.oracle.troc;

import io.txwatch.dbms.DbmsBehaviour;
import io.txwatch.schedule.Values;
import io.txwatch.sql.syntax.Identifiers;
import io.txwatch.testcase.StatementText;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The tables of a case with two added columns: the number of the row (Troc, section III-C), and
 * whether a statement updated it, even if the values stayed equal.
 */
final class AugmentedTables {

  /** The column with a row's number; null in a row that a statement has inserted. */
  static final String ROW = "txw_row";

  /** The column that an update marks; null in a row that was not updated. */
  static final String TOUCHED = "txw_touched";

  private final DbmsBehaviour dbms;
  private final Map<String, Layout> layouts = new LinkedHashMap<>();

  /**
   * The original columns of a table, as statements spell them.
   *
   * @param columns their names, in quotes
   * @param autoIncrementColumn the index of the auto-increment column; -1 if there is none
   */
  record Layout(List<String> columns, int autoIncrementColumn) {

    /** The number of the columns. */
    int width() {
      return columns.size();
    }

    /** The names of the columns, separated by commas. */
    String columnList() {
      return String.join(", ", columns);
    }
  }

  /** Creates an empty set of tables for a DBMS. */
  AugmentedTables(DbmsBehaviour dbms) {
    this.dbms = dbms;
  }

  /** True if statements cannot see the added columns unless they name them. */
  boolean areHidden() {
    return dbms.hidesAddedColumns();
  }

  /** True if an INSERT without a column list would need values for the added columns. */
  boolean requireColumnLists() {
    return !dbms.insertsMayOmitLastColumns();
  }

  /** Adds the columns to a table. */
  void augment(Connection by, String table) throws SQLException {
    try (Statement statement = by.createStatement()) {
      for (String sql : dbms.addColumns(table, List.of(ROW + " BIGINT", TOUCHED + " INT"))) {
        statement.execute(sql);
      }
    }
  }

  /** Reads a table and records its columns; the rows are sorted by their texts. */
  List<List<@Nullable Object>> read(ResultSet result, String table) throws SQLException {
    ResultSetMetaData metaData = result.getMetaData();
    List<String> columns = new ArrayList<>();
    int autoIncrementColumn = -1;
    for (int i = 1; i <= metaData.getColumnCount(); i++) {
      if (!isAdded(metaData.getColumnName(i))) { // the added columns come last
        autoIncrementColumn = metaData.isAutoIncrement(i) ? columns.size() : autoIncrementColumn;
        columns.add(dbms.quoted(metaData.getColumnName(i)));
      }
    }
    layouts.put(table, new Layout(columns, autoIncrementColumn));
    List<List<@Nullable Object>> rows = new ArrayList<>();
    while (result.next()) {
      rows.add(row(result, 1, columns.size()));
    }
    rows.sort(Comparator.comparing(Values::line));
    return rows;
  }

  /** True if a column is one of the added ones. */
  static boolean isAdded(String column) {
    return column.equalsIgnoreCase(ROW) || column.equalsIgnoreCase(TOUCHED);
  }

  /** The values of {@code width} columns of a row, from {@code first} on. */
  static List<@Nullable Object> row(ResultSet result, int first, int width) throws SQLException {
    List<@Nullable Object> row = new ArrayList<>(width);
    for (int i = 0; i < width; i++) {
      row.add(Bytes.comparable(result.getObject(first + i)));
    }
    return row;
  }

  /** Their names, parents before children. */
  Set<String> names() {
    return layouts.keySet();
  }

  /** The table that statements refer to by this name. */
  Optional<String> named(String name) {
    String wanted = StatementText.unquoted(name);
    return layouts.keySet().stream()
        .filter(table -> StatementText.unquoted(table).equals(wanted))
        .findFirst();
  }

  /** The beginning of an INSERT that stores rows exactly as they are. */
  String insert(String table, Collection<List<@Nullable Object>> rows) {
    int autoIncrementColumn = layout(table).autoIncrementColumn();
    boolean zero =
        autoIncrementColumn >= 0
            && rows.stream()
                .map(row -> row.get(autoIncrementColumn))
                .anyMatch(value -> value instanceof Number number && number.doubleValue() == 0);
    return (zero ? dbms.insertKeepingZero() : "INSERT")
        + (" INTO " + table + " (" + layout(table).columnList() + ", " + ROW + ") VALUES ");
  }

  /** The columns of a table that was read. */
  Layout layout(String table) {
    return Objects.requireNonNull(layouts.get(table));
  }

  /** The index of a column in a table's rows; -1 if it has none of that name. */
  int columnIndex(String table, String column) {
    List<String> columns = layout(table).columns().stream().map(Identifiers::fold).toList();
    return columns.indexOf(Identifiers.fold(column));
  }

  /** The query for a table's rows: number, mark, and the original columns. */
  String contents(String table) {
    return "SELECT " + ROW + ", " + TOUCHED + ", " + layout(table).columnList() + " FROM " + table;
  }
}
