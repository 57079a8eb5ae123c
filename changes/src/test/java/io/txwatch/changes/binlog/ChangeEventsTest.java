package io.txwatch.changes.binlog;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.changes.ChangeEvents;
import io.txwatch.changes.ChangeGap;
import io.txwatch.changes.ChangeListener;
import io.txwatch.changes.ChangeSource;
import io.txwatch.changes.ChangeStatistics;
import io.txwatch.changes.ChangedTransaction;
import io.txwatch.changes.LogPosition;
import io.txwatch.changes.SchemaChange;
import io.txwatch.history.Access;
import io.txwatch.history.Database;
import io.txwatch.history.Event;
import io.txwatch.history.GapReason;
import io.txwatch.history.Product;
import io.txwatch.history.RowChange;
import io.txwatch.history.ValueHash;
import io.txwatch.servers.ServerKind;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.awaitility.Awaitility;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What real servers log, as events with hashed keys and values. */
class ChangeEventsTest {

  private static final String KINDS = "io.txwatch.changes.binlog.LoggedServer#kinds";
  private static final ValueHash HASH = new ValueHash(7);

  /** What was committed before any watched session began is what was there first. */
  @ParameterizedTest
  @CsvSource({"true, 0", "false, 1"})
  void anInterruptionBeforeTheFirstWatchedStatementIsNoGap(boolean isBefore, int gaps) {
    List<Event> events = new ArrayList<>();
    ChangeEvents changes = events(events);
    if (!isBefore) {
      changes.readThrough(1, AT, AT_END);
    }
    changes.transaction(new ChangedTransaction("", "1", AT, 3, 0, 0, null, List.of(), true));
    changes.gap(new ChangeGap(ChangeGap.Reason.WRITTEN_BEFORE, "s", "t", "late"));
    changes.readThrough(2, AT, AT_END);
    assertThat(events).filteredOn(Event.Gap.class::isInstance).hasSize(gaps);
    assertThat(events).filteredOn(Event.Changed.class::isInstance).hasSize(gaps);
    assertThat(events.get(events.size() - 1)).isEqualTo(new Event.ChangesRead(5, 2));
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void changesThatStayMissingAreAGapOfTheRecord(boolean isUsed) {
    List<Event> events = new ArrayList<>();
    ChangeEvents changes = events(events);
    if (isUsed) { // a session did not wait
      changes.used();
    }
    changes.gap(new ChangeGap(ChangeGap.Reason.TABLE_UNKNOWN, "s", "t", "open"));
    changes.schemaChange(new SchemaChange("s", "TRUNCATE TABLE t", AT));
    changes.readThrough(2, AT, AT_END);
    Event gap = new Event.Gap(5, 0, GapReason.NOT_RECORDED, "changes of t: open", 1);
    Event ofSchema = new Event.Gap(5, 0, GapReason.NOT_RECORDED, "a change of the schema", 1);
    assertThat(events).filteredOn(Event.Gap.class::isInstance).first().isEqualTo(gap);
    assertThat(events.contains(ofSchema)).isEqualTo(isUsed);
  }

  private static final LogPosition AT = new LogPosition("log.1", 4);

  private static final ChangeSource AT_END =
      new ChangeSource() {
        @Override
        public void start(ChangeListener listener) {}

        @Override
        public State state() {
          return State.READING;
        }

        @Override
        public String problem() {
          return "";
        }

        @Override
        public LogPosition position() {
          return AT;
        }

        @Override
        public LogPosition endOfLog() {
          return AT;
        }

        @Override
        public ChangeStatistics statistics() {
          throw new UnsupportedOperationException();
        }

        @Override
        public void close() {}
      };

  private static ChangeEvents events(List<Event> into) {
    Database database = new Database(new Product("H2", ""), Map.of(), "place");
    return new ChangeEvents(5, "log", database, true, "s", HASH, (table, key) -> false, into::add);
  }

  @ParameterizedTest
  @MethodSource(KINDS)
  void changesHaveTheHashesOfTheirValues(ServerKind kind) throws Exception {
    List<Event> events = new CopyOnWriteArrayList<>();
    try (LoggedServer.Session session =
        new LoggedServer.Session(
            LoggedServer.of(kind),
            "CREATE TABLE t(id BIGINT PRIMARY KEY, s VARCHAR(9), d DECIMAL(9,2), at DATETIME(3),"
                + " f FLOAT)")) {
      String schema = session.url.replaceFirst(".*/([^?]*).*", "$1");
      Database database = new Database(new Product(kind.toString(), ""), Map.of(), "place");
      ChangeEvents changes =
          new ChangeEvents(
              5, "log", database, false, schema, HASH, (table, key) -> false, events::add);
      try (BinaryLogSource source = session.source(LoggedServer.of(kind).user())) {
        source.start(changes);
        session.execute(
            "INSERT INTO t VALUES (3, 'x', 2.50, '2020-01-02 03:04:05.6', 0.5)",
            "UPDATE t SET s = NULL WHERE id = 3",
            "DELETE FROM t");
        long before = System.nanoTime();
        changes.readThroughNow(source);
        Awaitility.await()
            .atMost(Duration.ofSeconds(20))
            .pollInterval(Duration.ofMillis(5))
            .until(() -> events.get(events.size() - 1) instanceof Event.ChangesRead);
        assertThat(((Event.ChangesRead) events.get(events.size() - 1)).through())
            .isGreaterThanOrEqualTo(before);
      }
    }

    assertThat(events).hasSize(5);
    assertThat(events.get(0)).isInstanceOf(Event.SessionOpened.class);
    RowChange inserted = ((Event.Changed) events.get(1)).changes().get(0);
    assertThat(inserted.access()).isEqualTo(Access.INSERT);
    assertThat(inserted.table()).isEqualTo("t");
    assertThat(inserted.columns()).containsExactly("id", "s", "d", "at", "f");
    assertThat(inserted.keyBefore()).isZero();
    assertThat(inserted.keyAfter()).isEqualTo(HASH.ofKey(3));
    assertThat(inserted.before()).isEmpty();
    assertThat(inserted.after())
        .containsExactly(
            HASH.of(3),
            HASH.of("x"),
            HASH.of(new BigDecimal("2.5")),
            HASH.of(LocalDateTime.of(2020, 1, 2, 3, 4, 5, 600_000_000)),
            ValueHash.UNKNOWN);
    RowChange updated = ((Event.Changed) events.get(2)).changes().get(0);
    assertThat(updated.keyBefore()).isEqualTo(updated.keyAfter()).isEqualTo(HASH.ofKey(3));
    assertThat(updated.after()[1]).isEqualTo(HASH.of((Object) null));
    RowChange deleted = ((Event.Changed) events.get(3)).changes().get(0);
    assertThat(deleted.keyAfter()).isZero();
    assertThat(deleted.after()).isEmpty();
  }
}
