package io.txwatch.jdbc.session;

import io.txwatch.catalog.ServerState;
import io.txwatch.dialect.DialectSql;
import io.txwatch.history.IsolationLevel;
import io.txwatch.jdbc.plan.CachedPlan;
import io.txwatch.product.registry.Products;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Asks a session for its level, after statements that may have changed it, between two transactions
 * and where the application cannot notice it. Where that is not possible the level stays unknown.
 *
 * <p>What the DBMS keeps of the statement before, such as its warnings, is replaced by that of the
 * one that is about to be sent.
 */
public final class SessionLevel {

  private SessionLevel() {}

  /** A statement is about to be sent: if the level is not known, asks for it. */
  public static void askIfUnknown(ConnectionState state, CachedPlan next) {
    if (!state.tracker().awaitsLevel() || state.tracker().holdsTableLocks()) {
      return;
    }
    DialectSql sql = Products.of(state.rules().dialect()).sql();
    Optional<String> variables = sql.levelVariables();
    boolean mayAsk =
        switch (sql.driver().queriesLevel()) {
          case NEVER -> false;
          case BETWEEN_TRANSACTIONS ->
              isIdle(state) && !(variables.isPresent() && next.asksDiagnostics());
          case ANY_TIME -> true;
        };
    if (!mayAsk) {
      return;
    }
    try {
      state
          .tracker()
          .foundLevel(
              variables.isPresent() ? ofVariables(state, variables.get()) : ofDriver(state));
    } catch (SQLException | RuntimeException e) {
      state.tracker().foundLevel(IsolationLevel.UNKNOWN); // the next statement shows why
    }
  }

  private static boolean isIdle(ConnectionState state) {
    return ServerState.of(state.real()) == ServerState.IDLE;
  }

  private static IsolationLevel ofDriver(ConnectionState state) throws SQLException {
    return Levels.of(state.real().getTransactionIsolation());
  }

  /** The level, if the other settings that it depends on are those of the session's opening. */
  private static IsolationLevel ofVariables(ConnectionState state, String query)
      throws SQLException {
    Map<String, String> found = new TreeMap<>();
    Connection connection = state.real();
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(query)) {
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
