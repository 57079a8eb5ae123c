package io.txwatch.cli;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.analyzer.Analyzer;
import io.txwatch.changes.debezium.StreamedJoin;
import io.txwatch.dependency.Dependency;
import io.txwatch.guarantee.Judge;
import io.txwatch.history.Access;
import io.txwatch.history.Database;
import io.txwatch.history.Event;
import io.txwatch.history.HistoryReader;
import io.txwatch.history.IsolationLevel;
import io.txwatch.history.Outcome;
import io.txwatch.history.RowValues;
import io.txwatch.history.StatedWrite;
import io.txwatch.history.StatementKind;
import io.txwatch.history.ValueHash;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * A simulated DBMS with snapshots and locks of rows: what its clients and a connector record is
 * joined in random orders of arrival, with restarts, and with records that are lost. Values repeat,
 * so that a version that is missing or misplaced looks like another one.
 */
class StreamedJoinSimulationTest {

  private static final String KEY = "key-of-the-simulation";
  private static final ValueHash HASH = ValueHash.ofKeyText(KEY);
  private static final int SEEDS = Integer.getInteger("join.seeds", 20);

  /** As in the job: by how much clocks may differ. */
  private static final long WATERMARK_MILLIS = 5_000;

  private static final int ROWS = 2;
  private static final int VALUES = 4;

  /** The last client is not watched. */
  private static final int CLIENTS = 4;

  private static final long START_MICROS = 1_795_983_800_000_000L;

  /** An event or a record, and its time. */
  private record Arrival(
      long millis, @Nullable Event event, String topic, String key, String value) {}

  private record Change(int row, int before, int after) {}

  /** A client and its transaction. */
  private static final class Client {
    final int number;
    final long session;
    final long offsetNanos;
    long transaction;
    int statements;
    boolean isOpen;
    @Nullable Map<Integer, Integer> snapshot;
    final Map<Integer, Integer> written = new HashMap<>();
    final Set<Integer> touched = new HashSet<>();
    final Map<Integer, Integer> versionsBefore = new HashMap<>();
    final List<Change> changes = new ArrayList<>();

    Client(int number, long node, long offsetNanos) {
      this.number = number;
      this.session = node << Integer.SIZE | number + 1;
      this.offsetNanos = offsetNanos;
    }
  }

  /** What happens in one run. */
  private static final class Run {
    final Random random;
    final boolean isSerial;
    final List<Arrival> history = new ArrayList<>();
    final List<Arrival> records = new ArrayList<>();
    final Map<Integer, Integer> committed = new TreeMap<>();
    final Map<Integer, Client> locks = new HashMap<>();
    final List<Client> clients = new ArrayList<>();

    /** By row, the transactions that wrote it, in the order of commits. */
    final Map<Integer, List<Long>> versions = new HashMap<>();

    /** By transaction and row, how many versions there were in its snapshot. */
    final Map<Long, Map<Integer, Integer>> read = new HashMap<>();

    final String keyStart;
    final String valueStart;
    long micros = START_MICROS;
    long readMicros;
    long transactions;
    long commits;
    int position = 100;

    Run(long seed, boolean isSerial) throws Exception {
      random = new Random(seed);
      this.isSerial = isSerial;
      String line =
          Files.readAllLines(resource("debezium-mysql.jsonl")).stream()
              .filter(one -> one.contains("shop.shopdb.account.Key"))
              .findFirst()
              .orElseThrow();
      keyStart = line.substring(0, line.indexOf("\"payload\":"));
      valueStart = line.substring(line.indexOf('\t') + 1, line.indexOf("\"payload\":{\"before\""));
      Database database = database();
      for (int i = 0; i < CLIENTS; i++) {
        int node = 7 + i / 2;
        Client next = new Client(i, node, node * 1_000_000_000_000L - START_MICROS * 1_000);
        clients.add(next);
        if (isWatched(next)) {
          event(new Event.SessionOpened(next.session, "c" + i, database));
          event(new Event.SessionIdentified(next.session, 50 + i));
          event(new Event.WritesStated(next.session));
        }
      }
      for (int row = 1; row <= ROWS; row++) {
        committed.put(row, -1);
      }
      Client unwatched = clients.get(CLIENTS - 1);
      begin(unwatched);
      committed.keySet().forEach(row -> write(unwatched, row, 0));
      end(unwatched);
      micros += 1_000_000;
    }

