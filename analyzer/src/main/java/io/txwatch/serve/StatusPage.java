package io.txwatch.serve;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import io.txwatch.link.Address;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Supplier;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * Serves the status over HTTP, as JSON, at {@code /}. If a token is set, clients must send it as a
 * bearer token ({@code Authorization: Bearer …}).
 */
public final class StatusPage implements AutoCloseable {

  private final HttpServer server;
  private final ExecutorService threads;
  private final String token;
  private final Supplier<Status> status;

  private StatusPage(HttpServer server, String token, Supplier<Status> status) {
    this.server = server;
    this.token = token;
    this.status = status;
    this.threads =
        Executors.newFixedThreadPool(
            2,
            body -> {
              Thread thread = new Thread(null, body, "txwatch-http", 0, false);
              thread.setDaemon(true);
              return thread;
            });
  }

  /**
   * Starts the server.
   *
   * @throws IOException if the address is not available
   */
  public static StatusPage open(
      Address address, Optional<SSLContext> tls, String token, Supplier<Status> status)
      throws IOException {
    // In seconds: a slow client must not occupy the threads. These properties are the JVM's; this
    // process runs no other server.
    System.setProperty("sun.net.httpserver.maxReqTime", "10");
    System.setProperty("sun.net.httpserver.maxRspTime", "10");
    HttpServer server;
    if (tls.isPresent()) {
      HttpsServer secure = HttpsServer.create(address.socketAddress(), 16);
      secure.setHttpsConfigurator(new HttpsConfigurator(tls.get()));
      server = secure;
    } else {
      server = HttpServer.create(address.socketAddress(), 16);
    }
    StatusPage page = new StatusPage(server, token, status);
    server.createContext("/", page::handle);
    server.setExecutor(page.threads);
    server.start();
    return page;
  }

  public InetSocketAddress address() {
    return server.getAddress();
  }

  @Override
  public void close() {
    server.stop(0);
    threads.shutdownNow();
  }

  private void handle(HttpExchange exchange) throws IOException {
    try (exchange) {
      if (!isAuthorized(exchange)) {
        exchange.getResponseHeaders().set("WWW-Authenticate", "Bearer");
        send(exchange, 401, "{\"error\":\"a token is required\"}");
      } else if (!exchange.getRequestURI().getPath().equals("/")) {
        send(exchange, 404, "{\"error\":\"not found\"}");
      } else if (!exchange.getRequestMethod().equals("GET")) {
        send(exchange, 405, "{\"error\":\"only GET is allowed\"}");
      } else {
        send(exchange, 200, status.get().json());
      }
    }
  }

  private static void send(HttpExchange exchange, int code, String json) throws IOException {
    byte[] body = (json + "\n").getBytes(StandardCharsets.UTF_8);
    exchange.getResponseHeaders().set("Content-Type", "application/json");
    exchange.getResponseHeaders().set("Cache-Control", "no-store");
    exchange.getResponseHeaders().set("X-Content-Type-Options", "nosniff");
    exchange.sendResponseHeaders(code, body.length);
    exchange.getResponseBody().write(body);
  }

  private boolean isAuthorized(HttpExchange exchange) {
    if (token.isEmpty()) {
      // Prevents DNS rebinding: a foreign page whose name resolves to this machine must not read
      // it.
      return isLocalHost(exchange.getRequestHeaders().getFirst("Host"));
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

  /** Whether only this machine can reach an address. */
  public static boolean isLoopback(Address address) throws IOException {
    return InetAddress.getByName(address.host()).isLoopbackAddress();
  }
}
