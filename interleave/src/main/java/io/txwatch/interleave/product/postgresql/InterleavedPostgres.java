package io.txwatch.interleave.product.postgresql;

import io.txwatch.history.Product;
import io.txwatch.interleave.product.InterleavedProduct;
import io.txwatch.interleave.wait.WaitMonitor;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.util.List;
import org.jspecify.annotations.Nullable;

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
  public String sessionIdQuery() {
    return "SELECT pg_catalog.pg_backend_pid()";
  }

  @Override
  public String cancelStatement(long session) {
    return "SELECT pg_catalog.pg_cancel_backend(" + session + ")";
  }

  @Override
  public String endSession(long session) {
    return "SELECT pg_catalog.pg_terminate_backend(" + session + ")";
  }

  @Override
  public List<String> beforeRestore() {
    return List.of(
        "SET LOCAL lock_timeout = '10s'", // else it waits without end for what is left open
        "SET session_replication_role = replica");
  }

  @Override
  public List<String> afterRestore() {
    return List.of("SET session_replication_role = DEFAULT");
  }

  @Override
  public String overridingIdentity() {
    return "OVERRIDING SYSTEM VALUE";
  }

  /** Its text: each type has one that is exact, and the driver has no class for most of them. */
  @Override
  public @Nullable Object value(ResultSet row, int column) throws SQLException {
    return row.getString(column);
  }

  /** Sets a text of no type, so that it gets the type of the column. */
  @Override
  public void set(PreparedStatement insert, int parameter, @Nullable Object value)
      throws SQLException {
    insert.setObject(parameter, value, Types.OTHER);
  }
}
