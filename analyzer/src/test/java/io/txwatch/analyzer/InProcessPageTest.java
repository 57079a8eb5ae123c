package io.txwatch.analyzer;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class InProcessPageTest {

  private final List<String> notes = new ArrayList<>();

  @Test
  void portThatIsTakenIsReportedAndTheApplicationGoesOn() throws Exception {
    try (ServerSocket other = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
      Runnable close = InProcessPage.use(Integer.toString(other.getLocalPort()), notes::add);
      close.run();
      assertThat(notes)
          .containsExactly(
              "txwatch.http="
                  + other.getLocalPort()
                  + ": the address is in use or not of this machine, so there is no live page; the"
                  + " application is watched all the same");
    }
  }

  @Test
  void analyzersShareThePageAndTheLastOneClosesIt() throws Exception {
    int port;
    try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
      port = free.getLocalPort();
    }
    Runnable one = InProcessPage.use("127.0.0.1:" + port, notes::add);
    Runnable other = InProcessPage.use(Integer.toString(port), notes::add);
    assertThat(notes).containsExactly("live page at http://127.0.0.1:" + port + "/");
    one.run();
    assertThat(isListening(port)).isTrue();
    other.run();
    assertThat(isListening(port)).isFalse();
  }

  @Test
  void addressOfOtherMachinesIsRefused() {
    InProcessPage.use("0.0.0.0:7077", notes::add).run();
    assertThat(notes)
        .singleElement()
        .satisfies(note -> assertThat(note).contains("HOST:PORT of this machine"));
  }

  private static boolean isListening(int port) {
    try (Socket socket = new Socket("127.0.0.1", port)) {
      return socket.isConnected();
    } catch (java.io.IOException e) {
      return false;
    }
  }
}
