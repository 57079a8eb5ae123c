package io.txwatch.flink;

import io.txwatch.history.Access;
import io.txwatch.history.Chunk;
import io.txwatch.history.Database;
import io.txwatch.history.Event;
import io.txwatch.history.IsolationLevel;
import io.txwatch.history.Outcome;
import io.txwatch.history.Product;
import io.txwatch.history.RowAccess;
import io.txwatch.history.RowValues;
import io.txwatch.history.StatedWrite;
import io.txwatch.history.StatementKind;
import io.txwatch.history.ValueHash;
import io.txwatch.history.WriterList;
import io.txwatch.history.WriterToken;
import io.txwatch.link.TopicRecord;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * The records of several processes whose sessions read and update rows of shared databases at READ
 * COMMITTED: random, with races.
 */
final class SimulatedTraffic {

  private static final int STEPS = 6;
  private static final int SESSIONS = 2;
  private static final long BEGIN_MILLIS = 1_700_000_000_000L;
  private static final int VALUES = 3;
  private static final ValueHash HASH = new ValueHash(5);

  private final Random random;
  private final List<Stream> streams = new ArrayList<>();

  /** By row, the committed writers' list. */
  private final Map<String, String> writers = new HashMap<>();

  /** By row, the transaction that has locked it. */
  private final Map<String, Long> locks = new HashMap<>();

  /** By row, its committed value. */
  private final Map<String, Long> values = new HashMap<>();

  private final int rows;
  private final boolean byValue;
  private long now = BEGIN_MILLIS;
  private long transactions;

  /** One process and one of its databases. */
  final class Stream {
    final int process;
    final Database database;
    final List<TopicRecord> records = new ArrayList<>();
    private final List<Event> pending = new ArrayList<>();
    private final long[] transaction = new long[SESSIONS];
    private final int[] step = new int[SESSIONS];
    private final List<Map<String, String>> written = new ArrayList<>();
    private final List<Map<String, Long>> assigned = new ArrayList<>();

    Stream(int process, int database) {
      this.process = process;
      this.database =
          new Database(
              new Product("PostgreSQL", "18.6"), Map.of(), "jdbc:postgresql://db/" + database);
      for (int i = 0; i < SESSIONS; i++) {
        written.add(new HashMap<>());
        assigned.add(new HashMap<>());
        pending.add(new Event.SessionOpened(session(i), "p" + process + "-" + i, this.database));
        if (byValue) {
          pending.add(new Event.WritesStated(session(i)));
        }
      }
    }

    private long client() {
      return streams.indexOf(this) + 1L;
    }

    private long session(int i) {
      return ((long) process << 32) + database(database) * 10L + i + 1;
    }

    private void act() {
      int i = random.nextInt(SESSIONS);
      int at = step[i];
      step[i] = (at + 1) % STEPS;
      if (at == 0) {
        transaction[i] = ((long) process << 32) + ++transactions;
        pending.add(
            new Event.TransactionBegan(
                session(i), transaction[i], IsolationLevel.READ_COMMITTED, now * 1000));
      } else if (at == STEPS - 1) {
        boolean aborts = random.nextInt(10) == 0;
        if (!aborts) {
          writers.putAll(written.get(i));
          values.putAll(assigned.get(i));
        }
        locks.keySet().removeAll(written.get(i).keySet());
        written.get(i).clear();
        assigned.get(i).clear();
        if (byValue) {
          pending.add(
              new Event.EndTimed(session(i), transaction[i], now * 1_000_000, now * 1_000_000 + 1));
        }
        pending.add(
            new Event.TransactionEnded(
                session(i),
                transaction[i],
                aborts ? Outcome.ABORTED : Outcome.COMMITTED,
                now * 1000,
                STEPS - 1));
      } else {
        execute(i, at);
      }
    }

