package io.txwatch.serve;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.analyzer.Notation;
import io.txwatch.history.Event;
import io.txwatch.history.EventSink;
import io.txwatch.history.GapReason;
import io.txwatch.history.HistoryReader;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** A server that is killed, and one whose disk is full. */
class KilledServerTest {

  /** Two transactions that lose an update, one of each service. */
  private static List<Event> pair(int number) {
    return Notation.events("r1(x0) r2(x0) w1(x0) c1 w2(x1) c2").stream()
        .map(event -> RenumberedHistory.by(event, 2L * number))
        .toList();
  }

  private static String lostUpdate(int number) {
    return "LOST_UPDATE [" + (2 * number + 1) + ", " + (2 * number + 2) + "]";
  }

  private static int freePort() throws Exception {
    try (ServerSocket socket = new ServerSocket(0)) {
      return socket.getLocalPort();
    }
  }

  /** What two services of this process sent. */
  private static final class Load {

    private final EventSink odd;
    private final EventSink even;
    final Map<Long, List<Event>> sent = new HashMap<>();
    final Set<String> expected = new TreeSet<>();
    int pairs;

    Load(int port) throws Exception {
      odd = TestServer.service(port, "odd", 16);
      even = TestServer.service(port, "even", 16);
    }

    void send(int count) throws InterruptedException {
      for (int i = 0; i < count; i++) {
        for (Event event : pair(pairs)) {
          sent.computeIfAbsent(event.session(), session -> new ArrayList<>()).add(event);
          (event.session() % 2 == 1 ? odd : even).accept(event);
        }
        expected.add(lostUpdate(pairs));
        pairs++;
        if (i % 10 == 0) {
          Thread.sleep(2);
        }
      }
    }

    void close() {
      odd.close();
      even.close();
    }
  }

  @Test
  void restartedServerResumesFromItsHistoryWithoutLossOrDuplicates(@TempDir Path directory)
      throws Exception {
    int port = freePort();
    Path history = directory.resolve("history");
    Set<String> found = new TreeSet<>();
    Load load = new Load(port);
    for (int i = 0; i < 2; i++) {
      ServerProcess killed = ServerProcess.start(port, history, 0);
      int before = load.pairs;
      while (killed.found.size() < 300) {
        load.send(50);
        assertThat(load.pairs - before).isLessThan(50_000);
      }
      killed.kill();
      found.addAll(killed.found);
      load.send(500);
    }
    try (ServerProcess last = ServerProcess.start(port, history, 0)) {
      load.send(100);
      last.awaitFound(load.expected, found);
      load.close();
      last.await("odd has ended");
      last.await("even has ended");
      last.close();
      found.addAll(last.found);
    }
    assertThat(found).isEqualTo(load.expected);

    Map<Long, List<Event>> written = new HashMap<>();
    List<Event.Gap> gaps = new ArrayList<>();
    try (HistoryReader reader = HistoryReader.open(history)) {
      reader.forEach(
          event -> {
            if (event instanceof Event.Gap gap) {
              gaps.add(gap);
            } else if (!(event instanceof Event.SessionClosed)) { // added by the server at its end
              written.computeIfAbsent(event.session(), s -> new ArrayList<>()).add(unnamed(event));
            }
          });
    }
    load.sent.replaceAll(
        (session, events) -> events.stream().map(KilledServerTest::unnamed).toList());
    assertThat(written).isEqualTo(load.sent);
    assertThat(gaps).allMatch(gap -> gap.reason() == GapReason.TORN_RECORD);
  }

  /** Without what the client adds: its service, and its machine. */
  private static Event unnamed(Event event) {
    return event instanceof Event.SessionOpened opened
        ? new Event.SessionOpened(opened.session(), "", Notation.POSTGRESQL)
        : event;
  }

  @Test
  @EnabledOnOs(OS.LINUX)
  void fullDiskIsReportedAndAnalysisContinues(@TempDir Path directory) throws Exception {
    int port = freePort();
    try (ServerProcess server = ServerProcess.start(port, directory.resolve("history"), 64)) {
      Load load = new Load(port);
      load.send(700);
      server.awaitFound(load.expected, Set.of());
      load.close();
      server.await("odd has ended");
      server.await("even has ended");
      server.close();
      assertThat(server.found).isEqualTo(load.expected);
      assertThat(List.copyOf(server.lines))
          .filteredOn(line -> line.contains("events are lost"))
          .singleElement()
          .asString()
          .endsWith("; the analysis continues");
    }
    try (HistoryReader reader = HistoryReader.open(directory.resolve("history"))) {
      reader.forEach(event -> {});
    }
  }
}
