package io.txwatch.product.sqlite;

import io.txwatch.capture.SnapshotRules;
import io.txwatch.capture.TransactionRules;
import io.txwatch.catalog.CatalogQueries;
import io.txwatch.catalog.SchemaReader;
import io.txwatch.dialect.DialectSql;
import io.txwatch.history.Database;
import io.txwatch.history.Product;
import io.txwatch.prepare.PreparationDdl;
import io.txwatch.product.WatchedProduct;
import io.txwatch.product.other.OtherSnapshotRules;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Map;

/** SQLite. */
public final class SqliteProduct implements WatchedProduct {

  @Override
  public DialectSql sql() {
    return SqliteSql.INSTANCE;
  }

  @Override
  public TransactionRules transactionRules(Database database) {
    return new SqliteTransactionRules(dialect());
  }

  @Override
  public SnapshotRules snapshotRules(Database database) {
    return new OtherSnapshotRules(dialect());
  }

  @Override
  public boolean isDriverName(String name) {
    return name.equals("sqlite");
  }

  @Override
  public Probed probe(Connection connection, String name, String version) throws SQLException {
    return new Probed(
        new Product("SQLite", version),
        Map.of("journal_mode", CatalogQueries.single(connection, "PRAGMA journal_mode")),
        true);
  }

  @Override
  public boolean includes(Product product) {
    return product.is("SQLite");
  }

  @Override
  public SchemaReader reader(Database database, Connection connection, boolean systemColumns) {
    return new SqliteSchemaReader();
  }

  @Override
  public boolean supportsVersionsByValue(String product) {
    return product.equals("SQLite");
  }

  @Override
  public boolean isPrivate(String url) {
    return url.equalsIgnoreCase("jdbc:sqlite:") || url.equalsIgnoreCase("jdbc:sqlite::memory:");
  }

  @Override
  public PreparationDdl preparation(SchemaReader reader, Database database) {
    return new SqliteDdl(reader);
  }
}
