package io.txwatch.product.sqlserver;

import io.txwatch.history.Product;
import io.txwatch.product.other.GenericProduct;
import java.util.Optional;

/**
 * SQL Server. Its tables are read as JDBC describes them, and its statements are never rewritten.
 */
public final class SqlServerProduct extends GenericProduct {

  private static final String NAME = "Microsoft SQL Server";

  @Override
  public boolean isDriverName(String name) {
    return name.equalsIgnoreCase(NAME);
  }

  @Override
  public boolean includes(Product product) {
    return product.is(NAME);
  }

  @Override
  public Optional<String> triggerCount() {
    return Optional.of(
        "SELECT COUNT(*) FROM sys.triggers g JOIN sys.objects t ON t.object_id = g.parent_id"
            + " JOIN sys.schemas s ON s.schema_id = t.schema_id WHERE s.name = ? AND t.name = ?");
  }
}
