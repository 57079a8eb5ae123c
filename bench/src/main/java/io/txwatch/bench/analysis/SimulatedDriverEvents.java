package io.txwatch.bench.analysis;

import io.txwatch.bench.analysis.SimulatedTable.StatementId;
import io.txwatch.bench.analysis.TwoPhaseLockingSimulation.Operation;
import io.txwatch.history.Database;
import io.txwatch.history.Event;
import io.txwatch.history.IsolationLevel;
import io.txwatch.history.LoadShedding;
import io.txwatch.history.Outcome;
import io.txwatch.history.Product;
import io.txwatch.history.TransactionEvents;
import io.txwatch.history.WriterList;
import io.txwatch.history.WriterToken;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Emits the events that the driver would emit for a simulation: a key is a row, a list is the text
 * of its column {@code txw_wl}, an append is an UPDATE and a read is a SELECT.
 */
final class SimulatedDriverEvents implements TwoPhaseLockingSimulation.Recorder<String> {

  private static final SimulatedTable ACCOUNT =
      new SimulatedTable(
          "account",
          "SELECT balance FROM account WHERE id = ?",
          "UPDATE account SET balance = balance + ? WHERE id = ?",
          List.of("AccountDao.java:41", "AccountDao.java:57"));

  private final long node;
  private final Consumer<Event> events;
  private final LoadShedding shedding;

  /** The open transaction of each session. */
  private final TransactionEvents[] open =
      new TransactionEvents[TwoPhaseLockingSimulation.SESSIONS];

  /** Emits all events to the consumer, starting with the opened sessions. */
  SimulatedDriverEvents(Consumer<Event> events) {
    this(events, LoadShedding.NEVER, 0);
  }

  /** The same for one of several processes, each with a database of its own. */
  SimulatedDriverEvents(Consumer<Event> events, LoadShedding shedding, int process) {
    this.shedding = shedding;
    this.events = events;
    this.node = 0x5eed_0001L + 2L * process << 32;
    Database database =
        new Database(new Product("PostgreSQL", "18.6"), Map.of(), "database " + process);
    for (int session = 0; session < TwoPhaseLockingSimulation.SESSIONS; session++) {
      events.accept(new Event.SessionOpened(id(session), "pool-" + session, database));
    }
  }

  @Override
  public String empty() {
    return "";
  }

  @Override
  public void began(int session, long transaction, List<Operation> operations) {
    open[session] =
        new TransactionEvents(
            shedding,
            events,
            id(session),
            node | transaction,
            IsolationLevel.SERIALIZABLE,
            transaction,
            "",
            "");
  }

  @Override
  public void read(int session, long transaction, int position, int key, String list) {
    open[session].executed(ACCOUNT.read(statement(session, transaction, position), key, list));
  }

  @Override
  public String append(
      int session, long transaction, int position, Operation operation, String list) {
    String window = window(list + WriterToken.of(node | transaction, position));
    open[session].executed(
        ACCOUNT.updated(statement(session, transaction, position), operation.key(), window));
    return window;
  }

  /** The part of a list that the column keeps. */
  static String window(String list) {
    return list.substring(Math.max(0, list.length() - WriterList.WINDOW_LENGTH));
  }

  private StatementId statement(int session, long transaction, int position) {
    return new StatementId(id(session), node | transaction, position);
  }

  @Override
  public void ended(int session, long transaction, boolean committed) {
    Outcome outcome = committed ? Outcome.COMMITTED : Outcome.ABORTED;
    open[session].ended(id(session), node | transaction, outcome, transaction);
  }

  private long id(int session) {
    return node | session + 1;
  }
}
