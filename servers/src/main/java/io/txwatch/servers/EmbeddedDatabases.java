package io.txwatch.servers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** H2 in memory and SQLite in temporary files, behind the interface of a server. */
final class EmbeddedDatabases {

  private EmbeddedDatabases() {}

  /** H2 in memory: a database lives until the JVM ends. */
  static DatabaseServer h2() {
    return new Embedded(ServerKind.H2) {
      @Override
      public String newDatabase(String name) {
        return "jdbc:h2:mem:" + name + ";DB_CLOSE_DELAY=-1;USER=sa";
      }
    };
  }

  /** SQLite in files of a temporary directory, which is removed when the JVM ends. */
  static DatabaseServer sqlite() {
    return new Embedded(ServerKind.SQLITE) {
      private final Path directory = temporaryDirectory();

      @Override
      public String newDatabase(String name) {
        Path file = directory.resolve(name + ".db");
        try {
          Files.deleteIfExists(file);
        } catch (IOException e) {
          throw new UncheckedIOException(e);
        }
        return "jdbc:sqlite:" + file;
      }
    };
  }

  private static Path temporaryDirectory() {
    try {
      Path directory = Directories.temporary("txwatch-sqlite");
      Runtime.getRuntime()
          .addShutdownHook(
              new Thread(
                  () -> {
                    try {
                      Directories.delete(directory);
                    } catch (IOException e) {
                      directory.toFile().deleteOnExit();
                    }
                  }));
      return directory;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private abstract static class Embedded implements DatabaseServer {

    private final ServerKind kind;

    Embedded(ServerKind kind) {
      this.kind = kind;
    }

    @Override
    public ServerKind kind() {
      return kind;
    }

    @Override
    public abstract String newDatabase(String name);

    private String first = "";

    @Override
    public synchronized String url() {
      if (first.isEmpty()) {
        first = newDatabase("test");
      }
      return first;
    }

    @Override
    public String user() {
      return kind == ServerKind.H2 ? "sa" : "";
    }

    @Override
    public String password() {
      return "";
    }

    @Override
    public void close() {}
  }
}
