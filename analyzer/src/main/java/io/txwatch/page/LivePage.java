package io.txwatch.page;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import io.txwatch.anomaly.Anomaly;
import io.txwatch.history.BackgroundThreads;
import io.txwatch.link.Address;
import io.txwatch.live.LiveSource;
import io.txwatch.metrics.Measurement;
import io.txwatch.metrics.PrometheusText;
import io.txwatch.report.AnomalyGroups.Group;
import io.txwatch.report.AnomalyId;
import io.txwatch.slice.CaseSlice;
import io.txwatch.slice.HistorySlice;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * Serves the page over HTTP. {@code /} is the page for a browser, and the status as JSON for
 * everything else; {@code /status} is that JSON; {@code /events} are the server-sent events that
 * the page follows; {@code /metrics} are the figures for Prometheus; {@code /anomalies/ID.history}
 * and {@code /anomalies/ID.txt} are the slice of an anomaly and the case that repeats it.
 *
 * <p>If a token is set, the status and the events require it as a bearer token ({@code
 * Authorization: Bearer …}); the page itself contains nothing secret, and lets the user enter the
 * token. Without one, only requests that name this machine as their host are answered, so that a
 * foreign page whose name resolves to this machine cannot read anything.
 *
 * <p>Each page that follows the events has a thread of its own, {@value #MAX_STREAMS} at most, and
 * a page that does not read for {@value #MAX_WRITE_SECONDS} seconds is cut off: nobody waits for
 * it.
 */
public final class LivePage implements AutoCloseable {

  private static final int MAX_STREAMS = 16;
  private static final int MAX_WRITE_SECONDS = 10;
  private static final int THREADS = 2;
  private static final int BACKLOG = 16;
  private static final long UPDATE_INTERVAL_MILLIS = 500;
  private static final long WATCHDOG_INTERVAL_MILLIS = 1_000;
  private static final String JSON = "application/json";
  private static final String SLICES = "/anomalies/";

  private static final String POLICY =
      "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; base-uri"
          + " 'none'; form-action 'none'; frame-ancestors 'none'";

  private final HttpServer server;
  private final ExecutorService threads;
  private final String token;
  private final LiveSource source;
  private final Set<Stream> streams = ConcurrentHashMap.newKeySet();
  private volatile boolean closed;

  private LivePage(HttpServer server, String token, LiveSource source) {
    this.server = server;
    this.token = token;
    this.source = source;
    this.threads =
        Executors.newFixedThreadPool(
            THREADS, body -> BackgroundThreads.create("txwatch-http", body));
  }

  /**
   * Starts the server.
   *
   * @param token the token that clients must send; empty if none is required
   * @throws IOException if the address is not available
   */
  public static LivePage open(
      Address address, Optional<SSLContext> tls, String token, LiveSource source)
      throws IOException {
    HttpServer server;
    if (tls.isPresent()) {
      HttpsServer secure = HttpsServer.create(address.socketAddress(), BACKLOG);
      secure.setHttpsConfigurator(new HttpsConfigurator(tls.get()));
      server = secure;
    } else {
      server = HttpServer.create(address.socketAddress(), BACKLOG);
    }
    LivePage page = new LivePage(server, token, source);
    server.createContext("/", page::handle);
    server.setExecutor(page.threads);
    server.start();
    BackgroundThreads.create("txwatch-http-watchdog", page::cutOffSlowStreams).start();
    return page;
  }

  /** The address that it listens on. */
  public InetSocketAddress address() {
    return server.getAddress();
  }

  /** Whether only this machine can reach an address. */
  public static boolean isLoopback(Address address) throws IOException {
    return InetAddress.getByName(address.host()).isLoopbackAddress();
  }

  @Override
  public void close() {
    closed = true;
    streams.forEach(Stream::cutOff);
    server.stop(0);
    threads.shutdownNow();
  }

  private void handle(HttpExchange exchange) throws IOException {
    String path = exchange.getRequestURI().getPath();
    boolean isPublic =
        PageResources.SCRIPTS.contains(path.substring(1))
            || path.equals("/" + PageResources.STYLE)
            || path.equals("/") && wantsHtml(exchange);
    if (token.isEmpty() && !isLocalHost(exchange.getRequestHeaders().getFirst("Host"))) {
      send(exchange, 403, JSON, "{\"error\":\"the Host header must name this machine\"}\n");
    } else if (!isPublic && !isAuthorized(exchange)) {
      exchange.getResponseHeaders().set("WWW-Authenticate", "Bearer");
      send(exchange, 401, JSON, "{\"error\":\"a token is required\"}\n");
    } else if (!exchange.getRequestMethod().equals("GET")) {
      exchange.getResponseHeaders().set("Allow", "GET");
      send(exchange, 405, JSON, "{\"error\":\"only GET is allowed\"}\n");
    } else if (isPublic) {
      sendFile(exchange, path.substring(1));
    } else if (path.equals("/") || path.equals("/status")) {
      String status = source.statusJson().orElseGet(() -> PageJson.status(source));
      send(exchange, 200, JSON, status + "\n");
    } else if (path.equals("/metrics")) {
      send(exchange, 200, PrometheusText.TYPE, PrometheusText.of(Measurement.of(source)));
    } else if (path.equals("/events")) {
      follow(exchange);
    } else if (path.startsWith(SLICES)) {
      sendSlice(exchange, path.substring(SLICES.length()));
    } else {
      send(exchange, 404, JSON, "{\"error\":\"not found\"}\n");
    }
  }

  /** Sends {@code ID.history} or {@code ID.txt} of an anomaly that is listed. */
  private void sendSlice(HttpExchange exchange, String name) throws IOException {
    Optional<Anomaly> anomaly =
        source.anomalies().stream()
            .map(Group::first)
            .filter(candidate -> name.startsWith(AnomalyId.of(candidate) + "."))
            .findFirst();
    if (anomaly.isPresent() && name.endsWith(".history")) {
      send(exchange, 200, "application/octet-stream", HistorySlice.bytes(anomaly.get()));
    } else if (anomaly.isPresent() && name.endsWith(".txt")) {
      send(exchange, 200, "text/plain; charset=utf-8", CaseSlice.of(anomaly.get()));
    } else {
      send(exchange, 404, JSON, "{\"error\":\"not found\"}\n");
    }
  }

  private static boolean wantsHtml(HttpExchange exchange) {
    String accept = exchange.getRequestHeaders().getFirst("Accept");
    return accept != null && accept.contains("text/html");
  }

  private static void sendFile(HttpExchange exchange, String name) throws IOException {
    if (name.isEmpty()) {
      StringBuilder scripts = new StringBuilder();
      PageResources.SCRIPTS.forEach(
          script -> scripts.append("<script src=\"").append(script).append("\"></script>\n"));
      String style = "<link rel=\"stylesheet\" href=\"" + PageResources.STYLE + "\">";
      send(
          exchange, 200, "text/html; charset=utf-8", PageResources.page(style, scripts.toString()));
    } else {
      String type = name.endsWith(".css") ? "text/css" : "text/javascript";
      send(exchange, 200, type + "; charset=utf-8", PageResources.text(name));
    }
  }

  private static void send(HttpExchange exchange, int code, String type, String text)
      throws IOException {
    send(exchange, code, type, text.getBytes(StandardCharsets.UTF_8));
  }

  private static void send(HttpExchange exchange, int code, String type, byte[] body)
      throws IOException {
    try (exchange) {
      setHeaders(exchange, type);
      exchange.sendResponseHeaders(code, body.length);
      exchange.getResponseBody().write(body);
    }
  }

  private static void setHeaders(HttpExchange exchange, String type) {
    Headers headers = exchange.getResponseHeaders();
    headers.set("Content-Type", type);
    headers.set("Cache-Control", "no-store");
    headers.set("X-Content-Type-Options", "nosniff");
    headers.set("Content-Security-Policy", POLICY);
    headers.set("Referrer-Policy", "no-referrer");
  }

  private boolean isAuthorized(HttpExchange exchange) {
    if (token.isEmpty()) {
      return true;
    }
    String given = exchange.getRequestHeaders().getFirst("Authorization");
    return given != null
        && MessageDigest.isEqual(
            ("Bearer " + token).getBytes(StandardCharsets.UTF_8),
            given.getBytes(StandardCharsets.UTF_8));
  }

  private static boolean isLocalHost(@Nullable String host) {
    return host != null && host.matches("(localhost|127\\.[0-9.]+|\\[::1])(:[0-9]+)?");
  }

  private void follow(HttpExchange exchange) throws IOException {
    if (streams.size() >= MAX_STREAMS) {
      send(exchange, 503, JSON, "{\"error\":\"too many pages are open\"}\n");
      return;
    }
    Stream stream = new Stream(exchange);
    streams.add(stream);
    stream.thread.start();
  }

  private void cutOffSlowStreams() {
    try {
      while (!closed) {
        Thread.sleep(WATCHDOG_INTERVAL_MILLIS);
        long now = System.nanoTime();
        streams.stream().filter(stream -> stream.isSlow(now)).forEach(Stream::cutOff);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** A page that follows the events. */
  private final class Stream {

    private final HttpExchange exchange;
    private final Thread thread;

    /** When the write that is under way began; 0 while there is none. */
    private volatile long writingSinceNanos;

    private Stream(HttpExchange exchange) {
      this.exchange = exchange;
      this.thread = BackgroundThreads.create("txwatch-http-events", this::run);
    }

    private void run() {
      try (exchange) {
        writingSinceNanos = System.nanoTime();
        setHeaders(exchange, "text/event-stream");
        exchange.sendResponseHeaders(200, 0);
        EventStream events = new EventStream(source, exchange.getResponseBody());
        events.start();
        while (!closed) {
          writingSinceNanos = System.nanoTime();
          events.update();
          writingSinceNanos = 0;
          Thread.sleep(UPDATE_INTERVAL_MILLIS);
        }
      } catch (IOException e) {
        // The page was closed, or cut off.
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      } finally {
        streams.remove(this);
      }
    }

    private boolean isSlow(long now) {
      long since = writingSinceNanos;
      return since != 0 && now - since > MAX_WRITE_SECONDS * 1_000_000_000L;
    }

    /** Interrupts the thread, which closes the channel that it writes to. */
    private void cutOff() {
      thread.interrupt();
    }
  }
}
