package io.txwatch.serve;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.analyzer.Notation;
import io.txwatch.anomaly.ObservedTransaction;
import io.txwatch.history.Chunk;
import io.txwatch.history.Event;
import io.txwatch.history.EventSink;
import io.txwatch.history.GapReason;
import io.txwatch.link.Frames;
import io.txwatch.link.wire.Frame;
import io.txwatch.page.LivePage;
import io.txwatch.version.ValueHistory;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** One analyzer and several clients, with failures of the network. */
class AnalysisServerTest {

  private static final String LOST_UPDATE = "r1(x0) r2(x0) w1(x0) c1 w2(x1) c2";

  private static List<Event> of(List<Event> history, long session) {
    return history.stream().filter(event -> event.session() == session).toList();
  }

  @Test
  void lostUpdateBetweenTwoServicesIsReported() throws Exception {
    try (TestServer served = new TestServer()) {
      List<Event> history = Notation.events(LOST_UPDATE);
      try (EventSink orders = served.service("orders");
          EventSink billing = served.service("billing")) {
        TestServer.send(billing, of(history, 2));
        TestServer.send(orders, of(history, 1));
        served.await(() -> !served.found.isEmpty(), "an anomaly");
      }
      assertThat(served.phenomena()).containsExactly("LOST_UPDATE [1, 2]");
      assertThat(served.found.get(0).transactions())
          .extracting(ObservedTransaction::session)
          .containsExactlyInAnyOrder("orders/s1", "billing/s2");
    }
  }

  @Test
  void arrivalOrderChangesNoResult() throws Exception {
    Random random = new Random(7);
    List<Event> history =
        Notation.events(
            "r1(x0) r2(x0) w1(x0) c1 w2(x1) c2 r3(x2) w4(x2) c4 r3(y0) w3(y0) r5(y0) w5(x4) c5 c3"
                + " r6(x5) w6(x5) a6 r7(x5) w7(x5) c7 r8(x7) w8(x7) u8 r9(x7) c9");
    List<String> expected = new ArrayList<>();
    try (TestServer alone = new TestServer();
        EventSink one = alone.service("one")) {
      TestServer.send(one, history);
      alone.awaitEvents(history.size());
      expected.addAll(alone.phenomena());
    }
    assertThat(expected).hasSizeGreaterThan(1);
    for (int i = 0; i < 5; i++) {
      try (TestServer served = new TestServer()) {
        List<EventSink> services = new ArrayList<>();
        List<List<Event>> streams = new ArrayList<>();
        for (int session = 1; session <= 9; session++) {
          services.add(served.service("service " + session));
          streams.add(new ArrayList<>(of(history, session)));
        }
        while (streams.stream().anyMatch(stream -> !stream.isEmpty())) {
          int next = random.nextInt(streams.size());
          if (!streams.get(next).isEmpty()) {
            services.get(next).accept(streams.get(next).remove(0));
            if (random.nextInt(4) == 0) {
              Thread.sleep(6);
            }
          }
        }
        services.forEach(EventSink::close);
        served.awaitEvents(history.size());
        assertThat(served.phenomena()).isEqualTo(expected);
      }
    }
  }

  /** Another service may watch any writer, and its first events be on their way. */
  @Test
  void nobodyIsSaidToBeNotWatched() throws Exception {
    List<Event> history = new ValueHistory(1).lostToOther().events();
    assertThat(ValueHistory.anomalies(history)).hasSize(1);
    try (TestServer served = new TestServer()) {
      try (EventSink orders = served.service("orders")) {
        TestServer.send(orders, history);
      }
      served.awaitEvents(history.size());
      assertThat(served.found).isEmpty();
    }
  }

