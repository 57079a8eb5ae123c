package io.txwatch.demo;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/** Accounts: withdrawals and transfers. */
final class BankService {

  private final ServiceDatabase database;
  private final PaymentGateway gateway;

  BankService(ServiceDatabase database, PaymentGateway gateway) {
    this.database = database;
    this.gateway = gateway;
  }

  /**
   * Takes money out: reads the balance, calls the gateway, writes what is left. A payment in
   * between is lost.
   *
   * @return false if there is not enough
   */
  boolean withdraw(int account, int amount) throws SQLException {
    return database.transaction(
        connection -> {
          int balance = balance(connection, account, "");
          if (balance < amount) {
            return false;
          }
          gateway.call();
          setBalance(connection, account, balance - amount);
          return true;
        });
  }

  /** As {@link #withdraw}, with the row locked from the moment it is read. */
  boolean withdrawLocking(int account, int amount) throws SQLException {
    return database.transaction(
        connection -> {
          int balance = balance(connection, account, database.forUpdate());
          if (balance < amount) {
            return false;
          }
          gateway.call();
          setBalance(connection, account, balance - amount);
          return true;
        });
  }

  /** Moves money, the lower account first so that two transfers never wait for each other. */
  void transfer(int from, int to, int amount) throws SQLException {
    gateway.call();
    database.transaction(
        connection -> {
          add(connection, Math.min(from, to), from < to ? -amount : amount);
          add(connection, Math.max(from, to), from < to ? amount : -amount);
          return true;
        });
    gateway.call();
  }

  private static int balance(Connection connection, int account, String lock) throws SQLException {
    try (PreparedStatement select =
        connection.prepareStatement("SELECT balance FROM account WHERE id = ?" + lock)) {
      select.setInt(1, account);
      try (ResultSet rows = select.executeQuery()) {
        if (!rows.next()) {
          throw new SQLException("no account " + account);
        }
        return rows.getInt("balance");
      }
    }
  }

  private static void setBalance(Connection connection, int account, int balance)
      throws SQLException {
    try (PreparedStatement update =
        connection.prepareStatement("UPDATE account SET balance = ? WHERE id = ?")) {
      update.setInt(1, balance);
      update.setInt(2, account);
      update.executeUpdate();
    }
  }

  private static void add(Connection connection, int account, int amount) throws SQLException {
    try (PreparedStatement update =
        connection.prepareStatement("UPDATE account SET balance = balance + ? WHERE id = ?")) {
      update.setInt(1, amount);
      update.setInt(2, account);
      update.executeUpdate();
    }
  }
}
