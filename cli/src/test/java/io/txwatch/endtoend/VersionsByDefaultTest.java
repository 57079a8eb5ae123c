package io.txwatch.endtoend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.txwatch.servers.DatabaseServer;
import io.txwatch.servers.MariaDbServer;
import io.txwatch.servers.MySqlServer;
import io.txwatch.servers.ServerKind;
import io.txwatch.servers.TestServers;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * {@code txwatch.versions=auto}: where versions come from if nothing is set, the one line that says
 * so, and that a lost update is found. Each application is a process of its own, since a line is
 * printed once a process.
 */
class VersionsByDefaultTest {

  private static final String STATED =
      ", so that writes are known as far as their statements state them: ";

  @TempDir private Path directory = Path.of("");

  /** The application: loses an update. */
  static final class Application {

    private Application() {}

    /**
     * The entry point.
     *
     * @param args the URL; whether {@code create} the table, or it {@code exists}, or it is to be
     *     created and the thread is {@code interrupted} while its first connection is opened; and
     *     settings
     */
    public static void main(String[] args) throws Exception {
      Properties settings = new Properties();
      for (String setting : List.of(args).subList(2, args.length)) {
        settings.setProperty(setting.split("=")[0], setting.split("=")[1]);
      }
      if (args[1].equals("exists")) {
        Watched.loseAnUpdate(args[0], settings);
        return;
      }
      try (Connection raw =
          DriverManager.getConnection(args[0].replace("jdbc:txwatch:", "jdbc:"))) {
        execute(raw, TABLE);
        if (args[1].equals("interrupted")) {
          loseAnUpdateAfterAnInterrupt(args[0], settings);
          return;
        }
        Watched.loseAnUpdate(args[0], settings); // a database in memory is kept so long
      }
    }
  }

  /** The thread is interrupted before and again and again while the first connection is opened. */
  private static void loseAnUpdateAfterAnInterrupt(String url, Properties settings)
      throws Exception {
    Thread opening = Thread.currentThread();
    AtomicBoolean isOpen = new AtomicBoolean();
    Thread interrupting =
        new Thread(
            () -> {
              while (!isOpen.get()) {
                opening.interrupt();
                LockSupport.parkNanos(1_000_000);
              }
            });
    opening.interrupt();
    interrupting.start();
    try (Connection first = DriverManager.getConnection(url, settings)) {
      isOpen.set(true);
      boolean isInterrupted = Thread.interrupted();
      interrupting.join();
      boolean unused = Thread.interrupted(); // one that came afterwards
      assertThat(isInterrupted).isTrue();
      Watched.loseAnUpdate(url, settings);
      assertThat(first.isValid(1)).isTrue();
    }
  }

  private static final String[] TABLE = {
    "CREATE TABLE account (id INT PRIMARY KEY, balance INT NOT NULL)",
    "INSERT INTO account VALUES (1, 100), (2, 100)"
  };

