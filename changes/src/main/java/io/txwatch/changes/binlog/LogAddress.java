package io.txwatch.changes.binlog;

import io.txwatch.changes.binlog.ServerAddress.Tls;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Where the log of the server behind a JDBC URL is read. */
public final class LogAddress {

  private static final int DEFAULT_PORT = 3306;

  private static final Pattern URL =
      Pattern.compile(
          "(?i)jdbc:(?:[a-z0-9+]+:)*?(mysql|mariadb)(?:[:+][a-z0-9]+)*://"
              + "(?:[^/@?]*@)?([^/?]*)(?:/[^?]*)?(?:\\?(.*))?");

  private static final Pattern HOST_AND_PORT =
      Pattern.compile("(\\[[0-9A-Fa-f:.%]+]|[^:,()\\[\\]]*)(?::([0-9]{1,5}))?");

  private static final Pattern HOST_OF_LIST = Pattern.compile("(?i)\\bhost=([^,()]+)");
  private static final Pattern PORT_OF_LIST = Pattern.compile("(?i)\\bport=([0-9]{1,5})");

  private LogAddress() {}

  /**
   * The one server of a URL.
   *
   * @param properties what the driver gets beside the URL
   * @return empty if the URL names several hosts, or is no URL of MySQL or MariaDB over TCP
   */
  public static Optional<ServerAddress> of(
      String url, Map<String, String> properties, String user, String password) {
    Matcher parts = URL.matcher(url);
    if (!parts.matches()) {
      return Optional.empty();
    }
    Tls tls = tls(parts.group(1), String.valueOf(parts.group(3)), properties);
    String hosts = parts.group(2);
    if (hosts.contains("(")) {
      Matcher host = HOST_OF_LIST.matcher(hosts);
      Matcher port = PORT_OF_LIST.matcher(hosts);
      if (!host.find()) {
        return Optional.empty();
      }
      String name = host.group(1);
      return host.find()
          ? Optional.empty()
          : Optional.of(address(name, port.find() ? port.group(1) : null, user, password, tls));
    }
    Matcher single = HOST_AND_PORT.matcher(hosts);
    return single.matches()
        ? Optional.of(address(single.group(1), single.group(2), user, password, tls))
        : Optional.empty();
  }

  private static ServerAddress address(
      String host, @Nullable String port, String user, String password, Tls tls) {
    String bare = host.startsWith("[") ? host.substring(1, host.length() - 1) : host;
    return new ServerAddress(
        bare.isEmpty() ? "localhost" : bare,
        port == null ? DEFAULT_PORT : Integer.parseInt(port),
        user,
        password,
        tls);
  }

  /** As the driver protects its own connections. */
  private static Tls tls(String driver, String parameters, Map<String, String> properties) {
    String mode =
        value("sslMode", parameters, properties).toLowerCase(Locale.ROOT).replace('-', '_');
    return switch (mode) {
      case "disabled", "disable" -> Tls.DISABLED;
      case "preferred" -> Tls.PREFERRED;
      case "required", "trust" -> Tls.REQUIRED;
      case "verify_ca" -> Tls.VERIFY_CA;
      case "verify_identity", "verify_full" -> Tls.VERIFY_IDENTITY;
      default -> {
        String use = value("useSSL", parameters, properties);
        yield use.equalsIgnoreCase("true")
            ? Tls.REQUIRED
            : use.equalsIgnoreCase("false") || driver.equalsIgnoreCase("mariadb")
                ? Tls.DISABLED
                : Tls.PREFERRED;
      }
    };
  }

  private static String value(String key, String parameters, Map<String, String> properties) {
    Matcher found =
        Pattern.compile("(?:^|&)" + key + "=([^&]*)", Pattern.CASE_INSENSITIVE).matcher(parameters);
    return found.find() ? found.group(1) : properties.getOrDefault(key, "");
  }
}
