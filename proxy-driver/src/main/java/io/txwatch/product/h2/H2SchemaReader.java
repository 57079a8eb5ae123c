package io.txwatch.product.h2;

import static io.txwatch.catalog.AuxiliaryColumns.ROW_ID;
import static io.txwatch.catalog.AuxiliaryColumns.SEQUENCE;
import static io.txwatch.catalog.AuxiliaryColumns.WRITERS;
import static io.txwatch.catalog.CatalogQueries.query;
import static io.txwatch.catalog.CatalogQueries.text;
import static io.txwatch.catalog.CatalogQueries.view;

import io.txwatch.catalog.InitialSessionState;
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
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicBoolean;

/** H2: two invisible columns, the row id from a sequence of its schema. */
public final class H2SchemaReader extends SchemaReader {

  /**
   * A condition on INFORMATION_SCHEMA.TRIGGERS: those of txwatch.versions=triggers change nothing.
   */
  public static final String NOT_OURS = "TRIGGER_NAME NOT LIKE 'TXWATCH\\_%'";

  private final NameFolding folding;

  public H2SchemaReader(NameFolding folding) {
    this.folding = folding;
  }

  @Override
  public DialectSql sql() {
    return H2Sql.INSTANCE;
  }

  @Override
  public NameFolding folding() {
    return folding;
  }

  @Override
  public List<String> path(Connection connection) throws SQLException {
    // In this process it is known without a query, which would take the transaction's snapshot.
    return List.of(connection.getSchema());
  }

  /**
   * An embedded H2 ends with this process, and its last commits may then be missing from the file.
   * The run of a server is unknown.
   */
  @Override
  public InitialSessionState opened(Connection connection) throws SQLException {
    String url = String.valueOf(connection.getMetaData().getURL());
    boolean isRemote = url.startsWith("jdbc:h2:tcp:") || url.startsWith("jdbc:h2:ssl:");
    return new InitialSessionState(path(connection), false, false, isRemote ? "" : thisProcess());
  }

  /** A database in memory ends when it is closed. */
  @Override
  public String runOf(Connection connection, String run) throws SQLException {
    DatabaseMetaData metaData = connection.getMetaData();
    String url = metaData == null ? "" : String.valueOf(metaData.getURL());
    return url.startsWith("jdbc:h2:mem:") ? run + " " + H2MemoryRuns.of(connection) : run;
  }

  private static String thisProcess() {
    ProcessHandle process = ProcessHandle.current();
    return process.pid() + " " + process.info().startInstant().map(Object::toString).orElse("");
  }

  @Override
  public Optional<TableInfo> table(Connection connection, String schema, String name)
      throws SQLException {
    List<TableInfo> found =
        query(
            connection,
            "SELECT TABLE_SCHEMA, TABLE_NAME, TABLE_TYPE, STORAGE_TYPE"
                + " FROM INFORMATION_SCHEMA.TABLES WHERE "
                + equal("TABLE_SCHEMA")
                + " AND "
                + equal("TABLE_NAME"),
            row ->
                new TableInfo(
                    text(row, 1),
                    text(row, 2),
                    kind(text(row, 1), text(row, 3), text(row, 4)),
                    List.of()),
            schema,
            name);
    if (found.isEmpty()) {
      return Optional.empty();
    }
    TableInfo table = found.get(0);
    Set<String> changing = new HashSet<>();
    Set<String> primaryKey = new HashSet<>();
    AtomicBoolean deletesAllMatches = new AtomicBoolean();
    Map<Integer, Optional<KeyColumn>> nameColumns = new TreeMap<>();
    List<Column> columns =
        query(
            connection,
            "SELECT COLUMN_NAME, DATA_TYPE, COLUMN_DEFAULT, IS_VISIBLE,"
                + " IS_GENERATED = 'ALWAYS' OR COLUMN_ON_UPDATE IS NOT NULL OR EXISTS (SELECT 1"
                + " FROM INFORMATION_SCHEMA.TRIGGERS WHERE EVENT_OBJECT_SCHEMA = TABLE_SCHEMA"
                + " AND EVENT_OBJECT_TABLE = TABLE_NAME AND ACTION_TIMING <> 'AFTER'), (SELECT MAX(K.ORDINAL_POSITION)"
                + " FROM INFORMATION_SCHEMA.TABLE_CONSTRAINTS P"
                + " JOIN INFORMATION_SCHEMA.KEY_COLUMN_USAGE K"
                + " USING (CONSTRAINT_SCHEMA, CONSTRAINT_NAME)"
                + " WHERE P.CONSTRAINT_TYPE = 'PRIMARY KEY' AND K.TABLE_SCHEMA = C.TABLE_SCHEMA"
                + " AND K.TABLE_NAME = C.TABLE_NAME AND K.COLUMN_NAME = C.COLUMN_NAME), COLLATION_NAME,"
                + " NOT EXISTS (SELECT 1 FROM INFORMATION_SCHEMA.TRIGGERS"
                + " WHERE EVENT_OBJECT_SCHEMA = TABLE_SCHEMA AND EVENT_OBJECT_TABLE = TABLE_NAME AND "
                + NOT_OURS
                + ")"
                + " FROM INFORMATION_SCHEMA.COLUMNS C WHERE TABLE_SCHEMA = ? AND TABLE_NAME = ?"
                + " ORDER BY ORDINAL_POSITION",
            row -> {
              if (row.getBoolean(5)) {
                changing.add(text(row, 1).toLowerCase(Locale.ROOT));
              }
              deletesAllMatches.set(row.getBoolean(8));
              if (row.getInt(6) > 0) {
                primaryKey.add(text(row, 1).toLowerCase(Locale.ROOT));
                nameColumns.put(
                    row.getInt(6), H2NameColumns.of(text(row, 1), text(row, 2), text(row, 7)));
              }
              return Column.of(text(row, 1), text(row, 2), text(row, 3), row.getBoolean(4));
            },
            table.schema(),
            table.name());
    Catalog.Traits traits =
        table.kind() == Kind.VIEW
            ? view(
                connection,
                "SELECT VIEW_DEFINITION FROM INFORMATION_SCHEMA.VIEWS"
                    + " WHERE TABLE_SCHEMA = ? AND TABLE_NAME = ?",
                table.schema(),
                table.name())
            : traits(changing, primaryKey, nameColumns.values())
                .deletingAllMatches(deletesAllMatches.get());
    return Optional.of(new TableInfo(table.schema(), table.name(), table.kind(), columns, traits));
  }

