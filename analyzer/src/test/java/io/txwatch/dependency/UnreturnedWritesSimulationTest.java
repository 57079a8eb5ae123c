package io.txwatch.dependency;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.history.Access;
import io.txwatch.history.AccessedColumns;
import io.txwatch.history.AccessedColumns.Columns;
import io.txwatch.history.Database;
import io.txwatch.history.Event;
import io.txwatch.history.IsolationLevel;
import io.txwatch.history.Outcome;
import io.txwatch.history.Product;
import io.txwatch.history.RowAccess;
import io.txwatch.history.StatementKind;
import io.txwatch.history.WriterList;
import io.txwatch.history.WriterToken;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * Compares what {@link KeyedWrites} infers with a simulated PostgreSQL at READ COMMITTED that
 * returns what an update replaced, or only its new version, or nothing. Savepoints have ids of
 * their own and may be rolled back, which releases locks. Functions write without being observed.
 * Every dependency must agree with the order in which the rows were written.
 */
class UnreturnedWritesSimulationTest {

  private static final int ROWS = 2;
  private static final int SESSIONS = 4;
  private static final int STEPS = 160;
  private static final long SERVER = 1L << 63 | 77L << 32;

  private static final Database POSTGRESQL =
      new Database(new Product("PostgreSQL", "16.15"), Map.of());

  /** The columns of a read, and of two kinds of update. */
  private static final List<String> COLUMNS =
      List.of(
          used(List.of("a", "b"), List.of()),
          used(List.of("a"), List.of("a")),
          used(List.of("id"), List.of("b")),
          "");

  private static String used(List<String> read, List<String> written) {
    return new AccessedColumns(
            List.of(
                new AccessedColumns.OfTable(
                    "t", Columns.of(read), Columns.of(List.of("id")), Columns.of(written))))
        .text();
  }

  private static final class Db {
    final Random random;
    final List<Event> events = new ArrayList<>();
    final long[] committed = {1, 1};
    final long[] current = {1, 1};
    final @Nullable ClientState[] locks = new ClientState[ROWS];

    /** When each surviving write of a transaction was made, by transaction, row and time. */
    final Map<Long, List<TreeMap<Integer, Integer>>> writes = new HashMap<>();

    /** When a statement was executed: by transaction and statement. */
    final Map<String, Integer> executedAt = new HashMap<>();

    final Map<Long, Integer> endedAt = new HashMap<>();
    long ids = 10;
    long transactions;
    int clock;

    Db(long seed) {
      random = new Random(seed);
    }

    List<Event> run() {
      List<ClientState> clients = new ArrayList<>();
      for (int i = 1; i <= SESSIONS; i++) {
        clients.add(new ClientState(this, i));
      }
      for (int i = 0; i < STEPS; i++) {
        clients.get(random.nextInt(SESSIONS)).step(false);
      }
      for (int i = 0; i < 20 * SESSIONS; i++) {
        clients.get(i % SESSIONS).step(true);
      }
      return events;
    }

    /** When a transaction first or last wrote a row, of what survived. */
    TreeMap<Integer, Integer> written(String end, int row) {
      return Objects.requireNonNull(writes.get(transaction(end))).get(row);
    }

    private static long transaction(String end) {
      return Long.parseLong(end.substring(0, end.indexOf('.')));
    }

    void check(String edge) {
      String[] parts = edge.split("[ >]");
      int row = Integer.parseInt(parts[4]);
      long to = transaction(parts[2]);
      if (!writes.containsKey(transaction(parts[1])) || !writes.containsKey(to)) {
        return; // known by an id alone: a part of a transaction, by a function
      }
      switch (parts[0]) {
        case "ww" ->
            assertThat(written(parts[1], row).lastKey())
                .as(edge)
                .isLessThan(written(parts[2], row).firstKey());
        case "wr" ->
            assertThat(written(parts[1], row).lastKey())
                .as(edge)
                .isLessThan(executedAt.get(parts[2]));
        case "rw" -> assertThat(executedAt.get(parts[1])).as(edge).isLessThan(endedAt.get(to));
        default -> assertThat(edge).isEmpty();
      }
    }
  }

