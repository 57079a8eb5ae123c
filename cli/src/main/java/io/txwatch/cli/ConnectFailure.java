package io.txwatch.cli;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Describes why a connection failed, with the URL parameter that changes it. */
final class ConnectFailure {

  private static final List<String> CERTIFICATE_FAILURES =
      List.of("certpath", "certificate", "sslhandshake");

  /** A password in a URL: as a parameter, behind the only user, and behind one of several. */
  private static final List<Pattern> SECRETS =
      List.of(
          Pattern.compile("(?i)[?&;,(:]\\w*(?:pass|pwd|secret|token|cipher)\\w*=([^&;,()]+)"),
          Pattern.compile("//[^/:@]*:(.+)@"),
          Pattern.compile("(?://|,)[^/:@,]*:([^@,]+)@"));

  /** What is shorter is part of other words, and no secret. */
  private static final int SHORTEST_SECRET = 3;

  private ConnectFailure() {}

  /** The URL to try instead, if the driver requires TLS only by default. */
  static Optional<String> withoutTls(String url, SQLException failure) {
    return CommandDbms.of(url).flatMap(known -> known.withoutTls(url, text(failure)));
  }

  /** The failure in a line. */
  static String describe(String url, SQLException failure) {
    String message = firstLine(message(url, failure));
    String cause = firstLine(message(url, rootOf(failure)));
    String line = message.contains(cause) ? message : message + " (" + cause + ")";
    return line + parameter(url, text(failure)).map(hint -> "; " + hint).orElse("");
  }

  /** The message of a driver, without the passwords of the URL, which some drivers quote. */
  static @Nullable String message(String url, Throwable failure) {
    String message = failure.getMessage();
    if (message == null) {
      return null;
    }
    String text = message.replace(url, Drivers.shown(url));
    for (Pattern pattern : SECRETS) {
      Matcher secret = pattern.matcher(url);
      while (secret.find()) {
        for (String each : List.of(secret.group(1), decoded(secret.group(1)))) {
          text = each.length() < SHORTEST_SECRET ? text : text.replace(each, "…");
        }
      }
    }
    return text;
  }

  private static String decoded(String value) {
    try {
      return URLDecoder.decode(value, StandardCharsets.UTF_8);
    } catch (IllegalArgumentException e) {
      return value; // not encoded
    }
  }

  private static Optional<String> parameter(String url, String text) {
    String small = text.toLowerCase(Locale.ROOT);
    return CommandDbms.of(url)
        .flatMap(
            known ->
                known
                    .tlsAdvice(text)
                    .or(
                        () ->
                            CERTIFICATE_FAILURES.stream().anyMatch(small::contains)
                                ? known.certificateAdvice()
                                : Optional.empty()));
  }

  private static Throwable rootOf(Throwable failure) {
    Throwable root = failure;
    for (int depth = 0; root.getCause() != null && depth < 20; depth++) {
      root = root.getCause();
    }
    return root;
  }

  /** All messages of the failure and its causes. */
  private static String text(Throwable failure) {
    StringBuilder text = new StringBuilder();
    Throwable each = failure;
    for (int depth = 0; each != null && depth < 20; depth++) {
      text.append(each).append('\n');
      each = each.getCause();
    }
    return text.toString();
  }

  private static String firstLine(@Nullable String message) {
    return message == null ? "no reason given" : message.strip().lines().findFirst().orElse("");
  }
}
