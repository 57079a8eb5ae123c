package io.txwatch.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.txwatch.analyzer.Analyzer;
import io.txwatch.anomaly.Anomaly;
import io.txwatch.anomaly.Phenomenon;
import io.txwatch.coverage.Coverage;
import io.txwatch.guarantee.Judge;
import io.txwatch.history.Access;
import io.txwatch.history.Database;
import io.txwatch.history.Event;
import io.txwatch.history.IsolationLevel;
import io.txwatch.history.Outcome;
import io.txwatch.history.Product;
import io.txwatch.history.RowAccess;
import io.txwatch.history.StatementKind;
import io.txwatch.history.WriterList;
import io.txwatch.history.WriterToken;
import io.txwatch.link.TopicInput;
import io.txwatch.live.LiveSource;
import io.txwatch.report.AnomalyGroups;
import io.txwatch.report.AnomalyGroups.Group;
import io.txwatch.report.AnomalyId;
import io.txwatch.report.JsonReport;
import io.txwatch.slice.HistorySlice;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

/** {@code serve --anomalies}: the page shows what the job of Flink has written. */
class ServedAnomaliesTest {

  private final List<String> notes = new CopyOnWriteArrayList<>();

  /** An analyzer that no process uses. */
  private static final class NothingFound implements LiveSource {
    @Override
    public String name() {
      return "test";
    }

    @Override
    public List<Group> anomalies() {
      return List.of();
    }

    @Override
    public Figures figures() {
      return new Figures(Coverage.NONE, 0, 0, 0, 0);
    }
  }

  /** Records, and then a failure. */
  private static final class Records implements TopicInput {
    private final Queue<Received> left;

    Records(List<Received> records) {
      left = new ArrayDeque<>(records);
    }

    @Override
    public List<Received> poll(long millis) throws IOException {
      Received next = left.poll();
      if (next == null) {
        throw new IOException("the topic was deleted");
      }
      return List.of(next);
    }

    @Override
    public boolean isAtEnd() {
      return left.isEmpty();
    }

    @Override
    public boolean isAtPresentEnd() {
      return left.isEmpty();
    }

    @Override
    public void close() {}
  }

  private static TopicInput.Received record(
      int offset, String key, byte[] value, Map<String, byte[]> headers) {
    return new TopicInput.Received(
        "partition 0, offset " + offset,
        "anomalies",
        key.getBytes(StandardCharsets.UTF_8),
        headers,
        value);
  }

  private static TopicInput.Received record(int offset, Anomaly anomaly) {
    return record(
        offset,
        AnomalyId.of(anomaly),
        JsonReport.anomaly(anomaly).getBytes(StandardCharsets.UTF_8),
        Map.of(HistorySlice.HEADER, HistorySlice.bytes(anomaly)));
  }

  private ServedAnomalies served(TopicInput.Received... records) {
    ServedAnomalies served =
        ServedAnomalies.open(
            new NothingFound(),
            new Records(List.of(records)),
            Judge.DBMS,
            new AnomalyGroups(),
            notes::add);
    await().until(() -> notes.stream().anyMatch(note -> note.contains("was deleted")));
    return served;
  }

  /** Two sessions read a row, and each writes it: r1(x0) r2(x0) w1(x1) c1 w2(x2) c2. */
  private static Anomaly lostUpdate(long firstTransaction) {
    List<Event> events = new ArrayList<>();
    Database database =
        new Database(new Product("PostgreSQL", "18.6"), Map.of(), "jdbc:postgresql://db/shop");
    for (int session = 1; session <= 2; session++) {
      events.add(new Event.SessionOpened(session, "s" + session, database));
      events.add(
          new Event.TransactionBegan(
              session, firstTransaction + session, IsolationLevel.READ_COMMITTED, 1_000));
      events.add(accessed(session, firstTransaction, 1, ""));
    }
    String first = WriterToken.of(firstTransaction + 1, 2);
    events.add(accessed(1, firstTransaction, 2, first));
    events.add(ended(1, firstTransaction));
    events.add(accessed(2, firstTransaction, 2, first + WriterToken.of(firstTransaction + 2, 2)));
    events.add(ended(2, firstTransaction));
    List<Anomaly> found = new ArrayList<>();
    try (Analyzer analyzer = new Analyzer(Judge.DBMS, found::add, 64 << 20)) {
      events.forEach(analyzer::accept);
    }
    assertThat(found).hasSize(1);
    return found.get(0);
  }

