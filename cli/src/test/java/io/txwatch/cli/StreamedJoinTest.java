package io.txwatch.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.txwatch.analyzer.Analyzer;
import io.txwatch.changes.debezium.StreamedJoin;
import io.txwatch.guarantee.Judge;
import io.txwatch.history.Event;
import io.txwatch.history.HistoryReader;
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
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The recordings of {@link DebeziumJoinTest} while they arrive: what processes sent and what the
 * connector wrote, each in its order, and both in any.
 */
class StreamedJoinTest {

  private static final String KEY = "key-of-the-recording";
  private static final Pattern TIME = Pattern.compile("\"ts_ms\":(\\d+)");

  /** An event or a record, and its time. */
  private record Arrival(long millis, @Nullable Event event, String record) {}

  private static List<Arrival> history(String dbms) throws Exception {
    List<Event> events = new ArrayList<>();
    try (HistoryReader reader = HistoryReader.open(resource("debezium-" + dbms + ".history"))) {
      reader.forEach(events::add);
    }
    Map<Long, Long> began = new HashMap<>();
    long offset = Long.MAX_VALUE;
    for (Event event : events) {
      if (event instanceof Event.TransactionBegan e) {
        began.put(e.transaction(), e.micros());
      } else if (event instanceof Event.ValuesObserved e && began.containsKey(e.transaction())) {
        offset = Math.min(offset, e.sent() - began.remove(e.transaction()) * 1_000);
      }
    }
    List<Arrival> all = new ArrayList<>();
    long millis = 0;
    for (Event event : events) {
      if (event instanceof Event.ValuesObserved e) {
        millis = Math.max(millis, (e.returned() - offset) / 1_000_000);
      } else if (event instanceof Event.EndTimed e) {
        millis = Math.max(millis, (e.returned() - offset) / 1_000_000);
      } else if (event instanceof Event.TransactionBegan e) {
        millis = Math.max(millis, e.micros() / 1_000);
      }
      all.add(new Arrival(millis, event, ""));
    }
    return all;
  }

  /** Records have the time at which the connector read what they state. */
  private static List<Arrival> records(String dbms) throws Exception {
    List<Arrival> all = new ArrayList<>();
    long millis = 0;
    for (String line : Files.readAllLines(resource("debezium-" + dbms + ".jsonl"))) {
      for (Matcher time = TIME.matcher(line); time.find(); ) {
        millis = Math.max(millis, Long.parseLong(time.group(1)));
      }
      all.add(new Arrival(millis, null, line));
    }
    return all;
  }

  private static Path resource(String name) throws Exception {
    return Path.of(StreamedJoinTest.class.getResource(name).toURI());
  }

  private static void add(StreamedJoin join, Arrival next) {
    Event event = next.event();
    if (event != null) {
      join.history(event);
    } else {
      int tab = next.record().indexOf('\t');
      Matcher table = Pattern.compile("\"name\":\"(shop[.][^\"]*)[.]Key\"").matcher(next.record());
      join.change(
          next.millis(),
          table.find() ? table.group(1) : "shop.transaction",
          next.record().substring(0, tab).getBytes(StandardCharsets.UTF_8),
          next.record().substring(tab + 1).getBytes(StandardCharsets.UTF_8));
    }
  }

  private static StreamedJoin newJoin() {
    return new StreamedJoin(ValueHash.ofKeyText(KEY), null);
  }

