package io.txwatch.servers;

import java.sql.SQLException;
import java.sql.Statement;
import java.util.Optional;

/** The kinds of server that the tests run against. */
public enum ServerKind {
  /** PostgreSQL. */
  POSTGRESQL("PostgreSQL", "jdbc:postgresql:"),
  /** MariaDB, through its own driver. */
  MARIADB("MariaDB", "jdbc:mariadb:"),
  /** MySQL, through its own driver. */
  MYSQL("MySQL", "jdbc:mysql:"),
  /** H2 in memory. */
  H2("H2", "jdbc:h2:"),
  /** SQLite in a temporary file. */
  SQLITE("SQLite", "jdbc:sqlite:");

  private final String product;
  private final String urlPrefix;

  ServerKind(String product, String urlPrefix) {
    this.product = product;
    this.urlPrefix = urlPrefix;
  }

  /** The product's name: "PostgreSQL". */
  public String product() {
    return product;
  }

  /** What its JDBC URLs begin with. */
  public String urlPrefix() {
    return urlPrefix;
  }

  /** True if it runs in a process of its own, whose sessions lock rows. */
  public boolean isServer() {
    return this == POSTGRESQL || this == MARIADB || this == MYSQL;
  }

  /** Creates an empty database on a server; an existing one of that name is dropped. */
  void recreateDatabase(Statement statement, String name) throws SQLException {
    statement.execute(
        "DROP DATABASE IF EXISTS " + name + (this == POSTGRESQL ? " WITH (FORCE)" : ""));
    String options =
        switch (this) {
          case MARIADB -> " CHARACTER SET utf8mb4";
          // Otherwise it writes all pages a second time, into the log.
          case POSTGRESQL -> majorVersion(statement) < 15 ? "" : " STRATEGY file_copy";
          default -> "";
        };
    statement.execute("CREATE DATABASE " + name + options);
  }

  private static int majorVersion(Statement statement) throws SQLException {
    return statement.getConnection().getMetaData().getDatabaseMajorVersion();
  }

  /** The kind that a JDBC URL belongs to. */
  public static Optional<ServerKind> ofUrl(String url) {
    for (ServerKind kind : values()) {
      if (url.startsWith(kind.urlPrefix)) {
        return Optional.of(kind);
      }
    }
    return Optional.empty();
  }

  @Override
  public String toString() {
    return product;
  }
}
