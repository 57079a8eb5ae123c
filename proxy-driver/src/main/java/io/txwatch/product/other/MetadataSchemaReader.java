package io.txwatch.product.other;

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
import java.sql.DatabaseMetaData;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Any other DBMS, as its driver describes it ({@link DatabaseMetaData}). Its tables are never
 * changed. Read on a connection of txwatch's own, at READ UNCOMMITTED where there is that level, so
 * that a transaction with definitions is not waited for.
 */
public final class MetadataSchemaReader extends SchemaReader {

  private final NameFolding folding;
  private final Optional<String> triggerCount;

  /**
   * A reader.
   *
   * @param triggerCount {@link GenericProduct#triggerCount}
   */
  public MetadataSchemaReader(NameFolding folding, Optional<String> triggerCount) {
    this.folding = folding;
    this.triggerCount = triggerCount;
  }

  @Override
  public DialectSql sql() {
    return OtherSql.INSTANCE;
  }

  @Override
  public NameFolding folding() {
    return folding;
  }

  @Override
  public List<String> path(Connection connection) throws SQLException {
    try {
      String schema = connection.getSchema();
      return schema == null ? List.of() : List.of(schema);
    } catch (AbstractMethodError e) { // a driver before JDBC 4.1
      return List.of();
    }
  }

  /** Reads metadata. */
  private interface Use<T> {
    T with(DatabaseMetaData metaData, @Nullable String catalog) throws SQLException;
  }

  private static <T> T read(Connection connection, Use<T> use) throws SQLException {
    int level = connection.getTransactionIsolation();
    boolean isChanged = false;
    try {
      connection.setTransactionIsolation(Connection.TRANSACTION_READ_UNCOMMITTED);
      isChanged = true;
    } catch (SQLException e) {
      // it has no such level
    }
    try {
      return use.with(connection.getMetaData(), connection.getCatalog());
    } finally {
      if (isChanged) {
        connection.setTransactionIsolation(level);
      }
    }
  }

  @Override
  public Optional<TableInfo> table(Connection connection, String schema, String name)
      throws SQLException {
    return read(connection, (metaData, catalog) -> table(metaData, catalog, schema, name));
  }

  /**
   * True if a row of metadata is about the table: not all drivers have an escape character for the
   * wildcards that a name may contain.
   */
  private boolean isOf(ResultSet row, String schema, String name) throws SQLException {
    return folding.same(name, String.valueOf(row.getString("TABLE_NAME")))
        && folding.same(schema, String.valueOf(row.getString("TABLE_SCHEM")));
  }

  private Optional<TableInfo> table(
      DatabaseMetaData metaData, @Nullable String catalog, String wantedSchema, String wanted)
      throws SQLException {
    String escape = metaData.getSearchStringEscape();
    String schemaPattern = escaped(wantedSchema, escape);
    String namePattern = escaped(wanted, escape);
    List<TableInfo> found = new ArrayList<>();
    try (ResultSet rows = metaData.getTables(catalog, schemaPattern, namePattern, null)) {
      while (rows.next()) {
        if (isOf(rows, wantedSchema, wanted)) {
          found.add(
              new TableInfo(
                  rows.getString("TABLE_SCHEM"),
                  rows.getString("TABLE_NAME"),
                  kind(String.valueOf(rows.getString("TABLE_TYPE"))),
                  List.of()));
        }
      }
    }
    if (found.size() != 1) {
      return Optional.empty(); // not there, or not the only one
    }
    String schema = found.get(0).schema();
    String name = found.get(0).name();
    Kind kind = found.get(0).kind();
    Map<Integer, Column> columns = new TreeMap<>();
    Map<String, Integer> types = new HashMap<>();
    Set<String> nullable = new HashSet<>();
    Set<String> changing = new HashSet<>();
    try (ResultSet rows = metaData.getColumns(catalog, schemaPattern, namePattern, null)) {
      while (rows.next()) {
        if (!isOf(rows, schema, name)) {
          continue;
        }
        String column = rows.getString("COLUMN_NAME");
        String folded = column.toLowerCase(Locale.ROOT);
        types.put(folded, rows.getInt("DATA_TYPE"));
        columns.put(
            rows.getInt("ORDINAL_POSITION"),
            Column.of(column, String.valueOf(rows.getString("TYPE_NAME")), "", true));
        if (!"NO".equals(rows.getString("IS_NULLABLE"))) {
          nullable.add(folded);
        }
        if (!"NO".equals(rows.getString("IS_GENERATEDCOLUMN"))) {
          changing.add(folded);
        }
      }
    }
    if (types.size() != columns.size() || kind != Kind.TABLE) {
      return Optional.of(new TableInfo(schema, name, kind, List.copyOf(columns.values())));
    }
    List<String> key = primaryKey(metaData, catalog, schema, name);
    if (key.isEmpty()) {
      key = uniqueKey(metaData, catalog, schema, name, nullable);
    }
    boolean mayChange =
        key.stream().anyMatch(changing::contains)
            || TableTriggers.mayBeOn(
                metaData, triggerCount, schema, name); // of which one may give another key
    List<KeyColumn> named =
        mayChange
            ? List.of()
            : NameColumns.known(
                key.stream().map(c -> JdbcNameColumns.of(c, types.getOrDefault(c, 0))).toList());
    Catalog.Traits traits =
        new Catalog.Traits(Map.of(), changing, true, List.of(), Set.copyOf(key)).namedBy(named);
    return Optional.of(
        new TableInfo(schema, name, Kind.TABLE, List.copyOf(columns.values()), traits));
  }

