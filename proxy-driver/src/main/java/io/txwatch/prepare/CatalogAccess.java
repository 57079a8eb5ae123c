package io.txwatch.prepare;

import io.txwatch.prepare.OwnConnection.Use;
import io.txwatch.sql.Dialect;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;

/**
 * Chooses the connection on which the catalog is read, and the moment.
 *
 * <p>A server's connections are counted: by role, by user, by server. So the catalog of a server is
 * read on the application's own connections, and only where that leaves no trace:
 *
 * <dl>
 *   <dt>PostgreSQL
 *   <dd>Outside of a transaction, in a short one of our own. Inside of one, behind a savepoint that
 *       is rolled back to, so that neither an error nor a setting stays; not before the
 *       transaction's first statement, unless that is about to be sent: an earlier query would take
 *       its snapshot, and {@code SET TRANSACTION} would be refused after it. The catalog is never
 *       predicate-locked.
 *   <dt>MySQL, MariaDB
 *   <dd>{@code ROW_COUNT()}, {@code FOUND_ROWS()} and the warnings are those of the last statement.
 *       So the catalog is read only when the application is about to send a statement, which
 *       replaces them, or before the application has got the connection. MySQL keeps its catalog in
 *       InnoDB: to read it takes the transaction's snapshot (seen on 9.7), as to read rows does. So
 *       there, and for rows, not within a transaction that keeps one. MariaDB's catalog is read
 *       without.
 * </dl>
 *
 * <p>H2 and SQLite have no limit of connections: there a connection of our own is opened for each
 * look-up, and closed again. Where a SQLite file cannot be read there, as while the session's own
 * transaction has locked it, it is read on the session's connection. A database in memory that has
 * only this one connection is read on it, as is one whose connections come from a pool ({@link
 * ConnectionSource#NONE}).
 */
final class CatalogAccess {

  private static final Duration LOCK = Duration.ofMillis(400);

  private static final String SAVEPOINT = "txw_lookup";

  /** Bounds for the transaction, or for as long as a savepoint stands. */
  private static final String BOUNDS =
      "SET LOCAL lock_timeout = 400; SET LOCAL statement_timeout = 2000";

  /** Bounds for a connection that the application waits for. */
  private static final String FIRST_BOUNDS =
      "SET LOCAL lock_timeout = 100; SET LOCAL statement_timeout = 100";

  private final SchemaReader reader;
  private final OwnConnection own;
  private final boolean onApplication;

  CatalogAccess(SchemaReader reader, OwnConnection own, boolean onApplication) {
    this.reader = reader;
    this.own = own;
    this.onApplication = onApplication;
  }

  /** True if look-ups go through the application's connections. */
  boolean isServer() {
    return reader.dialect() != Dialect.H2 && reader.dialect() != Dialect.SQLITE;
  }

  /**
   * Reads the catalog.
   *
   * @throws NotNowException if it cannot be read on this session at this moment
   */
  <T> T read(Asker asker, Use<T> use) throws SQLException {
    if (onApplication && !isServer()) {
      return use.with(asker.connection());
    }
    return switch (reader.dialect()) {
      case H2 -> own.use(asker.connection(), LOCK, use);
      case SQLITE -> sqlite(asker, use);
      case POSTGRESQL -> postgres(asker, use);
      case MARIADB -> mysql(asker, use, false);
      case MYSQL -> mysql(asker, use, true);
    };
  }

  /**
   * Reads what this session alone may see.
   *
   * @throws NotNowException if it cannot be read on this session at this moment
   */
  <T> T readOwn(Asker asker, Use<T> use) throws SQLException {
    return isServer() ? read(asker, use) : use.with(asker.connection());
  }

  /** Reads on a connection that has just been opened and that the application has not got yet. */
  <T> T readFirst(Connection fresh, Use<T> use) throws SQLException {
    return outsideOfTransactions(
        fresh,
        reader.dialect() == Dialect.POSTGRESQL
            ? connection -> bracketed(connection, FIRST_BOUNDS, use)
            : use);
  }

  /**
   * Reads rows of a table.
   *
   * @throws NotNowException if they cannot be read on this session at this moment
   */
  <T> T readRows(Asker asker, Use<T> use) throws SQLException {
    return isServer() && reader.dialect() != Dialect.POSTGRESQL
        ? mysql(asker, use, true)
        : read(asker, use); // PostgreSQL's readers look at the catalog alone
  }

  private <T> T sqlite(Asker asker, Use<T> use) throws SQLException {
    try {
      return own.use(asker.connection(), LOCK, use);
    } catch (SQLException e) {
      return use.with(asker.connection());
    }
  }

  private static ServerState stateOf(Asker asker) {
    ServerState state = ServerState.of(asker.connection());
    if (state != ServerState.UNKNOWN) {
      return state;
    }
    return asker.view().isIdle() ? ServerState.IDLE : ServerState.OPEN;
  }

  private static <T> T postgres(Asker asker, Use<T> use) throws SQLException {
    switch (stateOf(asker)) {
      case IDLE -> {
        return outsideOfTransactions(
            asker.connection(), connection -> bracketed(connection, BOUNDS, use));
      }
      case OPEN -> {
        if (!asker.executing() && !asker.view().hasBegun()) {
          throw new NotNowException("the transaction has no snapshot yet");
        }
        return behindSavepoint(asker.connection(), use);
      }
      default -> throw new NotNowException("the transaction has failed");
    }
  }

  private static <T> T bracketed(Connection connection, String bounds, Use<T> use)
      throws SQLException {
    execute(connection, "BEGIN ISOLATION LEVEL READ COMMITTED READ ONLY; " + bounds);
    try {
      return use.with(connection);
    } finally {
      execute(connection, "ROLLBACK");
    }
  }

  private static <T> T behindSavepoint(Connection connection, Use<T> use) throws SQLException {
    execute(connection, "SAVEPOINT " + SAVEPOINT + "; " + BOUNDS);
    try {
      return use.with(connection);
    } finally {
      execute(
          connection, "ROLLBACK TO SAVEPOINT " + SAVEPOINT + "; RELEASE SAVEPOINT " + SAVEPOINT);
    }
  }

  /**
   * Reads on a session of MySQL or MariaDB.
   *
   * @param takesSnapshot true if the read would take the transaction's snapshot
   */
  private static <T> T mysql(Asker asker, Use<T> use, boolean takesSnapshot) throws SQLException {
    if (!asker.executing()) {
      throw new NotNowException("the last statement's warnings and counts would be lost");
    }
    ServerState state = ServerState.of(asker.connection());
    if (state == ServerState.IDLE
        && (asker.connection().getAutoCommit() || asker.view().isUntouched())) {
      return outsideOfTransactions(asker.connection(), use);
    }
    if (state == ServerState.UNKNOWN && asker.view().isIdle()) {
      return use.with(asker.connection());
    }
    if (takesSnapshot && asker.view().keepsSnapshot()) {
      throw new NotNowException("the transaction would take its snapshot too early");
    }
    return use.with(asker.connection());
  }

  /** On a connection of which the driver knows that it is in no transaction. */
  private static <T> T outsideOfTransactions(Connection connection, Use<T> use)
      throws SQLException {
    if (connection.getAutoCommit()) {
      return use.with(connection);
    }
    connection.setAutoCommit(true);
    try {
      return use.with(connection);
    } finally {
      connection.setAutoCommit(false);
    }
  }

  private static void execute(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }
}
