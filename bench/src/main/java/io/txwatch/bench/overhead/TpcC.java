package io.txwatch.bench.overhead;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Random;

/**
 * A workload like TPC-C (revision 5.11): its five transactions in the proportions that are usual,
 * 45 % New-Order, 43 % Payment, 4 % each of Order-Status, Delivery and Stock-Level, each client
 * with a home warehouse. Left out: keying and thinking times, and terminals.
 */
final class TpcC implements Workload {

  @Override
  public void create(Connection connection, long seed) throws SQLException {
    new TpcCSchema(connection, seed).create();
  }

  @Override
  public void connected(Connection connection) throws SQLException {
    connection.setAutoCommit(false);
  }

  @Override
  public Client client(int number, long seed) {
    int home = 1 + number % TpcCSchema.WAREHOUSES;
    TpcCInputs inputs = new TpcCInputs(new Random(seed * 31 + number), home);
    return () -> {
      int dice = inputs.between(1, 100);
      if (dice <= 45) {
        return inputs.newOrder();
      } else if (dice <= 88) {
        return inputs.payment();
      } else if (dice <= 92) {
        return inputs.orderStatus();
      } else if (dice <= 96) {
        return inputs.delivery();
      }
      return inputs.stockLevel();
    };
  }
}
