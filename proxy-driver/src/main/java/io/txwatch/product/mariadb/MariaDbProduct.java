package io.txwatch.product.mariadb;

import io.txwatch.capture.SnapshotRules;
import io.txwatch.capture.TransactionRules;
import io.txwatch.catalog.DbmsVersion;
import io.txwatch.catalog.SchemaReader;
import io.txwatch.dialect.DialectSql;
import io.txwatch.history.Database;
import io.txwatch.history.Product;
import io.txwatch.prepare.PreparationDdl;
import io.txwatch.product.WatchedProduct;
import io.txwatch.product.mysql.InnoDbSnapshotRules;
import io.txwatch.product.mysql.MySqlProduct;
import java.sql.Connection;
import java.sql.SQLException;

/** MariaDB. */
public final class MariaDbProduct implements WatchedProduct {

  @Override
  public DialectSql sql() {
    return MariaDbSql.INSTANCE;
  }

  @Override
  public TransactionRules transactionRules(Database database) {
    return new MariaDbTransactionRules(dialect(), database);
  }

  @Override
  public SnapshotRules snapshotRules(Database database) {
    return new InnoDbSnapshotRules(dialect(), database.product().is("MariaDB"));
  }

  /** That of MySQL, whose driver connects to it, too. */
  @Override
  public boolean isDriverName(String name) {
    return false;
  }

  @Override
  public Probed probe(Connection connection, String name, String version) throws SQLException {
    return new MySqlProduct().probe(connection, name, version);
  }

  @Override
  public boolean includes(Product product) {
    return product.is("MariaDB");
  }

  @Override
  public SchemaReader reader(Database database, Connection connection, boolean systemColumns) {
    return new MariaDbSchemaReader(database);
  }

  @Override
  public boolean supportsVersionsByValue(String product) {
    return product.equals("MariaDB");
  }

  @Override
  public PreparationDdl preparation(SchemaReader reader, Database database) {
    return new MariaDbDdl(reader, DbmsVersion.isAtLeast(database.product().version(), 10, 3, 0));
  }
}
