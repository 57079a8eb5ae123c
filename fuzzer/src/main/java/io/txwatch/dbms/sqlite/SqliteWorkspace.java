package io.txwatch.dbms.sqlite;

import io.txwatch.dbms.Connector;
import io.txwatch.dbms.Sql;
import io.txwatch.dbms.Workspace;
import io.txwatch.interleave.wait.WaitMonitor;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** A database file of its own in a temporary directory. */
final class SqliteWorkspace implements Workspace {

  private final Connector connector;
  private final Path directory;
  private final String url;

  /** Defines tables. */
  private final Connection own;

  /**
   * Creates the file.
   *
   * @param prefix what the URL has before the file
   * @param parameters the parameters of the URL
   */
  SqliteWorkspace(Connector connector, String prefix, String parameters) throws SQLException {
    this.connector = connector;
    try {
      this.directory = Files.createTempDirectory("txwatch");
    } catch (IOException e) {
      throw new SQLException("no folder for a database file: " + e.getMessage(), e);
    }
    this.url = prefix + directory.resolve("case.db") + parameters;
    this.own = connector.connect(url);
  }

  @Override
  public Connection connect() throws SQLException {
    return connect(connector);
  }

  @Override
  public Connection connect(Connector by) throws SQLException {
    return Sql.initialize(by.connect(url), "PRAGMA busy_timeout = 0", "PRAGMA foreign_keys = ON");
  }

  @Override
  public List<String> tables() throws SQLException {
    return names("table");
  }

  private List<String> names(String type) throws SQLException {
    return Sql.column(
        own,
        "SELECT '\"' || replace(name, '\"', '\"\"') || '\"' FROM sqlite_schema WHERE type = '"
            + type
            + "' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY 1");
  }

  @Override
  public List<String> resetStatements(List<String> tables) {
    return Workspace.deleteAllStatements(tables);
  }

  @Override
  public void clear() throws SQLException {
    for (String view : names("view")) {
      Sql.execute(own, "DROP VIEW " + view);
    }
    for (String table : tables()) {
      Sql.execute(own, "DROP TABLE " + table);
    }
  }

  @Override
  public WaitMonitor newMonitor() {
    return WaitMonitor.neverBlocking();
  }

  @Override
  public void close() throws SQLException {
    own.close();
    try (Stream<Path> files = Files.walk(directory)) {
      files.sorted(Comparator.reverseOrder()).forEach(path -> path.toFile().delete());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
