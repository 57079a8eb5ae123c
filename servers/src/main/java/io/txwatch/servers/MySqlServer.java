package io.txwatch.servers;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.IntSupplier;
import java.util.stream.Stream;

/**
 * A MySQL server on loopback, started by this class: not durable, tuned for short lives. The user
 * {@code root} has all rights and no password.
 *
 * <p>No Maven artifact contains its binaries: {@code servers/mysql fetch} downloads them from
 * Debian's packages into the cache. Without it there is no MySQL server ({@link #isFetched}).
 *
 * <p>Its binary log is on, as by MySQL's default, because it affects behaviour: the server rejects
 * an auxiliary column whose default it considers unsafe. The environment variable {@value
 * #BINLOG_VARIABLE}, set to {@code off}, disables it.
 */
public final class MySqlServer extends LocalServer {

  private static final String BINLOG_VARIABLE = "TXWATCH_MYSQL_BINLOG";
  private static final String USER = "root";

  private MySqlServer(Path home, Launcher launcher, IntSupplier ports) {
    super(ServerKind.MYSQL, USER, data -> copy(home, data), launcher, ports);
  }

  /** Without its UUID: the server makes one of its own, and can be another one's replica. */
  private static void copy(Path home, Path data) throws IOException {
    InitialData.of(home).copyInto(data);
    Files.deleteIfExists(data.resolve("auto.cnf"));
  }

  /** True if its binaries are in the cache. */
  public static boolean isFetched() {
    return home().isPresent();
  }

  /**
   * Starts one, in a second or two.
   *
   * @param more further options of {@code mysqld}
   * @throws ServerUnavailableException if it cannot be started
   */
  public static MySqlServer start(String... more) {
    return start(ServerProcess::freePort, more);
  }

  /** The same on the first of these ports on which it can listen. */
  static MySqlServer start(IntSupplier ports, String... more) {
    Path home =
        home()
            .orElseThrow(
                () -> new ServerUnavailableException("no MySQL here: servers/mysql fetch gets it"));
    return new MySqlServer(
        home,
        (directory, data, port) -> {
          List<String> command = new ArrayList<>();
          command.add(home.resolve("mysqld").toString());
          if (Privileges.isRoot()) {
            command.add("--user=root");
          }
          command.addAll(
              List.of(
                  "--datadir=" + data,
                  "--port=" + port,
                  "--bind-address=127.0.0.1",
                  "--socket=" + directory.resolve("s"),
                  "--pid-file=" + pidFile(directory),
                  "--max-connections=200",
                  // Data need not be durable; otherwise each new table would wait for the disk.
                  "--innodb-flush-method=nosync"));
          command.addAll(
              "off".equals(System.getenv(BINLOG_VARIABLE))
                  ? List.of("--skip-log-bin")
                  : List.of("--server-id=1", "--log-bin=binlog", "--sync-binlog=0"));
          command.addAll(List.of(more));
          return ServerProcess.start(
              command, Map.of(), directory, "KILL", () -> isReady(directory, port));
        },
        ports);
  }

  /** The newest by name in the cache. */
  private static Optional<Path> home() {
    Path cache = Binaries.ownCache();
    if (!Files.isDirectory(cache)) {
      return Optional.empty();
    }
    try (Stream<Path> entries = Files.list(cache)) {
      return entries
          .filter(entry -> entry.getFileName().toString().startsWith("mysql-"))
          .filter(entry -> Files.isExecutable(entry.resolve("mysqld")))
          .max(Comparator.comparing(Path::toString));
    } catch (IOException e) {
      return Optional.empty(); // treat an unreadable cache as empty
    }
  }

  @Override
  public String url() {
    return url("mysql");
  }

  @Override
  String url(String database) {
    return "jdbc:mysql://127.0.0.1:"
        + port()
        + "/"
        + database
        + "?user="
        + USER
        + "&sslMode=DISABLED&allowPublicKeyRetrieval=true";
  }
}