  /** A session with the driver in front of it. */
  private static final class ClientState {
    private final Db db;
    private final long session;

    /** Events that are not reported yet; they must be before the next statement is sent. */
    private final List<Event> unreported = new ArrayList<>();

    /** Events that may be reported after the COMMIT: results that are still open. */
    private final List<Event> open = new ArrayList<>();

    private final Map<Integer, Long> written = new HashMap<>();
    private Map<Integer, Long> writtenBefore = Map.of();
    private long transaction;
    private int statement;
    private long whole;
    private long part;
    private boolean inSavepoint;

    /** The driver then reads the id of the transaction before its COMMIT. */
    private boolean hasUnseenWrites;

    private int statementsBefore;
    private int savepointAt;

    ClientState(Db db, long session) {
      this.db = db;
      this.session = session;
      db.events.add(new Event.SessionOpened(session, "s" + session, POSTGRESQL));
    }

    void step(boolean toTheEnd) {
      Random random = db.random;
      if (!unreported.isEmpty()) {
        db.events.add(unreported.remove(0));
      } else if (transaction == 0) {
        if (!toTheEnd) {
          begin();
        }
      } else if (toTheEnd || random.nextInt(7) == 0) {
        end(random.nextInt(5) > 0);
      } else {
        int row = random.nextInt(ROWS);
        switch (random.nextInt(12)) {
          case 0, 1, 2, 3 -> read(row);
          case 4, 5, 6 -> write(row, How.PLAIN);
          case 7, 8 -> write(row, How.BATCH);
          case 9 -> write(row, How.FROM);
          case 10 -> write(row, How.FUNCTION);
          default -> savepoint();
        }
      }
    }

    private enum How {
      PLAIN,
      BATCH,
      FROM,
      FUNCTION
    }

    private void begin() {
      transaction = ++db.transactions;
      List<TreeMap<Integer, Integer>> rows = new ArrayList<>();
      for (int row = 0; row < ROWS; row++) {
        rows.add(new TreeMap<>());
      }
      db.writes.put(transaction, rows);
      db.events.add(
          new Event.TransactionBegan(session, transaction, IsolationLevel.READ_COMMITTED, 0));
    }

    private int next() {
      db.executedAt.put(transaction + "." + ++statement, ++db.clock);
      return statement;
    }

    private void read(int row) {
      long seen = written.getOrDefault(row, db.committed[row]);
      Event read = executed(next(), StatementKind.SELECT, Access.READ, row, seen);
      (db.random.nextInt(4) == 0 ? open : unreported).add(read);
    }

    private void write(int row, How how) {
      if (db.locks[row] != null && db.locks[row] != this) {
        return;
      }
      db.locks[row] = this;
      if (whole == 0) {
        whole = db.ids++;
      }
      if (inSavepoint && part == 0) {
        part = db.ids++;
      }
      long id = inSavepoint ? part : whole;
      long before = written.getOrDefault(row, db.current[row]);
      written.put(row, id);
      int number = next();
      Objects.requireNonNull(db.writes.get(transaction)).get(row).put(db.clock, number);
      StatementKind kind = StatementKind.UPDATE;
      switch (how) {
        case PLAIN -> {
          identify(!inSavepoint);
          unreported.add(executed(number, kind, Access.UPDATE, row, before, id));
        }
        case FROM -> {
          Event event = executed(number, kind, Access.UPDATE, row, id);
          (db.random.nextInt(3) == 0 ? open : unreported).add(event);
        }
        case BATCH -> {
          hasUnseenWrites = true;
          unreported.add(executed(number, kind, Access.TARGET, row));
        }
        case FUNCTION -> unreported.add(executed(number, StatementKind.SELECT, null, row));
      }
    }

    private void identify(boolean isKnown) {
      if (isKnown && whole != 0) {
        unreported.add(new Event.TransactionIdentified(session, transaction, SERVER | whole));
      }
    }

