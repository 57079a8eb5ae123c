package io.txwatch.bench.overhead;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Timestamp;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;

/**
 * TPC-C's nine tables and their initial rows (revision 5.11, clauses 1.3 and 4.3.3), with fewer
 * customers, orders and items, so that loading takes a second. As in TPC-C, only an order's carrier
 * and a line's delivery date may be NULL, until they are known.
 */
final class TpcCSchema {

  static final int WAREHOUSES = 2;
  static final int DISTRICTS = 10;
  static final int CUSTOMERS = 100;
  static final int ITEMS = 1_000;

  /** The initial orders of a district; the last third has not been delivered. */
  private static final int ORDERS = CUSTOMERS;

  private static final int DELIVERED = ORDERS * 7 / 10;
  private static final Timestamp BEGINNING = Timestamp.valueOf("2026-01-01 00:00:00");

  private static final List<String> SYLLABLES =
      List.of("BAR", "OUGHT", "ABLE", "PRI", "PRES", "ESE", "ANTI", "CALLY", "ATION", "EING");

  private static final List<String> TABLES =
      List.of(
          "CREATE TABLE warehouse (w_id INT PRIMARY KEY, w_name VARCHAR(10) NOT NULL,"
              + " w_street VARCHAR(20) NOT NULL, w_city VARCHAR(20) NOT NULL,"
              + " w_tax DECIMAL(4,4) NOT NULL, w_ytd DECIMAL(12,2) NOT NULL)",
          "CREATE TABLE district (d_w_id INT, d_id INT, d_name VARCHAR(10) NOT NULL,"
              + " d_street VARCHAR(20) NOT NULL, d_city VARCHAR(20) NOT NULL,"
              + " d_tax DECIMAL(4,4) NOT NULL, d_ytd DECIMAL(12,2) NOT NULL,"
              + " d_next_o_id INT NOT NULL, PRIMARY KEY (d_w_id, d_id))",
          "CREATE TABLE customer (c_w_id INT, c_d_id INT, c_id INT, c_first VARCHAR(16) NOT NULL,"
              + " c_last VARCHAR(16) NOT NULL, c_street VARCHAR(20) NOT NULL,"
              + " c_city VARCHAR(20) NOT NULL, c_credit CHAR(2) NOT NULL,"
              + " c_discount DECIMAL(4,4) NOT NULL, c_balance DECIMAL(12,2) NOT NULL,"
              + " c_ytd_payment DECIMAL(12,2) NOT NULL, c_payment_cnt INT NOT NULL,"
              + " c_delivery_cnt INT NOT NULL, c_data VARCHAR(500) NOT NULL,"
              + " PRIMARY KEY (c_w_id, c_d_id, c_id))",
          "CREATE INDEX customer_name ON customer (c_w_id, c_d_id, c_last, c_first)",
          "CREATE TABLE history (h_c_id INT NOT NULL, h_c_d_id INT NOT NULL, h_c_w_id INT NOT NULL,"
              + " h_d_id INT NOT NULL, h_w_id INT NOT NULL, h_date TIMESTAMP NOT NULL,"
              + " h_amount DECIMAL(6,2) NOT NULL, h_data VARCHAR(24) NOT NULL)",
          "CREATE TABLE orders (o_w_id INT, o_d_id INT, o_id INT, o_c_id INT NOT NULL,"
              + " o_entry_d TIMESTAMP NOT NULL, o_carrier_id INT, o_ol_cnt INT NOT NULL,"
              + " o_all_local INT NOT NULL, PRIMARY KEY (o_w_id, o_d_id, o_id))",
          "CREATE INDEX orders_customer ON orders (o_w_id, o_d_id, o_c_id, o_id)",
          "CREATE TABLE new_order (no_w_id INT, no_d_id INT, no_o_id INT,"
              + " PRIMARY KEY (no_w_id, no_d_id, no_o_id))",
          "CREATE TABLE order_line (ol_w_id INT, ol_d_id INT, ol_o_id INT, ol_number INT,"
              + " ol_i_id INT NOT NULL, ol_supply_w_id INT NOT NULL, ol_delivery_d TIMESTAMP NULL,"
              + " ol_quantity INT NOT NULL, ol_amount DECIMAL(6,2) NOT NULL,"
              + " ol_dist_info CHAR(24) NOT NULL,"
              + " PRIMARY KEY (ol_w_id, ol_d_id, ol_o_id, ol_number))",
          "CREATE TABLE item (i_id INT PRIMARY KEY, i_name VARCHAR(24) NOT NULL,"
              + " i_price DECIMAL(5,2) NOT NULL, i_data VARCHAR(50) NOT NULL)",
          "CREATE TABLE stock (s_w_id INT, s_i_id INT, s_quantity INT NOT NULL,"
              + " s_dist CHAR(24) NOT NULL, s_ytd INT NOT NULL, s_order_cnt INT NOT NULL,"
              + " s_remote_cnt INT NOT NULL, s_data VARCHAR(50) NOT NULL,"
              + " PRIMARY KEY (s_w_id, s_i_id))");

