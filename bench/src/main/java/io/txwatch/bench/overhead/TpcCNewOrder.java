package io.txwatch.bench.overhead;

import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.util.List;

/**
 * New-Order (clause 2.4): one in a hundred orders an item that does not exist, and is rolled back.
 */
record TpcCNewOrder(int warehouse, int district, int customer, List<Line> lines, Timestamp time)
    implements Workload.Transaction {

  /** An ordered item. */
  record Line(int item, int supplier, int quantity) {}

  @Override
  public void run(Connection connection) throws SQLException {
    customerAndTax(connection);
    int order = nextOrder(connection);
    insertOrder(connection, order);
    if (insertLines(connection, order)) {
      connection.commit();
    } else {
      connection.rollback();
    }
  }

  private void customerAndTax(Connection connection) throws SQLException {
    try (PreparedStatement select =
        connection.prepareStatement(
            "SELECT c.c_discount, c.c_last, c.c_credit, w.w_tax FROM customer c, warehouse w"
                + " WHERE w.w_id = ? AND c.c_w_id = w.w_id AND c.c_d_id = ? AND c.c_id = ?")) {
      select.setInt(1, warehouse);
      select.setInt(2, district);
      select.setInt(3, customer);
      try (ResultSet row = select.executeQuery()) {
        row.next();
        row.getBigDecimal("c_discount");
        row.getString("c_last");
        row.getString("c_credit");
        row.getBigDecimal("w_tax");
      }
    }
  }

  private int nextOrder(Connection connection) throws SQLException {
    int order;
    try (PreparedStatement select =
        connection.prepareStatement(
            "SELECT d_next_o_id, d_tax FROM district WHERE d_w_id = ? AND d_id = ? FOR UPDATE")) {
      select.setInt(1, warehouse);
      select.setInt(2, district);
      try (ResultSet row = select.executeQuery()) {
        row.next();
        order = row.getInt(1);
      }
    }
    try (PreparedStatement update =
        connection.prepareStatement(
            "UPDATE district SET d_next_o_id = ? WHERE d_w_id = ? AND d_id = ?")) {
      update.setInt(1, order + 1);
      update.setInt(2, warehouse);
      update.setInt(3, district);
      update.executeUpdate();
    }
    return order;
  }

  private void insertOrder(Connection connection, int order) throws SQLException {
    boolean local = lines.stream().allMatch(line -> line.supplier() == warehouse);
    try (PreparedStatement insert =
        connection.prepareStatement(
            "INSERT INTO orders (o_w_id, o_d_id, o_id, o_c_id, o_entry_d, o_ol_cnt, o_all_local)"
                + " VALUES (?, ?, ?, ?, ?, ?, ?)")) {
      insert.setInt(1, warehouse);
      insert.setInt(2, district);
      insert.setInt(3, order);
      insert.setInt(4, customer);
      insert.setTimestamp(5, time);
      insert.setInt(6, lines.size());
      insert.setInt(7, local ? 1 : 0);
      insert.executeUpdate();
    }
    try (PreparedStatement insert =
        connection.prepareStatement(
            "INSERT INTO new_order (no_w_id, no_d_id, no_o_id) VALUES (?, ?, ?)")) {
      insert.setInt(1, warehouse);
      insert.setInt(2, district);
      insert.setInt(3, order);
      insert.executeUpdate();
    }
  }

  /** Inserts the lines; returns false if an item does not exist. */
  private boolean insertLines(Connection connection, int order) throws SQLException {
    try (PreparedStatement price =
            connection.prepareStatement("SELECT i_price, i_name FROM item WHERE i_id = ?");
        PreparedStatement stock =
            connection.prepareStatement(
                "SELECT s_quantity, s_dist FROM stock WHERE s_w_id = ? AND s_i_id = ? FOR UPDATE");
        PreparedStatement take =
            connection.prepareStatement(
                "UPDATE stock SET s_quantity = ?, s_ytd = s_ytd + ?,"
                    + " s_order_cnt = s_order_cnt + 1, s_remote_cnt = s_remote_cnt + ?"
                    + " WHERE s_w_id = ? AND s_i_id = ?");
        PreparedStatement insert =
            connection.prepareStatement(
                "INSERT INTO order_line (ol_w_id, ol_d_id, ol_o_id, ol_number, ol_i_id,"
                    + " ol_supply_w_id, ol_quantity, ol_amount, ol_dist_info)"
                    + " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)")) {
      int number = 0;
      for (Line line : lines) {
        price.setInt(1, line.item());
        BigDecimal each;
        try (ResultSet row = price.executeQuery()) {
          if (!row.next()) {
            return false;
          }
          each = row.getBigDecimal(1);
          row.getString(2);
        }
        String info = take(stock, take, line);
        insert.setInt(1, warehouse);
        insert.setInt(2, district);
        insert.setInt(3, order);
        insert.setInt(4, ++number);
        insert.setInt(5, line.item());
        insert.setInt(6, line.supplier());
        insert.setInt(7, line.quantity());
        insert.setBigDecimal(8, each.multiply(BigDecimal.valueOf(line.quantity())));
        insert.setString(9, info);
        insert.addBatch();
      }
      take.executeBatch();
      insert.executeBatch();
    }
    return true;
  }

  private String take(PreparedStatement stock, PreparedStatement take, Line line)
      throws SQLException {
    stock.setInt(1, line.supplier());
    stock.setInt(2, line.item());
    int quantity;
    String info;
    try (ResultSet row = stock.executeQuery()) {
      row.next();
      quantity = row.getInt(1) - line.quantity();
      info = row.getString(2);
    }
    take.setInt(1, quantity < 10 ? quantity + 91 : quantity);
    take.setInt(2, line.quantity());
    take.setInt(3, line.supplier() == warehouse ? 0 : 1);
    take.setInt(4, line.supplier());
    take.setInt(5, line.item());
    take.addBatch();
    return info;
  }
}
