package io.txwatch.page;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.UnixOperatingSystemMXBean;
import io.txwatch.link.Address;
import io.txwatch.live.LiveSource;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.management.ManagementFactory;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The page's server, by raw requests. */
class LivePageTest {

  private static final String TOKEN = "0123456789abcdef";

  @ParameterizedTest
  @CsvSource({
    "GET /,        localhost,      text/html, 200",
    "GET /,        127.0.0.1:7077, */*,       200",
    "GET /status,  [::1]:7077,     */*,       200",
    "GET /page.js, localhost,      */*,       200",
    "GET /metrics, localhost,      */*,       200",
    "GET /metrics, evil.example,   */*,       403",
    "GET /status,  evil.example,   */*,       403",
    "GET /events,  evil.example,   */*,       403",
    "GET /,        127.0.0.1.evil.example, text/html, 403",
    "POST /status, localhost,      */*,       405",
    "GET /page.html, localhost,    */*,       404",
    "GET /../pom.xml, localhost,   */*,       404",
    "GET /%2e%2e/page.js, localhost, */*,     404",
    "GET //x,      localhost,      */*,       400",
    "GET /%zz,     localhost,      */*,       400",
    "GET,          localhost,      */*,       400",
  })
  void requestsAreAnswered(String line, String host, String accept, int code) throws Exception {
    try (LivePage page = open("")) {
      assertThat(answer(page, line, host, accept, "")).startsWith("HTTP/1.1 " + code + " ");
    }
  }

  @ParameterizedTest
  @CsvSource({
    "GET /,       text/html, '',                200",
    "GET /page.js, */*,      '',                200",
    "GET /,       */*,       '',                401",
    "GET /status, */*,       Bearer wrong,      401",
    "GET /events, */*,       '',                401",
    "GET /metrics, */*,      '',                401",
    "GET /status, */*,       Bearer 0123456789abcdef, 200",
  })
  void tokenProtectsWhatWasObserved(String line, String accept, String authorization, int code)
      throws Exception {
    try (LivePage page = open(TOKEN)) {
      assertThat(answer(page, line, "analyzer.example", accept, authorization))
          .startsWith("HTTP/1.1 " + code + " ");
    }
  }

  @Test
  void pageMayLoadNothingButItsOwnFiles() throws Exception {
    try (LivePage page = open("")) {
      assertThat(answer(page, "GET /", "localhost", "text/html", ""))
          .containsIgnoringCase("Content-Security-Policy: default-src 'none'; style-src 'self'")
          .containsIgnoringCase("X-Content-Type-Options: nosniff")
          .doesNotContain("http:", "https:", "<!--head-->", "<!--scripts-->");
    }
  }

