package io.txwatch.proof;

import io.txwatch.dbms.Dbms;
import io.txwatch.history.RecordedValue;
import io.txwatch.predict.ValueComparison;
import io.txwatch.proof.TableCopy.ForeignKey;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;

/** Reads tables from a database: how they are defined, and their rows. */
final class TableCopier {

  /** What the statements begin with that fill the tables. */
  static final String INSERT = "INSERT INTO ";

  /** Tables with more rows are copied only as far as statements choose rows by their columns. */
  private static final int MAX_WHOLE_ROWS = 100;

  /** The most rows of a table. */
  private static final int MAX_ROWS = 1_000;

  /** Of more rows than that, the first and the last ones by their key are copied. */
  private static final int MAX_ROWS_AT_EACH_END = 10;

  private static final int MAX_DEPTH = 50;

  /** Of how many rows each one has a statement of its own: a short case is read by people. */
  private static final int MAX_SINGLE_ROWS = 50;

  private static final int MAX_ROWS_OF_INSERT = 100;

  private final Dbms dbms;
  private final Connection source;
  private final Map<String, TableCopy> read = new LinkedHashMap<>();

  TableCopier(Dbms dbms, Connection source) {
    this.dbms = dbms;
    this.source = source;
  }

  /**
   * Copies of tables and of those that their foreign keys refer to, parents first. Of a large table
   * the rows that statements choose, and those that rows copied refer to.
   *
   * @param chosen the values of columns that statements compare, by table in whatever case
   * @param perhaps the same, of rows that are copied only if they are not too many
   * @throws SQLException if a table is not there, is too large, or has what is not copied
   */
  List<TableCopy> copy(
      Map<String, List<Map<String, RecordedValue>>> chosen,
      Map<String, List<Map<String, RecordedValue>>> perhaps)
      throws SQLException {
    read.clear();
    for (String table : chosen.keySet()) {
      define(table, 0);
    }
    Map<String, List<Map<String, RecordedValue>>> wanted = byName(chosen);
    Map<String, List<Map<String, RecordedValue>>> wantedPerhaps = byName(perhaps);
    List<TableCopy> parentsFirst = List.copyOf(read.values());
    for (int i = parentsFirst.size() - 1; i >= 0; i--) {
      TableCopy table = parentsFirst.get(i);
      fill(
          table,
          wanted.getOrDefault(table.name(), List.of()),
          wantedPerhaps.getOrDefault(table.name(), List.of()));
      for (ForeignKey key : foreignKeys(table.name())) {
        for (Map<String, RecordedValue> row : table.rows()) {
          Map<String, RecordedValue> parent = new LinkedHashMap<>();
          key.columns()
              .forEach(
                  (child, column) ->
                      parent.put(column, row.getOrDefault(child, RecordedValue.NULL)));
          wanted.computeIfAbsent(key.parent(), name -> new ArrayList<>()).add(parent);
        }
      }
    }
    return parentsFirst;
  }

  private Map<String, List<Map<String, RecordedValue>>> byName(
      Map<String, List<Map<String, RecordedValue>>> chosen) throws SQLException {
    Map<String, List<Map<String, RecordedValue>>> named = new HashMap<>();
    for (Map.Entry<String, List<Map<String, RecordedValue>>> one : chosen.entrySet()) {
      named.computeIfAbsent(find(one.getKey()), name -> new ArrayList<>()).addAll(one.getValue());
    }
    return named;
  }

  private List<ForeignKey> foreignKeys(String table) throws SQLException {
    Map<String, ForeignKey> found = new LinkedHashMap<>();
    try (ResultSet keys =
        source.getMetaData().getImportedKeys(source.getCatalog(), source.getSchema(), table)) {
      while (keys.next()) {
        String parent = keys.getString("PKTABLE_NAME");
        found
            .computeIfAbsent(
                keys.getString("FK_NAME") + " of " + parent,
                name -> new ForeignKey(parent, new LinkedHashMap<>()))
            .columns()
            .put(keys.getString("FKCOLUMN_NAME"), keys.getString("PKCOLUMN_NAME"));
      }
    }
    return List.copyOf(found.values());
  }

