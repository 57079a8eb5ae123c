package io.txwatch.corpus.suite;

import io.txwatch.corpus.sent.SentBytes;
import io.txwatch.servers.DatabaseServer;
import io.txwatch.servers.MariaDbServer;
import io.txwatch.servers.MySqlServer;
import io.txwatch.servers.PostgresServer;
import io.txwatch.servers.ServerKind;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/**
 * Runs of a program, without and with the agent, each time on a new server, or on whatever
 * databases the program starts itself.
 */
final class ProgramRuns {

  /** The file of a run's directory that has what it wrote. */
  static final String OUTPUT = "output.txt";

  @Option(
      names = "--db",
      description = "the server to start; default: none, the program starts its databases")
  private @Nullable ServerKind kind;

  @Option(
      names = "--command",
      required = true,
      description = {
        "a shell command. Placeholders: {agent}, the JVM's -javaagent option or nothing;",
        "{reports}, the directory for its files; {selection}, the tests to run, for suites;",
        "with --db also {host}, {port}, {user}, {database}"
      })
  private String command = "";

  @Option(names = "--in", description = "the directory to run it in")
  private Path directory = Path.of("");

  @Option(names = "--database", description = "a database to create; default: ${DEFAULT-VALUE}")
  private String database = "suite";

  @Option(names = "--before", description = "SQL that is run first in that database; repeatable")
  private List<String> before = List.of();

  @Option(names = "--server-option", description = "an option of the server; repeatable")
  private List<String> serverOptions = List.of();

  @Option(names = "--agent", description = "the jar; default: ${DEFAULT-VALUE}")
  private Path agent = Path.of("cli/target/txwatch.jar");

  @Option(
      names = "--agent-options",
      description = "default: ${DEFAULT-VALUE}; {reports} is replaced")
  private String agentOptions = "prepare=auto,log=none";

  @Option(names = "--minutes", description = "how long a run may take; default: ${DEFAULT-VALUE}")
  private int minutes = 30;

  @Option(names = "--out", required = true, description = "where reports and output go")
  private Path out = Path.of("");

  /** The directory for the files of all runs. */
  Path out() {
    return out;
  }

  /** The directory for the files of a run. */
  Path out(String run) {
    return out.resolve(run).toAbsolutePath();
  }

  /** The jar of the agent. */
  Path agent() {
    return agent.toAbsolutePath();
  }

  /** True if a server is started, so that what is sent to it can be recorded. */
  boolean hasServer() {
    return kind != null;
  }

  /**
   * Runs the program.
   *
   * @param name a name of the run
   * @param selection the tests to run, for a suite
   * @param isRecorded true if {port} is that of a relay
   * @return what was sent through the relay
   */
  Optional<SentReport.Run> run(String name, boolean isWatched, String selection, boolean isRecorded)
      throws SQLException, IOException, InterruptedException {
    Path reports = Files.createDirectories(out(name));
    String option =
        "-javaagent:" + agent() + "=" + agentOptions.replace("{reports}", reports.toString());
    String line =
        command
            .replace("{agent}", isWatched ? option : "")
            .replace("{selection}", selection)
            .replace("{reports}", reports.toString());
    ServerKind started = kind;
    if (started == null) {
      execute(name, line, reports);
      return Optional.empty();
    }
    try (DatabaseServer server = start(started)) {
      URI address = URI.create(server.newDatabase(database).substring("jdbc:".length()));
      try (Connection connection = DriverManager.getConnection("jdbc:" + address);
          Statement statement = connection.createStatement()) {
        for (String sql : before) {
          statement.execute(sql);
        }
      }
      String onServer = line.replace("{user}", server.user()).replace("{database}", database);
      if (isRecorded) {
        try (SentBytes relay = SentBytes.to(address.getHost(), address.getPort())) {
          execute(name, onServer, "127.0.0.1", relay.port(), reports);
          return Optional.of(SentReport.Run.of(started, relay));
        }
      }
      execute(name, onServer, address.getHost(), address.getPort(), reports);
      return Optional.empty();
    }
  }

  private void execute(String name, String line, String host, int port, Path reports)
      throws IOException, InterruptedException {
    String addressed = line.replace("{host}", host).replace("{port}", String.valueOf(port));
    execute(name, addressed, reports);
  }

  private void execute(String name, String line, Path reports)
      throws IOException, InterruptedException {
    Process process =
        new ProcessBuilder("sh", "-c", line)
            .directory(directory.toAbsolutePath().toFile())
            .redirectErrorStream(true)
            .redirectOutput(reports.resolve(OUTPUT).toFile())
            .start();
    if (!process.waitFor(minutes, TimeUnit.MINUTES)) {
      System.err.println(name + ": not done after " + minutes + " minutes, ended");
    }
    process.descendants().forEach(ProcessHandle::destroyForcibly);
    process.destroyForcibly().waitFor();
  }

  private DatabaseServer start(ServerKind started) {
    String[] options = serverOptions.toArray(String[]::new);
    return switch (started) {
      case POSTGRESQL -> PostgresServer.start(serverOptions);
      case MARIADB -> MariaDbServer.start(options);
      case MYSQL -> MySqlServer.start(options);
      case H2, SQLITE -> throw new IllegalArgumentException(started + " is no server");
    };
  }
}
