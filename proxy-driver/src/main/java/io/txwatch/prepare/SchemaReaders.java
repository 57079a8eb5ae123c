package io.txwatch.prepare;

import io.txwatch.history.Database;
import io.txwatch.sql.Dialect;
import java.sql.Connection;
import java.sql.SQLException;

/** Chooses the reader for a dialect. */
final class SchemaReaders {

  private SchemaReaders() {}

  static SchemaReader of(Dialect dialect, Database database, Connection connection)
      throws SQLException {
    return of(dialect, database, connection, false);
  }

  /**
   * Chooses the reader.
   *
   * @param systemColumns true if versions are read from the DBMS's system columns (PostgreSQL)
   */
  static SchemaReader of(
      Dialect dialect, Database database, Connection connection, boolean systemColumns)
      throws SQLException {
    return switch (dialect) {
      case POSTGRESQL -> new PostgresSchema(database, systemColumns);
      case MYSQL, MARIADB -> new MySqlSchema(dialect, database);
      case H2 -> new H2Schema(H2Schema.folding(connection));
      case SQLITE -> new SqliteSchema();
    };
  }
}
