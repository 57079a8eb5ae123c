package io.txwatch.page;

import java.io.BufferedOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A request and its response (RFC 9112). The body of the request is not used, and the connection is
 * closed after the response, so a response without a length is as long as the connection is open.
 */
final class HttpExchange {

  static final int MAX_RESPONSE_SECONDS = 10;

  /** The most bytes of a request line and its headers; browsers send cookies of other servers. */
  private static final int MAX_HEAD_BYTES = 1 << 16;

  /** The most bytes of a request's body that are read, so that the client reads the response. */
  private static final int MAX_SKIPPED_BYTES = 1 << 16;

  private static final Map<Integer, String> REASONS =
      Map.of(
          200, "OK",
          400, "Bad Request",
          401, "Unauthorized",
          403, "Forbidden",
          404, "Not Found",
          405, "Method Not Allowed",
          431, "Request Header Fields Too Large",
          503, "Service Unavailable");

  private final InputStream in;
  private final OutputStream out;
  private final Map<String, String> requestHeaders = new HashMap<>();
  private final Map<String, String> responseHeaders = new LinkedHashMap<>();
  private String method = "";
  private String path = "";
  private boolean wellFormed;
  private volatile long deadlineNanos;

  private HttpExchange(InputStream in, OutputStream out) {
    this.in = in;
    this.out = new BufferedOutputStream(out);
  }

  /**
   * Reads a request. One that is malformed is answered here.
   *
   * @throws IOException if the connection ends before the request does
   */
  static HttpExchange read(InputStream in, OutputStream out) throws IOException {
    HttpExchange exchange = new HttpExchange(in, out);
    String head = readHead(in);
    exchange.extendDeadline();
    if (head.isEmpty()) {
      exchange.respond(431, "text/plain", "the request is too large\n");
    } else if (!exchange.parse(head)) {
      exchange.respond(400, "text/plain", "the request is malformed\n");
    } else {
      exchange.wellFormed = true;
    }
    return exchange;
  }

  /** The request line and the headers; empty if they are too long. */
  private static String readHead(InputStream in) throws IOException {
    byte[] head = new byte[1 << 10];
    int length = 0;
    while (length < MAX_HEAD_BYTES) {
      if (length == head.length) {
        head = Arrays.copyOf(head, 2 * length);
      }
      int count = in.read(head, length, head.length - length);
      if (count < 0) {
        throw new EOFException("the connection was closed within a request");
      }
      int from = Math.max(0, length - 3);
      length += count;
      String text = new String(head, from, length - from, StandardCharsets.ISO_8859_1);
      int end = text.indexOf("\r\n\r\n");
      if (end >= 0) {
        return new String(head, 0, from + end, StandardCharsets.ISO_8859_1);
      }
    }
    return "";
  }

  private boolean parse(String head) {
    String[] lines = head.split("\r\n", -1);
    String[] request = lines[0].split(" ", -1);
    if (request.length != 3 || !request[2].matches("HTTP/1\\.[01]")) {
      return false;
    }
    for (int i = 1; i < lines.length; i++) {
      int colon = lines[i].indexOf(':');
      if (colon <= 0) {
        return false;
      }
      requestHeaders.putIfAbsent(
          lines[i].substring(0, colon).toLowerCase(Locale.ROOT),
          lines[i].substring(colon + 1).strip());
    }
    method = request[0];
    try {
      String decoded = new URI(request[1]).getPath();
      path = decoded == null ? "" : decoded;
    } catch (URISyntaxException e) {
      return false;
    }
    return path.startsWith("/");
  }

  boolean isWellFormed() {
    return wellFormed;
  }

  String method() {
    return method;
  }

  /** The path, decoded. It starts with a slash. */
  String path() {
    return path;
  }

  /** The first header of that name. */
  @Nullable String header(String name) {
    return requestHeaders.get(name.toLowerCase(Locale.ROOT));
  }

  /** Sets a header of the response. */
  void setHeader(String name, String value) {
    responseHeaders.put(name, value);
  }

  /** Sends a response. */
  void respond(int code, String type, String body) throws IOException {
    respond(code, type, body.getBytes(StandardCharsets.UTF_8));
  }

  /** Sends a response. */
  void respond(int code, String type, byte[] body) throws IOException {
    setHeader("Content-Length", Integer.toString(body.length));
    OutputStream to = stream(code, type);
    if (!method.equals("HEAD")) {
      to.write(body);
    }
    to.flush();
  }

  /** Starts a response that is as long as what is written. */
  OutputStream stream(int code, String type) throws IOException {
    setHeader("Content-Type", type);
    setHeader("Connection", "close");
    StringBuilder head = new StringBuilder("HTTP/1.1 " + code + " " + REASONS.get(code) + "\r\n");
    responseHeaders.forEach(
        (name, value) -> head.append(name).append(": ").append(value).append("\r\n"));
    out.write(head.append("\r\n").toString().getBytes(StandardCharsets.ISO_8859_1));
    return out;
  }

  /** Gives the client {@value #MAX_RESPONSE_SECONDS} seconds from now to read what is written. */
  void extendDeadline() {
    deadlineNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(MAX_RESPONSE_SECONDS);
  }

  /** Whether the client has not read the response in time. */
  boolean isOverdue(long nowNanos) {
    return nowNanos - deadlineNanos > 0;
  }

  /**
   * Skips the body of the request: closing a connection with unread bytes resets it, and the client
   * might lose the response.
   */
  void finish() throws IOException {
    if (header("Content-Length") == null && header("Transfer-Encoding") == null) {
      return;
    }
    in.skipNBytes(Math.min(MAX_SKIPPED_BYTES, in.available()));
  }
}
