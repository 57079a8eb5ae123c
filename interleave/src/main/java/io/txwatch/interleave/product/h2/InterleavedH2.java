package io.txwatch.interleave.product.h2;

import io.txwatch.history.Product;
import io.txwatch.interleave.product.InterleavedProduct;
import io.txwatch.interleave.wait.WaitMonitor;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;

/** What is particular to H2. */
public final class InterleavedH2 implements InterleavedProduct {

  @Override
  public boolean recognizes(Product product) {
    return product.is("H2");
  }

  @Override
  public WaitMonitor monitor(Connection watcher) throws SQLException {
    return new H2WaitMonitor(watcher, false);
  }

  @Override
  public String sessionIdQuery() {
    return "SELECT SESSION_ID()";
  }

  @Override
  public String cancelStatement(long session) {
    return "CALL CANCEL_SESSION(" + session + ")";
  }

  @Override
  public String endSession(long session) {
    return "CALL ABORT_SESSION(" + session + ")";
  }

  @Override
  public List<String> beforeRestore() {
    return List.of("SET REFERENTIAL_INTEGRITY FALSE");
  }

  @Override
  public List<String> afterRestore() {
    return List.of("SET REFERENTIAL_INTEGRITY TRUE");
  }

  @Override
  public String overridingIdentity() {
    return "OVERRIDING SYSTEM VALUE";
  }
}
