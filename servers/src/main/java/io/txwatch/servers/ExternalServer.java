package io.txwatch.servers;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A server that the tests do not start. Databases created on it remain until the next run recreates
 * them.
 *
 * @param kind what it is
 * @param url the URL of a database that exists, with user and password as query parameters
 */
record ExternalServer(ServerKind kind, String url) implements DatabaseServer {

  private static final Pattern DATABASE = Pattern.compile("(jdbc:[a-z]+://[^/?]+/)([^?;]*)(.*)");

  @Override
  public String user() {
    return parameter("user");
  }

  @Override
  public String password() {
    return parameter("password");
  }

  private String parameter(String name) {
    Matcher found = Pattern.compile("[?&]" + name + "=([^&]*)").matcher(url);
    return found.find() ? URLDecoder.decode(found.group(1), StandardCharsets.UTF_8) : "";
  }

  @Override
  public String newDatabase(String name) throws SQLException {
    Matcher parts = DATABASE.matcher(url);
    if (!parts.matches()) {
      throw new ServerUnavailableException(
          "a URL in TXWATCH_TEST_URLS must look like jdbc:…://host:port/database?user=…");
    }
    try (Connection connection = DriverManager.getConnection(url);
        Statement statement = connection.createStatement()) {
      kind.recreateDatabase(statement, name);
    }
    return parts.group(1) + name + parts.group(3);
  }

  @Override
  public void close() {}
}