  @Test
  void nonClientConnectionIsClosedAndRarelyLogged() throws Exception {
    try (TestServer served = new TestServer()) {
      for (int i = 0; i < 60; i++) {
        try (Socket socket = new Socket("127.0.0.1", served.port())) {
          byte[] garbage =
              i % 2 == 0
                  ? "GET / HTTP/1.1\r\nHost: x\u001b[31m\r\n\r\n".getBytes(StandardCharsets.UTF_8)
                  : new byte[] {0, 0, 0, 9, 1, 2, 3, 4, 5, 6, 7, 8, (byte) i};
          socket.getOutputStream().write(garbage);
          assertThat(endOf(socket)).isTrue();
        }
      }
      assertThat(served.lines).hasSizeBetween(1, RateLimitedLog.MAX_LINES);
      assertThat(served.lines).allMatch(line -> line.matches("[ -~]+"));
      try (EventSink orders = served.service("orders")) {
        TestServer.send(orders, Notation.events(LOST_UPDATE));
        served.await(() -> !served.found.isEmpty(), "an anomaly");
      }
    }
  }

  @Test
  void wrongTokenIsRefusedAndNotLogged() throws Exception {
    try (TestServer served = new TestServer()) {
      for (String token : new String[] {"", "a wrong token"}) {
        try (Socket socket = new Socket("127.0.0.1", served.port())) {
          Frames.write(socket.getOutputStream(), Frames.hello(token, 1, "x"));
          assertThat(read(socket.getInputStream()).getRefusal().getReason()).contains("token");
          assertThat(endOf(socket)).isTrue();
        }
      }
      assertThat(served.lines).hasSize(2).noneMatch(line -> line.contains("a wrong token"));
      assertThat(served.server.status().clients()).isEmpty();
    }
  }

  @Test
  void invalidFrameAfterTheHandshakeClosesTheConnection() throws Exception {
    try (TestServer served = new TestServer();
        Socket tooLong = greeted(served, 1);
        Socket garbage = greeted(served, 2)) {
      tooLong.getOutputStream().write(new byte[] {0x7f, 0, 0, 0, 1});
      garbage.getOutputStream().write(new byte[] {0, 0, 0, 3, 9, 9, 9});
      assertThat(endOf(tooLong)).isTrue();
      assertThat(endOf(garbage)).isTrue();
      try (Socket noRecords = greeted(served, 3)) {
        Frames.write(noRecords.getOutputStream(), Frames.chunk(1, new byte[] {1, 2, 3}, 0, 0));
        assertThat(endOf(noRecords)).isTrue();
      }
      assertThat(served.server.status().events()).isZero();
    }
  }

  @Test
  void silentClientIsCutOff() throws Exception {
    try (TestServer served = TestServer.impatient(Duration.ofMillis(1_500));
        Socket silent = greeted(served, 1);
        EventSink idle = served.service("idle")) {
      assertThat(endOf(silent)).isTrue();
      served.awaitLine("cut off");
      TestServer.send(idle, Notation.events("r1(x0) c1"));
      served.awaitEvents(4);
      assertThat(served.lines).noneMatch(line -> line.startsWith("idle is cut off"));
    }
  }

  @Test
  void repeatedChunkIsAnalysedOnce() throws Exception {
    try (TestServer served = new TestServer();
        Socket first = greeted(served, 1)) {
      List<Event> history = Notation.events(LOST_UPDATE);
      Frames.write(first.getOutputStream(), Frames.chunk(1, records(history.subList(0, 6)), 0, 0));
      assertThat(acknowledged(first, 1)).isTrue();
      // Its first connection is still open: the second takes its place.
      try (Socket second = new Socket("127.0.0.1", served.port())) {
        Frames.write(second.getOutputStream(), Frames.hello(TestServer.TOKEN, 1, "raw"));
        Frame welcome = read(second.getInputStream());
        assertThat(welcome.getWelcome().getThrough()).isEqualTo(1);
        assertThat(welcome.getWelcome().getAnnounce()).isFalse();
        assertThat(endOf(first)).isTrue();
        Frames.write(
            second.getOutputStream(), Frames.chunk(1, records(history.subList(0, 6)), 0, 0));
        Frames.write(
            second.getOutputStream(),
            Frames.chunk(2, records(history.subList(6, history.size())), 0, 0));
        assertThat(acknowledged(second, 2)).isTrue();
        served.await(() -> served.server.status().duplicates() == 1, "a duplicate");
        assertThat(served.phenomena()).containsExactly("LOST_UPDATE [1, 2]");
        assertThat(served.server.status().events()).isEqualTo(history.size());
        assertThat(served.server.status().coverage().gaps()).isEmpty();
      }
    }
  }

