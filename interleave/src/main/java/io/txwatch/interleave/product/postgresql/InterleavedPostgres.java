package io.txwatch.interleave.product.postgresql;

import io.txwatch.history.Product;
import io.txwatch.interleave.product.InterleavedProduct;
import io.txwatch.interleave.wait.WaitMonitor;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;

/** What is particular to PostgreSQL. */
public final class InterleavedPostgres implements InterleavedProduct {

  @Override
  public boolean recognizes(Product product) {
    return product.is("PostgreSQL");
  }

  @Override
  public WaitMonitor monitor(Connection watcher) throws SQLException {
    return new PostgresWaitMonitor(watcher);
  }

  @Override
  public List<String> beforeRestore() {
    return List.of("SET session_replication_role = replica");
  }

  @Override
  public List<String> afterRestore() {
    return List.of("SET session_replication_role = DEFAULT");
  }

  @Override
  public String overridingIdentity() {
    return "OVERRIDING SYSTEM VALUE";
  }
}
