package io.txwatch.prepare;

import static io.txwatch.prepare.AuxiliaryColumns.ROW_ID;
import static io.txwatch.prepare.AuxiliaryColumns.WRITERS;

import io.txwatch.prepare.TableInfo.Column;
import io.txwatch.prepare.TableInfo.Kind;
import io.txwatch.sql.Catalog;
import io.txwatch.sql.Dialect;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * SQLite: two appended columns. ADD COLUMN takes no expression as a default, so the existing rows
 * are filled by an UPDATE (the table's triggers are dropped for it and made again, all in one
 * transaction) and the rewriter gives each new row its id.
 */
final class SqliteSchema extends SchemaReader {

  /** A view's definition whose columns keep the names that the query gives them. */
  private static final Pattern VIEW =
      Pattern.compile(
          "(?is)create\\s+view\\s+(?:if\\s+not\\s+exists\\s+)?[^\\s(]+\\s+as\\s+(?<query>.*)");

  /** A trigger's text up to its statements. */
  private static final Pattern BEFORE_BODY = Pattern.compile("(?is)^.*?\\bbegin\\b");

  private static final Pattern VIRTUAL = Pattern.compile("(?i)^\\s*create\\s+virtual\\b");

  /** A positive random number; {@code abs(random())} can overflow. */
  private static final String NEW_ROW_ID = "random() & 9223372036854775807";

  @Override
  Dialect dialect() {
    return Dialect.SQLITE;
  }

  @Override
  NameFolding folding() {
    return NameFolding.INSENSITIVE;
  }

  @Override
  List<String> path(Connection connection) throws SQLException {
    List<String> databases =
        query(connection, "SELECT name FROM pragma_database_list ORDER BY seq", r -> text(r, 1));
    List<String> path = new ArrayList<>();
    path.add("temp");
    databases.stream().filter(name -> !name.equals("temp")).forEach(path::add);
    return path;
  }

  @Override
  Optional<TableInfo> table(Connection connection, String schema, String name) throws SQLException {
    List<TableInfo> found =
        query(
            connection,
            "SELECT schema, name, type FROM pragma_table_list"
                + " WHERE schema = ? COLLATE NOCASE AND name = ? COLLATE NOCASE",
            row ->
                new TableInfo(
                    text(row, 1),
                    text(row, 2),
                    kind(text(row, 1), text(row, 2), text(row, 3)),
                    List.of()),
            schema,
            name);
    if (found.isEmpty()) {
      return Optional.empty();
    }
    TableInfo table = found.get(0);
    List<Column> columns =
        query(
            connection,
            "SELECT name, type, dflt_value, hidden FROM pragma_table_xinfo(?, ?) ORDER BY cid",
            row -> column(text(row, 1), text(row, 2), text(row, 3), row.getInt(4)),
            table.name(),
            table.schema());
    Catalog.Traits traits =
        table.kind() == Kind.VIEW
            ? Catalog.Traits.UNKNOWN
            : new Catalog.Traits(Map.of(), Set.of(), false, keys(connection, table));
    for (SchemaObject object :
        table.kind() == Kind.VIEW ? objects(connection, table.schema()) : List.<SchemaObject>of()) {
      Matcher view = VIEW.matcher(object.sql);
      if (object.type.equals("view") && object.name.equals(table.name()) && view.matches()) {
        traits = Catalog.Traits.ofView(view.group("query"));
      }
    }
    return Optional.of(new TableInfo(table.schema(), table.name(), table.kind(), columns, traits));
  }

  /** A column by its mark in {@code hidden}: 1 if it is hidden, 2 and 3 if it is generated. */
  private static Column column(String name, String type, String defaultValue, int hidden) {
    return new Column(name, type, defaultValue, hidden != 1, hidden == 0, true, true, true, "");
  }

  /** The columns of each unique key; none if one is over expressions or some of the rows. */
  private static List<List<String>> keys(Connection connection, TableInfo table)
      throws SQLException {
    record Part(String index, String column, boolean whole) {}
    List<Part> parts =
        query(
            connection,
            "SELECT '', name, 1 FROM (SELECT name FROM pragma_table_xinfo(?1, ?2) WHERE pk > 0"
                + " ORDER BY pk) UNION ALL SELECT i.name, c.name, c.name IS NOT NULL AND NOT"
                + " i.partial FROM pragma_index_list(?1, ?2) i, pragma_index_info(i.name, ?2) c"
                + " WHERE i.\"unique\" AND i.origin <> 'pk'",
            row -> new Part(text(row, 1), text(row, 2).toLowerCase(Locale.ROOT), row.getBoolean(3)),
            table.name(),
            table.schema());
    if (!parts.stream().allMatch(Part::whole)) {
      return List.of();
    }
    Map<String, List<String>> keys = new LinkedHashMap<>();
    for (Part part : parts) {
      keys.computeIfAbsent(part.index(), index -> new ArrayList<>()).add(part.column());
    }
    return List.copyOf(keys.values());
  }

  private static Kind kind(String schema, String name, String type) {
    if (name.toLowerCase(Locale.ROOT).startsWith("sqlite_")) {
      return Kind.SYSTEM;
    }
    if (schema.equalsIgnoreCase("temp")) {
      return Kind.TEMPORARY;
    }
    return switch (type) {
      case "table" -> Kind.TABLE;
      case "view" -> Kind.VIEW;
      default -> Kind.FOREIGN;
    };
  }