  @Test
  void pagesThatDoNotReadHoldNobodyUp() throws Exception {
    TestSource source = new TestSource();
    List<Socket> idle = new ArrayList<>();
    try (LivePage page = open(source, "")) {
      for (int i = 0; i < 20; i++) {
        idle.add(request(page, "GET /events", "localhost", "*/*", ""));
      }
      // More than the sockets buffer: their threads block.
      for (int i = 0; i < 200; i++) {
        source.add(ExampleAnomalies.lostUpdate(), i + 1);
        source.add(ExampleAnomalies.skewOfThree(), i + 1);
      }
      assertThat(answer(page, "GET /status", "localhost", "*/*", ""))
          .startsWith("HTTP/1.1 200 ")
          .contains("\"anomalies\":400");
    } finally {
      closeAll(idle);
    }
    Awaitility.await()
        .atMost(Duration.ofMinutes(2))
        .until(
            () ->
                Thread.getAllStackTraces().keySet().stream()
                    .noneMatch(thread -> thread.getName().startsWith("txwatch-http")));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "GET / HTTP/1.1\r\nHost: local"})
  void connectionsWithoutARequestHoldNobodyUpAndTakeFewDescriptors(String begun) throws Exception {
    List<Socket> held = new ArrayList<>();
    long before = openDescriptors();
    try (LivePage page = open("")) {
      for (int i = 0; i < 500; i++) {
        Socket socket = new Socket("127.0.0.1", page.address().getPort());
        held.add(socket);
        try {
          socket.getOutputStream().write(begun.getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
          // It has made room for another.
        }
      }
      assertThat(answer(page, "GET /status", "localhost", "*/*", "")).startsWith("HTTP/1.1 200 ");
      assertThat(openDescriptors() - before - held.size())
          .isLessThanOrEqualTo(HttpListener.MAX_CONNECTIONS + 20);
    } finally {
      closeAll(held);
    }
  }

  @Test
  @EnabledOnOs(OS.LINUX) // has all of 127.0.0.0/8
  void addressAtItsLimitLeavesRoomForOthers() throws Exception {
    TestSource source = new TestSource();
    List<Socket> held = new ArrayList<>();
    try (LivePage page = open(source, "")) {
      for (int i = 0; i < HttpListener.MAX_CONNECTIONS; i++) {
        Socket socket = new Socket();
        socket.bind(new InetSocketAddress("127.0.0.2", 0));
        socket.connect(page.address());
        held.add(socket);
      }
      for (int i = 0; i < HttpListener.MAX_CONNECTIONS - HttpListener.MAX_PER_ADDRESS; i++) {
        held.add(new Socket("127.0.0.1", page.address().getPort()));
      }
      assertThat(answer(page, "GET /metrics", "localhost", "*/*", "")).startsWith("HTTP/1.1 200 ");
      long open = held.stream().filter(LivePageTest::isOpen).count();
      assertThat(open).isBetween(1L, (long) HttpListener.MAX_CONNECTIONS);
    } finally {
      closeAll(held);
    }
  }

  @Test
  void requestThatTricklesHasADeadline() throws Exception {
    try (LivePage page = open("");
        Socket slow = new Socket("127.0.0.1", page.address().getPort())) {
      long begun = System.nanoTime();
      Awaitility.await()
          .atMost(Duration.ofMinutes(2))
          .until(
              () -> {
                try {
                  slow.getOutputStream().write('x');
                  return false;
                } catch (IOException e) {
                  return true;
                }
              });
      assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(Duration.ofSeconds(12));
    }
  }

  @Test
  void pageForWhichThereIsNoRoomIsToldSo() throws Exception {
    List<Socket> pages = new ArrayList<>();
    try (LivePage page = open("")) {
      for (int i = 0; i < 16; i++) {
        Socket socket = request(page, "GET /events", "localhost", "*/*", "");
        pages.add(socket);
        assertThat(socket.getInputStream().read()).isEqualTo('H');
      }
      assertThat(answer(page, "GET /events", "localhost", "*/*", ""))
          .startsWith("HTTP/1.1 503 ")
          .contains("16 pages follow this server, and there is no room for more");
      pages.get(0).close();
      Awaitility.await()
          .atMost(Duration.ofMinutes(2))
          .until(
              () -> {
                try (Socket next = request(page, "GET /events", "localhost", "*/*", "")) {
                  byte[] status = next.getInputStream().readNBytes(12);
                  return new String(status, StandardCharsets.UTF_8).equals("HTTP/1.1 200");
                }
              });
    } finally {
      closeAll(pages);
    }
  }

  private static boolean isOpen(Socket socket) {
    try {
      socket.setSoTimeout(1);
      return socket.getInputStream().read() >= 0;
    } catch (SocketTimeoutException e) {
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  private static long openDescriptors() {
    return ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean system
        ? system.getOpenFileDescriptorCount()
        : 0;
  }

  private static void closeAll(List<Socket> sockets) throws IOException {
    for (Socket socket : sockets) {
      socket.close();
    }
  }

  private static LivePage open(String token) throws IOException {
    return open(new TestSource(), token);
  }

  private static LivePage open(LiveSource source, String token) throws IOException {
    return LivePage.open(new Address(false, "127.0.0.1", 0), Optional.empty(), token, source);
  }

  private static Socket request(
      LivePage page, String line, String host, String accept, String authorization)
      throws IOException {
    Socket socket = new Socket("127.0.0.1", page.address().getPort());
    socket.setSoTimeout(20_000);
    OutputStream out = socket.getOutputStream();
    String request = line + " HTTP/1.1\r\nHost: " + host + "\r\nAccept: " + accept + "\r\n";
    request += authorization.isEmpty() ? "" : "Authorization: " + authorization + "\r\n";
    out.write((request + "Connection: close\r\n\r\n").getBytes(StandardCharsets.UTF_8));
    out.flush();
    return socket;
  }

  private static String answer(
      LivePage page, String line, String host, String accept, String authorization)
      throws IOException {
    try (Socket socket = request(page, line, host, accept, authorization);
        InputStream in = socket.getInputStream()) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }
}
