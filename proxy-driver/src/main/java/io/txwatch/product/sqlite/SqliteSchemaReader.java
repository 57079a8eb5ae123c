package io.txwatch.product.sqlite;

import static io.txwatch.catalog.AuxiliaryColumns.ROW_ID;
import static io.txwatch.catalog.AuxiliaryColumns.WRITERS;
import static io.txwatch.catalog.CatalogQueries.query;
import static io.txwatch.catalog.CatalogQueries.text;

import io.txwatch.catalog.NameColumns;
import io.txwatch.catalog.NameFolding;
import io.txwatch.catalog.SchemaReader;
import io.txwatch.catalog.TableInfo;
import io.txwatch.catalog.TableInfo.Column;
import io.txwatch.catalog.TableInfo.Kind;
import io.txwatch.dialect.DialectSql;
import io.txwatch.plan.Catalog;
import io.txwatch.plan.KeyColumn;
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

/** SQLite, which is watched by value. */
public final class SqliteSchemaReader extends SchemaReader {

  @Override
  public DialectSql sql() {
    return SqliteSql.INSTANCE;
  }

  @Override
  public NameFolding folding() {
    return NameFolding.INSENSITIVE;
  }

  @Override
  public List<String> path(Connection connection) throws SQLException {
    List<String> databases =
        query(connection, "SELECT name FROM pragma_database_list ORDER BY seq", r -> text(r, 1));
    List<String> path = new ArrayList<>();
    path.add("temp");
    databases.stream().filter(name -> !name.equals("temp")).forEach(path::add);
    return path;
  }

  @Override
  public Optional<TableInfo> table(Connection connection, String schema, String name)
      throws SQLException {
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
            : new Catalog.Traits(Map.of(), Set.of(), false, keys(connection, table))
                .namedBy(hasTrigger(connection, table) ? List.of() : key(connection, table));
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

  /** The primary key. */
  private static List<KeyColumn> key(Connection connection, TableInfo table) throws SQLException {
    return NameColumns.known(
        query(
            connection,
            "SELECT name, type, NOT EXISTS (SELECT 1 FROM pragma_index_list(?1, ?2)"
                + " WHERE origin = 'pk') FROM pragma_table_xinfo(?1, ?2) WHERE pk > 0 ORDER BY pk",
            row -> SqliteNameColumns.of(text(row, 1), text(row, 2), row.getBoolean(3)),
            table.name(),
            table.schema()));
  }

  /** True if it has a trigger, which may give its rows other keys. */
  private static boolean hasTrigger(Connection connection, TableInfo table) throws SQLException {
    return !query(
            connection,
            "SELECT 1 FROM "
                + SqliteSql.INSTANCE.quoteInDdl(table.schema())
                + ".sqlite_schema WHERE type = 'trigger' AND tbl_name = ?1 COLLATE NOCASE"
                + " UNION ALL SELECT 1 FROM sqlite_temp_schema"
                + " WHERE type = 'trigger' AND tbl_name = ?1 COLLATE NOCASE",
            row -> 1,
            table.name())
        .isEmpty();
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
  public List<String> names(Connection connection, String schema) throws SQLException {
    return query(
        connection,
        "SELECT name FROM pragma_table_list WHERE schema = ? COLLATE NOCASE"
            + " AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name",
        row -> text(row, 1),
        schema.equals("temp") ? "main" : schema);
  }

  @Override
  public boolean isPrepared(TableInfo table) {
    return table.column(ROW_ID).filter(c -> c.type().equals("INTEGER")).isPresent()
        && table
            .column(WRITERS)
            .filter(c -> c.type().equals("TEXT") && c.defaultValue().equals("''"))
            .isPresent();
  }

  @Override
  public List<String> bounds(Duration lock, Duration work) {
    return List.of("PRAGMA busy_timeout = " + lock.toMillis());
  }
}
