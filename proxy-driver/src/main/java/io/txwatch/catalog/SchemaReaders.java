package io.txwatch.catalog;

import io.txwatch.history.Database;
import io.txwatch.product.h2.H2SchemaReader;
import io.txwatch.product.mariadb.MariaDbSchemaReader;
import io.txwatch.product.mysql.MySqlSchemaReader;
import io.txwatch.product.other.MetadataSchemaReader;
import io.txwatch.product.postgresql.PostgresSchemaReader;
import io.txwatch.product.sqlite.SqliteSchemaReader;
import io.txwatch.sql.dialect.Dialect;
import java.sql.Connection;
import java.sql.SQLException;

/** Chooses the reader for a dialect. */
public final class SchemaReaders {

  private SchemaReaders() {}

  /** Makes a reader. */
  private interface Opener {
    SchemaReader open() throws SQLException;
  }

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
    return dialect
        .<Opener>select(
            () -> new PostgresSchemaReader(database, systemColumns),
            () -> new MySqlSchemaReader(dialect, database),
            () -> new MariaDbSchemaReader(dialect, database),
            () -> new H2SchemaReader(NameFolding.of(connection)),
            SqliteSchemaReader::new,
            () -> new MetadataSchemaReader(NameFolding.of(connection)))
        .open();
  }
}
