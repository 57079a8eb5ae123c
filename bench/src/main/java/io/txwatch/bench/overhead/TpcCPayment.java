package io.txwatch.bench.overhead;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;

/** Payment (clause 2.5). */
record TpcCPayment(
    int warehouse, int district, TpcCCustomer customer, double amount, Timestamp time)
    implements Workload.Transaction {

  @Override
  public void run(Connection connection) throws SQLException {
    try (PreparedStatement update =
        connection.prepareStatement("UPDATE warehouse SET w_ytd = w_ytd + ? WHERE w_id = ?")) {
      update.setDouble(1, amount);
      update.setInt(2, warehouse);
      update.executeUpdate();
    }
    String name = name(connection, "SELECT w_name, w_street, w_city FROM warehouse WHERE w_id = ?");
    try (PreparedStatement update =
        connection.prepareStatement(
            "UPDATE district SET d_ytd = d_ytd + ? WHERE d_w_id = ? AND d_id = ?")) {
      update.setDouble(1, amount);
      update.setInt(2, warehouse);
      update.setInt(3, district);
      update.executeUpdate();
    }
    String place =
        name(
            connection,
            "SELECT d_name, d_street, d_city FROM district WHERE d_w_id = ? AND d_id = ?");
    int id = customer.resolve(connection);
    pay(connection, id);
    insertHistory(connection, id, name + "    " + place);
    connection.commit();
  }

  private String name(Connection connection, String sql) throws SQLException {
    try (PreparedStatement select = connection.prepareStatement(sql)) {
      select.setInt(1, warehouse);
      if (sql.endsWith("d_id = ?")) {
        select.setInt(2, district);
      }
      try (ResultSet row = select.executeQuery()) {
        row.next();
        row.getString(2);
        row.getString(3);
        return row.getString(1);
      }
    }
  }

  private void pay(Connection connection, int id) throws SQLException {
    String credit;
    String data;
    try (PreparedStatement select =
        connection.prepareStatement(
            "SELECT c_first, c_last, c_street, c_city, c_credit, c_discount, c_balance, c_data"
                + " FROM customer WHERE c_w_id = ? AND c_d_id = ? AND c_id = ? FOR UPDATE")) {
      select.setInt(1, customer.warehouse());
      select.setInt(2, customer.district());
      select.setInt(3, id);
      try (ResultSet row = select.executeQuery()) {
        row.next();
        row.getString("c_first");
        row.getString("c_last");
        row.getBigDecimal("c_balance");
        credit = row.getString("c_credit");
        data = row.getString("c_data");
      }
    }
    boolean bad = credit.equals("BC");
    try (PreparedStatement update =
        connection.prepareStatement(
            "UPDATE customer SET c_balance = c_balance - ?, c_ytd_payment = c_ytd_payment + ?,"
                + " c_payment_cnt = c_payment_cnt + 1"
                + (bad ? ", c_data = ?" : "")
                + " WHERE c_w_id = ? AND c_d_id = ? AND c_id = ?")) {
      int i = 1;
      update.setDouble(i++, amount);
      update.setDouble(i++, amount);
      if (bad) {
        String more = id + " " + district + " " + warehouse + " " + amount + "|" + data;
        update.setString(i++, more.substring(0, Math.min(500, more.length())));
      }
      update.setInt(i++, customer.warehouse());
      update.setInt(i++, customer.district());
      update.setInt(i, id);
      update.executeUpdate();
    }
  }

  private void insertHistory(Connection connection, int id, String data) throws SQLException {
    try (PreparedStatement insert =
        connection.prepareStatement(
            "INSERT INTO history (h_c_d_id, h_c_w_id, h_c_id, h_d_id, h_w_id, h_date, h_amount,"
                + " h_data) VALUES (?, ?, ?, ?, ?, ?, ?, ?)")) {
      insert.setInt(1, customer.district());
      insert.setInt(2, customer.warehouse());
      insert.setInt(3, id);
      insert.setInt(4, district);
      insert.setInt(5, warehouse);
      insert.setTimestamp(6, time);
      insert.setDouble(7, amount);
      insert.setString(8, data);
      insert.executeUpdate();
    }
  }
}