  private void define(String table, int depth) throws SQLException {
    String name = find(table);
    if (read.containsKey(name)) {
      return;
    }
    if (depth > MAX_DEPTH) {
      throw new SQLException("the foreign keys of " + table + " form a cycle", "0A000");
    }
    for (ForeignKey key : foreignKeys(name)) {
      if (!key.parent().equals(name)) {
        define(key.parent(), depth + 1);
      }
    }
    read.put(
        name,
        new TableCopy(
            name,
            dbms.definition(source, name),
            columns(name),
            primaryKey(name),
            foreignKeys(name)));
  }

  private String find(String table) throws SQLException {
    String plain = table.substring(table.lastIndexOf('.') + 1);
    try (ResultSet tables =
        source
            .getMetaData()
            .getTables(
                source.getCatalog(),
                source.getSchema(),
                "%",
                new String[] {"TABLE", "BASE TABLE"})) {
      while (tables.next()) {
        String name = tables.getString("TABLE_NAME");
        if (name.equalsIgnoreCase(plain)) {
          return name;
        }
      }
    }
    throw new SQLException("there is no table " + plain + " where --url connects to", "42S02");
  }

  private List<String> columns(String table) throws SQLException {
    List<String> columns = new ArrayList<>();
    try (ResultSet found =
        source
            .getMetaData()
            .getColumns(source.getCatalog(), source.getSchema(), pattern(table), "%")) {
      while (found.next()) {
        if (!"YES".equals(found.getString("IS_GENERATEDCOLUMN"))
            && found.getString("TABLE_NAME").equals(table)) {
          columns.add(found.getString("COLUMN_NAME"));
        }
      }
    }
    return columns;
  }

  private String pattern(String table) throws SQLException {
    String escape = source.getMetaData().getSearchStringEscape();
    return table.replace("_", escape + "_").replace("%", escape + "%");
  }

  private List<String> primaryKey(String table) throws SQLException {
    Map<Integer, String> columns = new TreeMap<>();
    try (ResultSet found =
        source.getMetaData().getPrimaryKeys(source.getCatalog(), source.getSchema(), table)) {
      while (found.next()) {
        columns.put(found.getInt("KEY_SEQ"), found.getString("COLUMN_NAME"));
      }
    }
    return List.copyOf(columns.values());
  }

  private void fill(
      TableCopy table,
      List<Map<String, RecordedValue>> wanted,
      List<Map<String, RecordedValue>> perhaps)
      throws SQLException {
    Set<String> conditions = conditions(table, wanted);
    boolean isAnyChosen = conditions.contains("");
    if (fill(table, "", isAnyChosen ? MAX_ROWS : MAX_WHOLE_ROWS)) {
      return;
    }
    table.rows().clear();
    for (String condition : conditions) {
      if (condition.isEmpty() || !fill(table, " WHERE " + condition, MAX_ROWS)) {
        table.rows().clear();
        fillInPart(table, conditions);
        break;
      }
    }
    for (String condition : conditions(table, perhaps)) {
      int before = table.rows().size();
      if (!condition.isEmpty()
          && conditions.add(condition)
          && !fill(table, " WHERE " + condition, MAX_ROWS)) {
        table.rows().subList(before, table.rows().size()).clear();
      }
    }
  }

