package io.txwatch.product.duckdb;

import io.txwatch.history.Product;
import io.txwatch.product.other.GenericProduct;
import java.util.Optional;

/** DuckDB. Its tables are read as JDBC describes them, and its statements are never rewritten. */
public final class DuckDbProduct extends GenericProduct {

  private static final String NAME = "DuckDB";

  @Override
  public boolean isDriverName(String name) {
    return name.equalsIgnoreCase(NAME);
  }

  @Override
  public boolean includes(Product product) {
    return product.is(NAME);
  }

  /** It has no triggers. */
  @Override
  public Optional<String> triggerCount() {
    return Optional.empty();
  }
}
