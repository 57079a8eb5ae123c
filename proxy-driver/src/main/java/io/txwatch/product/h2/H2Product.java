package io.txwatch.product.h2;

import io.txwatch.capture.SnapshotRules;
import io.txwatch.capture.TransactionRules;
import io.txwatch.catalog.CatalogQueries;
import io.txwatch.catalog.NameFolding;
import io.txwatch.catalog.SchemaReader;
import io.txwatch.dialect.DialectSql;
import io.txwatch.history.Database;
import io.txwatch.history.Product;
import io.txwatch.prepare.PreparationDdl;
import io.txwatch.product.WatchedProduct;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Map;

/** H2. */
public final class H2Product implements WatchedProduct {

  private static final String IN_MEMORY = "jdbc:h2:mem:";

  private static final String SETTINGS =
      "SELECT SETTING_NAME, SETTING_VALUE FROM INFORMATION_SCHEMA.SETTINGS"
          + " WHERE SETTING_NAME IN ('MODE', 'MV_STORE')";

  /** The same up to 1.4.200. */
  private static final String EARLIER_SETTINGS =
      "SELECT NAME, \"VALUE\" FROM INFORMATION_SCHEMA.SETTINGS WHERE NAME IN ('MODE', 'MV_STORE')";

  private static final int COLUMN_NOT_FOUND = 42122;

  @Override
  public DialectSql sql() {
    return H2Sql.INSTANCE;
  }

  @Override
  public TransactionRules transactionRules(Database database) {
    return new H2TransactionRules(dialect());
  }

  @Override
  public SnapshotRules snapshotRules(Database database) {
    return new H2SnapshotRules(dialect(), database.product().is("H2"));
  }

  @Override
  public boolean isDriverName(String name) {
    return name.equals("h2");
  }

  @Override
  public Probed probe(Connection connection, String name, String version) throws SQLException {
    String number = version.strip().split("\\s", 2)[0];
    return new Probed(new Product("H2", number), settings(connection), true);
  }

  private static Map<String, String> settings(Connection connection) throws SQLException {
    try {
      return CatalogQueries.pairs(connection, SETTINGS);
    } catch (SQLException e) {
      if (e.getErrorCode() != COLUMN_NOT_FOUND) {
        throw e;
      }
      return CatalogQueries.pairs(connection, EARLIER_SETTINGS);
    }
  }

  @Override
  public boolean includes(Product product) {
    return product.is("H2");
  }

  @Override
  public SchemaReader reader(Database database, Connection connection, boolean systemColumns)
      throws SQLException {
    return new H2SchemaReader(NameFolding.of(connection));
  }

  @Override
  public boolean supportsVersionsByValue(String product) {
    return product.equals("H2");
  }

  @Override
  public boolean isPrivate(String url) {
    return url.equalsIgnoreCase(IN_MEMORY);
  }

  @Override
  public String runOf(String url, Connection connection) {
    return url.startsWith(IN_MEMORY) ? H2MemoryRuns.of(connection) : "";
  }

  @Override
  public PreparationDdl preparation(SchemaReader reader, Database database) {
    return new H2Ddl(reader);
  }
}
