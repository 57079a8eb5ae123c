package io.txwatch.changes.binlog;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.changes.ChangeEvents;
import io.txwatch.history.Access;
import io.txwatch.history.Database;
import io.txwatch.history.Event;
import io.txwatch.history.RowChange;
import io.txwatch.history.ValueHash;
import io.txwatch.servers.ServerKind;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.LocalDateTime;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.awaitility.Awaitility;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What real servers log, as events with hashed keys and values. */
class ChangeEventsTest {

  private static final String KINDS = "io.txwatch.changes.binlog.LoggedServer#kinds";
  private static final ValueHash HASH = new ValueHash(7);

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
      Database database = new Database(kind.toString(), "", Map.of(), "place");
      ChangeEvents changes = new ChangeEvents(5, "log", database, schema, HASH, events::add);
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
