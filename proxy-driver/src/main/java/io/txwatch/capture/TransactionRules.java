package io.txwatch.capture;

import io.txwatch.history.Database;
import io.txwatch.history.IsolationLevel;
import io.txwatch.history.Outcome;
import io.txwatch.sql.dialect.Dialect;
import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.SQLRecoverableException;
import java.util.Optional;

/**
 * The implicit effects of a DBMS on a transaction: after an error, at a second BEGIN, at a change
 * of level.
 *
 * @param dialect the dialect
 * @param timeoutRollsBack true if a lock wait timeout rolls the whole transaction back ({@code
 *     innodb_rollback_on_timeout})
 */
public record TransactionRules(Dialect dialect, boolean timeoutRollsBack) {

  /** The state of a transaction after one of its statements failed. */
  public enum AfterError {
    /** The statement had no effect, the transaction continues. */
    GOES_ON,
    /** Only ROLLBACK is accepted; a COMMIT rolls back (PostgreSQL). */
    MUST_ROLL_BACK,
    /** The DBMS has rolled the transaction back (deadlock victims of MySQL, MariaDB, H2). */
    ROLLED_BACK,
    /** The connection is lost, and uncommitted work with it. */
    CONNECTION_LOST
  }

  private static final int MYSQL_LOCK_WAIT_TIMEOUT = 1205;
  private static final int MYSQL_DEADLOCK = 1213;
  private static final int MYSQL_SYNTAX = 1064;
  private static final int MARIADB_RECORD_CHANGED = 1020;
  private static final int H2_DEADLOCK = 40001;
  private static final int H2_SYNTAX = 42000;
  private static final int H2_SYNTAX_EXPECTED = 42001;
  private static final int SQLITE_BUSY = 5;

  /** Returns the rules of a DBMS with its settings. */
  public static TransactionRules of(Dialect dialect, Database database) {
    String onTimeout = database.settings().getOrDefault("innodb_rollback_on_timeout", "OFF");
    return new TransactionRules(dialect, onTimeout.equalsIgnoreCase("ON") || onTimeout.equals("1"));
  }

  /** True if a transaction of that level reads from one snapshot until it ends. */
  public boolean keepsSnapshot(IsolationLevel level) {
    return dialect == Dialect.SQLITE
        || (level != IsolationLevel.READ_COMMITTED && level != IsolationLevel.READ_UNCOMMITTED);
  }

  /** Returns the effect of a statement's error on its transaction. */
  public AfterError afterError(SQLException error) {
    if (connectionLost(error)) {
      return AfterError.CONNECTION_LOST;
    }
    int code = error.getErrorCode();
    return switch (dialect) {
      case POSTGRESQL -> isOfDriver(error) ? AfterError.GOES_ON : AfterError.MUST_ROLL_BACK;
      case MYSQL, MARIADB -> {
        boolean whole =
            code == MYSQL_DEADLOCK
                || (code == MYSQL_LOCK_WAIT_TIMEOUT && timeoutRollsBack)
                || (code == MARIADB_RECORD_CHANGED && dialect == Dialect.MARIADB);
        yield whole ? AfterError.ROLLED_BACK : AfterError.GOES_ON;
      }
      case H2 -> code == H2_DEADLOCK ? AfterError.ROLLED_BACK : AfterError.GOES_ON;
      case SQLITE -> AfterError.GOES_ON;
    };
  }

  /**
   * Returns the outcome of a transaction whose COMMIT failed.
   *
   * @return empty if it is still open and may be committed again
   */
  public Optional<Outcome> afterFailedCommit(SQLException error) {
    if (connectionLost(error)) {
      return Optional.of(Outcome.UNKNOWN);
    }
    String state = state(error);
    boolean refused = state.startsWith("40") || state.startsWith("23") || state.startsWith("25");
    return switch (dialect) {
      case POSTGRESQL -> Optional.of(isOfDriver(error) ? Outcome.UNKNOWN : Outcome.ABORTED);
      case MYSQL, MARIADB, H2 -> Optional.of(refused ? Outcome.ABORTED : Outcome.UNKNOWN);
      case SQLITE ->
          (error.getErrorCode() & 0xff) == SQLITE_BUSY
              ? Optional.empty()
              : Optional.of(Outcome.UNKNOWN);
    };
  }

  /** True if a change of the session's level commits an open transaction. */
  public boolean levelCommits() {
    return dialect == Dialect.H2;
  }

  /** True if a statement that commits implicitly failed before that commit. */
  public boolean failedBeforeCommit(SQLException error) {
    int code = error.getErrorCode();
    return switch (dialect) {
      case MYSQL, MARIADB -> code == MYSQL_SYNTAX;
      case H2 -> code == H2_SYNTAX || code == H2_SYNTAX_EXPECTED;
      case POSTGRESQL, SQLITE -> true;
    };
  }

  /**
   * True if a failed query that writes (H2's delta tables) keeps the rows that it wrote before it
   * failed: unlike an UPDATE, it is not undone.
   */
  public boolean failedQueryKeepsWrites() {
    return dialect == Dialect.H2;
  }

  /** True if BEGIN commits an open transaction. */
  public boolean beginCommits() {
    return dialect == Dialect.MYSQL || dialect == Dialect.MARIADB;
  }

  /** True if autocommit is on after the transaction that BEGIN began, whatever it was before. */
  public boolean beginRestoresAutoCommit() {
    return dialect == Dialect.H2;
  }

  /** True if SET TRANSACTION outside a transaction has no effect, rather than on the next one. */
  public boolean setTransactionNeedsTransaction() {
    return dialect == Dialect.POSTGRESQL;
  }

  /**
   * True if items of an autocommitted batch may share a transaction, so that the failure of one
   * rolls back others.
   */
  public boolean batchSharesTransaction() {
    return dialect == Dialect.POSTGRESQL;
  }

  /** True if the error indicates a lost connection. */
  public static boolean connectionLost(SQLException error) {
    String state = state(error);
    return error instanceof SQLNonTransientConnectionException
        || error instanceof SQLRecoverableException
        || state.startsWith("08")
        || state.startsWith("57P0")
        // H2: connection broken, database closed, while closing
        || state.equals("90067")
        || state.equals("90098")
        || state.equals("90121");
  }

  /**
   * True if pgjdbc raised the error itself, without contacting the server. It is identified by
   * name, because txwatch does not link with the driver.
   */
  private static boolean isOfDriver(SQLException error) {
    if (!error.getClass().getName().equals("org.postgresql.util.PSQLException")) {
      return false;
    }
    try {
      return error.getClass().getMethod("getServerErrorMessage").invoke(error) == null;
    } catch (ReflectiveOperationException e) {
      return false;
    }
  }

  private static String state(SQLException error) {
    String state = error.getSQLState();
    return state == null ? "" : state;
  }
}