    void execute(int steps) {
      for (int i = 0; i < steps; i++) {
        micros += random.nextInt(10) == 0 ? 400_000 : random.nextInt(40_000);
        Client next = clients.get(random.nextInt(CLIENTS));
        for (Client other : clients) {
          next = isSerial && other.isOpen ? other : next;
        }
        if (!next.isOpen) {
          begin(next);
        } else if (next.statements >= 2 && random.nextInt(3) == 0) {
          end(next);
        } else if (random.nextBoolean()) {
          read(next, 1 + random.nextInt(ROWS));
        } else {
          write(next, 1 + random.nextInt(ROWS), random.nextInt(VALUES));
        }
      }
      clients.stream().filter(one -> one.statements > 0 && one.isOpen).forEach(this::end);
    }

    private boolean isWatched(Client client) {
      return client.number < CLIENTS - 1;
    }

    private long nanos(Client client) {
      return micros * 1_000 + client.offsetNanos;
    }

    private void event(Event event) {
      history.add(new Arrival(micros / 1_000, event, "", "", ""));
    }

    private void begin(Client client) {
      client.isOpen = true;
      client.transaction = client.session + (++transactions << 8);
      client.statements = 0;
      client.snapshot = null;
      client.written.clear();
      client.touched.clear();
      client.changes.clear();
    }

    /** As in a process: it is noted with the first statement, which may be delayed after that. */
    private void began(Client client) {
      if (isWatched(client)) {
        event(
            new Event.TransactionBegan(
                client.session, client.transaction, IsolationLevel.REPEATABLE_READ, micros));
      }
      micros += random.nextInt(8) == 0 ? 900_000 : 10;
    }

    private void read(Client client, int row) {
      if (client.snapshot == null) {
        client.snapshot = new HashMap<>(committed);
        client.versionsBefore.clear();
        versions.forEach((each, all) -> client.versionsBefore.put(each, all.size()));
      }
      read.computeIfAbsent(client.transaction, any -> new HashMap<>())
          .put(row, client.versionsBefore.getOrDefault(row, 0));
      int value = client.written.getOrDefault(row, client.snapshot.getOrDefault(row, 0));
      statement(
          client,
          StatementKind.SELECT,
          "account read=balance,id predicate=id key=id",
          List.of(
              new RowValues(
                  "account",
                  List.of("id", "balance"),
                  new long[] {HASH.ofKey(row)},
                  new int[] {HASH.of(row), HASH.of(value)})),
          List.of());
    }

    private void write(Client client, int row, int value) {
      Client holder = locks.putIfAbsent(row, client);
      if (holder != null && holder != client) {
        return;
      }
      client.touched.add(row);
      int before = client.written.getOrDefault(row, committed.getOrDefault(row, 0));
      if (before != value) {
        client.written.put(row, value);
        client.changes.add(new Change(row, before, value));
      }
      statement(
          client,
          StatementKind.UPDATE,
          "account read=id predicate=id written=balance key=id",
          List.of(),
          List.of(
              new StatedWrite(
                  Access.UPDATE,
                  new RowValues(
                      "account",
                      List.of("balance"),
                      new long[] {HASH.ofKey(row)},
                      new int[] {HASH.of(value)}),
                  true)));
    }

    private void statement(
        Client client,
        StatementKind kind,
        String columns,
        List<RowValues> reads,
        List<StatedWrite> writes) {
      if (client.statements++ == 0) {
        began(client);
      }
      long sent = nanos(client);
      micros += 1 + random.nextInt(3_000);
      if (isWatched(client)) {
        event(
            new Event.StatementExecuted(
                client.session,
                client.transaction,
                client.statements,
                kind,
                kind + " " + client.number,
                "",
                List.of(),
                kind == StatementKind.SELECT,
                null,
                List.of(),
                columns));
        event(
            new Event.ValuesObserved(
                client.session,
                client.transaction,
                client.statements,
                sent,
                nanos(client),
                reads,
                writes,
                ""));
      }
    }

