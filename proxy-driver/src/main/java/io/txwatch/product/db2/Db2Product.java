package io.txwatch.product.db2;

import io.txwatch.history.Product;
import io.txwatch.product.other.GenericProduct;
import java.util.Locale;
import java.util.Optional;

/** Db2. Its tables are read as JDBC describes them, and its statements are never rewritten. */
public final class Db2Product extends GenericProduct {

  @Override
  public boolean isDriverName(String name) {
    return name.startsWith("db2");
  }

  @Override
  public boolean includes(Product product) {
    return product.name().toLowerCase(Locale.ROOT).startsWith("db2");
  }

  @Override
  public Optional<String> triggerCount() {
    return Optional.of("SELECT COUNT(*) FROM SYSCAT.TRIGGERS WHERE TABSCHEMA = ? AND TABNAME = ?");
  }
}