  @Test
  void clientKilledWithinARecordLeavesAnUnknownOutcomeAndATornRecord() throws Exception {
    try (TestServer served = new TestServer(null, Duration.ofMillis(300))) {
      List<Event> history = Notation.events("r1(x0) r2(x0) w1(x0) c1 r3(x1) w2(x1) c2 c3");
      int commit = history.indexOf(of(history, 1).get(of(history, 1).size() - 1));
      try (Socket killed = greeted(served, 1)) {
        Frames.write(
            killed.getOutputStream(), Frames.chunk(1, records(history.subList(0, commit)), 0, 0));
        assertThat(acknowledged(killed, 1)).isTrue();
        killed.getOutputStream().write(new byte[] {0, 0, 1, 0, 42});
      }
      try (EventSink other = served.service("other")) {
        TestServer.send(other, of(history, 3));
        served.await(
            () -> served.server.status().coverage().gaps().containsKey(GapReason.CUT_OFF),
            "gaps of what was open");
      }
      assertThat(served.server.status().coverage().gaps())
          .containsEntry(GapReason.CUT_OFF, 2L)
          .containsEntry(GapReason.TORN_RECORD, 1L);
      // Session 3 read what transaction 1 wrote, which is no aborted read and no other anomaly.
      assertThat(served.phenomena()).isEmpty();
      served.awaitLine("2 open transactions is unknown");
    }
  }

  @Test
  void clientThatReconnectsInTimeLosesNothing() throws Exception {
    List<Event> history = Notation.events(LOST_UPDATE);
    try (TestServer served = new TestServer(null, Duration.ofSeconds(20))) {
      try (Socket first = greeted(served, 5)) {
        Frames.write(
            first.getOutputStream(), Frames.chunk(1, records(history.subList(0, 5)), 0, 0));
        assertThat(acknowledged(first, 1)).isTrue();
        first.getOutputStream().write(new byte[] {0, 0});
      }
      served.awaitLine("cut off");
      try (Socket back = greeted(served, 5)) {
        Frames.write(
            back.getOutputStream(),
            Frames.chunk(2, records(history.subList(5, history.size())), 0, 0));
        assertThat(acknowledged(back, 2)).isTrue();
        assertThat(served.phenomena()).containsExactly("LOST_UPDATE [1, 2]");
        assertThat(served.server.status().coverage().gaps()).isEmpty();
      }
    }
  }

  /** T2 began before T1 wrote; its events arrive after 2000 other transactions have ended. */
  @Test
  void transactionThatMayOverlapPendingEventsIsRetained() throws Exception {
    List<Event> history = Notation.events(LOST_UPDATE);
    try (TestServer served = new TestServer();
        Socket late = greeted(served, 1);
        Socket quick = greeted(served, 2)) {
      sendThousand(quick, 1, of(history, 1));
      sendThousand(quick, 2, List.of());
      Frames.write(late.getOutputStream(), Frames.chunk(1, records(of(history, 2)), 0, 0));
      assertThat(acknowledged(late, 1)).isTrue();
      assertThat(served.phenomena()).containsExactly("LOST_UPDATE [1, 2]");
    }
  }