  private static void execute(Connection connection, String... texts) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      for (String text : texts) {
        statement.execute(text);
      }
    }
  }

  /** Runs the application; returns the lines of txwatch that name a source of versions. */
  private List<String> run(String url, String... arguments) throws Exception {
    Path errors = Files.createTempFile(directory, "errors", ".txt");
    Path report = Files.createTempFile(directory, "anomalies", ".jsonl");
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-Dtxwatch.report=" + report,
                "-cp",
                System.getProperty(
                    "surefire.test.class.path", System.getProperty("java.class.path")),
                Application.class.getName(),
                "jdbc:txwatch:" + url.substring("jdbc:".length())));
    command.addAll(List.of(arguments));
    int exit = new ProcessBuilder(command).redirectError(errors.toFile()).start().waitFor();
    String printed = Files.readString(errors);
    assertThat(exit).as(printed).isZero();
    assertThat(Files.readString(report)).as(printed).contains("LOST_UPDATE", "CONFIRMED");
    assertThat(printed).doesNotContain("fault of txwatch");
    return printed.lines().filter(line -> line.matches("txwatch: (no )?row versions .*")).toList();
  }

  private static void assumeAvailable(ServerKind kind) {
    assumeThat(TestServers.missing(kind)).isEmpty();
  }

  private static String bank(DatabaseServer server, String... more)
      throws IOException, SQLException {
    String admin = server.newDatabase("bank");
    try (Connection raw = DriverManager.getConnection(admin)) {
      execute(raw, TABLE);
      execute(raw, "CREATE USER app@'%' IDENTIFIED BY 'secret'", "GRANT ALL ON bank.* TO app@'%'");
      execute(raw, more);
    }
    return admin;
  }

  private List<String> runAsApp(String admin) throws Exception {
    return run(
        admin.replaceFirst("[?].*", ""),
        "exists",
        "user=app",
        "password=secret",
        admin.startsWith("jdbc:mysql:") ? "sslMode=PREFERRED" : "sslMode=disable");
  }

  @Test
  void mySqlGivesItsLogToWhoMayReadIt() throws Exception {
    assumeAvailable(ServerKind.MYSQL);
    try (DatabaseServer server = MySqlServer.start()) {
      String admin = bank(server);
      assertThat(runAsApp(admin))
          .singleElement()
          .asString()
          .contains("no row versions come from the binary log of 127.0.0.1:")
          .contains(STATED + "the user may not read the log: GRANT REPLICATION SLAVE, ")
          .contains("ON *.* TO ");

      try (Connection raw = DriverManager.getConnection(admin)) {
        execute(
            raw,
            "UPDATE account SET balance = 100",
            "GRANT REPLICATION SLAVE, REPLICATION CLIENT ON *.* TO app@'%'");
      }
      assertThat(runAsApp(admin))
          .singleElement()
          .asString()
          .startsWith("txwatch: row versions come from the binary log of 127.0.0.1:");

      try (Connection raw = DriverManager.getConnection(admin)) {
        execute(raw, "UPDATE account SET balance = 100");
        Watched.prepare(raw);
      }
      assertThat(runAsApp(admin))
          .singleElement()
          .asString()
          .contains("row versions come from the columns that prepare has added");
    }
  }

  @Test
  void mariaDbWithoutALogIsWatchedByTheStatement() throws Exception {
    assumeAvailable(ServerKind.MARIADB);
    try (DatabaseServer server = MariaDbServer.start()) {
      assertThat(runAsApp(bank(server)))
          .singleElement()
          .asString()
          .contains("no row versions come from the binary log of 127.0.0.1:")
          .contains(STATED + "the binary log is off: start the server with log_bin and binlog");
    }
  }

  @Test
  void mariaDbGivesItsLogToWhoMayReadIt() throws Exception {
    assumeAvailable(ServerKind.MARIADB);
    try (DatabaseServer server =
        MariaDbServer.start("--log-bin=binlog", "--binlog-format=ROW", "--server-id=7")) {
      assertThat(
              runAsApp(bank(server, "GRANT REPLICATION SLAVE, BINLOG MONITOR ON *.* TO app@'%'")))
          .singleElement()
          .asString()
          .startsWith("txwatch: row versions come from the binary log of 127.0.0.1:");
    }
  }

  @Test
  void h2InMemoryHasTriggers() throws Exception {
    assertThat(run("jdbc:h2:mem:bank", "create"))
        .containsExactly("txwatch: row versions come from triggers in the H2 database BANK");
  }

  @Test
  void anInterruptChangesNothing() throws Exception {
    assertThat(run("jdbc:h2:mem:bank", "interrupted"))
        .containsExactly("txwatch: row versions come from triggers in the H2 database BANK");
    assumeAvailable(ServerKind.MYSQL);
    assertThat(run(TestServers.freshDatabase(ServerKind.MYSQL), "interrupted"))
        .singleElement()
        .asString()
        .startsWith("txwatch: row versions come from the binary log of 127.0.0.1:");
  }

  @Test
  void h2InAFileIsWatchedByTheStatement() throws Exception {
    assertThat(run("jdbc:h2:file:" + directory.resolve("bank"), "create"))
        .containsExactly(
            "txwatch: no row versions come from triggers"
                + STATED
                + "the H2 database is in a file: triggers would stay behind in it; or prepare the"
                + " tables");
  }

  @Test
  void sqliteIsWatchedByTheStatement() throws Exception {
    String url = "jdbc:sqlite:file:" + directory.resolve("bank.db") + "?cache=shared";
    // an update can be lost there only in a cache that sessions share
    assertThat(run(url, "create", "read_uncommitted=true"))
        .containsExactly(
            "txwatch: row versions come from the statements, and from the rows that SQLite's driver"
                + " shows of their writes");
  }

  @Test
  void whoAsksForTheColumnsGetsThem() throws Exception {
    String url = "jdbc:h2:file:" + directory.resolve("bank");
    assertThat(run(url, "create", "txwatch.prepare=auto")).isEmpty();
  }

  @Test
  void whoAsksForTheColumnsOfSqliteGetsTheStatements() throws Exception {
    String url = "jdbc:sqlite:file:" + directory.resolve("bank.db") + "?cache=shared";
    assertThat(run(url, "create", "read_uncommitted=true", "txwatch.prepare=auto"))
        .containsExactly(
            "txwatch: row versions come from the statements (txwatch.versions=statements): SQLite"
                + " has no invisible columns, so its tables are not prepared");
  }
}
