package io.txwatch.interleave.product;

import io.txwatch.history.Product;
import io.txwatch.interleave.wait.WaitMonitor;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.util.List;
import org.jspecify.annotations.Nullable;

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

  /** The query for the id of the session that executes it. */
  String sessionIdQuery();

  /**
   * The statement by which another session of the same user cancels the statement that a session
   * executes; without effect if it executes none.
   */
  String cancelStatement(long session);

  /** The statement by which another session of the same user ends a session. */
  String endSession(long session);

  /** Executed before tables are restored: foreign keys are not checked then. */
  List<String> beforeRestore();

  /** Executed afterwards. */
  List<String> afterRestore();

  /** What stands in front of VALUES so that an INSERT may give an identity column its value. */
  default String overridingIdentity() {
    return "";
  }

  /** The value of a column, as {@link #set} stores it again without a loss. */
  default @Nullable Object value(ResultSet row, int column) throws SQLException {
    return switch (row.getMetaData().getColumnType(column)) {
      // A java.sql.Time has no microseconds, and none is -10:00:00.
      case Types.DATE, Types.TIME, Types.TIMESTAMP -> row.getString(column);
      default -> row.getObject(column);
    };
  }

  /** Sets a parameter that is assigned to a column. */
  default void set(PreparedStatement insert, int parameter, @Nullable Object value)
      throws SQLException {
    insert.setObject(parameter, value);
  }
}
