package io.txwatch.bench.overhead;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.function.Supplier;

/**
 * A workload like TPC-C (revision 5.11): its five transactions, each client with a home warehouse.
 * It has no keying and think times and no terminals.
 *
 * <p>A deck of cards determines the next transaction (clause 5.2.4.2) and is shuffled whenever it
 * is used up: ten New-Orders, ten Payments, one each of Order-Status, Delivery and Stock-Level.
 * With independent draws, some slices would have twice as many Deliveries as others, which are by
 * far the most expensive.
 */
final class TpcC implements Workload {

  @Override
  public void create(Connection connection, long seed) throws SQLException {
    new TpcCSchema(connection, seed).create();
  }

  @Override
  public void configure(Connection connection) throws SQLException {
    connection.setAutoCommit(false);
  }

  @Override
  public Client client(int number, long seed) {
    int home = 1 + number % TpcCSchema.WAREHOUSES;
    Random random = new Random(seed * 31 + number);
    TpcCInputs inputs = new TpcCInputs(random, home);
    List<Supplier<Transaction>> deck = deck(inputs);
    int[] remaining = {0};
    return () -> {
      if (remaining[0] == 0) {
        Collections.shuffle(deck, random);
        remaining[0] = deck.size();
      }
      return deck.get(--remaining[0]).get();
    };
  }

  private static List<Supplier<Transaction>> deck(TpcCInputs inputs) {
    List<Supplier<Transaction>> deck = new ArrayList<>();
    deck.addAll(Collections.nCopies(10, inputs::newOrder));
    deck.addAll(Collections.nCopies(10, inputs::payment));
    deck.addAll(List.of(inputs::orderStatus, inputs::delivery, inputs::stockLevel));
    return deck;
  }
}
