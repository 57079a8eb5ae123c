package io.txwatch.servers;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Locale;

/**
 * A server on loopback that this JVM has started, on a copy of an initial data directory. Its user
 * has all rights and no password.
 */
abstract class LocalServer implements DatabaseServer {

  private final ServerKind kind;
  private final String user;
  private final int port;
  private final Path data;
  private final ServerProcess process;

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
   * @throws ServerUnavailableException if it cannot be started
   */
  LocalServer(ServerKind kind, String user, InitialData initial, Launcher launcher) {
    this.kind = kind;
    this.user = user;
    try {
      String prefix = "txwatch-" + kind.product().toLowerCase(Locale.ROOT);
      // MariaDB takes /dev/shm for persistent memory, and its log for one that no crash can lose.
      Path directory =
          kind == ServerKind.MARIADB
              ? Files.createTempDirectory(prefix)
              : Directories.temporary(prefix);
      this.data = Files.createDirectory(directory.resolve("data"));
      initial.copyInto(data);
      this.port = ServerProcess.freePort();
      this.process = launcher.launch(directory, data, port);
    } catch (IOException e) {
      throw new ServerUnavailableException("cannot set " + kind + " up: " + e.getMessage(), e);
    }
  }

  /** The URL of a database, with the user. */
  abstract String url(String database);

  final Path data() {
    return data;
  }

  final int port() {
    return port;
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
    process.crash(List.of(data.resolve("postmaster.pid")));
  }

  @Override
  public final void close() {
    process.close();
  }
}
