package io.txwatch.product.duckdb;

import io.txwatch.history.Product;
import io.txwatch.product.other.OtherProduct;
import java.util.Optional;

/** DuckDB. Its tables are read as JDBC describes them, and its statements are never rewritten. */
public final class DuckDbProduct extends OtherProduct {

  private static final String NAME = "DuckDB";

  @Override
  public boolean isBehind(String name) {
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
