package shop;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import javax.sql.DataSource;

/** A service as an application has it, which sells what is in stock. */
public class Stock {

  private final DataSource shop;

  /** A service on a table {@code stock}. */
  public Stock(DataSource shop) {
    this.shop = shop;
  }

  /** Reads how many there are, and writes how many are left. */
  public void sell(int item) throws SQLException {
    try (Connection connection = shop.getConnection()) {
      connection.setAutoCommit(false);
      int left = read(connection, item) - 1;
      try (PreparedStatement update =
          connection.prepareStatement("UPDATE stock SET \"größe\" = ? WHERE id = ?")) {
        update.setInt(1, left);
        update.setInt(2, item);
        update.executeUpdate();
      }
      connection.commit();
    }
  }

  /** Adds to what there is. */
  public void restock(int item) throws SQLException {
    try (Connection connection = shop.getConnection();
        PreparedStatement update =
            connection.prepareStatement(
                "UPDATE stock SET \"größe\" = \"größe\" + 1 /* \\u */ WHERE id = ?")) {
      update.setInt(1, item);
      update.executeUpdate();
    }
  }

  /** Reads how many there are. */
  public int count(int item) throws SQLException {
    try (Connection connection = shop.getConnection()) {
      return read(connection, item);
    }
  }

  private static int read(Connection connection, int item) throws SQLException {
    try (PreparedStatement select =
        connection.prepareStatement("SELECT \"größe\" FROM stock WHERE id = ?")) {
      select.setInt(1, item);
      try (ResultSet rows = select.executeQuery()) {
        rows.next();
        return rows.getInt(1);
      }
    }
  }
}