  private static List<String> primaryKey(
      DatabaseMetaData metaData, @Nullable String catalog, String schema, String name)
      throws SQLException {
    Map<Integer, String> key = new TreeMap<>();
    try (ResultSet rows = metaData.getPrimaryKeys(catalog, schema, name)) {
      while (rows.next()) {
        key.put(rows.getInt("KEY_SEQ"), rows.getString("COLUMN_NAME").toLowerCase(Locale.ROOT));
      }
    }
    return List.copyOf(key.values());
  }

  /** The first unique index, by name, of columns that are never null. */
  private static List<String> uniqueKey(
      DatabaseMetaData metaData,
      @Nullable String catalog,
      String schema,
      String name,
      Collection<String> nullable)
      throws SQLException {
    Map<String, Map<Integer, String>> indexes = new TreeMap<>();
    try (ResultSet rows = metaData.getIndexInfo(catalog, schema, name, true, true)) {
      while (rows.next()) {
        String index = rows.getString("INDEX_NAME");
        if (index != null && !rows.getBoolean("NON_UNIQUE")) {
          boolean isPartial = rows.getString("FILTER_CONDITION") != null;
          String column = rows.getString("COLUMN_NAME");
          indexes
              .computeIfAbsent(index, i -> new TreeMap<>())
              .put(
                  rows.getInt("ORDINAL_POSITION"),
                  column == null || isPartial ? "" : column.toLowerCase(Locale.ROOT));
        }
      }
    }
    for (Map<Integer, String> index : indexes.values()) {
      if (index.values().stream().noneMatch(c -> c.isEmpty() || nullable.contains(c))) {
        return List.copyOf(index.values());
      }
    }
    return List.of();
  }

  private static Kind kind(String type) {
    return switch (type) {
      case "TABLE", "BASE TABLE" -> Kind.TABLE;
      case "VIEW" -> Kind.VIEW;
      case "SYSTEM TABLE" -> Kind.SYSTEM;
      default -> type.contains("TEMPORARY") ? Kind.TEMPORARY : Kind.FOREIGN;
    };
  }

  private static String escaped(String name, @Nullable String escape) {
    if (escape == null || escape.isEmpty()) {
      return name;
    }
    return name.replace(escape, escape + escape)
        .replace("_", escape + "_")
        .replace("%", escape + "%");
  }

  @Override
  public List<String> names(Connection connection, String schema) throws SQLException {
    return read(
        connection,
        (metaData, catalog) -> {
          List<String> names = new ArrayList<>();
          String pattern = escaped(schema, metaData.getSearchStringEscape());
          try (ResultSet rows = metaData.getTables(catalog, pattern, "%", null)) {
            while (rows.next()) {
              names.add(rows.getString("TABLE_NAME"));
            }
          }
          names.sort(null);
          return names;
        });
  }

  @Override
  public boolean isPrepared(TableInfo table) {
    return false;
  }

  @Override
  public List<String> bounds(Duration lock, Duration work) {
    return List.of();
  }
}