  @Override
  List<String> names(Connection connection, String schema) throws SQLException {
    return query(
        connection,
        "SELECT name FROM pragma_table_list WHERE schema = ? COLLATE NOCASE"
            + " AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name",
        row -> text(row, 1),
        schema.equals("temp") ? "main" : schema);
  }

  @Override
  boolean isPrepared(TableInfo table) {
    return table.column(ROW_ID).filter(c -> c.type().equals("INTEGER")).isPresent()
        && table
            .column(WRITERS)
            .filter(c -> c.type().equals("TEXT") && c.defaultValue().equals("''"))
            .isPresent();
  }

  @Override
  boolean auxiliaryVisible() {
    return true;
  }

  /**
   * Views are expanded anew whenever they are used, triggers read each time: what selects {@code *}
   * from the table, joins it by its common columns, asks for its rows with {@code IN} or inserts
   * into it without naming the columns would not work any more.
   */
  @Override
  Optional<String> obstacle(Connection connection, TableInfo table) throws SQLException {
    Pattern insertWithoutColumns =
        Pattern.compile(
            "(?i)\\binto\\s+(?:\\S+\\.)?[\"`\\[]?"
                + Pattern.quote(table.name())
                + "[\"`\\]]?\\s+(?:as\\s+\\S+\\s+)?(values|select|with)\\b");
    for (SchemaObject object : objects(connection, table.schema())) {
      String code =
          object.type.equals("trigger")
              ? BEFORE_BODY.matcher(object.sql).replaceFirst("")
              : object.sql;
      if (!StoredCode.names(code, table.name())) {
        continue;
      }
      String name = "the " + object.type + " " + object.name;
      if (object.type.equals("trigger") && insertWithoutColumns.matcher(code).find()) {
        return Optional.of(name + " inserts into it without naming the columns");
      }
      if (object.type.equals("table")) {
        if (VIRTUAL.matcher(object.sql).find()) {
          return Optional.of("the virtual table " + object.name + " has its columns from it");
        }
      } else if (StoredCode.hasStar(code)) {
        return Optional.of(name + " selects * and would show the columns");
      } else if (StoredCode.hasTableAfterIn(code, table.name())) {
        return Optional.of(name + " asks for its rows with IN");
      }
    }
    return Optional.empty();
  }

  private record SchemaObject(String type, String name, String sql, String table) {}

  private static List<SchemaObject> objects(Connection connection, String schema)
      throws SQLException {
    return query(
        connection,
        "SELECT type, name, sql, tbl_name FROM "
            + NameFolding.quote(Dialect.SQLITE, schema)
            + ".sqlite_schema WHERE type IN ('view', 'trigger', 'table') AND sql IS NOT NULL"
            + " ORDER BY rowid",
        row -> new SchemaObject(text(row, 1), text(row, 2), text(row, 3), text(row, 4)));
  }

  @Override
  List<Step> prepare(Connection connection, TableInfo table) throws SQLException {
    String name = qualified(table);
    List<SchemaObject> triggers =
        objects(connection, table.schema()).stream()
            .filter(o -> o.type.equals("trigger") && o.table.equalsIgnoreCase(table.name()))
            .toList();
    List<Step> steps = new ArrayList<>();
    steps.add(Step.instant("ALTER TABLE " + name + " ADD COLUMN " + ROW_ID + " INTEGER"));
    steps.add(
        Step.instant(
            "ALTER TABLE " + name + " ADD COLUMN " + WRITERS + " TEXT NOT NULL DEFAULT ''"));
    for (SchemaObject trigger : triggers) {
      steps.add(
          Step.instant(
              "DROP TRIGGER "
                  + NameFolding.quote(Dialect.SQLITE, table.schema())
                  + "."
                  + NameFolding.quote(Dialect.SQLITE, trigger.name)));
    }
    steps.add(Step.rewrite("UPDATE " + name + " SET " + ROW_ID + " = " + NEW_ROW_ID));
    triggers.forEach(trigger -> steps.add(Step.instant(trigger.sql)));
    return steps;
  }

  @Override
  void verify(Connection connection, TableInfo table) throws SQLException {
    List<String> showing =
        query(
            connection,
            "SELECT DISTINCT v.name FROM pragma_table_list v, pragma_table_xinfo(v.name, v.schema) c"
                + " WHERE v.type = 'view' AND c.name IN (?, ?)",
            row -> text(row, 1),
            ROW_ID,
            WRITERS);
    if (!showing.isEmpty()) {
      throw new SQLException("the view " + showing.get(0) + " would show the columns");
    }
  }

  @Override
  List<Step> unprepare(Connection connection, TableInfo table) {
    return List.of(
        Step.rewrite("ALTER TABLE " + qualified(table) + " DROP COLUMN " + ROW_ID),
        Step.rewrite("ALTER TABLE " + qualified(table) + " DROP COLUMN " + WRITERS));
  }

  @Override
  long rows(Connection connection, TableInfo table) throws SQLException {
    return query(connection, "SELECT COUNT(*) FROM " + qualified(table), row -> row.getLong(1))
        .get(0);
  }

  @Override
  int rowsPerSecond(Step.Work work) {
    return 200_000;
  }

  @Override
  String analyze(TableInfo table) {
    return "ANALYZE " + qualified(table);
  }

  @Override
  boolean ddlIsTransactional() {
    return true;
  }

  @Override
  List<String> bounds(Duration lock, Duration work) {
    return List.of("PRAGMA busy_timeout = " + lock.toMillis());
  }

  @Override
  String lockNote(List<Step> steps) {
    return "rewrite: all rows are written in one transaction: nobody else writes the database"
        + " meanwhile";
  }
}
