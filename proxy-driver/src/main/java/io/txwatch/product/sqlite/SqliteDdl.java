package io.txwatch.product.sqlite;

import static io.txwatch.catalog.AuxiliaryColumns.ROW_ID;
import static io.txwatch.catalog.AuxiliaryColumns.WRITERS;
import static io.txwatch.catalog.CatalogQueries.query;

import io.txwatch.catalog.SchemaReader;
import io.txwatch.catalog.TableInfo;
import io.txwatch.prepare.PreparationDdl;
import io.txwatch.prepare.PreparationStep;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;

/** SQLite: removes the columns that earlier versions of txwatch added, and adds none. */
public final class SqliteDdl extends PreparationDdl {

  public SqliteDdl(SchemaReader reader) {
    super(reader);
  }

  @Override
  public Optional<String> refusal() {
    return Optional.of(
        "has no invisible columns, so its tables are not prepared: txwatch watches it by the"
            + " statement, which needs no preparation");
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
        PreparationStep.rewrite("ALTER TABLE " + qualified(table) + " DROP COLUMN " + ROW_ID),
        PreparationStep.rewrite("ALTER TABLE " + qualified(table) + " DROP COLUMN " + WRITERS));
  }

  @Override
  public long rows(Connection connection, TableInfo table) throws SQLException {
    return query(connection, "SELECT COUNT(*) FROM " + qualified(table), row -> row.getLong(1))
        .get(0);
  }

  @Override
  public int rowsPerSecond(PreparationStep.Work work) {
    return 200_000;
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
    return "rewrite: all rows are written in one transaction: nobody else writes the database"
        + " meanwhile";
  }
}
