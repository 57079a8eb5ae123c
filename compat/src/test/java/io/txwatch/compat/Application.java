package io.txwatch.compat;

import io.txwatch.servers.ServerKind;
import java.io.File;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;

/** An application of the suite. */
enum Application {
  HIKARI("jdbc.PooledShop hikari", ""),
  TOMCAT_JDBC("jdbc.PooledShop tomcat", ""),
  DBCP2("jdbc.PooledShop dbcp2", ""),
  C3P0("jdbc.PooledShop c3p0", ""),
  AGROAL("jdbc.PooledShop agroal", ""),
  SPRING_JPA("jpa.JpaShop", "spring-boot-data-jdbc|spring-data-jdbc|spring-data-relational"),
  SPRING_DATA_JDBC("datajdbc.DataJdbcShop", "hibernate|spring-boot-(data-)?jpa|spring-data-jpa"),
  MYBATIS("mybatis.MyBatisShop", ""),
  JOOQ("jooq.JooqShop", ""),
  JDBI("jdbi.JdbiShop", ""),
  FLYWAY("migrate.MigratedShop flyway", ""),
  LIQUIBASE("migrate.MigratedShop liquibase", ""),
  TWO_DATA_SOURCES("jta.TwoDatabases spring", ""),
  JTA("jta.TwoDatabases narayana", ""),
  SERVLETS("web.Container", "(?!tomcat-embed-core|tomcat-annotations).*");

  /** The DBMSs that the suite runs on. */
  static final Set<ServerKind> KINDS =
      EnumSet.of(ServerKind.H2, ServerKind.POSTGRESQL, ServerKind.MARIADB);

  /** What is in the web applications alone. */
  private static final String IN_WEB_APPLICATION =
      "(h2|postgresql|mariadb-java|HikariCP|slf4j-api|jspecify)-.*|txwatch.jar";

  private final String command;
  private final String excludedJars;

  Application(String command, String excludedJars) {
    this.command = command;
    this.excludedJars = excludedJars;
  }

  /** The name in commands and reports. */
  String label() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** The class that is run. */
  String mainClass() {
    return "org.example.shop." + command.split(" ", 2)[0];
  }

  /**
   * The arguments: a URL, and what follows it.
   *
   * @param other the URL of another database, for those that use two
   * @param path the application's classes and all libraries, txwatch.jar if it is one of them
   */
  List<String> arguments(String url, String other, List<String> path) {
    List<String> arguments = new ArrayList<>(List.of(command.split(" ", -1)));
    arguments.set(0, url);
    if (usesTwoDatabases()) {
      arguments.add(other);
    }
    if (this == SERVLETS) {
      arguments.add(
          path.stream()
              .filter(jar -> !jar.endsWith(".jar") || fileName(jar).matches(IN_WEB_APPLICATION))
              .collect(Collectors.joining(File.pathSeparator)));
    }
    return arguments;
  }

  private static String fileName(String path) {
    return path.substring(path.lastIndexOf('/') + 1);
  }

  /** Whether a jar of the suite's libraries is one that this application has. */
  boolean has(String jar) {
    return excludedJars.isEmpty() || !fileName(jar).matches("(" + excludedJars + ")-[^/]*");
  }

  /** True if it creates its tables itself. */
  boolean createsItsTables() {
    return this == FLYWAY || this == LIQUIBASE;
  }

  /** True if it has transactions over two databases. */
  boolean usesTwoDatabases() {
    return this == TWO_DATA_SOURCES || this == JTA;
  }

  /** How often it is started, on what it left before. */
  int starts() {
    return createsItsTables() || usesTwoDatabases() ? 2 : 1;
  }

  /** True if what it prints on standard error depends on the order of threads. */
  boolean logsInAnyOrder() {
    return this == SERVLETS;
  }

  /** Whether it can run on one of {@link #KINDS}: two copies of H2 cannot open one database. */
  boolean runsOn(ServerKind kind) {
    return this != SERVLETS || kind != ServerKind.H2;
  }

  /** The DBMSs that it is run on unless others are chosen. */
  Set<ServerKind> defaultKinds() {
    return switch (this) {
      case HIKARI, SPRING_JPA, FLYWAY, LIQUIBASE, TWO_DATA_SOURCES, JTA -> KINDS;
      case SERVLETS -> EnumSet.of(ServerKind.POSTGRESQL, ServerKind.MARIADB);
      default -> EnumSet.of(ServerKind.H2);
    };
  }
}