    private void end(Client client) {
      client.isOpen = false;
      boolean commits = random.nextInt(6) > 0 || micros == START_MICROS;
      long sent = nanos(client);
      micros += 1 + random.nextInt(1_000);
      if (commits && !client.changes.isEmpty()) {
        committed.putAll(client.written);
        record(client);
      }
      if (commits) {
        client.touched.forEach(
            row -> versions.computeIfAbsent(row, any -> new ArrayList<>()).add(client.transaction));
      }
      locks.values().removeIf(client::equals);
      micros += 1 + random.nextInt(1_000);
      if (isWatched(client)) {
        event(new Event.EndTimed(client.session, client.transaction, sent, nanos(client)));
        event(
            new Event.TransactionEnded(
                client.session,
                client.transaction,
                commits ? Outcome.COMMITTED : Outcome.ABORTED,
                micros,
                client.statements + 1));
      }
    }

    /** Whether the transaction after it must follow in every order with the same result. */
    boolean isTrue(Dependency edge) {
      int row = 1;
      while (HASH.ofKey(row) != edge.row()) {
        row++;
      }
      List<Long> writers = versions.getOrDefault(row, List.of());
      int from = writers.indexOf(edge.from());
      int to = writers.indexOf(edge.to());
      return switch (edge.kind()) {
        case WW -> from >= 0 && from < to;
        case WR -> from >= 0 && from < versionsRead(edge.to(), row);
        case RW -> to >= versionsRead(edge.from(), row);
        default -> false;
      };
    }

    private int versionsRead(long transaction, int row) {
      return requireNonNull(requireNonNull(read.get(transaction)).get(row));
    }

    private void record(Client client) {
      String id = "b2d1e166-ec32-11f1-8e5e-02fc00000001:" + ++commits;
      readMicros = Math.max(readMicros, micros) + random.nextInt(50_000);
      long millis = readMicros / 1_000;
      for (Change change : client.changes) {
        position += 100;
        records.add(
            new Arrival(
                millis,
                null,
                "shop.shopdb.account",
                keyStart + "\"payload\":{\"id\":" + change.row() + "}}",
                valueStart
                    + "\"payload\":{\"before\":"
                    + image(change.row(), change.before())
                    + ",\"after\":"
                    + image(change.row(), change.after())
                    + ",\"source\":{\"connector\":\"mysql\",\"name\":\"shop\",\"ts_us\":"
                    + micros
                    + ",\"snapshot\":\"false\",\"db\":\"shopdb\",\"table\":\"account\","
                    + "\"server_id\":1,\"gtid\":\""
                    + id
                    + "\",\"file\":\"binlog.000001\",\"pos\":"
                    + position
                    + ",\"row\":0,\"thread\":"
                    + (50 + client.number)
                    + "},\"op\":\"u\",\"ts_us\":"
                    + readMicros
                    + "}}"));
      }
      records.add(
          new Arrival(
              millis,
              null,
              "shop.transaction",
              "{}",
              "{\"status\":\"END\",\"id\":\""
                  + id
                  + "\",\"event_count\":"
                  + client.changes.size()
                  + "}"));
    }

    private static String image(int row, int value) {
      return "{\"id\":" + row + ",\"balance\":" + value + "}";
    }
  }

  private static Path resource(String name) throws Exception {
    return Path.of(StreamedJoinSimulationTest.class.getResource(name).toURI());
  }

  private static Database database() throws Exception {
    List<Database> all = new ArrayList<>();
    try (HistoryReader reader = HistoryReader.open(resource("debezium-mysql.history"))) {
      reader.forEach(
          event -> {
            if (event instanceof Event.SessionOpened opened) {
              all.add(opened.database());
            }
          });
    }
    return all.get(0);
  }

