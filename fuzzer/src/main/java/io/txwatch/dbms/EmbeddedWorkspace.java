package io.txwatch.dbms;

import io.txwatch.interleave.wait.WaitMonitor;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** An in-memory database of its own in this JVM. */
final class EmbeddedWorkspace implements Workspace {

  /** How often an object that is locked is tried again, before that is an error. */
  private static final int MAX_PAUSES = 500;

  private static final long PAUSE_NANOS = 10_000_000;

  private final EmbeddedDbms dbms;
  private final String name = Sql.uniqueName();

  /** Keeps the database alive, and defines tables. */
  private final Connection own;

  /** Views that the DBMS itself defines, and that cannot be dropped. */
  private final Set<String> builtInViews;

  EmbeddedWorkspace(EmbeddedDbms dbms) throws SQLException {
    this.dbms = dbms;
    this.own = dbms.initialize(dbms.connector.connect(dbms.urlOf(name)));
    this.builtInViews = Set.copyOf(names("VIEW"));
  }

  @Override
  public Connection connect() throws SQLException {
    return connect(dbms.connector);
  }

  @Override
  public Connection connect(Connector by) throws SQLException {
    return dbms.initialize(by.connect(dbms.urlOf(name)));
  }

  @Override
  public List<String> tables() throws SQLException {
    return names("TABLE");
  }

  private List<String> names(String type) throws SQLException {
    List<String> tables = new ArrayList<>();
    try (ResultSet result = own.getMetaData().getTables(null, dbms.schema(), "%", null)) {
      while (result.next()) {
        if (result.getString("TABLE_TYPE").toUpperCase(Locale.ROOT).endsWith(type)) {
          tables.add('"' + result.getString("TABLE_NAME").replace("\"", "\"\"") + '"');
        }
      }
    }
    return tables.stream().sorted().toList();
  }

  @Override
  public List<String> resetStatements(List<String> tables) {
    return Workspace.deleteAllStatements(tables);
  }

  @Override
  public void clear() throws SQLException {
    drop("VIEW", names("VIEW").stream().filter(view -> !builtInViews.contains(view)).toList());
    drop("TABLE", tables());
  }

  /**
   * Drops objects in several passes: one that others refer to cannot be dropped, nor one that a
   * thread of the DBMS has locked (Derby's, which purges deleted rows).
   */
  private void drop(String type, List<String> names) throws SQLException {
    List<String> remaining = names;
    int pauses = 0;
    while (!remaining.isEmpty()) {
      List<String> referenced = new ArrayList<>();
      SQLException lastError = dropAll(type, remaining, referenced);
      if (lastError != null && referenced.size() == remaining.size()) {
        if (dbms.failure(lastError).kind() != Failure.Kind.BUSY || pauses >= MAX_PAUSES) {
          throw lastError;
        }
        pauses++;
        LockSupport.parkNanos(PAUSE_NANOS);
      }
      remaining = referenced;
    }
  }

  private @Nullable SQLException dropAll(String type, List<String> names, List<String> referenced) {
    SQLException lastError = null;
    for (String name : names) {
      try {
        Sql.execute(own, "DROP " + type + " " + name);
      } catch (SQLException e) {
        referenced.add(name);
        lastError = e;
      }
    }
    return lastError;
  }

  @Override
  public WaitMonitor newMonitor() throws SQLException {
    return dbms.monitor(connect());
  }

  @Override
  public void close() throws SQLException {
    dbms.shutDown(own, name);
  }
}
