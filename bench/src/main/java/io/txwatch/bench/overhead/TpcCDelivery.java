package io.txwatch.bench.overhead;

import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;

/** Delivery (clause 2.7): delivers the oldest undelivered order of each district. */
record TpcCDelivery(int warehouse, int carrier, Timestamp time) implements Workload.Transaction {

  @Override
  public void run(Connection connection) throws SQLException {
    for (int district = 1; district <= TpcCSchema.DISTRICTS; district++) {
      int order = oldest(connection, district);
      if (order > 0) {
        deliver(connection, district, order);
      }
    }
    connection.commit();
  }

  private int oldest(Connection connection, int district) throws SQLException {
    int order;
    try (PreparedStatement select =
        connection.prepareStatement(
            "SELECT no_o_id FROM new_order WHERE no_w_id = ? AND no_d_id = ?"
                + " ORDER BY no_o_id LIMIT 1 FOR UPDATE")) {
      select.setInt(1, warehouse);
      select.setInt(2, district);
      try (ResultSet row = select.executeQuery()) {
        if (!row.next()) {
          return 0;
        }
        order = row.getInt(1);
      }
    }
    try (PreparedStatement delete =
        connection.prepareStatement(
            "DELETE FROM new_order WHERE no_w_id = ? AND no_d_id = ? AND no_o_id = ?")) {
      delete.setInt(1, warehouse);
      delete.setInt(2, district);
      delete.setInt(3, order);
      delete.executeUpdate();
    }
    return order;
  }

  private void deliver(Connection connection, int district, int order) throws SQLException {
    int customer;
    try (PreparedStatement select =
        connection.prepareStatement(
            "SELECT o_c_id FROM orders WHERE o_w_id = ? AND o_d_id = ? AND o_id = ?")) {
      customer = intOf(select, district, order);
    }
    update(
        connection,
        "UPDATE orders SET o_carrier_id = ? WHERE o_w_id = ? AND o_d_id = ? AND o_id = ?",
        carrier,
        district,
        order);
    update(
        connection,
        "UPDATE order_line SET ol_delivery_d = ?"
            + " WHERE ol_w_id = ? AND ol_d_id = ? AND ol_o_id = ?",
        time,
        district,
        order);
    BigDecimal amount;
    try (PreparedStatement select =
        connection.prepareStatement(
            "SELECT SUM(ol_amount) FROM order_line"
                + " WHERE ol_w_id = ? AND ol_d_id = ? AND ol_o_id = ?")) {
      select.setInt(1, warehouse);
      select.setInt(2, district);
      select.setInt(3, order);
      try (ResultSet row = select.executeQuery()) {
        row.next();
        amount = row.getBigDecimal(1);
      }
    }
    update(
        connection,
        "UPDATE customer SET c_balance = c_balance + ?, c_delivery_cnt = c_delivery_cnt + 1"
            + " WHERE c_w_id = ? AND c_d_id = ? AND c_id = ?",
        amount,
        district,
        customer);
  }

  private int intOf(PreparedStatement select, int district, int order) throws SQLException {
    select.setInt(1, warehouse);
    select.setInt(2, district);
    select.setInt(3, order);
    try (ResultSet row = select.executeQuery()) {
      row.next();
      return row.getInt(1);
    }
  }

  private void update(Connection connection, String sql, Object value, int district, int id)
      throws SQLException {
    try (PreparedStatement update = connection.prepareStatement(sql)) {
      update.setObject(1, value);
      update.setInt(2, warehouse);
      update.setInt(3, district);
      update.setInt(4, id);
      update.executeUpdate();
    }
  }
}
