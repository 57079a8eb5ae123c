package io.txwatch.dbms;

import io.txwatch.history.Database;
import io.txwatch.history.IsolationLevel;
import io.txwatch.prepare.DatabaseProbe;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** A DBMS under test. */
public interface Dbms {

  /** Product, version, and the settings that change its guarantees. */
  Database database();

  /** The levels that it tells apart, weakest first. */
  List<IsolationLevel> levels();

  /** The text with the dialect's own words in place of {@code {ENGINE}} and its like. */
  String renderSql(String sql);

  /** Sets the level of a session's transactions to come. */
  default void setLevel(Connection session, IsolationLevel level) throws SQLException {
    session.setTransactionIsolation(
        switch (level) {
          case READ_UNCOMMITTED -> Connection.TRANSACTION_READ_UNCOMMITTED;
          case READ_COMMITTED -> Connection.TRANSACTION_READ_COMMITTED;
          case REPEATABLE_READ -> Connection.TRANSACTION_REPEATABLE_READ;
          case SNAPSHOT -> throw new SQLException("no level SNAPSHOT here", "0A000");
          case SERIALIZABLE -> Connection.TRANSACTION_SERIALIZABLE;
        });
  }

  /**
   * The statement that does the same, where it may go before another one in one round trip; empty
   * where it may not.
   */
  default Optional<String> levelStatement(IsolationLevel level) {
    return Optional.empty();
  }

  /** Lets a session that served another case see the tables of this one. */
  default void refreshSchema(Connection session) throws SQLException {}

  /**
   * Readies a session for a statement that may have to wait.
   *
   * @param othersBlocked true if others wait already: then its wait can be what closes a circle,
   *     and it is the one that has to look for one, soon, before any other does
   */
  default void prepareToBlock(Connection session, boolean othersBlocked) throws SQLException {}

  /** True if who of three that wait in a circle is aborted can hang on how fast they are. */
  default boolean isDeadlockVictimTimingDependent() {
    return false;
  }

  /** True if plain queries, which lock nothing by what they say, wait for locks at that level. */
  default boolean plainReadsLock(IsolationLevel level) {
    return true;
  }

  /**
   * True if a statement may try again and again, in the thread that calls, for what another
   * transaction holds, and the DBMS does not say that it waits.
   */
  default boolean mayBusyWait() {
    return false;
  }

  /**
   * True if a statement that waits for another session lets the thread that called wait, in this
   * process: one whose thread goes on has been set free, whatever the DBMS still says of it.
   */
  default boolean blocksCallingThread() {
    return false;
  }

  /**
   * True if one that waits for a session is not always woken when that goes back to a savepoint,
   * but then waits until its transaction ends.
   */
  default boolean mayMissSavepointWakeup() {
    return false;
  }

  /**
   * True if a lock that is let go of is nobody's until one seizes it: who waited for it may come
   * too late, and wait again. Otherwise it goes to who has waited longest.
   */
  default boolean hasUnfairLocks() {
    return false;
  }

  /** False if a transaction begins and ends by the connection's methods alone. */
  default boolean hasTransactionStatements() {
    return true;
  }

  /** What becomes of several statements, separated by semicolons, that are sent as one. */
  enum MultiStatement {
    /** They cannot be sent so. */
    UNSUPPORTED,
    /** Each is executed as if it had been sent by itself; those after one that fails are not. */
    ONE_BY_ONE,
    /**
     * The same, but where no transaction is open those outside of an explicit one are one: that
     * which fails undoes those before it.
     */
    IN_ONE_TRANSACTION
  }

  /**
   * True if BEGIN does nothing that another session could notice, and may be executed in the same
   * round trip as the statement that comes next in its session.
   */
  default boolean canPiggybackBegin() {
    return false;
  }

  /**
   * True if an action of a foreign key that has waited may leave the children's index broken: the
   * tables are of no use to another case then.
   */
  default boolean cascadesMayCorruptIndexes() {
    return false;
  }

  /** Whether sessions take several statements in one round trip. */
  default MultiStatement multiStatement() {
    return MultiStatement.UNSUPPORTED;
  }

  /**
   * Statements that do what these do, one after the other, and may be fewer: each is answered when
   * it is sent, be it with others, which costs as much as a small one itself.
   */
  default List<String> bundle(List<String> statements) {
    return statements;
  }

  /**
   * On how many sets of the same tables cases are executed in turn, so that the DBMS can purge
   * those that are left ({@link Workspace#startPurge}); serial runs, which need not wait for that,
   * are better elsewhere then. Takes {@link Workspace#switchStatement}, and {@link
   * MultiStatement#ONE_BY_ONE}.
   */
  default int fixtureCount() {
    return 1;
  }

  /** What an error of a statement means. */
  Failure failure(SQLException error);

  /** True if it refused a connection because as many are open as it, or the user, may have. */
  default boolean isOutOfConnections(SQLException error) {
    return false;
  }

  /** A place of our own. */
  Workspace newWorkspace() throws SQLException;

  /** How many workspaces may be worked in at a time. */
  default int maxWorkers() {
    return Integer.MAX_VALUE;
  }

  /** The name and version, as reports have it: {@code PostgreSQL 18.6}. */
  default String describe() {
    return database().product() + " " + database().version();
  }

  /** To be called before the first connection, by a process that has no wishes of its own. */
  static void prepare(String url) {
    if (url.startsWith("jdbc:derby:")) {
      DerbyDbms.redirectLog();
    }
  }

  /**
   * The DBMS behind a URL.
   *
   * @throws UnsupportedDbmsException if it is none that we know how to test
   * @throws SQLException if it does not answer
   */
  static Dbms of(String url, Connector connector) throws SQLException, UnsupportedDbmsException {
    prepare(url);
    try (Connection connection = connector.connect(url)) {
      DatabaseProbe probe = DatabaseProbe.of(connection, url);
      Database database = probe.database();
      return switch (database.product().toLowerCase(Locale.ROOT)) {
        case "postgresql", "cockroachdb", "opengauss" -> new PostgresDbms(database, url, connector);
        case "mysql", "mariadb", "tidb", "oceanbase" -> new MySqlDbms(database, url, connector);
        case "h2" -> new H2Dbms(database, url, connector);
        case "sqlite" -> new SqliteDbms(database, url, connector);
        case "hsql database engine" -> new HsqldbDbms(database, url, connector);
        case "apache derby" -> new DerbyDbms(database, connector);
        case "duckdb" -> new DuckDbDbms(database, connector);
        default -> throw new UnsupportedDbmsException(database.product());
      };
    }
  }
}