  private final Connection connection;
  private final Random random;

  TpcCSchema(Connection connection, long seed) {
    this.connection = connection;
    this.random = new Random(seed);
  }

  /** A customer's last name, of three syllables (clause 4.3.2.3). */
  static String lastName(int number) {
    return SYLLABLES.get(number / 100 % 10)
        + SYLLABLES.get(number / 10 % 10)
        + SYLLABLES.get(number % 10);
  }

  void create() throws SQLException {
    try (Statement statement = connection.createStatement()) {
      for (String table : TABLES) {
        statement.execute(table);
      }
    }
    connection.setAutoCommit(false);
    items();
    for (int warehouse = 1; warehouse <= WAREHOUSES; warehouse++) {
      warehouse(warehouse);
      for (int district = 1; district <= DISTRICTS; district++) {
        district(warehouse, district);
        customers(warehouse, district);
        orders(warehouse, district);
      }
    }
    connection.commit();
    connection.setAutoCommit(true);
  }

  private void items() throws SQLException {
    try (BatchInsert items = new BatchInsert(connection, "item", 4)) {
      for (int i = 1; i <= ITEMS; i++) {
        items.add(i, text(14, 24), cents(100, 9_999), text(26, 50));
      }
    }
  }

  private void warehouse(int warehouse) throws SQLException {
    try (BatchInsert warehouses = new BatchInsert(connection, "warehouse", 6)) {
      warehouses.add(warehouse, text(6, 10), text(10, 20), text(10, 20), tax(), 300_000.00);
    }
    try (BatchInsert stock = new BatchInsert(connection, "stock", 8)) {
      for (int i = 1; i <= ITEMS; i++) {
        stock.add(warehouse, i, 10 + random.nextInt(91), text(24, 24), 0, 0, 0, text(26, 50));
      }
    }
  }

  private void district(int warehouse, int district) throws SQLException {
    try (BatchInsert districts = new BatchInsert(connection, "district", 8)) {
      districts.add(
          warehouse,
          district,
          text(6, 10),
          text(10, 20),
          text(10, 20),
          tax(),
          30_000.00,
          ORDERS + 1);
    }
  }

  private void customers(int warehouse, int district) throws SQLException {
    try (BatchInsert customers = new BatchInsert(connection, "customer", 14);
        BatchInsert history = new BatchInsert(connection, "history", 8)) {
      for (int i = 1; i <= CUSTOMERS; i++) {
        customers.add(
            warehouse,
            district,
            i,
            text(8, 16),
            lastName(i - 1),
            text(10, 20),
            text(10, 20),
            random.nextInt(10) == 0 ? "BC" : "GC",
            random.nextInt(5_001) / 10_000.0,
            -10.00,
            10.00,
            1,
            0,
            text(300, 500));
        history.add(i, district, warehouse, district, warehouse, BEGINNING, 10.00, text(12, 24));
      }
    }
  }

  private void orders(int warehouse, int district) throws SQLException {
    List<Integer> customers = new ArrayList<>();
    for (int i = 1; i <= CUSTOMERS; i++) {
      customers.add(i);
    }
    Collections.shuffle(customers, random);
    try (BatchInsert orders = new BatchInsert(connection, "orders", 8);
        BatchInsert undelivered = new BatchInsert(connection, "new_order", 3);
        BatchInsert lines = new BatchInsert(connection, "order_line", 10)) {
      for (int i = 1; i <= ORDERS; i++) {
        boolean delivered = i <= DELIVERED;
        int count = 5 + random.nextInt(11);
        Integer carrier = delivered ? 1 + random.nextInt(10) : null;
        orders.add(warehouse, district, i, customers.get(i - 1), BEGINNING, carrier, count, 1);
        if (!delivered) {
          undelivered.add(warehouse, district, i);
        }
        for (int line = 1; line <= count; line++) {
          lines.add(
              warehouse,
              district,
              i,
              line,
              1 + random.nextInt(ITEMS),
              warehouse,
              delivered ? BEGINNING : null,
              5,
              delivered ? 0.00 : cents(1, 999_999),
              text(24, 24));
        }
      }
    }
  }

  private double tax() {
    return random.nextInt(2_001) / 10_000.0;
  }

  private double cents(int least, int most) {
    return (least + random.nextInt(most - least + 1)) / 100.0;
  }

  private String text(int least, int most) {
    char[] text = new char[least + random.nextInt(most - least + 1)];
    for (int i = 0; i < text.length; i++) {
      text[i] = (char) ('a' + random.nextInt(26));
    }
    return new String(text);
  }
}