    private void execute(int i, int at) {
      boolean write = at % 2 == 0;
      int row = random.nextInt(rows);
      while (write
          && locks.getOrDefault(database.place() + " " + row, transaction[i]) != transaction[i]) {
        row = random.nextInt(rows);
      }
      String key = database.place() + " " + row;
      String list = written.get(i).getOrDefault(key, writers.getOrDefault(key, ""));
      if (write) {
        list += WriterToken.of(transaction[i], at);
        list = list.substring(Math.max(0, list.length() - WriterList.WINDOW_LENGTH));
        written.get(i).put(key, list);
        locks.put(key, transaction[i]);
      }
      StatementKind kind = write ? StatementKind.UPDATE : StatementKind.SELECT;
      RowAccess access =
          new RowAccess(
              write ? Access.UPDATE : Access.READ, "account", row, WriterList.ofColumn(list));
      pending.add(
          new Event.StatementExecuted(
              session(i),
              transaction[i],
              at,
              kind,
              kind + " account",
              "Bank.java:" + at,
              byValue ? List.of() : List.of(access),
              true,
              null));
      if (byValue) {
        if (write) {
          assigned.get(i).put(key, (long) random.nextInt(VALUES));
        }
        long value = assigned.get(i).getOrDefault(key, values.getOrDefault(key, 0L));
        RowValues stated =
            new RowValues(
                "account",
                List.of("id", "balance"),
                new long[] {HASH.ofKey(row)},
                new int[] {HASH.of(row), HASH.of(value)});
        pending.add(
            new Event.ValuesObserved(
                session(i),
                transaction[i],
                at,
                now * 1_000_000,
                now * 1_000_000 + 1,
                write ? List.of() : List.of(stated),
                write ? List.of(new StatedWrite(Access.UPDATE, stated, true)) : List.of(),
                ""));
      }
    }

    private void flush(TopicRecord.Kind kind) {
      Chunk.Builder chunk = new Chunk.Builder("test", 1 << 10);
      pending.forEach(chunk::add);
      pending.clear();
      long number = records.stream().filter(r -> r.kind() == TopicRecord.Kind.EVENTS).count();
      records.add(
          new TopicRecord(
              client(),
              kind == TopicRecord.Kind.EVENTS ? number + 1 : number,
              kind,
              now,
              "process " + process,
              database.place(),
              chunk.take().bytes()));
    }
  }

  private static int database(Database database) {
    return Integer.parseInt(database.place().substring(database.place().lastIndexOf('/') + 1));
  }

  /** Traffic of every process on every database, with that number of steps. */
  SimulatedTraffic(long seed, int processes, int databases, int rows, int steps) {
    this(seed, processes, databases, rows, steps, false);
  }

  /** The same, by value, with few values: many versions of a row have the same. */
  SimulatedTraffic(long seed, int processes, int databases, int rows, int steps, boolean byValue) {
    this.byValue = byValue;
    this.random = new Random(seed);
    this.rows = rows;
    for (int process = 1; process <= processes; process++) {
      for (int database = 0; database < databases; database++) {
        streams.add(new Stream(process, database));
      }
    }
    for (int i = 0; i < steps; i++) {
      now += random.nextInt(40);
      Stream stream = streams.get(random.nextInt(streams.size()));
      stream.act();
      if (stream.pending.size() >= 8) {
        stream.flush(TopicRecord.Kind.EVENTS);
      }
    }
    for (Stream stream : streams) {
      stream.flush(TopicRecord.Kind.EVENTS);
      stream.flush(TopicRecord.Kind.END);
    }
  }

  /** The records of each stream, in order. */
  List<List<TopicRecord>> streams() {
    return streams.stream().map(stream -> List.copyOf(stream.records)).toList();
  }

  /** All records in the order of their times. */
  List<TimedRecord> inOrder() {
    return streams().stream()
        .flatMap(List::stream)
        .map(one -> new TimedRecord(one.throughMillis(), one))
        .sorted(TimedRecord.ORDER)
        .toList();
  }

  /** For each stream, a record that states that nothing happened for some time after its end. */
  List<TopicRecord> heartbeats(long millis) {
    return streams.stream()
        .map(
            stream -> {
              TopicRecord last = stream.records.get(stream.records.size() - 1);
              return new TopicRecord(
                  last.client(),
                  last.number(),
                  TopicRecord.Kind.SESSIONS,
                  now + millis,
                  last.service(),
                  last.place(),
                  new byte[0]);
            })
        .toList();
  }
}
