package io.txwatch.prepare;

import static io.txwatch.prepare.AuxiliaryColumns.ROW_ID;
import static io.txwatch.prepare.AuxiliaryColumns.SEQUENCE;
import static io.txwatch.prepare.AuxiliaryColumns.WRITERS;

import io.txwatch.history.WriterList;
import io.txwatch.prepare.TableInfo.Column;
import io.txwatch.prepare.TableInfo.Kind;
import io.txwatch.sql.Catalog;
import io.txwatch.sql.Dialect;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** H2: two invisible columns, the row id from a sequence of its schema. */
final class H2Schema extends SchemaReader {

  private final NameFolding folding;

  H2Schema(NameFolding folding) {
    this.folding = folding;
  }

  /** How this database folds names ({@code DATABASE_TO_UPPER} and its like, set by the URL). */
  static NameFolding folding(Connection connection) throws SQLException {
    DatabaseMetaData metaData = connection.getMetaData();
    if (metaData.storesUpperCaseIdentifiers()) {
      return NameFolding.UPPER;
    }
    if (metaData.storesLowerCaseIdentifiers()) {
      return NameFolding.LOWER;
    }
    return metaData.supportsMixedCaseIdentifiers() ? NameFolding.EXACT : NameFolding.INSENSITIVE;
  }

  @Override
  Dialect dialect() {
    return Dialect.H2;
  }

  @Override
  NameFolding folding() {
    return folding;
  }

  @Override
  List<String> path(Connection connection) throws SQLException {
    return query(connection, "SELECT CURRENT_SCHEMA", row -> text(row, 1));
  }

  @Override
  Optional<TableInfo> table(Connection connection, String schema, String name) throws SQLException {
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
    List<Column> columns =
        query(
            connection,
            "SELECT COLUMN_NAME, DATA_TYPE, COLUMN_DEFAULT, IS_VISIBLE"
                + " FROM INFORMATION_SCHEMA.COLUMNS WHERE TABLE_SCHEMA = ? AND TABLE_NAME = ?"
                + " ORDER BY ORDINAL_POSITION",
            row -> Column.of(text(row, 1), text(row, 2), text(row, 3), row.getBoolean(4)),
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
            : Catalog.Traits.UNKNOWN;
    return Optional.of(new TableInfo(table.schema(), table.name(), table.kind(), columns, traits));
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
  boolean isSmall(Connection connection, TableInfo table) throws SQLException {
    return rows(connection, table) <= Catalog.SMALL_TABLE_ROWS;
  }

  @Override
  List<String> names(Connection connection, String schema) throws SQLException {
    return query(
        connection,
        "SELECT TABLE_NAME FROM INFORMATION_SCHEMA.TABLES WHERE TABLE_SCHEMA = ?"
            + " ORDER BY TABLE_NAME",
        row -> text(row, 1),
        schema);
  }

  @Override
  boolean isPrepared(TableInfo table) {
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
  boolean auxiliaryVisible() {
    return false;
  }

  @Override
  Optional<String> obstacle(Connection connection, TableInfo table) {
    return Optional.empty();
  }

  /** A trigger in Java is given rows as arrays, with all of their columns. */
  @Override
  List<String> dependents(Connection connection, TableInfo table) throws SQLException {
    return query(
        connection,
        "SELECT 'trigger ' || TRIGGER_NAME FROM INFORMATION_SCHEMA.TRIGGERS"
            + " WHERE EVENT_OBJECT_SCHEMA = ? AND EVENT_OBJECT_TABLE = ? ORDER BY 1",
        row -> text(row, 1),
        table.schema(),
        table.name());
  }

  @Override
  List<Step> prepare(Connection connection, TableInfo table) throws SQLException {
    List<Step> steps = new ArrayList<>();
    String sequence = sequence(table.schema());
    if (!sequenceExists(connection, table.schema())) {
      steps.add(Step.instant("CREATE SEQUENCE IF NOT EXISTS " + sequence + " AS BIGINT CACHE 100"));
    }
    steps.add(
        Step.rewrite(
            "ALTER TABLE "
                + qualified(table)
                + " ADD ("
                + ROW_ID
                + " BIGINT INVISIBLE DEFAULT NEXT VALUE FOR "
                + sequence
                + " NOT NULL COMMENT 'txwatch: row id', "
                + WRITERS
                + " VARCHAR("
                + WriterList.WINDOW_LENGTH
                + ") INVISIBLE DEFAULT '' NOT NULL COMMENT 'txwatch: newest writers')"));
    return steps;
  }

  @Override
  List<Step> unprepare(Connection connection, TableInfo table) {
    return List.of(
        Step.rewrite(
            "ALTER TABLE " + qualified(table) + " DROP COLUMN (" + ROW_ID + ", " + WRITERS + ")"));
  }

  @Override
  long rows(Connection connection, TableInfo table) throws SQLException {
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
  int rowsPerSecond(Step.Work work) {
    return 200_000;
  }

  @Override
  List<String> cleanUp(Connection connection, String schema) throws SQLException {
    return sequenceExists(connection, schema)
        ? List.of("DROP SEQUENCE " + sequence(schema))
        : List.of();
  }

  private static boolean sequenceExists(Connection connection, String schema) throws SQLException {
    return !query(
            connection,
            "SELECT 1 FROM INFORMATION_SCHEMA.SEQUENCES WHERE SEQUENCE_SCHEMA = ?"
                + " AND UPPER(SEQUENCE_NAME) = UPPER(?)",
            row -> 1,
            schema,
            SEQUENCE)
        .isEmpty();
  }

  private static String sequence(String schema) {
    return NameFolding.quote(Dialect.H2, schema) + "." + SEQUENCE;
  }

  @Override
  String analyze(TableInfo table) {
    return "ANALYZE TABLE " + qualified(table);
  }

  @Override
  boolean ddlIsTransactional() {
    return false;
  }

  @Override
  List<String> bounds(Duration lock, Duration work) {
    return List.of("SET LOCK_TIMEOUT " + lock.toMillis(), "SET QUERY_TIMEOUT " + work.toMillis());
  }

  @Override
  String lockNote(List<Step> steps) {
    return "rewrite: the table is copied: nobody reads or writes it meanwhile";
  }
}
