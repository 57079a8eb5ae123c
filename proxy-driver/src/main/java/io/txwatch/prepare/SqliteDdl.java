package io.txwatch.prepare;

import static io.txwatch.catalog.AuxiliaryColumns.ROW_ID;
import static io.txwatch.catalog.AuxiliaryColumns.WRITERS;
import static io.txwatch.catalog.CatalogQueries.query;

import io.txwatch.catalog.SchemaReader;
import io.txwatch.catalog.TableInfo;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;

/** SQLite: removes the columns that earlier versions of txwatch added, and adds none. */
final class SqliteDdl extends PreparationDdl {

  SqliteDdl(SchemaReader reader) {
    super(reader);
  }

  @Override
  Optional<String> refusal() {
    return Optional.of(
        "has no invisible columns, so its tables are not prepared: txwatch watches it by the"
            + " statement, which needs no preparation");
  }

  @Override
  Optional<String> obstacle(Connection connection, TableInfo table) {
    return refusal();
  }

  @Override
  List<PreparationStep> prepare(Connection connection, TableInfo table) {
    throw new UnsupportedOperationException("prepare");
  }

  @Override
  List<PreparationStep> unprepare(Connection connection, TableInfo table) {
    return List.of(
        PreparationStep.rewrite("ALTER TABLE " + qualified(table) + " DROP COLUMN " + ROW_ID),
        PreparationStep.rewrite("ALTER TABLE " + qualified(table) + " DROP COLUMN " + WRITERS));
  }

  @Override
  long rows(Connection connection, TableInfo table) throws SQLException {
    return query(connection, "SELECT COUNT(*) FROM " + qualified(table), row -> row.getLong(1))
        .get(0);
  }

  @Override
  int rowsPerSecond(PreparationStep.Work work) {
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
  String lockNote(List<PreparationStep> steps) {
    return "rewrite: all rows are written in one transaction: nobody else writes the database"
        + " meanwhile";
  }
}
