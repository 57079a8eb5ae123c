package io.txwatch.servers;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Locale;
import java.util.function.IntSupplier;

/**
 * A server on loopback that this JVM has started, on a copy of an initial data directory. Its user
 * has all rights and no password.
 */
abstract class LocalServer implements DatabaseServer {

  /** So many ports are tried: a free one may be taken before the server listens on it. */
  private static final int MAX_PORTS = 3;

  private final ServerKind kind;
  private final String user;
  private final Started started;

  /** A server that accepts connections. */
  private record Started(Path directory, Path data, int port, ServerProcess process) {}

  /** Starts the server of one DBMS. */
  interface Launcher {

    /**
     * Starts the process.
     *
     * @param directory the server's own directory, for sockets and temporary files
     * @param data the data directory within it
     */
    ServerProcess launch(Path directory, Path data, int port) throws IOException;
  }

  /** Fills the data directory. */
  interface InitialData {

    void copyInto(Path data) throws IOException;

    /** The initial data of the binaries in a directory, in {@code data}. */
    static InitialData of(Path home) {
      return data -> Directories.copy(home.resolve("data"), data);
    }
  }

  /**
   * Starts the server.
   *
   * @param ports free ports
   * @throws ServerUnavailableException if it cannot be started
   */
  LocalServer(
      ServerKind kind, String user, InitialData initial, Launcher launcher, IntSupplier ports) {
    this.kind = kind;
    this.user = user;
    this.started = start(kind, initial, launcher, ports);
  }

  private static Started start(
      ServerKind kind, InitialData initial, Launcher launcher, IntSupplier ports) {
    for (int tried = 1; ; tried++) {
      int port = ports.getAsInt();
      try {
        return start(kind, initial, launcher, port);
      } catch (ServerUnavailableException e) {
        if (tried == MAX_PORTS || !ServerProcess.isListening(port)) {
          throw e;
        }
      } catch (IOException e) {
        throw new ServerUnavailableException("cannot set " + kind + " up: " + e.getMessage(), e);
      }
    }
  }

  private static Started start(ServerKind kind, InitialData initial, Launcher launcher, int port)
      throws IOException {
    String prefix = "txwatch-" + kind.product().toLowerCase(Locale.ROOT);
    // MariaDB takes /dev/shm for persistent memory, and its log for one that no crash can lose.
    Path directory =
        kind == ServerKind.MARIADB
            ? Files.createTempDirectory(prefix)
            : Directories.temporary(prefix);
    Path data = Files.createDirectory(directory.resolve("data"));
    initial.copyInto(data);
    return new Started(directory, data, port, launcher.launch(directory, data, port));
  }

  /** Where MySQL and MariaDB write their process id once they listen on their own port. */
  static Path pidFile(Path directory) {
    return directory.resolve("pid");
  }

  /**
   * True once a server of MySQL or MariaDB accepts connections. That somebody listens on its port
   * is not enough: two processes may have been given the same free port, and the server that came
   * second takes a moment to end.
   */
  static boolean isReady(Path directory, int port) {
    return Files.exists(pidFile(directory)) && ServerProcess.isListening(port);
  }

  /** The URL of a database, with the user. */
  abstract String url(String database);

  final Path data() {
    return started.data();
  }

  final int port() {
    return started.port();
  }

  @Override
  public final ServerKind kind() {
    return kind;
  }

  @Override
  public final String user() {
    return user;
  }

  @Override
  public final String password() {
    return "";
  }

  @Override
  public final String newDatabase(String name) throws SQLException {
    try (Connection connection = connect();
        Statement statement = connection.createStatement()) {
      kind.recreateDatabase(statement, name);
    }
    return url(name);
  }

  /**
   * Kills all processes of the server at once, and starts it again on the same data and port. What
   * it had not written is lost, whether the clients' commits were acknowledged or not.
   *
   * @throws ServerUnavailableException if it does not start again
   */
  public final void crash() {
    started
        .process()
        .crash(List.of(started.data().resolve("postmaster.pid"), pidFile(started.directory())));
  }

  @Override
  public final void close() {
    started.process().close();
  }
}
