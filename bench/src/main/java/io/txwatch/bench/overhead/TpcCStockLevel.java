package io.txwatch.bench.overhead;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/** Stock-Level (clause 2.8): counts the items of a district's last twenty orders that run low. */
record TpcCStockLevel(int warehouse, int district, int threshold) implements Workload.Transaction {

  @Override
  public void run(Connection connection) throws SQLException {
    int next;
    try (PreparedStatement select =
        connection.prepareStatement(
            "SELECT d_next_o_id FROM district WHERE d_w_id = ? AND d_id = ?")) {
      select.setInt(1, warehouse);
      select.setInt(2, district);
      try (ResultSet row = select.executeQuery()) {
        row.next();
        next = row.getInt(1);
      }
    }
    try (PreparedStatement select =
        connection.prepareStatement(
            "SELECT COUNT(DISTINCT s_i_id) FROM order_line, stock"
                + " WHERE ol_w_id = ? AND ol_d_id = ? AND ol_o_id < ? AND ol_o_id >= ?"
                + " AND s_w_id = ? AND s_i_id = ol_i_id AND s_quantity < ?")) {
      select.setInt(1, warehouse);
      select.setInt(2, district);
      select.setInt(3, next);
      select.setInt(4, next - 20);
      select.setInt(5, warehouse);
      select.setInt(6, threshold);
      try (ResultSet row = select.executeQuery()) {
        row.next();
        row.getInt(1);
      }
    }
    connection.commit();
  }
}
