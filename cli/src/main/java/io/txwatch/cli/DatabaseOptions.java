package io.txwatch.cli;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

final class DatabaseOptions {

  private static final String PASSWORD = "TXWATCH_PASSWORD";

  @Option(names = "--user", paramLabel = "NAME", description = "the user")
  @Nullable String user;

  @Option(
      names = "--password",
      paramLabel = "WORD",
      description = "the password (safer in the environment variable " + PASSWORD + ")")
  @Nullable String password;

  @Option(
      names = "--driver-path",
      paramLabel = "JAR",
      split = ":",
      description = "jars of additional JDBC drivers, separated by colons")
  List<Path> driverPath = new ArrayList<>();

  /** Where the sessions that are opened with these options are registered; null for nowhere. */
  @Nullable OpenSessions sessions;

  /** The user and password for JDBC, as far as given. */
  Properties credentials() {
    Properties credentials = new Properties();
    if (user != null) {
      credentials.setProperty("user", user);
    }
    String secret = password != null ? password : System.getenv(PASSWORD);
    if (secret != null) {
      credentials.setProperty("password", secret);
    }
    return credentials;
  }
}