  private static StreamedJoin restarted(StreamedJoin join) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    join.write(new DataOutputStream(bytes));
    StreamedJoin next = newJoin();
    next.read(new DataInputStream(new ByteArrayInputStream(bytes.toByteArray())));
    return next;
  }

  private static long complete(List<Arrival> left) {
    return left.isEmpty() ? Long.MAX_VALUE : left.get(0).millis();
  }

  /** Passes everything in a random order, with restarts, and returns what anomalies are found. */
  private static List<String> found(List<Arrival> history, List<Arrival> records, long seed)
      throws IOException {
    Random random = new Random(seed);
    List<String> found = new ArrayList<>();
    List<Arrival> events = new ArrayList<>(history);
    List<Arrival> changes = new ArrayList<>(records);
    changes.sort(Comparator.comparing(Arrival::millis));
    StreamedJoin join = newJoin();
    try (Analyzer analyzer =
        new Analyzer(Judge.DBMS, anomaly -> found.add(anomaly.phenomenon().name()), 64 << 20)) {
      while (!events.isEmpty() || !changes.isEmpty()) {
        List<Arrival> from = random.nextBoolean() && !events.isEmpty() ? events : changes;
        for (int count = random.nextInt(12); count > 0 && !from.isEmpty(); count--) {
          add(join, from.remove(0));
        }
        long through = Math.min(complete(events), complete(changes));
        if (through < Long.MAX_VALUE) {
          join.advance(through, through, analyzer::accept);
        }
        if (random.nextInt(8) == 0) {
          join = restarted(join);
        }
      }
      join.finish(analyzer::accept);
    }
    return found;
  }

  @ParameterizedTest
  @ValueSource(strings = {"mysql", "mariadb"})
  void lostUpdateAndWriteSkewAreFoundInAnyOrderOfArrival(String dbms) throws Exception {
    List<Arrival> history = history(dbms);
    List<Arrival> records = records(dbms);
    for (long seed = 1; seed <= 100; seed++) {
      assertThat(found(history, records, seed))
          .as("seed %d", seed)
          .containsExactlyInAnyOrder("LOST_UPDATE", "WRITE_SKEW");
    }
  }

  /** After a restart a connector writes again what it wrote last. */
  @Test
  void recordsThatCameTwiceCountOnce() throws Exception {
    List<Arrival> records = records("mysql");
    int from = records.size() / 2;
    while (!records.get(from).record().contains("\"BEGIN\"")) {
      from++;
    }
    long last = records.get(records.size() - 1).millis();
    List<Arrival> again = new ArrayList<>();
    for (Arrival one : records.subList(from, records.size())) {
      again.add(new Arrival(last, null, one.record()));
    }
    StreamedJoin join = newJoin();
    List<Event> joined = new ArrayList<>();
    for (Arrival one : history("mysql")) {
      add(join, one);
    }
    for (Arrival one : records) {
      add(join, one);
    }
    join.advance(last + 2_000, last + 2_000, joined::add);
    again.forEach(one -> add(join, one));
    join.finish(joined::add);
    assertThat(join.gaps()).isZero();
    assertThat(
            joined.stream().filter(Event.Changed.class::isInstance).map(Event.Changed.class::cast))
        .extracting(Event.Changed::position)
        .isNotEmpty()
        .doesNotHaveDuplicates();
  }

  /**
   * Without the change, the version that the second client replaced seems to be the one before:
   * what was interrupted there has no anomaly, and the rest has the others.
   */
  @Test
  void aMissingChangeInterruptsVersions() throws Exception {
    List<Arrival> records =
        records("mysql").stream().filter(one -> !one.record().contains("\"balance\":90}")).toList();
    StreamedJoin join = newJoin();
    history("mysql").forEach(one -> add(join, one));
    records.forEach(one -> add(join, one));
    List<Event> joined = new ArrayList<>();
    join.finish(joined::add);
    assertThat(join.gaps()).isPositive();
    assertThat(joined).anyMatch(Event.Gap.class::isInstance);
  }

  @Test
  void changesWithoutTheEndsOfTransactionsAreNotJoined() throws Exception {
    StreamedJoin join = newJoin();
    history("mysql").forEach(one -> add(join, one));
    List<Arrival> records =
        records("mysql").stream().filter(one -> !one.record().contains("\"END\"")).toList();
    records.forEach(one -> add(join, one));
    long last = records.get(records.size() - 1).millis();
    assertThatThrownBy(() -> join.advance(last + 61_000, last + 61_000, event -> {}))
        .hasMessageContaining("set provide.transaction.metadata=true");
  }

  @Test
  void anotherKeyIsDetectedAtTheEnd() throws Exception {
    StreamedJoin join = new StreamedJoin(ValueHash.ofKeyText("another-key-of-20-ch"), null);
    history("mysql").forEach(one -> add(join, one));
    records("mysql").forEach(one -> add(join, one));
    assertThatThrownBy(() -> join.finish(event -> {}))
        .hasMessageContaining("no row of the history is among the changes");
  }

  /** How often versions are interrupted between the first and the last change. */
  private static long gapsBetweenChanges(List<Event> joined) {
    List<Event> all =
        joined.stream()
            .filter(one -> one instanceof Event.Changed || one instanceof Event.Gap)
            .toList();
    int last = all.size();
    while (!(all.get(last - 1) instanceof Event.Changed)) {
      last--;
    }
    return all.subList(0, last).stream()
        .dropWhile(Event.Gap.class::isInstance)
        .filter(Event.Gap.class::isInstance)
        .count();
  }

  /** An end that has a number of changes, and none of them, interrupts at its place. */
  @Test
  void aTransactionWithoutAnyChangeInterruptsBetweenTheOthers() throws Exception {
    List<Arrival> records = records("mysql");
    String lost =
        records.stream()
            .map(Arrival::record)
            .filter(one -> one.contains("\"balance\":90}"))
            .findFirst()
            .orElseThrow();
    Matcher gtid = Pattern.compile("\"gtid\":\"([^\"]+)\"").matcher(lost);
    assertThat(gtid.find()).isTrue();
    StreamedJoin join = newJoin();
    history("mysql").forEach(one -> add(join, one));
    records.stream()
        .filter(one -> !one.record().contains("\"gtid\":\"" + gtid.group(1) + "\""))
        .forEach(one -> add(join, one));
    List<Event> joined = new ArrayList<>();
    join.finish(joined::add);
    assertThat(gapsBetweenChanges(joined)).isPositive();
  }

  /** Transactions before a change of the schema may be released later than that is known. */
  @Test
  void aChangeOfTheSchemaInterruptsAtItsPlace() throws Exception {
    List<Arrival> records = records("mysql");
    long last = records.get(records.size() - 1).millis();
    String ddl =
        "{}\t{\"source\":{\"connector\":\"mysql\",\"file\":\"binlog.000001\",\"pos\":1},"
            + "\"ddl\":\"TRUNCATE TABLE account\",\"databaseName\":\"shopdb\"}";
    StreamedJoin join = newJoin();
    history("mysql").forEach(one -> add(join, one));
    records.forEach(one -> add(join, new Arrival(last, null, one.record())));
    add(join, new Arrival(last, null, ddl));
    List<Event> joined = new ArrayList<>();
    join.advance(last + 100, last + 100, joined::add); // no end is complete yet
    restarted(join).finish(joined::add);
    assertThat(gapsBetweenChanges(joined)).isPositive();
  }

  /** Cut off, with another byte, or of random bytes: it is a gap, and the next ones are joined. */
  @Test
  void damagedRecordsInterruptVersionsAndEndNothing() throws Exception {
    List<Arrival> records = records("mysql");
    for (long seed = 1; seed <= 300; seed++) {
      Random random = new Random(seed);
      StreamedJoin join = newJoin();
      history("mysql").forEach(one -> add(join, one));
      int damaged = random.nextInt(records.size());
      for (int i = 0; i < records.size(); i++) {
        add(join, records.get(i));
        if (i == damaged) {
          String line = records.get(i).record();
          byte[] bytes = line.substring(line.indexOf('\t') + 1).getBytes(StandardCharsets.UTF_8);
          if (random.nextInt(3) == 0) {
            random.nextBytes(bytes);
          } else if (random.nextBoolean()) {
            bytes = Arrays.copyOf(bytes, random.nextInt(bytes.length));
          } else {
            bytes[random.nextInt(bytes.length)] = (byte) random.nextInt(256);
          }
          join.change(records.get(i).millis(), "shop.shopdb.account", null, bytes);
        }
      }
      List<Event> joined = new ArrayList<>();
      join.finish(joined::add);
      assertThat(joined).as("seed %d", seed).anyMatch(Event.Changed.class::isInstance);
    }
  }

  /** A broker may give all records of a batch the time at which it has appended them. */
  @Test
  void recordsMayHaveOneTime() throws Exception {
    List<Arrival> records = records("mysql");
    long last = records.get(records.size() - 1).millis();
    List<Arrival> atOnce =
        records.stream().map(one -> new Arrival(last, null, one.record())).toList();
    assertThat(found(history("mysql"), atOnce, 1))
        .containsExactlyInAnyOrder("LOST_UPDATE", "WRITE_SKEW");
  }

  @Test
  void historiesOfASecondDatabaseAreRefused() throws Exception {
    List<Arrival> history = history("mysql");
    StreamedJoin join = newJoin();
    history.forEach(one -> add(join, one));
    Event.SessionOpened first =
        history.stream()
            .map(Arrival::event)
            .filter(Event.SessionOpened.class::isInstance)
            .map(Event.SessionOpened.class::cast)
            .findFirst()
            .orElseThrow();
    join.history(new Event.SessionOpened(99, "other", first.database().at("another")));
    assertThatThrownBy(() -> join.history(new Event.WritesStated(99)))
        .hasMessageContaining("the histories have several databases: ")
        .hasMessageContaining("another");
  }
}
