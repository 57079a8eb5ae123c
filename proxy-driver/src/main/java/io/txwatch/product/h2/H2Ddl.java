package io.txwatch.product.h2;

import static io.txwatch.catalog.AuxiliaryColumns.ROW_ID;
import static io.txwatch.catalog.AuxiliaryColumns.SEQUENCE;
import static io.txwatch.catalog.AuxiliaryColumns.WRITERS;
import static io.txwatch.catalog.CatalogQueries.query;
import static io.txwatch.catalog.CatalogQueries.text;

import io.txwatch.catalog.SchemaReader;
import io.txwatch.catalog.TableInfo;
import io.txwatch.history.WriterList;
import io.txwatch.prepare.PreparationDdl;
import io.txwatch.prepare.PreparationStep;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** H2: two invisible columns, the row id from a sequence of its schema. */
public final class H2Ddl extends PreparationDdl {

  public H2Ddl(SchemaReader reader) {
    super(reader);
  }

  @Override
  public Optional<String> obstacle(Connection connection, TableInfo table) {
    return Optional.empty();
  }

  /** A trigger in Java is given rows as arrays, with all of their columns. */
  @Override
  public List<String> dependents(Connection connection, TableInfo table) throws SQLException {
    return query(
        connection,
        "SELECT 'trigger ' || TRIGGER_NAME FROM INFORMATION_SCHEMA.TRIGGERS"
            + " WHERE EVENT_OBJECT_SCHEMA = ? AND EVENT_OBJECT_TABLE = ? AND "
            + H2SchemaReader.NOT_OURS
            + " ORDER BY 1",
        row -> text(row, 1),
        table.schema(),
        table.name());
  }

  @Override
  public List<PreparationStep> prepare(Connection connection, TableInfo table) throws SQLException {
    List<PreparationStep> steps = new ArrayList<>();
    String sequence = sequence(table.schema());
    if (!sequenceExists(connection, table.schema())) {
      steps.add(
          PreparationStep.instant(
              "CREATE SEQUENCE IF NOT EXISTS " + sequence + " AS BIGINT CACHE 100"));
    }
    steps.add(
        PreparationStep.rewrite(
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
  public List<PreparationStep> unprepare(Connection connection, TableInfo table) {
    return List.of(
        PreparationStep.rewrite(
            "ALTER TABLE " + qualified(table) + " DROP COLUMN (" + ROW_ID + ", " + WRITERS + ")"));
  }

  @Override
  public long rows(Connection connection, TableInfo table) throws SQLException {
    return H2SchemaReader.estimateRows(connection, table);
  }

  @Override
  public int rowsPerSecond(PreparationStep.Work work) {
    return 200_000;
  }

  @Override
  public List<String> cleanUp(Connection connection, String schema) throws SQLException {
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
    return H2Sql.INSTANCE.quoteInDdl(schema) + "." + SEQUENCE;
  }

  @Override
  public String analyze(TableInfo table) {
    return "ANALYZE TABLE " + qualified(table);
  }

  @Override
  public boolean ddlIsTransactional() {
    return false;
  }

  @Override
  public String lockNote(List<PreparationStep> steps) {
    return "rewrite: the table is copied: nobody reads or writes it meanwhile";
  }
}
