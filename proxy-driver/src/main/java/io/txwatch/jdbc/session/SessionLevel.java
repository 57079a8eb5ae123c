package io.txwatch.jdbc.session;

import io.txwatch.catalog.ServerState;
import io.txwatch.history.IsolationLevel;
import io.txwatch.jdbc.plan.CachedPlan;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import java.util.TreeMap;

/**
 * Asks a session for its level, after statements that may have changed it, between two transactions
 * and where the application cannot notice it. Where that is not possible the level stays unknown.
 *
 * <p>PostgreSQL's driver asks without beginning a transaction, and MySQL and MariaDB begin none for
 * a variable; what they keep of the statement before is replaced by the one that is about to be
 * sent. H2 knows the answer in this process. SQLite's driver does not ask its database, so nothing
 * is queried.
 */
public final class SessionLevel {

  private static final String VARIABLES =
      "SHOW SESSION VARIABLES WHERE Variable_name IN"
          + " ('transaction_isolation', 'tx_isolation', 'innodb_snapshot_isolation',"
          + " 'tidb_txn_mode')";

  private interface Question {
    IsolationLevel ask(ConnectionState state) throws SQLException;
  }

  private SessionLevel() {}

  /** A statement is about to be sent: if the level is not known, asks for it. */
  public static void askIfUnknown(ConnectionState state, CachedPlan next) {
    if (!state.tracker().awaitsLevel() || state.tracker().holdsTableLocks()) {
      return;
    }
    boolean mayAsk =
        state
            .rules()
            .dialect()
            .select(
                isIdle(state),
                mayAskMySql(state, next),
                mayAskMySql(state, next),
                true,
                false,
                false);
    if (!mayAsk) {
      return;
    }
    Question question =
        state
            .rules()
            .dialect()
            .select(
                SessionLevel::ofDriver,
                SessionLevel::ofVariables,
                SessionLevel::ofVariables,
                SessionLevel::ofDriver,
                asked -> IsolationLevel.UNKNOWN,
                asked -> IsolationLevel.UNKNOWN);
    try {
      state.tracker().foundLevel(question.ask(state));
    } catch (SQLException | RuntimeException e) {
      state.tracker().foundLevel(IsolationLevel.UNKNOWN); // the next statement shows why
    }
  }

  private static boolean isIdle(ConnectionState state) {
    return ServerState.of(state.real()) == ServerState.IDLE;
  }

  private static boolean mayAskMySql(ConnectionState state, CachedPlan next) {
    return !next.asksDiagnostics() && isIdle(state);
  }

  private static IsolationLevel ofDriver(ConnectionState state) throws SQLException {
    return Levels.of(state.real().getTransactionIsolation());
  }

  /** The level, if the other settings that it depends on are those of the session's opening. */
  private static IsolationLevel ofVariables(ConnectionState state) throws SQLException {
    Map<String, String> found = new TreeMap<>();
    Connection connection = state.real();
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(VARIABLES)) {
      while (rows.next()) {
        found.put(rows.getString(1), String.valueOf(rows.getString(2)));
      }
    }
    String transaction = found.remove("transaction_isolation");
    String old = found.remove("tx_isolation");
    Map<String, String> opened = state.database().database().settings();
    boolean isAsOpened =
        found.entrySet().stream().allMatch(e -> e.getValue().equals(opened.get(e.getKey())));
    String level = transaction == null ? old : transaction;
    return isAsOpened && level != null
        ? IsolationLevel.parse(level).orElse(IsolationLevel.UNKNOWN)
        : IsolationLevel.UNKNOWN;
  }
}
