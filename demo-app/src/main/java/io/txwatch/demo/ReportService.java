package io.txwatch.demo;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;

/** The sum of all balances of the bank. */
final class ReportService {

  private final ServiceDatabase database;
  private final PaymentGateway rates;

  ReportService(ServiceDatabase database, PaymentGateway rates) {
    this.database = database;
    this.rates = rates;
  }

  /**
   * Adds up accounts one after another, each with the exchange rate of its currency. At READ
   * COMMITTED the balances are of different moments.
   */
  int total(List<Integer> accounts) throws SQLException {
    return database.transaction(statementSnapshotLevel(), connection -> add(connection, accounts));
  }

  /** As {@link #total}, in a transaction that reads one snapshot. */
  int totalOfOneMoment(List<Integer> accounts) throws SQLException {
    return database.transaction(snapshotLevel(), connection -> add(connection, accounts));
  }

  /** READ COMMITTED, which many services run at everywhere; SQLite has one level only. */
  int statementSnapshotLevel() {
    return database.isSqlite() ? database.defaultLevel() : Connection.TRANSACTION_READ_COMMITTED;
  }

  /** The weakest level at which a transaction reads one snapshot. */
  int snapshotLevel() {
    if (database.isSqlite()) {
      return database.defaultLevel();
    }
    return database.isH2() ? ServiceDatabase.H2_SNAPSHOT : Connection.TRANSACTION_REPEATABLE_READ;
  }

  private int add(Connection connection, List<Integer> accounts) throws SQLException {
    int total = 0;
    try (PreparedStatement select =
        connection.prepareStatement("SELECT owner, balance FROM account WHERE id = ?")) {
      for (int account : accounts) {
        select.setInt(1, account);
        try (ResultSet rows = select.executeQuery()) {
          if (rows.next()) {
            total += rows.getInt("balance");
          }
        }
        rates.call();
      }
    }
    return total;
  }
}
