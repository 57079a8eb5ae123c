package io.txwatch.catalog;

import io.txwatch.history.Database;
import io.txwatch.sql.dialect.Dialect;
import java.sql.Connection;
import java.sql.SQLException;

/** Chooses the reader for a dialect. */
public final class SchemaReaders {

  private SchemaReaders() {}

  /** The reader for tables with auxiliary columns. */
  public static SchemaReader of(Dialect dialect, Database database, Connection connection)
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
      case POSTGRESQL -> new PostgresSchemaReader(database, systemColumns);
      case MYSQL, MARIADB -> new MySqlSchemaReader(dialect, database);
      case H2 -> new H2SchemaReader(H2SchemaReader.folding(connection));
      case SQLITE -> new SqliteSchemaReader();
    };
  }
}