  /**
   * Where the rows that a statement may choose are too many, those at both ends: of most queues an
   * application takes the first or the last row.
   */
  private void fillInPart(TableCopy table, Set<String> conditions) throws SQLException {
    List<String> key = table.primaryKey().stream().map(dbms::quoted).toList();
    if (key.isEmpty()) {
      throw new SQLException(
          "a statement may choose any of the rows of "
              + table.name()
              + ", which are more than "
              + MAX_ROWS,
          "0A000");
    }
    for (String condition : conditions) {
      String where = condition.isEmpty() ? "" : " WHERE " + condition;
      int before = table.rows().size();
      if (!fill(table, where, before + MAX_WHOLE_ROWS)) {
        table.rows().subList(before, table.rows().size()).clear();
        for (String direction : List.of("", " DESC")) {
          String order = String.join(direction + ", ", key) + direction;
          fill(table, where + " ORDER BY " + order, table.rows().size() + MAX_ROWS_AT_EACH_END);
        }
        table.setInPart();
      }
    }
  }

  private Set<String> conditions(TableCopy table, List<Map<String, RecordedValue>> wanted) {
    Set<String> conditions = new LinkedHashSet<>();
    for (Map<String, RecordedValue> values : wanted) {
      conditions.add(condition(table, values));
    }
    return conditions;
  }

  private String condition(TableCopy table, Map<String, RecordedValue> values) {
    List<String> terms = new ArrayList<>();
    values.forEach(
        (name, value) ->
            table
                .column(name)
                .filter(column -> ValueComparison.isValue(value))
                .ifPresent(column -> terms.add(dbms.quoted(column) + " = " + dbms.literal(value))));
    return String.join(" AND ", terms);
  }

  /** Adds the rows that meet a condition; returns false if they are too many. */
  private boolean fill(TableCopy table, String where, int most) throws SQLException {
    List<String> columns = table.columns().stream().map(dbms::quoted).toList();
    try (Statement statement = source.createStatement()) {
      statement.setMaxRows(most + 1);
      try (ResultSet result =
          statement.executeQuery(
              "SELECT "
                  + String.join(", ", columns)
                  + " FROM "
                  + dbms.quoted(table.name())
                  + where)) {
        while (result.next()) {
          if (table.rows().size() >= most) {
            return false;
          }
          Map<String, RecordedValue> row = new LinkedHashMap<>();
          for (int i = 1; i <= columns.size(); i++) {
            row.put(table.columns().get(i - 1), value(result, i));
          }
          if (!table.rows().contains(row)) {
            table.add(row);
          }
        }
      }
    }
    return true;
  }

  /** A value of a type that JDBC has no class for is its text. */
  private static RecordedValue value(ResultSet result, int column) throws SQLException {
    RecordedValue value = RecordedValue.of(result.getObject(column));
    if (value.type() != RecordedValue.Type.UNKNOWN) {
      return value;
    }
    String text = result.getString(column);
    return RecordedValue.of(text);
  }

  /**
   * The statements that insert a table's rows: one for each row, or for many of them if the table
   * has many, since they are inserted again before each order.
   */
  List<String> inserts(TableCopy table) {
    boolean hasMany = table.rows().size() > MAX_SINGLE_ROWS;
    List<String> statements = new ArrayList<>();
    List<String> values = new ArrayList<>();
    Set<String> columns = Set.of();
    for (Map<String, RecordedValue> row : table.rows()) {
      boolean isFull = values.size() >= (hasMany ? MAX_ROWS_OF_INSERT : 1);
      if (!values.isEmpty() && (isFull || !columns.equals(row.keySet()))) {
        statements.add(insert(table, columns, values));
        values.clear();
      }
      if (values.isEmpty()) {
        columns = new LinkedHashSet<>(row.keySet());
      }
      List<String> literals = new ArrayList<>();
      columns.forEach(
          column -> literals.add(dbms.literal(Objects.requireNonNull(row.get(column)))));
      values.add("(" + String.join(", ", literals) + ")");
    }
    if (!values.isEmpty()) {
      statements.add(insert(table, columns, values));
    }
    return statements;
  }

  private String insert(TableCopy table, Set<String> columns, List<String> rows) {
    return String.format(
        Locale.ROOT,
        INSERT + "%s (%s) VALUES %s",
        dbms.quoted(table.name()),
        String.join(", ", columns.stream().map(dbms::quoted).toList()),
        String.join(", ", rows));
  }
}
