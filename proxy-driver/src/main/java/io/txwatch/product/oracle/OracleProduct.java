package io.txwatch.product.oracle;

import io.txwatch.history.Product;
import io.txwatch.product.other.GenericProduct;
import java.util.Optional;

/**
 * Oracle Database. Its tables are read as JDBC describes them, and its statements are never
 * rewritten.
 */
public final class OracleProduct extends GenericProduct {

  private static final String NAME = "Oracle";

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
        "SELECT COUNT(*) FROM ALL_TRIGGERS WHERE TABLE_OWNER = ? AND TABLE_NAME = ?");
  }
}
