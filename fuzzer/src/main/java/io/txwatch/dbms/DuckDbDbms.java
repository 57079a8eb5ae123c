package io.txwatch.dbms;

import io.txwatch.history.Database;
import io.txwatch.history.IsolationLevel;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;

/**
 * DuckDB. Its one level is snapshot isolation; who changes what another has changed since is
 * refused at once, and any error leaves nothing but ROLLBACK (DuckDB, "Transaction Management").
 *
 * <p>What it holds to be a change of the same is less than a row: two UPDATEs of different columns
 * pass each other, and, against what the documentation says, an UPDATE and a DELETE of one row do
 * (DuckDB issue 17223, closed for want of activity; so on 1.5.6).
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
    // it has no other
  }

  @Override
  public String renderSql(String sql) {
    return sql.replace("{ENGINE}", "").replace("{AUTOINC}", "INT PRIMARY KEY").replace("{FU}", "");
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
  String urlOf(String name) {
    return "jdbc:duckdb:memory:" + name;
  }

  @Override
  String schema() {
    return "main";
  }

  @Override
  Connection initialize(Connection session) {
    return session;
  }

  @Override
  WaitMonitor monitor(Connection watcher) throws SQLException {
    watcher.close();
    return WaitMonitor.neverBlocking();
  }

  @Override
  void shutDown(Connection last, String name) throws SQLException {
    last.close();
  }
}