  private static Catalog.Traits traits(
      Set<String> changing, Set<String> key, Collection<Optional<KeyColumn>> nameColumns) {
    boolean keepsKey = key.stream().noneMatch(changing::contains);
    return new Catalog.Traits(Map.of(), Set.copyOf(changing), false, List.of(), Set.copyOf(key))
        .namedBy(keepsKey ? NameColumns.known(nameColumns) : List.of());
  }

  private String equal(String column) {
    return folding == NameFolding.INSENSITIVE
        ? "UPPER(" + column + ") = UPPER(?)"
        : column + " = ?";
  }

  private static Kind kind(String schema, String type, String storage) {
    if (schema.equalsIgnoreCase("INFORMATION_SCHEMA")) {
      return Kind.SYSTEM;
    }
    if (type.contains("TEMPORARY")) {
      return Kind.TEMPORARY;
    }
    if (!type.equals("BASE TABLE")) {
      return Kind.VIEW;
    }
    return storage.contains("LINK") ? Kind.FOREIGN : Kind.TABLE;
  }

  /** By H2's own count, which needs no snapshot of the table. */
  @Override
  public boolean isSmall(Connection connection, TableInfo table) throws SQLException {
    return estimateRows(connection, table) <= Catalog.SMALL_TABLE_ROWS;
  }

  /** About how many rows a table has, by H2's own count. */
  public static long estimateRows(Connection connection, TableInfo table) throws SQLException {
    return query(
            connection,
            "SELECT ROW_COUNT_ESTIMATE FROM INFORMATION_SCHEMA.TABLES"
                + " WHERE TABLE_SCHEMA = ? AND TABLE_NAME = ?",
            row -> row.getLong(1),
            table.schema(),
            table.name())
        .get(0);
  }

  @Override
  public boolean hasPrepared(Connection connection) throws SQLException {
    return !query(
            connection,
            "SELECT 1 FROM INFORMATION_SCHEMA.COLUMNS WHERE UPPER(COLUMN_NAME) = UPPER(?)"
                + " AND TABLE_SCHEMA = ? FETCH FIRST ROW ONLY",
            row -> 1,
            ROW_ID,
            connection.getSchema())
        .isEmpty();
  }

  @Override
  public List<String> names(Connection connection, String schema) throws SQLException {
    return query(
        connection,
        "SELECT TABLE_NAME FROM INFORMATION_SCHEMA.TABLES WHERE TABLE_SCHEMA = ?"
            + " ORDER BY TABLE_NAME",
        row -> text(row, 1),
        schema);
  }

  @Override
  public boolean isPrepared(TableInfo table) {
    return table
            .column(ROW_ID)
            .filter(
                c ->
                    c.type().equals("BIGINT")
                        && c.defaultValue().toLowerCase(Locale.ROOT).contains(SEQUENCE))
            .isPresent()
        && table.column(WRITERS).filter(c -> c.type().equals("CHARACTER VARYING")).isPresent();
  }

  @Override
  public List<String> bounds(Duration lock, Duration work) {
    return List.of("SET LOCK_TIMEOUT " + lock.toMillis(), "SET QUERY_TIMEOUT " + work.toMillis());
  }
}
