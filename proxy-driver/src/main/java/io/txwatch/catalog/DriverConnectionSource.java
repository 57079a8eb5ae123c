package io.txwatch.catalog;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Opens connections by a driver, a URL and properties. */
public final class DriverConnectionSource implements ConnectionSource {

  /** {@code //user:password@host}, which Connector/J accepts. */
  private static final Pattern IN_AUTHORITY = Pattern.compile("//([^/@:,()?]*)(?::([^/@?]*))?@");

  private static final Pattern PARAMETER = Pattern.compile("[?&](user|password)=([^&]*)");

  private final String url;
  private final Properties properties;
  private final Opener opener;

  /** Opens a connection that is not watched. */
  @FunctionalInterface
  public interface Opener {
    /** Opens one. */
    Connection open(String url, Properties properties) throws SQLException;
  }

  /**
   * Creates a source.
   *
   * @param properties not changed
   */
  public DriverConnectionSource(String url, Properties properties, Opener opener) {
    this.url = url;
    this.properties = properties;
    this.opener = opener;
  }

  @Override
  public Connection open() throws SQLException {
    return opener.open(url, properties);
  }

  @Override
  public Connection openAs(Login login) throws SQLException {
    Properties others = new Properties();
    others.putAll(properties);
    others.setProperty("user", login.user());
    others.setProperty("password", login.password());
    return opener.open(withoutLogin(url), others);
  }

  static String withoutLogin(String url) {
    String bare = IN_AUTHORITY.matcher(url).replaceFirst("//");
    String rest = PARAMETER.matcher(bare).replaceAll("");
    int first = rest.indexOf('&');
    return first < 0 || rest.contains("?")
        ? rest
        : rest.substring(0, first) + '?' + rest.substring(first + 1);
  }

  @Override
  public Optional<Login> login() {
    String user = properties.getProperty("user", "");
    String password = properties.getProperty("password", "");
    Matcher authority = IN_AUTHORITY.matcher(url);
    if (authority.find()) {
      user = decoded(authority.group(1));
      password = authority.group(2) == null ? password : decoded(authority.group(2));
    }
    Matcher parameter = PARAMETER.matcher(url);
    while (parameter.find()) {
      String value = decoded(parameter.group(2));
      if (parameter.group(1).equals("user")) {
        user = value;
      } else {
        password = value;
      }
    }
    return user.isEmpty() ? Optional.empty() : Optional.of(new Login(user, password));
  }

  private static String decoded(String text) {
    try {
      return URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
    } catch (IllegalArgumentException e) {
      return text;
    }
  }

  @Override
  public Map<String, String> properties() {
    Map<String, String> shown = new HashMap<>();
    for (String key : properties.stringPropertyNames()) {
      if (!key.toLowerCase(java.util.Locale.ROOT).contains("password")) {
        shown.put(key, properties.getProperty(key));
      }
    }
    return shown;
  }
}