  /** The same after that client acknowledged the epoch: then T2 arrives too late. */
  @Test
  void transactionBeforeAllPendingEventsIsDiscarded() throws Exception {
    List<Event> history = Notation.events(LOST_UPDATE);
    try (TestServer served = new TestServer();
        Socket late = greeted(served, 1);
        Socket quick = greeted(served, 2)) {
      long epoch = sendThousand(quick, 1, of(history, 1));
      while (epoch > read(late.getInputStream()).getAck().getEpoch()) {
        // a later Ack contains the epoch
      }
      Frames.write(late.getOutputStream(), Frames.alive(epoch, 0));
      // An acknowledgement of an epoch that does not exist is harmless.
      Frames.write(late.getOutputStream(), Frames.alive(Long.MAX_VALUE, 0));
      for (int number = 2; number < 5; number++) { // gives the server time to process it
        sendThousand(quick, number, List.of());
      }
      Frames.write(late.getOutputStream(), Frames.chunk(1, records(of(history, 2)), 0, 0));
      assertThat(acknowledged(late, 1)).isTrue();
      assertThat(served.phenomena()).isEmpty();
    }
  }

  /** T1 ended before the epoch, although it arrives after every client acknowledged the epoch. */
  @Test
  void transactionsThatWaitedAtTheirClientAreDiscarded() throws Exception {
    List<Event> history = Notation.events(LOST_UPDATE);
    try (TestServer served = new TestServer();
        Socket late = greeted(served, 1);
        Socket slow = greeted(served, 2)) {
      Frames.write(slow.getOutputStream(), Frames.alive(0, 1));
      long epoch = 0;
      for (int i = 0; i < 3; i++) { // gives the server time to process it
        epoch = read(late.getInputStream()).getAck().getEpoch();
      }
      Frames.write(late.getOutputStream(), Frames.alive(epoch, 0));
      sendThousand(slow, 1, of(history, 1));
      sendThousand(slow, 2, List.of());
      sendThousand(slow, 3, List.of());
      Frames.write(late.getOutputStream(), Frames.chunk(1, records(of(history, 2)), 0, 0));
      assertThat(acknowledged(late, 1)).isTrue();
      assertThat(served.phenomena()).isEmpty();
    }
  }

  /**
   * Sends transactions and a thousand more, then acknowledges the newest epoch, which it returns.
   */
  private static long sendThousand(Socket client, int number, List<Event> first)
      throws IOException {
    List<Event> events = new ArrayList<>(first);
    for (int i = 0; i < 1_000; i++) {
      int by = 1_000 * number + i;
      Notation.events("r1(y0) c1").forEach(event -> events.add(RenumberedHistory.by(event, by)));
    }
    Frames.write(client.getOutputStream(), Frames.chunk(number, records(events), 0, 0));
    Frame answer = read(client.getInputStream());
    while (answer.getAck().getThrough() < number) {
      answer = read(client.getInputStream());
    }
    Frames.write(client.getOutputStream(), Frames.alive(answer.getAck().getEpoch(), number));
    return answer.getAck().getEpoch();
  }

  @Test
  void unreachableServerIsOneLineAndDroppedEventsAreCounted(@TempDir Path directory)
      throws Exception {
    int port;
    try (TestServer gone = new TestServer()) {
      port = gone.port();
    }
    List<Event> history = new ArrayList<>();
    for (int i = 0; i < 9_000; i++) {
      // A row of its own for each pair, and a lost update in each.
      String row = String.valueOf((char) ('a' + i % 26));
      int one = 2 * i + 1;
      history.addAll(
          Notation.events("r1(x0) r2(x0) w1(x0) c1 w2(x1) c2".replace("x", row)).stream()
              .map(event -> RenumberedHistory.by(event, one - 1))
              .toList());
    }
    long sent = history.size();
    try (EventSink orders = TestServer.service(port, "orders", 1)) {
      long begin = System.nanoTime();
      TestServer.send(orders, history);
      assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(Duration.ofSeconds(20));
      Path file = directory.resolve("history");
      try (TestServer late = new TestServer(port, file, Duration.ofSeconds(30))) {
        late.await(
            () -> late.server.status().coverage().gaps().containsKey(GapReason.OVERFLOW),
            "a gap of what was dropped");
        long dropped = late.server.status().coverage().gaps().getOrDefault(GapReason.OVERFLOW, 0L);
        late.await(() -> late.server.status().events() - 1 + dropped >= sent, "all the others");
        assertThat(late.server.status().coverage().transactions()).isPositive();
        // Each pair is a lost update, reported once; no other anomaly is reported.
        assertThat(late.phenomena())
            .isNotEmpty()
            .doesNotHaveDuplicates()
            .allMatch(AnalysisServerTest::isOfAPair);
      }
    }
  }