    private void savepoint() {
      if (!inSavepoint) {
        writtenBefore = Map.copyOf(written);
        statementsBefore = statement;
        savepointAt = db.clock;
      } else if (db.random.nextBoolean()) {
        rollBackToSavepoint();
      }
      inSavepoint = !inSavepoint;
      part = 0;
    }

    private void rollBackToSavepoint() {
      written.clear();
      written.putAll(writtenBefore);
      for (int row = 0; row < ROWS; row++) {
        Objects.requireNonNull(db.writes.get(transaction))
            .get(row)
            .tailMap(savepointAt, false)
            .clear();
        if (db.locks[row] == this && !written.containsKey(row)) {
          db.locks[row] = null;
        }
      }
      unreported.addAll(open);
      open.clear();
      if (statement > statementsBefore) {
        unreported.add(
            new Event.StatementsUndone(session, transaction, statementsBefore + 1, statement));
      }
    }

    private void end(boolean commit) {
      for (int row = 0; row < ROWS; row++) {
        if (db.locks[row] == this) {
          db.current[row] = commit ? written.get(row) : db.committed[row];
          db.committed[row] = db.current[row];
          db.locks[row] = null;
        }
      }
      db.endedAt.put(transaction, ++db.clock);
      unreported.addAll(open);
      identify(hasUnseenWrites || db.random.nextBoolean());
      unreported.add(
          new Event.TransactionEnded(
              session, transaction, commit ? Outcome.COMMITTED : Outcome.ABORTED, 0));
      open.clear();
      written.clear();
      transaction = 0;
      statement = 0;
      whole = 0;
      part = 0;
      inSavepoint = false;
      hasUnseenWrites = false;
    }

    private Event executed(
        int number, StatementKind kind, @Nullable Access access, int row, long... ids) {
      StringBuilder tokens = new StringBuilder();
      for (long id : ids) {
        tokens.append(WriterToken.of(SERVER | id, WriterToken.BY_DBMS));
      }
      if (access == Access.TARGET) {
        tokens.append(WriterToken.of(transaction, number));
      }
      List<RowAccess> rows =
          access == null
              ? List.of()
              : List.of(
                  new RowAccess(
                      access,
                      "t",
                      row,
                      new WriterList(tokens.toString(), false),
                      access != Access.TARGET));
      String columns = COLUMNS.get(kind == StatementKind.SELECT ? 0 : 1 + db.random.nextInt(3));
      return new Event.StatementExecuted(
          session,
          transaction,
          number,
          kind,
          kind.name(),
          "",
          rows,
          access != Access.TARGET,
          null,
          List.of(),
          columns);
    }
  }

  @Test
  void everyDependencyAgreesWithTheOrderOfTheWrites() {
    int inferred = 0;
    int withoutTargets = 0;
    int inferredUnderOverload = 0;
    for (long seed = 0; seed < 10_000; seed++) {
      Db db = new Db(seed);
      List<Event> history = db.run();
      var edges = new DependencyRecorder(history).all;
      edges.forEach(db::check);
      List<Event> shed = ShedHistory.of(history, new Random(seed), 40);
      var shedEdges = new DependencyRecorder(shed).all;
      shedEdges.forEach(db::check);
      inferredUnderOverload += shedEdges.size();
      inferred += edges.size();
      withoutTargets +=
          new DependencyRecorder(
                  history.stream().map(UnreturnedWritesSimulationTest::untargeted).toList())
              .all.size();
    }
    assertThat(inferred).isGreaterThan(withoutTargets + 500);
    assertThat(inferredUnderOverload).isBetween(500, inferred);
  }

  private static Event untargeted(Event event) {
    return event instanceof Event.StatementExecuted e
            && e.rows().stream().anyMatch(row -> row.access() == Access.TARGET)
        ? new Event.StatementExecuted(
            e.session(),
            e.transaction(),
            e.statement(),
            e.kind(),
            "",
            "",
            List.of(),
            false,
            null,
            List.of(),
            e.columns())
        : event;
  }
}
