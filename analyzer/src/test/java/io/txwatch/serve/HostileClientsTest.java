package io.txwatch.serve;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.analyzer.Notation;
import io.txwatch.history.EventSink;
import io.txwatch.link.Frames;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** Clients that keep connections open or announce frames without completing them. */
@Timeout(60)
class HostileClientsTest {

  private static final String LOST_UPDATE = "r1(x0) r2(x0) w1(x0) c1 w2(x1) c2";

  @Test
  void slowHandshakeHasADeadline() throws Exception {
    try (TestServer served = TestServer.impatient(Duration.ofSeconds(1));
        Socket slow = new Socket("127.0.0.1", served.port())) {
      slow.getOutputStream().write(new byte[] {0, 0, 1, 0});
      long begun = System.nanoTime();
      trickleUntilClosed(slow);
      assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(Duration.ofSeconds(20));
      served.awaitLine("the handshake took more than 1000 ms");
    }
  }

  @Test
  void connectionsBeforeTheHandshakeAreLimitedByAddressAndLockNobodyOut() throws Exception {
    List<Socket> held = new ArrayList<>();
    try (TestServer served = new TestServer()) {
      for (int i = 0; i < PendingHandshakes.MAX_PER_ADDRESS; i++) {
        held.add(new Socket("127.0.0.1", served.port()));
      }
      try (Socket oneMore = new Socket("127.0.0.1", served.port())) {
        held.get(0).setSoTimeout(20_000);
        assertThat(isEnded(held.get(0))).isTrue();
        served.awaitLine("too many others are in their handshakes");
        assertLostUpdateIsFound(served);
        assertThat(oneMore.isClosed()).isFalse();
      }
    } finally {
      closeAll(held);
    }
  }

  @Test
  @EnabledOnOs(OS.LINUX) // has all of 127.0.0.0/8
  void addressesAtTheirLimitDoNotBlockOthers() throws Exception {
    List<Socket> held = new ArrayList<>();
    try (TestServer served = new TestServer()) {
      for (int address = 2; address < 9; address++) {
        for (int i = 0; i < PendingHandshakes.MAX_PER_ADDRESS; i++) {
          held.add(from("127.0.0." + address, served.port()));
        }
      }
      assertLostUpdateIsFound(served);
    } finally {
      closeAll(held);
    }
  }

  @Test
  void announcedFrameLengthReservesNoMemory() throws Exception {
    List<Socket> held = new ArrayList<>();
    try (TestServer served = new TestServer()) {
      for (int client = 10; client < 60; client++) {
        Socket socket = new Socket("127.0.0.1", served.port());
        held.add(socket);
        Frames.write(socket.getOutputStream(), Frames.hello(TestServer.TOKEN, client, "holder"));
        socket.getOutputStream().write(announcing(Frames.MAX_FRAME_BYTES));
        socket.getOutputStream().write(new byte[100]);
      }
      assertLostUpdateIsFound(served);
    } finally {
      closeAll(held);
    }
  }

  @Test
  void partialLargeFramesUseBoundedMemory() throws Exception {
    List<Socket> held = new ArrayList<>();
    try (TestServer served = new TestServer()) {
      byte[] almost = new byte[Frames.MAX_FRAME_BYTES - 1];
      for (int client = 10; client < 30; client++) { // 100 MiB
        Socket socket = new Socket("127.0.0.1", served.port());
        held.add(socket);
        Frames.write(socket.getOutputStream(), Frames.hello(TestServer.TOKEN, client, "holder"));
        socket.getOutputStream().write(announcing(Frames.MAX_FRAME_BYTES));
        try {
          socket.getOutputStream().write(almost);
        } catch (IOException e) {
          // This one was cut.
        }
      }
      served.awaitLine("too many large frames arrive at once");
      assertLostUpdateIsFound(served);
    } finally {
      closeAll(held);
    }
  }

  @Test
  void slowFrameIsAborted() throws Exception {
    try (TestServer served = TestServer.impatient(Duration.ofSeconds(1));
        Socket slow = new Socket("127.0.0.1", served.port())) {
      Frames.write(slow.getOutputStream(), Frames.hello(TestServer.TOKEN, 7, "slow"));
      slow.getOutputStream().write(announcing(1 << 20));
      trickleUntilClosed(slow);
      served.awaitLine("a frame of 1048576 bytes arrives too slowly");
    }
  }

  @Test
  void frameOfTwoGibibytesIsRefused() throws Exception {
    try (TestServer served = new TestServer();
        Socket socket = new Socket("127.0.0.1", served.port())) {
      socket.setSoTimeout(20_000);
      socket.getOutputStream().write(announcing(Integer.MAX_VALUE));
      assertThat(isEnded(socket)).isTrue();
      served.awaitLine(
          "expected the length of a frame, at most " + Frames.MAX_SHORT_FRAME_BYTES + " bytes");
    }
  }

  private static byte[] announcing(int length) {
    return ByteBuffer.allocate(4).putInt(length).array();
  }

  private static void assertLostUpdateIsFound(TestServer served) throws Exception {
    try (EventSink orders = served.service("orders")) {
      TestServer.send(orders, Notation.events(LOST_UPDATE));
      served.await(() -> !served.found.isEmpty(), "an anomaly");
    }
  }

  /** Sends single bytes at intervals, so that no read of the server times out. */
  private static void trickleUntilClosed(Socket socket) throws Exception {
    OutputStream out = socket.getOutputStream();
    try {
      for (int i = 0; i < 400; i++) {
        out.write(0);
        Thread.sleep(50);
      }
    } catch (IOException e) {
      return;
    }
    throw new AssertionError("still open after 20 s");
  }

  private static Socket from(String local, int port) throws IOException {
    Socket socket = new Socket();
    socket.bind(new InetSocketAddress(InetAddress.getByName(local), 0));
    socket.connect(new InetSocketAddress("127.0.0.1", port), 10_000);
    return socket;
  }

  private static boolean isEnded(Socket socket) throws IOException {
    try {
      return socket.getInputStream().read() < 0;
    } catch (java.net.SocketException e) {
      return true;
    }
  }

  private static void closeAll(List<Socket> sockets) throws IOException {
    for (Socket socket : sockets) {
      socket.close();
    }
  }
}
