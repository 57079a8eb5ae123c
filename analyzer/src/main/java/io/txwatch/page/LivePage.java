package io.txwatch.page;

import io.txwatch.anomaly.Anomaly;
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
import java.util.concurrent.atomic.AtomicInteger;
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
 * <p>{@value #MAX_STREAMS} pages at most follow the events; the limits of connections are those of
 * {@link HttpListener}.
 */
public final class LivePage implements AutoCloseable {

  private static final int MAX_STREAMS = 16;
  private static final long UPDATE_INTERVAL_MILLIS = 500;
  private static final String JSON = "application/json";
  private static final String SLICES = "/anomalies/";

  private static final String POLICY =
      "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; base-uri"
          + " 'none'; form-action 'none'; frame-ancestors 'none'";

  private final HttpListener listener;
  private final String token;
  private final LiveSource source;
  private final AtomicInteger streams = new AtomicInteger();
  private volatile boolean closed;

  private LivePage(Address address, Optional<SSLContext> tls, String token, LiveSource source)
      throws IOException {
    this.token = token;
    this.source = source;
    this.listener = new HttpListener(address, tls, this::handle);
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
    return new LivePage(address, tls, token, source);
  }

  /** The address that it listens on. */
  public InetSocketAddress address() {
    return listener.address();
  }

  /** Whether only this machine can reach an address. */
  public static boolean isLoopback(Address address) throws IOException {
    return InetAddress.getByName(address.host()).isLoopbackAddress();
  }

  @Override
  public void close() {
    closed = true;
    listener.close();
  }

  private void handle(HttpExchange exchange) throws IOException, InterruptedException {
    String path = exchange.path();
    boolean isPublic =
        PageResources.SCRIPTS.contains(path.substring(1))
            || path.equals("/" + PageResources.STYLE)
            || path.equals("/") && wantsHtml(exchange);
    if (token.isEmpty() && !isLocalHost(exchange.header("Host"))) {
      send(exchange, 403, JSON, "{\"error\":\"the Host header must name this machine\"}\n");
    } else if (!isPublic && !isAuthorized(exchange)) {
      exchange.setHeader("WWW-Authenticate", "Bearer");
      send(exchange, 401, JSON, "{\"error\":\"a token is required\"}\n");
    } else if (!exchange.method().equals("GET")) {
      exchange.setHeader("Allow", "GET");
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
    String accept = exchange.header("Accept");
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
    setHeaders(exchange);
    exchange.respond(code, type, body);
  }

  private static void setHeaders(HttpExchange exchange) {
    exchange.setHeader("Cache-Control", "no-store");
    exchange.setHeader("X-Content-Type-Options", "nosniff");
    exchange.setHeader("Content-Security-Policy", POLICY);
    exchange.setHeader("Referrer-Policy", "no-referrer");
  }

  private boolean isAuthorized(HttpExchange exchange) {
    if (token.isEmpty()) {
      return true;
    }
    String given = exchange.header("Authorization");
    return given != null
        && MessageDigest.isEqual(
            ("Bearer " + token).getBytes(StandardCharsets.UTF_8),
            given.getBytes(StandardCharsets.UTF_8));
  }

  private static boolean isLocalHost(@Nullable String host) {
    return host != null && host.matches("(localhost|127\\.[0-9.]+|\\[::1])(:[0-9]+)?");
  }

  /** Sends events until the page is closed, which the listener notices when it stops reading. */
  private void follow(HttpExchange exchange) throws IOException, InterruptedException {
    try {
      if (streams.incrementAndGet() > MAX_STREAMS) {
        String reason = MAX_STREAMS + " pages follow this server, and there is no room for more";
        send(exchange, 503, JSON, "{\"error\":\"" + reason + "\"}\n");
        return;
      }
      setHeaders(exchange);
      EventStream events = new EventStream(source, exchange.stream(200, "text/event-stream"));
      events.start();
      while (!closed) {
        exchange.extendDeadline();
        events.update();
        Thread.sleep(UPDATE_INTERVAL_MILLIS);
      }
    } finally {
      streams.decrementAndGet();
    }
  }
}
