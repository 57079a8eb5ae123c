package org.example.shop.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import javax.sql.DataSource;
import org.example.shop.Schema;
import org.example.shop.Shop;

/** JDBC alone, through a pool. */
public final class JdbcShop implements Shop {

  private final DataSource pool;
  private final AutoCloseable closing;

  /**
   * Works through a pool.
   *
   * @param closing closes the pool
   */
  public JdbcShop(DataSource pool, AutoCloseable closing) {
    this.pool = pool;
    this.closing = closing;
  }

  @Override
  public long add(String name, int stock) throws SQLException {
    try (Connection connection = pool.getConnection();
        PreparedStatement insert =
            connection.prepareStatement(
                "INSERT INTO product (name, stock, price) VALUES (?, ?, 9.95)",
                Statement.RETURN_GENERATED_KEYS)) {
      insert.setString(1, name);
      insert.setInt(2, stock);
      insert.executeUpdate();
      return keys(insert).get(0);
    }
  }

  private static List<Long> keys(Statement statement) throws SQLException {
    List<Long> keys = new ArrayList<>();
    try (ResultSet generated = statement.getGeneratedKeys()) {
      while (generated.next()) {
        keys.add(generated.getLong(1));
      }
    }
    return keys;
  }

  @Override
  public String addAll(List<String> names) throws SQLException {
    try (Connection connection = pool.getConnection();
        PreparedStatement insert =
            connection.prepareStatement(
                "INSERT INTO product (name, stock) VALUES (?, 10)",
                Statement.RETURN_GENERATED_KEYS)) {
      for (String name : names) {
        insert.setString(1, name);
        insert.addBatch();
      }
      return Arrays.toString(insert.executeBatch()) + " " + keys(insert);
    }
  }

  @Override
  public List<String> products() throws SQLException {
    List<String> lines = new ArrayList<>();
    try (Connection connection = pool.getConnection();
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery("SELECT * FROM product ORDER BY id")) {
      int columns = rows.getMetaData().getColumnCount();
      while (rows.next()) {
        StringBuilder line = new StringBuilder();
        for (int i = 1; i <= columns; i++) {
          line.append(rows.getMetaData().getColumnLabel(i)).append('=');
          line.append(rows.getObject(i)).append(' ');
        }
        lines.add(line.toString());
      }
    }
    return lines;
  }

  @Override
  public String purchases() throws SQLException {
    try (Connection connection = pool.getConnection();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("SELECT COUNT(*), SUM(quantity) FROM purchase")) {
      row.next();
      return row.getLong(1) + " " + row.getLong(2);
    }
  }

  @Override
  public void buy(long product, int quantity, boolean fails) throws SQLException {
    try (Connection connection = pool.getConnection()) {
      connection.setAutoCommit(false);
      try (PreparedStatement insert =
              connection.prepareStatement(
                  "INSERT INTO purchase (product_id, quantity) VALUES (?, ?)");
          PreparedStatement update =
              connection.prepareStatement("UPDATE product SET stock = stock - ? WHERE id = ?")) {
        insert.setLong(1, product);
        insert.setInt(2, quantity);
        insert.executeUpdate();
        update.setInt(1, quantity);
        update.setLong(2, product);
        update.executeUpdate();
        if (fails) {
          throw new SQLException("out of stock", "45000");
        }
        connection.commit();
      } catch (SQLException e) {
        connection.rollback();
        throw e;
      } finally {
        connection.setAutoCommit(true);
      }
    }
  }

  @Override
  public void sell(long product, Runnable meanwhile) throws SQLException {
    try (Connection connection = pool.getConnection()) {
      connection.setAutoCommit(false);
      int stock;
      try (PreparedStatement select =
          connection.prepareStatement("SELECT stock FROM product WHERE id = ?")) {
        select.setLong(1, product);
        ResultSet row = select.executeQuery(); // read
        row.next();
        stock = row.getInt(1);
      }
      meanwhile.run();
      try (PreparedStatement update =
          connection.prepareStatement("UPDATE product SET stock = ? WHERE id = ?")) {
        update.setInt(1, stock - 1);
        update.setLong(2, product);
        update.executeUpdate(); // write
      }
      connection.commit();
      connection.setAutoCommit(true);
    }
  }

  @Override
  public int remove(String name) throws SQLException {
    try (Connection connection = pool.getConnection();
        PreparedStatement delete =
            connection.prepareStatement("DELETE FROM product WHERE name = ?")) {
      delete.setString(1, name);
      return delete.executeUpdate();
    }
  }

  @Override
  public List<String> metadata() throws SQLException {
    try (Connection connection = pool.getConnection()) {
      return Schema.metadata(connection);
    }
  }

  @Override
  public void close() throws Exception {
    closing.close();
  }
}