  private static StreamedJoin restarted(StreamedJoin join) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    join.write(new DataOutputStream(bytes));
    StreamedJoin next = new StreamedJoin(HASH, null);
    next.read(new DataInputStream(new ByteArrayInputStream(bytes.toByteArray())));
    return next;
  }

  private static void add(StreamedJoin join, Arrival next) {
    if (next.event() != null) {
      join.history(next.event());
    } else {
      join.change(
          next.millis(),
          next.topic(),
          next.key().getBytes(StandardCharsets.UTF_8),
          next.value().getBytes(StandardCharsets.UTF_8));
    }
  }

  /** The transactions of each anomaly; all at once if there is no source of chance. */
  private static Set<Set<Long>> found(Run run, List<Arrival> records, @Nullable Random random)
      throws IOException {
    Set<Set<Long>> found = new HashSet<>();
    List<Arrival> events = new ArrayList<>(run.history);
    List<Arrival> changes = new ArrayList<>(records);
    StreamedJoin join = new StreamedJoin(HASH, null);
    try (Analyzer analyzer =
        new Analyzer(
            Judge.DBMS,
            anomaly -> {
              Set<Long> ids = new TreeSet<>();
              anomaly.transactions().forEach(one -> ids.add(one.id()));
              assertThat(anomaly.cycle())
                  .isNotEmpty()
                  .allMatch(edge -> edge.evidence().possible() || run.isTrue(edge));
              found.add(ids);
            },
            64 << 20)) {
      while (random != null && !(events.isEmpty() && changes.isEmpty())) {
        List<Arrival> from = random.nextBoolean() && !events.isEmpty() ? events : changes;
        for (int count = random.nextInt(40); count > 0 && !from.isEmpty(); count--) {
          add(join, from.remove(0));
        }
        long through = Math.min(complete(events), complete(changes)) - WATERMARK_MILLIS;
        if (through < Long.MAX_VALUE - WATERMARK_MILLIS) {
          join.advance(through, through, analyzer::accept);
        }
        if (random.nextInt(20) == 0) {
          join = restarted(join);
        }
      }
      for (Arrival one : events) {
        add(join, one);
      }
      for (Arrival one : changes) {
        add(join, one);
      }
      join.finish(analyzer::accept);
    }
    return found;
  }

  private static long complete(List<Arrival> left) {
    return left.isEmpty() ? Long.MAX_VALUE : left.get(0).millis();
  }

  private static List<Arrival> withLoss(List<Arrival> records, Random random) {
    List<Arrival> left = new ArrayList<>(records);
    left.removeIf(any -> random.nextInt(25) == 0);
    String whole = "02fc00000001:" + (10 + random.nextInt(40)) + "\"";
    if (random.nextBoolean()) { // all changes of a transaction
      left.removeIf(one -> one.value().contains(whole) && one.key().length() > 2);
    }
    return left;
  }

  @Test
  void transactionsThatRanOneAfterTheOtherHaveNoAnomalyWhateverIsLost() throws Exception {
    for (long seed = 1; seed <= SEEDS; seed++) {
      Run run = new Run(seed, true);
      run.execute(300);
      Random random = new Random(-seed);
      assertThat(found(run, run.records, random)).as("seed %d", seed).isEmpty();
      assertThat(found(run, withLoss(run.records, random), random))
          .as("seed %d with loss", seed)
          .isEmpty();
    }
  }

  /** Each dependency is one of what happened: nothing is invented, whatever is lost. */
  @Test
  void anomaliesAreThoseOfAllAtOnce() throws Exception {
    int all = 0;
    for (long seed = 1; seed <= SEEDS; seed++) {
      Run run = new Run(seed, false);
      run.execute(300);
      Set<Set<Long>> expected = found(run, run.records, null);
      Random random = new Random(-seed);
      assertThat(found(run, run.records, random)).as("seed %d", seed).isEqualTo(expected);
      found(run, withLoss(run.records, random), random);
      all += expected.size();
    }
    assertThat(all).isGreaterThan(SEEDS);
  }
}
