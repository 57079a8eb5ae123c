package io.txwatch.interleave.product.mariadb;

import io.txwatch.history.Product;
import io.txwatch.interleave.product.mysql.InnodbWaits;
import io.txwatch.interleave.product.mysql.InterleavedMySql;
import io.txwatch.interleave.wait.WaitMonitor;
import java.sql.Connection;
import java.sql.SQLException;

/** What is particular to MariaDB: its performance schema has no table of lock waits. */
public final class InterleavedMariaDb extends InterleavedMySql {

  @Override
  public boolean recognizes(Product product) {
    return product.is("MariaDB");
  }

  @Override
  public WaitMonitor monitor(Connection watcher) throws SQLException {
    return InnodbWaits.of(watcher, false);
  }
}
