package io.txwatch.product.other;

import io.txwatch.capture.SnapshotRules;
import io.txwatch.capture.TransactionRules;
import io.txwatch.catalog.CatalogProducts;
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
import java.util.Optional;

/** A DBMS that has no package of its own: its standard SQL is read and never rewritten. */
public class GenericProduct implements WatchedProduct {

  @Override
  public DialectSql sql() {
    return OtherSql.INSTANCE;
  }

  @Override
  public TransactionRules transactionRules(Database database) {
    return new OtherTransactionRules(dialect(), false);
  }

  @Override
  public SnapshotRules snapshotRules(Database database) {
    return new OtherSnapshotRules(dialect());
  }

  @Override
  public boolean isDriverName(String name) {
    return true;
  }

  @Override
  public Probed probe(Connection connection, String name, String version) throws SQLException {
    String number = version.strip().split("\\s-\\s|\\R", 2)[0];
    return new Probed(new Product(name, number), Map.of(), false);
  }

  @Override
  public boolean includes(Product product) {
    return true;
  }

  @Override
  public SchemaReader reader(Database database, Connection connection, boolean systemColumns)
      throws SQLException {
    return new MetadataSchemaReader(NameFolding.of(connection), triggerCount());
  }

  /**
   * The query for the number of a table's triggers, of which JDBC's metadata state nothing; its
   * parameters are the schema and the table. Empty if no table has any.
   */
  public Optional<String> triggerCount() {
    return Optional.of(
        "SELECT COUNT(*) FROM INFORMATION_SCHEMA.TRIGGERS"
            + " WHERE EVENT_OBJECT_SCHEMA = ? AND EVENT_OBJECT_TABLE = ?");
  }

  @Override
  public boolean isReadUntouched(Product product) {
    return !product.name().isBlank() && !product.is(CatalogProducts.UNNAMED);
  }

  @Override
  public boolean statesWritesAlone() {
    return true;
  }

  @Override
  public PreparationDdl preparation(SchemaReader reader, Database database) {
    throw new IllegalArgumentException(database.product().displayName());
  }
}
