package io.txwatch.dbms.duckdb;

import io.txwatch.dbms.Connector;
import io.txwatch.dbms.EmbeddedDbms;
import io.txwatch.dbms.Failure;
import io.txwatch.history.Database;
import io.txwatch.history.IsolationLevel;
import io.txwatch.interleave.wait.WaitMonitor;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;

/**
 * DuckDB. Its only level is snapshot isolation: a write that conflicts with a concurrent one is
 * rejected at once, and after any error only ROLLBACK is accepted (DuckDB, "Transaction
 * Management").
 *
 * <p>Conflicts are finer than rows: UPDATEs of different columns do not conflict and, contrary to
 * the documentation, neither do an UPDATE and a DELETE of the same row (DuckDB issue 17223, closed
 * as stale; still so on 1.5.6).
 */
final class DuckDbDbms extends EmbeddedDbms {

  DuckDbDbms(Database database, Connector connector) {
    super(database, connector);
  }

  @Override
  public List<IsolationLevel> levels() {
    return List.of(IsolationLevel.SNAPSHOT);
  }

  @Override
  public void setLevel(Connection session, IsolationLevel level) {
    // there is no other level
  }

  /**
   * DuckDB documentation, Concurrency: "when two threads attempt to edit (update or delete) the
   * same row at the same time [...] the second thread to attempt the edit will fail with a conflict
   * error".
   */
  @Override
  public boolean excludesConflictingWrites(IsolationLevel level) {
    return true;
  }

  @Override
  public String renderSql(String sql) {
    return render(sql, "", "INT PRIMARY KEY", "");
  }

  @Override
  public Failure failure(SQLException error) {
    String message = String.valueOf(error.getMessage());
    Failure.Kind kind =
        message.contains("Current transaction is aborted")
            ? Failure.Kind.TRANSACTION_ABORTED
            : message.contains("Conflict on") || message.contains("TransactionContext Error")
                ? Failure.Kind.SERIALIZATION
                : Failure.Kind.STATEMENT;
    return new Failure(kind, Failure.Effect.MUST_ROLL_BACK);
  }

  @Override
  protected String urlOf(String name) {
    return "jdbc:duckdb:memory:" + name;
  }

  @Override
  protected String schema() {
    return "main";
  }

  @Override
  protected Connection initialize(Connection session) {
    return session;
  }

  @Override
  protected WaitMonitor monitor(Connection watcher) throws SQLException {
    watcher.close();
    return WaitMonitor.neverBlocking();
  }

  @Override
  protected void shutDown(Connection last, String name) throws SQLException {
    last.close();
  }
}
