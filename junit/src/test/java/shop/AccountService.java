package shop;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import javax.sql.DataSource;

/** A service as an application has it: it reads a balance, and writes a new one. */
public class AccountService {

  private final DataSource bank;
  private final String lock;

  /**
   * A service.
   *
   * @param locks true if it locks what it is going to write
   */
  public AccountService(DataSource bank, boolean locks) {
    this.bank = bank;
    this.lock = locks ? " FOR UPDATE" : "";
  }

  /**
   * Withdraws an amount from account 1.
   *
   * @param meanwhile what happens between the read and the write
   */
  public void withdraw(int amount, Runnable meanwhile) throws SQLException {
    try (Connection connection = bank.getConnection()) {
      connection.setAutoCommit(false);
      int balance = balance(connection);
      meanwhile.run();
      try (PreparedStatement update =
          connection.prepareStatement("UPDATE account SET balance = ? WHERE id = 1")) {
        update.setInt(1, balance - amount);
        update.executeUpdate();
      }
      connection.commit();
    }
  }

  private int balance(Connection connection) throws SQLException {
    try (PreparedStatement select =
            connection.prepareStatement("SELECT balance FROM account WHERE id = 1" + lock);
        ResultSet rows = select.executeQuery()) {
      rows.next();
      return rows.getInt(1);
    }
  }
}