  private static boolean isOfAPair(String phenomenon) {
    String[] ids = phenomenon.replaceAll("[^0-9,]", "").split(",");
    return phenomenon.startsWith("LOST_UPDATE")
        && ids.length == 2
        && Long.parseLong(ids[0]) + 1 == Long.parseLong(ids[1])
        && Long.parseLong(ids[0]) % 2 == 1;
  }

  @Test
  void statusRequiresTheToken() throws Exception {
    try (TestServer served = new TestServer();
        EventSink orders = served.service("orders");
        LivePage page =
            LivePage.open(
                new io.txwatch.link.Address(false, "127.0.0.1", 0),
                Optional.empty(),
                TestServer.TOKEN,
                served.server.liveSource())) {
      TestServer.send(orders, Notation.events(LOST_UPDATE));
      served.await(() -> served.server.status().anomalies() == 1, "an anomaly in the status");
      HttpClient client = HttpClient.newHttpClient();
      URI uri = URI.create("http://127.0.0.1:" + page.address().getPort() + "/");
      HttpRequest.Builder request = HttpRequest.newBuilder(uri);
      assertThat(client.send(request.build(), HttpResponse.BodyHandlers.ofString()).statusCode())
          .isEqualTo(401);
      HttpResponse<String> answer =
          client.send(
              request.header("Authorization", "Bearer " + TestServer.TOKEN).build(),
              HttpResponse.BodyHandlers.ofString());
      assertThat(answer.body())
          .contains("{\"name\":\"orders\",\"connected\":true")
          .contains("\"transactions\":2")
          .contains("\"anomalies\":1")
          .contains("\"dropped\":0");
    }
  }

  /** A socket on which the test sends frames itself, after an accepted handshake. */
  private static Socket greeted(TestServer served, long client) throws IOException {
    Socket socket = new Socket("127.0.0.1", served.port());
    Frames.write(socket.getOutputStream(), Frames.hello(TestServer.TOKEN, client, "raw"));
    assertThat(read(socket.getInputStream()).hasWelcome()).isTrue();
    return socket;
  }

  private static Frame read(InputStream in) throws IOException {
    int length = Frames.readLength(in, Frames.MAX_SHORT_FRAME_BYTES);
    assertThat(length).isPositive();
    return Frames.readBody(in, length);
  }

  private static boolean acknowledged(Socket socket, long number) throws IOException {
    socket.setSoTimeout(20_000);
    while (read(socket.getInputStream()).getAck().getThrough() < number) {
      // read on
    }
    return true;
  }

  /** Reads to the end, or to a reset, which closing with unread bytes causes. */
  private static boolean endOf(Socket socket) throws IOException {
    socket.setSoTimeout(20_000);
    try {
      socket.getInputStream().transferTo(OutputStream.nullOutputStream());
    } catch (java.net.SocketException e) {
      return true;
    }
    return true;
  }

  private static byte[] records(List<Event> events) {
    Chunk.Builder builder = new Chunk.Builder("test", 1024);
    events.forEach(builder::add);
    return builder.take().bytes();
  }
}
