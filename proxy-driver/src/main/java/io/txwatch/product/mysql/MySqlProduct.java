package io.txwatch.product.mysql;

import io.txwatch.capture.SnapshotRules;
import io.txwatch.capture.TransactionRules;
import io.txwatch.catalog.DbmsVersion;
import io.txwatch.catalog.SchemaReader;
import io.txwatch.dialect.DialectSql;
import io.txwatch.history.Database;
import io.txwatch.history.Product;
import io.txwatch.prepare.PreparationDdl;
import io.txwatch.product.WatchedProduct;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Set;

/** MySQL. */
public final class MySqlProduct implements WatchedProduct {

  private static final Set<String> PRODUCTS = Set.of("MySQL", "TiDB", "OceanBase");

  @Override
  public DialectSql sql() {
    return MySqlSql.INSTANCE;
  }

  @Override
  public TransactionRules transactionRules(Database database) {
    return new MySqlTransactionRules(dialect(), database);
  }

  @Override
  public SnapshotRules snapshotRules(Database database) {
    return new InnoDbSnapshotRules(dialect(), database.product().is("MySQL"));
  }

  /** MariaDB, too: the drivers of both connect to both. */
  @Override
  public boolean isDriverName(String name) {
    return name.contains("mysql") || name.contains("mariadb") || name.contains("oceanbase");
  }

  @Override
  public Probed probe(Connection connection, String name, String version) throws SQLException {
    return MySqlProbe.probe(connection);
  }

  @Override
  public boolean includes(Product product) {
    return PRODUCTS.contains(product.name());
  }

  @Override
  public SchemaReader reader(Database database, Connection connection, boolean systemColumns) {
    return new MySqlSchemaReader(sql(), database);
  }

  @Override
  public boolean supportsVersionsByValue(String product) {
    return product.equals("MySQL");
  }

  @Override
  public PreparationDdl preparation(SchemaReader reader, Database database) {
    return new MySqlDdl(reader, DbmsVersion.isAtLeast(database.product().version(), 8, 0, 23));
  }
}
