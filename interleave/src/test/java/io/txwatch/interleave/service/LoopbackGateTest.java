package io.txwatch.interleave.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.txwatch.interleave.Interleaved;
import io.txwatch.settings.Setting;
import io.txwatch.settings.Settings;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a gate accepts of whoever connects to it. */
class LoopbackGateTest {

  private static final String TOKEN = "a token of sixteen and more";

  private static int open() throws IOException {
    int port;
    try (ServerSocket free = new ServerSocket(0)) {
      port = free.getLocalPort();
    }
    Map<Setting, String> set = Map.of(Setting.GATE, "" + port, Setting.TOKEN, TOKEN);
    new LoopbackGate().open(Settings.of(set), line -> {});
    return port;
  }

  private static Socket connect(int port) throws IOException {
    Socket socket = new Socket(InetAddress.getByName("127.0.0.1"), port);
    socket.setSoTimeout(30_000);
    return socket;
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "POST / HTTP/1.1\r\nHost: localhost\r\n\r\n",
        "{\"type\":\"Reset\",\"number\":1}\n",
        "{\"type\":\"Run\",\"version\":1}\n",
        "[\n",
        "\n"
      })
  void whatIsNoControllerIsDisconnected(String sent) throws Exception {
    try (Socket socket = connect(open())) {
      socket.getOutputStream().write(sent.getBytes(StandardCharsets.UTF_8));
      assertThat(isClosed(socket)).isTrue();
    }
  }

  /** True if nothing arrives but the end of the connection, which may be a reset. */
  private static boolean isClosed(Socket socket) throws IOException {
    try {
      return socket.getInputStream().read() < 0;
    } catch (SocketException e) {
      return true;
    }
  }

  @Test
  void aLineWithoutAnEndIsDisconnected() throws Exception {
    try (Socket socket = connect(open())) {
      assertThatThrownBy(
              () -> {
                while (true) {
                  socket.getOutputStream().write(new byte[1 << 16]);
                }
              })
          .isInstanceOf(IOException.class);
    }
  }

  @Test
  void oneControllerInterleavesAtATime() throws Exception {
    int port = open();
    GateMessage.Run run =
        new GateMessage.Run(
            GateConnection.VERSION, TOKEN, List.of("GET /a", "GET /b"), 3, 10, false);
    try (GateConnection first = new GateConnection(connect(port));
        GateConnection second = new GateConnection(connect(port))) {
      first.send(run);
      assertThat(first.receive(GateConnection.MAX_LINE_BYTES))
          .isEqualTo(new GateMessage.Request(1, 0));
      second.send(run);
      assertThat(second.receive(GateConnection.MAX_LINE_BYTES))
          .isEqualTo(new GateMessage.Refused("another command interleaves at this gate", false));
    }
    // The first one has ended without a word, and the next one's turn comes.
    GateMessage answer = new GateMessage.Refused("", false);
    while (answer instanceof GateMessage.Refused) {
      try (GateConnection next = new GateConnection(connect(port))) {
        next.send(run);
        answer = next.receive(GateConnection.MAX_LINE_BYTES);
      }
    }
    assertThat(answer).isEqualTo(new GateMessage.Request(1, 0));
  }

  static Stream<GateMessage> messages() {
    return Stream.of(
        new GateMessage.Run(1, "\"\\\n", List.of("a", "b\n"), 0, 7, true),
        new GateMessage.Request(4, 1),
        new GateMessage.Reset(5),
        new GateMessage.Answer(6, "200 {\"a\":\"ü\"}", ""),
        new GateMessage.Found(
            new Interleaved(
                Interleaved.Verdict.RACE,
                "why",
                "all orders",
                3,
                List.of("a: commit"),
                List.of(),
                List.of("note")),
            "LOST_UPDATE"),
        new GateMessage.Refused("why", true));
  }

  @ParameterizedTest
  @MethodSource("messages")
  void messagesAreOneLine(GateMessage message) throws IOException {
    byte[] line = MessageJson.write(message);
    assertThat(line).doesNotContain('\n');
    assertThat(MessageJson.read(line)).isEqualTo(message);
  }
}
