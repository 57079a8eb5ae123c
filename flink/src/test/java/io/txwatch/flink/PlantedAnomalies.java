package io.txwatch.flink;

import io.txwatch.history.Access;
import io.txwatch.history.Chunk;
import io.txwatch.history.Database;
import io.txwatch.history.Event;
import io.txwatch.history.IsolationLevel;
import io.txwatch.history.Outcome;
import io.txwatch.history.Product;
import io.txwatch.history.RowAccess;
import io.txwatch.history.StatementKind;
import io.txwatch.history.WriterList;
import io.txwatch.history.WriterToken;
import io.txwatch.link.TopicRecord;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.TreeSet;

/**
 * The records of processes whose transactions have no anomaly, except for those that are planted:
 * lost updates and write skews, in turn, between two processes. Records are generated on demand, so
 * that their number needs no memory.
 */
final class PlantedAnomalies {

  private static final int PROCESSES = 4;
  private static final int SESSIONS = 8;
  private static final int ROWS_OF_SESSION = 10;
  private static final int OPERATIONS_OF_TRANSACTION = 4;
  private static final int EVENTS_OF_RECORD = 64;
  private static final int OPERATIONS_A_MILLI = 10;

  /** Between two steps of planted transactions, which so overlap with many others. */
  private static final int OPERATIONS_BETWEEN_STEPS = 50;

  private static final long BEGIN_MILLIS = 1_700_000_000_000L;
  private static final Database DATABASE =
      new Database(new Product("PostgreSQL", "18.6"), Map.of(), "jdbc:postgresql://db/planted");

  private final long operations;
  private final long distance;
  private final List<Process> processes = new ArrayList<>();
  private final Deque<TopicRecord> ready = new ArrayDeque<>();
  private final Deque<Runnable> steps = new ArrayDeque<>();
  private final List<String> planted = new ArrayList<>();

  /** By row, its writers. */
  private final Map<Long, String> writers = new HashMap<>();

  private long done;
  private long transactions;
  private boolean ended;

  /** Two transactions that form an anomaly, as a text. */
  static String pair(long one, long other) {
    return new TreeSet<>(List.of(one, other)).toString();
  }

  private final class Process {
    final int number;
    final Session[] sessions = new Session[SESSIONS + 1];
    final List<Event> pending = new ArrayList<>();
    long records;

    Process(int number) {
      this.number = number;
      for (int i = 0; i <= SESSIONS; i++) {
        sessions[i] = new Session(this, number * 100L + i);
        pending.add(new Event.SessionOpened(sessions[i].id, "s" + sessions[i].id, DATABASE));
      }
    }

    void flush(TopicRecord.Kind kind) {
      Chunk.Builder chunk = new Chunk.Builder("planted", 1 << 12);
      pending.forEach(chunk::add);
      pending.clear();
      if (kind == TopicRecord.Kind.EVENTS) {
        records++;
      }
      ready.add(
          new TopicRecord(
              number,
              records,
              kind,
              millis(),
              "process " + number,
              DATABASE.place(),
              chunk.take().bytes()));
    }
  }

  private final class Session {
    final Process process;
    final long id;
    long transaction;
    int step;

    Session(Process process, long id) {
      this.process = process;
      this.id = id;
    }

    void begin() {
      transaction = ++transactions;
      step = 0;
      process.pending.add(
          new Event.TransactionBegan(
              id, transaction, IsolationLevel.READ_COMMITTED, millis() * 1_000));
    }

    void execute(boolean write, long row) {
      step++;
      done++;
      String list = writers.getOrDefault(row, "");
      if (write) {
        list += WriterToken.of(transaction, step);
        list = list.substring(Math.max(0, list.length() - WriterList.WINDOW_LENGTH));
        writers.put(row, list);
      }
      StatementKind kind = write ? StatementKind.UPDATE : StatementKind.SELECT;
      RowAccess access =
          new RowAccess(
              write ? Access.UPDATE : Access.READ, "account", row, WriterList.ofColumn(list));
      process.pending.add(
          new Event.StatementExecuted(
              id,
              transaction,
              step,
              kind,
              kind + " account",
              "Bank.java:" + step,
              List.of(access),
              true,
              null));
    }

    void commit() {
      process.pending.add(
          new Event.TransactionEnded(
              id, transaction, Outcome.COMMITTED, millis() * 1_000, step + 1));
    }
  }

  /** That number of operations, with that number of anomalies among them. */
  PlantedAnomalies(long operations, int anomalies) {
    this.operations = operations;
    this.distance = operations / anomalies;
    for (int i = 1; i <= PROCESSES; i++) {
      processes.add(new Process(i));
    }
  }

  private long millis() {
    return BEGIN_MILLIS + done / OPERATIONS_A_MILLI;
  }

  /** How many operations were generated. */
  long operations() {
    return done;
  }

  /** The pairs of transactions that form an anomaly, of those that were generated. */
  List<String> planted() {
    return planted;
  }

  boolean hasNext() {
    return !ended || !ready.isEmpty();
  }

  TopicRecord next() {
    if (!hasNext()) {
      throw new NoSuchElementException();
    }
    while (ready.isEmpty()) {
      generate();
    }
    return ready.remove();
  }

  private void generate() {
    if (done >= operations && steps.isEmpty()) {
      for (Process process : processes) {
        process.flush(TopicRecord.Kind.EVENTS);
        process.flush(TopicRecord.Kind.END);
      }
      ended = true;
      return;
    }
    if (steps.isEmpty() && done / distance >= planted.size()) {
      plant();
    }
    int turn = (int) (done % (PROCESSES * SESSIONS));
    Process process = processes.get(turn % PROCESSES);
    Session session = process.sessions[1 + turn / PROCESSES];
    // A session has rows of its own: none of its transactions depends on one of another session.
    if (session.step == 0) {
      session.begin();
    }
    int operation = session.step;
    long row = session.id * ROWS_OF_SESSION + session.transaction % ROWS_OF_SESSION;
    session.execute(operation % 2 == 1, row);
    if (session.step == OPERATIONS_OF_TRANSACTION) {
      session.commit();
      session.step = 0;
    }
    if (done % OPERATIONS_BETWEEN_STEPS == 0 && !steps.isEmpty()) {
      steps.remove().run();
    }
    for (Process each : processes) {
      if (each.pending.size() >= EVENTS_OF_RECORD) {
        each.flush(TopicRecord.Kind.EVENTS);
      }
    }
  }

  /** Both transactions read what the other one then writes. */
  private void plant() {
    int number = planted.size();
    Session one = processes.get(number % PROCESSES).sessions[0];
    Session other = processes.get((number + 1) % PROCESSES).sessions[0];
    long first = -1 - 2L * number;
    long second = number % 2 == 0 ? first : first - 1;
    one.begin();
    other.begin();
    planted.add(pair(one.transaction, other.transaction));
    steps.add(() -> one.execute(false, first));
    steps.add(() -> other.execute(false, second));
    steps.add(() -> one.execute(true, second));
    steps.add(one::commit);
    steps.add(() -> other.execute(true, first));
    steps.add(
        () -> {
          other.commit();
          writers.remove(first);
          writers.remove(second);
        });
  }
}
