package io.txwatch.bench.analysis;

import io.txwatch.bench.analysis.SimulatedTable.StatementId;
import io.txwatch.history.Database;
import io.txwatch.history.Event;
import io.txwatch.history.IsolationLevel;
import io.txwatch.history.LoadShedding;
import io.txwatch.history.Outcome;
import io.txwatch.history.Product;
import io.txwatch.history.TransactionEvents;
import io.txwatch.history.WriterToken;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Emits lost updates on demand: two transactions read one of a hundred rows, both update it, and
 * the commit of the second proves the lost update.
 */
final class PlantedLostUpdates {

  private static final int ROWS = 100;
  private static final SimulatedTable STOCK =
      new SimulatedTable(
          "stock",
          "SELECT n FROM stock WHERE id = ?",
          "UPDATE stock SET n = ? WHERE id = ?",
          List.of("Stock.java:19", "Stock.java:21"));

  private final long node;
  private final long firstSession;
  private final long secondSession;
  private final Consumer<Event> events;
  private final LoadShedding shedding;
  private final String[] lists = new String[ROWS];
  private long transactions = 2;

  /** Opens the two sessions. */
  PlantedLostUpdates(Consumer<Event> events) {
    this(events, LoadShedding.NEVER, 0);
  }

  /** Opens the sessions of one of several processes, each with a database of its own. */
  PlantedLostUpdates(Consumer<Event> events, LoadShedding shedding, int process) {
    this.events = events;
    this.shedding = shedding;
    node = 0x5eed_0002L + 2L * process << 32;
    firstSession = node | 1;
    secondSession = node | 2;
    Arrays.fill(lists, "");
    Database database =
        new Database(new Product("PostgreSQL", "18.6"), Map.of(), "database " + process);
    events.accept(new Event.SessionOpened(firstSession, "planted-1", database));
    events.accept(new Event.SessionOpened(secondSession, "planted-2", database));
  }

  /** The id of the transaction whose commit will prove the next lost update. */
  long nextTransactionId() {
    return node | transactions + 1;
  }

  /** Emits a lost update except the commit that proves it, which the returned action emits. */
  Runnable plant() {
    long loserId = nextTransactionId();
    long winnerId = loserId + 1;
    transactions += 2;
    int row = (int) (transactions / 2 % ROWS);
    TransactionEvents loser = begin(firstSession, loserId);
    TransactionEvents winner = begin(secondSession, winnerId);
    loser.executed(read(new StatementId(firstSession, loserId, 1), row, lists));
    winner.executed(read(new StatementId(secondSession, winnerId, 1), row, lists));
    winner.executed(update(new StatementId(secondSession, winnerId, 2), row, lists));
    winner.ended(secondSession, winnerId, Outcome.COMMITTED, 0);
    loser.executed(update(new StatementId(firstSession, loserId, 2), row, lists));
    return () -> loser.ended(firstSession, loserId, Outcome.COMMITTED, 0);
  }

  private TransactionEvents begin(long session, long transaction) {
    return new TransactionEvents(
        shedding, events, session, transaction, IsolationLevel.READ_COMMITTED, 0, "", "");
  }

  private static Event.StatementExecuted read(StatementId id, int row, String[] lists) {
    return STOCK.read(id, row, lists[row]);
  }

  private static Event.StatementExecuted update(StatementId id, int row, String[] lists) {
    lists[row] =
        SimulatedDriverEvents.window(lists[row] + WriterToken.of(id.transaction(), id.number()));
    return STOCK.updated(id, row, lists[row]);
  }
}
