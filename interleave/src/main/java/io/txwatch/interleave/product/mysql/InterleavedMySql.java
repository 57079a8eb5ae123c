package io.txwatch.interleave.product.mysql;

import io.txwatch.history.Product;
import io.txwatch.interleave.product.InterleavedProduct;
import io.txwatch.interleave.wait.WaitMonitor;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;

/** What is particular to MySQL and MariaDB. */
public class InterleavedMySql implements InterleavedProduct {

  @Override
  public boolean recognizes(Product product) {
    return product.is("MySQL");
  }

  @Override
  public WaitMonitor monitor(Connection watcher) throws SQLException {
    return InnodbWaits.of(watcher, true);
  }

  @Override
  public List<String> beforeRestore() {
    return List.of("SET FOREIGN_KEY_CHECKS = 0");
  }

  @Override
  public List<String> afterRestore() {
    return List.of("SET FOREIGN_KEY_CHECKS = 1");
  }
}
