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

  /** The message of MariaDB's driver, which requires TLS by default. */
  private static final String NO_TLS_AT_SERVER = "ssl not enabled in the server";

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

  private static final Pattern TLS_PARAMETER = Pattern.compile("(?i)[?&](sslMode|useSsl)=");
  private static final Pattern HOST = Pattern.compile("jdbc:mariadb://(\\[[^]]*]|[^:/,?]*)[:/?].*");

  private ConnectFailure() {}

  /**
   * The URL to try instead, if MariaDB's driver requires TLS only by default, the server has none,
   * and it runs on this machine, so nothing goes over a network.
   */
  static Optional<String> withoutTls(String url, SQLException failure) {
    Matcher host = HOST.matcher(url);
    boolean mayBePlain =
        host.matches()
            && host.group(1).matches("localhost|127\\.[0-9.]+|\\[::1]|")
            && !TLS_PARAMETER.matcher(url).find()
            && text(failure).contains(NO_TLS_AT_SERVER);
    return mayBePlain
        ? Optional.of(url + (url.contains("?") ? "&" : "?") + "sslMode=disable")
        : Optional.empty();
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
    boolean isMariaDb = url.startsWith("jdbc:mariadb:");
    boolean isPostgres = url.startsWith("jdbc:postgresql:");
    if (isMariaDb && text.contains(NO_TLS_AT_SERVER)) {
      return Optional.of("add sslMode=disable to the URL to connect without TLS");
    } else if (text.contains("Public Key Retrieval is not allowed")
        || text.contains("RSA public key is not available")) {
      return Optional.of(
          "add allowPublicKeyRetrieval=true to the URL, or connect with TLS by sslMode="
              + (isMariaDb ? "trust" : "REQUIRED"));
    } else if (isPostgres && text.contains("does not support SSL")) {
      return Optional.of("sslmode=disable in the URL connects without TLS");
    } else if (isPostgres && text.contains("no encryption")) {
      return Optional.of("sslmode=require in the URL connects with TLS");
    }
    String small = text.toLowerCase(Locale.ROOT);
    return CERTIFICATE_FAILURES.stream().anyMatch(small::contains)
        ? certificateParameter(url)
        : Optional.empty();
  }

  private static Optional<String> certificateParameter(String url) {
    if (url.startsWith("jdbc:mariadb:")) {
      return Optional.of(
          "name the server's certificate by serverSslCert=FILE, or add sslMode=trust to the URL"
              + " to encrypt without verifying it");
    } else if (url.startsWith("jdbc:mysql:")) {
      return Optional.of(
          "name the certificates by trustCertificateKeyStoreUrl=URL, or add"
              + " sslMode=REQUIRED to the URL to encrypt without verifying them");
    } else if (url.startsWith("jdbc:postgresql:")) {
      return Optional.of(
          "name the certificate by sslrootcert=FILE, or use sslmode=require in the URL"
              + " to encrypt without verifying it");
    }
    return Optional.empty();
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
