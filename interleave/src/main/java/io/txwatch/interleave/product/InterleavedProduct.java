package io.txwatch.interleave.product;

import io.txwatch.history.Product;
import io.txwatch.interleave.wait.WaitMonitor;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;

/** What is particular to a DBMS where operations of an application are interleaved. */
public interface InterleavedProduct {

  /** True if it is that product, or a variant that behaves like it. */
  boolean recognizes(Product product);

  /**
   * Reports which connections are blocked.
   *
   * @param watcher a connection for its queries, which it closes
   */
  WaitMonitor monitor(Connection watcher) throws SQLException;

  /** Executed before tables are restored: foreign keys are not checked then. */
  List<String> beforeRestore();

  /** Executed afterwards. */
  List<String> afterRestore();

  /** What stands in front of VALUES so that an INSERT may give an identity column its value. */
  default String overridingIdentity() {
    return "";
  }
}
