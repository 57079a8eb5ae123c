package io.txwatch.bench.overhead;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/** Order-Status (clause 2.6): reads a customer's last order and its lines. */
record TpcCOrderStatus(TpcCCustomer customer) implements Workload.Transaction {

  @Override
  public void run(Connection connection) throws SQLException {
    int id = customer.resolve(connection);
    try (PreparedStatement select =
        connection.prepareStatement(
            "SELECT c_balance, c_first, c_last FROM customer"
                + " WHERE c_w_id = ? AND c_d_id = ? AND c_id = ?")) {
      select.setInt(1, customer.warehouse());
      select.setInt(2, customer.district());
      select.setInt(3, id);
      try (ResultSet row = select.executeQuery()) {
        row.next();
        row.getBigDecimal(1);
      }
    }
    int order = 0;
    try (PreparedStatement select =
        connection.prepareStatement(
            "SELECT o_id, o_entry_d, o_carrier_id FROM orders"
                + " WHERE o_w_id = ? AND o_d_id = ? AND o_c_id = ? ORDER BY o_id DESC LIMIT 1")) {
      select.setInt(1, customer.warehouse());
      select.setInt(2, customer.district());
      select.setInt(3, id);
      try (ResultSet row = select.executeQuery()) {
        if (row.next()) {
          order = row.getInt("o_id");
          row.getTimestamp("o_entry_d");
        }
      }
    }
    try (PreparedStatement select =
        connection.prepareStatement(
            "SELECT ol_i_id, ol_supply_w_id, ol_quantity, ol_amount, ol_delivery_d"
                + " FROM order_line WHERE ol_w_id = ? AND ol_d_id = ? AND ol_o_id = ?")) {
      select.setInt(1, customer.warehouse());
      select.setInt(2, customer.district());
      select.setInt(3, order);
      try (ResultSet row = select.executeQuery()) {
        while (row.next()) {
          row.getInt(1);
          row.getInt(3);
          row.getBigDecimal(4);
          row.getTimestamp(5);
        }
      }
    }
    connection.commit();
  }
}
