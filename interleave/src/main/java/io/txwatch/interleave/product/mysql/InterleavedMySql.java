package io.txwatch.interleave.product.mysql;

import io.txwatch.history.Product;
import io.txwatch.interleave.product.InterleavedProduct;
import io.txwatch.interleave.wait.WaitMonitor;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;

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
  public String sessionIdQuery() {
    return "SELECT CONNECTION_ID()";
  }

  @Override
  public String cancelStatement(long session) {
    return "KILL QUERY " + session;
  }

  @Override
  public String endSession(long session) {
    return "KILL " + session;
  }

  @Override
  public List<String> beforeRestore() {
    return List.of("SET FOREIGN_KEY_CHECKS = 0");
  }

  @Override
  public List<String> afterRestore() {
    return List.of("SET FOREIGN_KEY_CHECKS = 1");
  }

  /** A TINYINT(1), which drivers take for a BOOLEAN, and a YEAR, which they take for a date. */
  @Override
  public @Nullable Object value(ResultSet row, int column) throws SQLException {
    if (row.getMetaData().getColumnTypeName(column).startsWith("YEAR")) {
      int year = row.getInt(column);
      return row.wasNull() ? null : year;
    }
    Object value = InterleavedProduct.super.value(row, column);
    return value instanceof Boolean ? (Object) row.getInt(column) : value;
  }
}
