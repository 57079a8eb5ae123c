package io.txwatch.cli;

import io.txwatch.interleave.service.GateMessage;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A request to a service, which is sent again and again.
 *
 * @param name as reports show it
 */
record ServiceRequest(String name, HttpRequest request) {

  private static final Pattern FORMAT =
      Pattern.compile("([A-Z]+)\\s+(/\\S*)(?:\\s+(.*))?", Pattern.DOTALL);

  /** Longer than a call may take at the gate. */
  private static final Duration TIMEOUT = Duration.ofSeconds(150);

  private static final int MAX_NAME = 100;
  private static final int MAX_BODY_BYTES = 1 << 18;
  private static final int FIRST_ERROR = 400;

  /**
   * Parses a request.
   *
   * @param base the URL of the service
   * @param text {@code METHOD /path body}
   * @param headers each {@code Name: value}
   * @throws CommandException if it is none
   */
  static ServiceRequest of(URI base, String text, List<String> headers) {
    Matcher matcher = FORMAT.matcher(text.strip());
    if (!matcher.matches()) {
      throw CommandException.badInput(
          "--request: expected 'METHOD /PATH' or 'METHOD /PATH BODY', not '" + text + "'");
    }
    String body = matcher.group(3) == null ? "" : matcher.group(3);
    try {
      String root = base.toString().replaceFirst("/$", "");
      HttpRequest.Builder request =
          HttpRequest.newBuilder(URI.create(root + matcher.group(2)))
              .timeout(TIMEOUT)
              .method(matcher.group(1), publisher(body));
      if (!body.isEmpty()) {
        boolean isJson = body.startsWith("{") || body.startsWith("[");
        request.setHeader(
            "Content-Type", isJson ? "application/json" : "application/x-www-form-urlencoded");
      }
      for (String header : headers) {
        int colon = header.indexOf(':');
        if (colon <= 0) {
          throw CommandException.badInput("--header: expected 'NAME: VALUE', not '" + header + "'");
        }
        request.setHeader(header.substring(0, colon).strip(), header.substring(colon + 1).strip());
      }
      return new ServiceRequest(name(text.strip()), request.build());
    } catch (IllegalArgumentException e) {
      throw CommandException.badInput("--request: '" + text + "': " + e.getMessage());
    }
  }

  private static HttpRequest.BodyPublisher publisher(String body) {
    return body.isEmpty()
        ? HttpRequest.BodyPublishers.noBody()
        : HttpRequest.BodyPublishers.ofString(body);
  }

  private static String name(String text) {
    String line = text.replaceAll("[\\s\\p{Cntrl}]+", " ");
    return line.length() <= MAX_NAME ? line : line.substring(0, MAX_NAME) + "…";
  }

  /** Sends it; what it gives is compared. */
  GateMessage.Answer send(HttpClient client, int number) throws InterruptedException {
    try {
      HttpResponse<InputStream> response =
          client.send(request, HttpResponse.BodyHandlers.ofInputStream());
      int status = response.statusCode();
      try (InputStream in = response.body()) {
        String body = new String(in.readNBytes(MAX_BODY_BYTES), StandardCharsets.UTF_8).strip();
        return status >= FIRST_ERROR
            ? new GateMessage.Answer(number, "", "HTTP status " + status)
            : new GateMessage.Answer(number, (status + " " + body).strip(), "");
      }
    } catch (IOException e) {
      return new GateMessage.Answer(number, "", "no answer");
    }
  }
}
