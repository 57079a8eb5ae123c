package io.txwatch.product.postgresql;

import static io.txwatch.catalog.AuxiliaryColumns.ROW_ID;
import static io.txwatch.catalog.AuxiliaryColumns.SEQUENCE;
import static io.txwatch.catalog.AuxiliaryColumns.WRITERS;
import static io.txwatch.product.postgresql.PostgresQueries.query;

import io.txwatch.catalog.SchemaReader;
import io.txwatch.catalog.TableInfo;
import io.txwatch.prepare.PreparationDdl;
import io.txwatch.prepare.PreparationStep;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;

/** PostgreSQL: removes the columns that earlier versions of txwatch added, and adds none. */
public final class PostgresDdl extends PreparationDdl {

  public PostgresDdl(SchemaReader reader) {
    super(reader);
  }

  @Override
  public Optional<String> refusal() {
    return Optional.of(
        "has no invisible columns, so its tables are not prepared: txwatch reads the system columns"
            + " of PostgreSQL 14 and later, which needs no preparation");
  }

  @Override
  public Optional<String> obstacle(Connection connection, TableInfo table) {
    return refusal();
  }

  @Override
  public List<PreparationStep> prepare(Connection connection, TableInfo table) {
    throw new UnsupportedOperationException("prepare");
  }

  @Override
  public List<PreparationStep> unprepare(Connection connection, TableInfo table) {
    return List.of(
        PreparationStep.instant(
            "ALTER TABLE "
                + qualified(table)
                + (" DROP COLUMN " + ROW_ID + ", DROP COLUMN " + WRITERS)));
  }

  /** The planner's estimate of the last time that statistics were taken; -1 before. */
  @Override
  public long rows(Connection connection, TableInfo table) throws SQLException {
    return query(
            connection,
            "SELECT c.reltuples::bigint FROM pg_catalog.pg_class c WHERE c.oid = ?::regclass",
            row -> Math.max(0, row.getLong(1)),
            qualified(table))
        .get(0);
  }

  @Override
  public int rowsPerSecond(PreparationStep.Work work) {
    return 200_000;
  }

  @Override
  public List<String> cleanUp(Connection connection, String schema) throws SQLException {
    boolean exists =
        !query(
                connection,
                "SELECT 1 FROM pg_catalog.pg_class c"
                    + " JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace"
                    + " WHERE n.nspname = ? AND c.relname = ? AND c.relkind = 'S'",
                row -> 1,
                schema,
                SEQUENCE)
            .isEmpty();
    return exists
        ? List.of("DROP SEQUENCE " + PostgresSql.INSTANCE.quoteInDdl(schema) + "." + SEQUENCE)
        : List.of();
  }

  @Override
  public String analyze(TableInfo table) {
    return "ANALYZE " + qualified(table);
  }

  @Override
  public boolean ddlIsTransactional() {
    return true;
  }

  @Override
  public String lockNote(List<PreparationStep> steps) {
    return "instant: the catalog alone changes, under ACCESS EXCLUSIVE";
  }
}
