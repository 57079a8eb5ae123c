package io.txwatch.catalog;

import io.txwatch.catalog.DedicatedConnection.Use;
import io.txwatch.dialect.DriverTraits;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Chooses the connection on which the catalog is read, and the moment.
 *
 * <p>A server's connections are counted: by role, by user, by server. So the catalog of a server is
 * read on the application's own connections, and only where that leaves no trace:
 *
 * <dl>
 *   <dt>PostgreSQL
 *   <dd>Outside of a transaction, in a short one of our own. Inside of one, behind a savepoint that
 *       is rolled back to, so that neither an error nor a setting stays; not before the transaction
 *       has its snapshot, unless the statement that takes it is about to be sent: an earlier query
 *       would take it, and {@code SET TRANSACTION} would be refused after it. The catalog is never
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
 * <p>With versions by value nothing of ours is sent there: the catalog is read on {@linkplain
 * SeparateConnection a connection of our own}.
 *
 * <p>H2 has no limit of connections: there a connection of our own is opened for each look-up, and
 * closed again. A database in memory that has only this one connection is read on it, as is one
 * whose connections come from a pool ({@link ConnectionSource#NONE}).
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
  private final DedicatedConnection own;
  private final boolean onApplication;
  private final @Nullable SeparateConnection separate;

  /** A way to read the catalog on a session, as its DBMS allows it. */
  private interface Way<T> {
    T read(LookupContext context, Use<T> use) throws SQLException;
  }

  /**
   * Access to a catalog.
   *
   * @param separate where it is read, if nothing of ours may be sent on the application's
   *     connections; null if they are used
   */
  CatalogAccess(
      SchemaReader reader,
      DedicatedConnection own,
      boolean onApplication,
      @Nullable SeparateConnection separate) {
    this.separate = separate;
    this.reader = reader;
    this.own = own;
    this.onApplication = onApplication;
  }

  /** True if look-ups go through the application's connections. */
  boolean isServer() {
    return !DriverTraits.of(reader.dialect()).isEmbedded();
  }

  /**
   * Reads the catalog.
   *
   * @throws LookupPostponedException if it cannot be read on this session at this moment
   */
  <T> T read(LookupContext context, Use<T> use) throws SQLException {
    if (separate != null) {
      return separate.use(use);
    }
    if (onApplication && !isServer()) {
      return use.with(context.connection());
    }
    return reader
        .dialect()
        .<Way<T>>select(
            CatalogAccess::postgres,
            (in, what) -> mysql(in, what, true),
            (in, what) -> mysql(in, what, false),
            (in, what) -> own.use(in.connection(), LOCK, what),
            (in, what) -> own.use(in.connection(), LOCK, what),
            (in, what) -> own.use(in.connection(), LOCK, what))
        .read(context, use);
  }

  /**
   * Reads where the session looks names up: without a table, so in MySQL and MariaDB without a
   * snapshot.
   *
   * @throws LookupPostponedException if it cannot be read at this moment
   */
  List<String> readPath(LookupContext context) throws SQLException {
    Use<List<String>> path = reader::path;
    Way<List<String>> ofInnoDb = (in, what) -> mysql(in, what, false);
    Way<List<String>> ofSession = (in, what) -> what.with(in.connection());
    return reader
        .dialect()
        .<Way<List<String>>>select(
            CatalogAccess::postgresPath, ofInnoDb, ofInnoDb, ofSession, ofSession, ofSession)
        .read(context, path);
  }

  /** Reads on a connection that has just been opened and that the application has not got yet. */
  <T> T readFirst(Connection fresh, Use<T> use) throws SQLException {
    if (separate != null) {
      return separate.use(use);
    }
    Use<T> bounded = connection -> bracketed(connection, FIRST_BOUNDS, use);
    return outsideOfTransactions(fresh, reader.dialect().select(bounded, use, use, use, use, use));
  }

  /**
   * Reads rows of a table.
   *
   * @throws LookupPostponedException if they cannot be read on this session at this moment
   */
  <T> T readRows(LookupContext context, Use<T> use) throws SQLException {
    if (separate != null) {
      return separate.use(use);
    }
    if (context.view().holdsTableLocks()) {
      throw new LookupPostponedException("the session has locked tables");
    }
    Way<T> ofInnoDb = (in, what) -> mysql(in, what, true);
    Way<T> ofCatalog = this::read; // PostgreSQL's readers look at the catalog alone
    return reader
        .dialect()
        .select(ofCatalog, ofInnoDb, ofInnoDb, ofCatalog, ofCatalog, ofCatalog)
        .read(context, use);
  }

  private static ServerState stateOf(LookupContext context) {
    ServerState state = ServerState.of(context.connection());
    if (state != ServerState.UNKNOWN) {
      return state;
    }
    return context.view().isIdle() ? ServerState.IDLE : ServerState.OPEN;
  }

  private static <T> T postgres(LookupContext context, Use<T> use) throws SQLException {
    switch (stateOf(context)) {
      case IDLE -> {
        return outsideOfTransactions(
            context.connection(), connection -> bracketed(connection, BOUNDS, use));
      }
      case OPEN -> {
        if (!context.takesSnapshot().getAsBoolean() && !context.view().hasSnapshot()) {
          throw new LookupPostponedException("the transaction has no snapshot yet");
        }
        return behindSavepoint(context.connection(), use);
      }
      default -> throw new LookupPostponedException("the transaction has failed");
    }
  }

  private static <T> T postgresPath(LookupContext context, Use<T> use) throws SQLException {
    return stateOf(context) == ServerState.IDLE
        ? outsideOfTransactions(context.connection(), use)
        : postgres(context, use);
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
  private static <T> T mysql(LookupContext context, Use<T> use, boolean takesSnapshot)
      throws SQLException {
    if (!context.executing()) {
      throw new LookupPostponedException("the last statement's warnings and counts would be lost");
    }
    ServerState state = ServerState.of(context.connection());
    if (state == ServerState.IDLE && context.view().isUntouched()) {
      return outsideOfTransactions(context.connection(), use);
    }
    if (state == ServerState.UNKNOWN && context.view().isIdle()) {
      return use.with(context.connection());
    }
    if (takesSnapshot && context.view().keepsSnapshot()) {
      throw new LookupPostponedException("the transaction would take its snapshot too early");
    }
    if (takesSnapshot && state == ServerState.IDLE) {
      throw new LookupPostponedException("the level of the next transaction would be used up");
    }
    return use.with(context.connection());
  }

  /** On a connection of which the driver knows that it is in no transaction. */
  static <T> T outsideOfTransactions(Connection connection, Use<T> use) throws SQLException {
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
