package io.txwatch.product.hsqldb;

import io.txwatch.capture.TransactionRules;
import io.txwatch.catalog.CatalogQueries;
import io.txwatch.history.Database;
import io.txwatch.history.Product;
import io.txwatch.product.other.GenericProduct;
import java.sql.Connection;
import java.sql.SQLException;

/** HSQLDB. Its tables are read as JDBC describes them, and its statements are never rewritten. */
public final class HsqldbProduct extends GenericProduct {

  private static final String NAME = "HSQLDB";

  /** As its driver names it. */
  private static final String IN_FULL = "HSQL Database Engine";

  /** The transaction model, which decides what a level promises, and what a conflict does. */
  private static final String SETTINGS =
      "SELECT PROPERTY_NAME, PROPERTY_VALUE FROM INFORMATION_SCHEMA.SYSTEM_PROPERTIES"
          + " WHERE PROPERTY_NAME IN ('hsqldb.tx', 'hsqldb.tx_conflict_rollback')";

  @Override
  public boolean isDriverName(String name) {
    return name.equalsIgnoreCase(IN_FULL);
  }

  @Override
  public Probed probe(Connection connection, String name, String version) throws SQLException {
    return new Probed(
        new Product(NAME, version), CatalogQueries.pairs(connection, SETTINGS), false);
  }

  @Override
  public boolean includes(Product product) {
    return product.is(NAME);
  }

  /** Then it is probed on a connection of txwatch's own. */
  @Override
  public boolean supportsVersionsByValue(String product) {
    return product.equals(NAME) || product.equals(IN_FULL);
  }

  @Override
  public boolean asksForAutocommit(Connection opened) {
    return opened.getClass().getName().equals("org.hsqldb.jdbc.JDBCConnection");
  }

  @Override
  public TransactionRules transactionRules(Database database) {
    return new HsqldbTransactionRules(dialect(), database);
  }
}