  private static Event accessed(int session, long first, int statement, String writers) {
    Access access = statement == 1 ? Access.READ : Access.UPDATE;
    StatementKind kind = statement == 1 ? StatementKind.SELECT : StatementKind.UPDATE;
    return new Event.StatementExecuted(
        session,
        first + session,
        statement,
        kind,
        kind + " account",
        "Bank.java:" + statement,
        List.of(new RowAccess(access, "account", 1, WriterList.ofColumn(writers))),
        true,
        null);
  }

  private static Event ended(int session, long first) {
    return new Event.TransactionEnded(session, first + session, Outcome.COMMITTED, 2_000, 3);
  }

  @Test
  void anomaliesOfTheTopicAreShownByKind() {
    Anomaly one = lostUpdate(10);

    ServedAnomalies served = served(record(0, one), record(1, lostUpdate(20)));

    assertThat(served.anomalies()).hasSize(1);
    Group shown = served.anomalies().get(0);
    assertThat(shown.first().phenomenon()).isEqualTo(Phenomenon.LOST_UPDATE);
    assertThat(AnomalyId.of(shown.first())).isEqualTo(AnomalyId.of(one));
    assertThat(shown.count()).isEqualTo(2);
    assertThat(served.figures().anomalies()).isEqualTo(2);
    assertThat(notes)
        .containsExactly("--anomalies: the topic was deleted; no more anomalies of it are shown");
  }

  @Test
  void whatIsNoAnomalyIsSkippedWithOneNote() {
    byte[] damaged = {1, 2, 3};
    Anomaly anomaly = lostUpdate(10);

    ServedAnomalies served =
        served(
            record(0, "", "{}".getBytes(StandardCharsets.UTF_8), Map.of()),
            record(1, "", damaged, Map.of(HistorySlice.HEADER, damaged)),
            record(2, "", damaged, Map.of(HistorySlice.HEADER, new byte[0])),
            record(3, "another", damaged, Map.of(HistorySlice.HEADER, HistorySlice.bytes(anomaly))),
            record(4, anomaly));

    assertThat(served.anomalies()).extracting(Group::count).containsExactly(1L);
    assertThat(notes).hasSize(2);
    assertThat(notes.get(0))
        .isEqualTo(
            "--anomalies: partition 0, offset 0: not an anomaly that the job of Flink has written,"
                + " or too large for the page; such records are skipped");
  }

  /** Whatever bytes a slice has, its record is shown or skipped, and those after it are read. */
  @Test
  void damagedSlicesEndNothing() {
    Anomaly anomaly = lostUpdate(10);
    byte[] slice = HistorySlice.bytes(anomaly);
    Random random = new Random(1);
    List<TopicInput.Received> records = new ArrayList<>();
    for (int i = 0; i < 2_000; i++) {
      byte[] damaged = slice.clone();
      for (int changes = 1 + random.nextInt(4); changes > 0; changes--) {
        damaged[random.nextInt(damaged.length)] = (byte) random.nextInt();
      }
      records.add(record(i, AnomalyId.of(anomaly), damaged, Map.of(HistorySlice.HEADER, damaged)));
    }
    Anomaly last = lostUpdate(1_000);
    records.add(record(records.size(), last));

    ServedAnomalies served = served(records.toArray(TopicInput.Received[]::new));

    assertThat(served.figures().anomalies()).isPositive();
    assertThat(notes.get(notes.size() - 1)).contains("the topic was deleted");
  }
}
