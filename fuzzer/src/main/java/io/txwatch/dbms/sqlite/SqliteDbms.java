package io.txwatch.dbms.sqlite;

import io.txwatch.dbms.AbstractDbms;
import io.txwatch.dbms.Connector;
import io.txwatch.dbms.Failure;
import io.txwatch.dbms.FinalStatePromise;
import io.txwatch.dbms.Semantics;
import io.txwatch.dbms.Sql;
import io.txwatch.dbms.Workspace;
import io.txwatch.history.Database;
import io.txwatch.history.IsolationLevel;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * SQLite. A workspace is a file, opened with the parameters of the URL. A statement that would
 * block fails at once, because SQLite does not report blocked sessions.
 */
final class SqliteDbms extends AbstractDbms {

  private static final int BUSY = 5;
  private static final int LOCKED = 6;

  private static final String PREFIX = "jdbc:sqlite:";

  /** SQLite reads parameters of its own, such as {@code cache=shared}, after this alone. */
  private static final String URI_PREFIX = PREFIX + "file:";

  private final String prefix;
  private final String parameters;

  SqliteDbms(Database database, String url, Connector connector) {
    super(database, connector);
    this.prefix = url.startsWith(URI_PREFIX) ? URI_PREFIX : PREFIX;
    int question = url.indexOf('?');
    this.parameters = question < 0 ? "" : url.substring(question);
  }

  @Override
  public List<IsolationLevel> levels() {
    return List.of(IsolationLevel.SERIALIZABLE);
  }

  @Override
  public String renderSql(String sql) {
    return render(sql, "", "INTEGER PRIMARY KEY", "");
  }

  @Override
  public Failure failure(SQLException error) {
    int code = error.getErrorCode() & 0xff;
    return code == BUSY || code == LOCKED
        ? new Failure(Failure.Kind.BUSY, Failure.Effect.MUST_ROLL_BACK)
        : Failure.OF_STATEMENT;
  }

  /**
   * A session caches the schema and checks it when it executes a statement; an error found while
   * preparing a statement comes earlier, from the old schema.
   */
  @Override
  public void refreshSchema(Connection session) throws SQLException {
    Sql.execute(session, "SELECT count(*) FROM sqlite_schema");
  }

  @Override
  public Workspace newWorkspace() throws SQLException {
    return new SqliteWorkspace(connector, prefix, parameters);
  }

  /** A shared cache locks tables instead, and has no snapshots. */
  @Override
  public Optional<Semantics> semantics(Database settings, IsolationLevel level) {
    return parameters.toLowerCase(Locale.ROOT).contains("cache=shared")
        ? Optional.empty()
        : Optional.of(Semantics.MVCC_SNAPSHOT);
  }

  @Override
  public FinalStatePromise promise(IsolationLevel level) {
    return FinalStatePromise.SOME_ORDER;
  }

  @Override
  public Optional<String> whyUnwatchable() {
    return Optional.of("the tables of SQLite get no columns, which are visible there");
  }
}
