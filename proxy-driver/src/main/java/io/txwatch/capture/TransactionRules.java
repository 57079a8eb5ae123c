package io.txwatch.capture;

import io.txwatch.history.IsolationLevel;
import io.txwatch.history.Outcome;
import io.txwatch.history.StatementKind;
import io.txwatch.sql.dialect.Dialect;
import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.SQLRecoverableException;
import java.util.Optional;

/**
 * The implicit effects of a DBMS on a transaction: after an error, at a second BEGIN, at a change
 * of level.
 */
public abstract class TransactionRules {

  /** The state of a transaction after one of its statements failed. */
  public enum AfterError {
    /** The statement had no effect, the transaction continues. */
    GOES_ON,
    /** Only ROLLBACK is accepted; a COMMIT rolls back (PostgreSQL). */
    MUST_ROLL_BACK,
    /** The DBMS has rolled the transaction back (deadlock victims of MySQL, MariaDB, H2). */
    ROLLED_BACK,
    /**
     * It is not known whether the DBMS has rolled the transaction back: a COMMIT may be of less.
     */
    MAY_BE_ROLLED_BACK,
    /** The connection is lost, and uncommitted work with it. */
    CONNECTION_LOST
  }

  private final Dialect dialect;

  protected TransactionRules(Dialect dialect) {
    this.dialect = dialect;
  }

  /** The SQL of the DBMS. */
  public final Dialect dialect() {
    return dialect;
  }

  /** When a change of the session's level by a text takes effect. */
  public enum LevelTakesEffect {
    /** At once, also in an open transaction (H2, which commits it before; SQLite). */
    IMMEDIATE,
    /** With the next transaction; a rollback takes the change back (PostgreSQL). */
    NEXT_IF_COMMITTED,
    /** With the next transaction, but at once as long as no table was used (MySQL, MariaDB). */
    NEXT
  }

  /** When a change of the session's level by a text takes effect. */
  public LevelTakesEffect levelTakesEffect() {
    return LevelTakesEffect.IMMEDIATE;
  }

  /** True if a transaction of that level reads from one snapshot until it ends. */
  public boolean keepsSnapshot(IsolationLevel level) {
    return level != IsolationLevel.READ_COMMITTED && level != IsolationLevel.READ_UNCOMMITTED;
  }

  /** Returns the effect of a statement's error on its transaction. */
  public final AfterError afterError(SQLException error) {
    return connectionLost(error) ? AfterError.CONNECTION_LOST : afterServersError(error);
  }

  /** Returns the effect of an error after which the connection is still there. */
  public abstract AfterError afterServersError(SQLException error);

  /**
   * Returns the outcome of a transaction whose COMMIT failed.
   *
   * @return empty if it is still open and may be committed again
   */
  public final Optional<Outcome> afterFailedCommit(SQLException error) {
    return connectionLost(error) ? Optional.of(Outcome.UNKNOWN) : afterRefusedCommit(error);
  }

  /** The same of an error after which the connection is still there. */
  public Optional<Outcome> afterRefusedCommit(SQLException error) {
    String state = state(error);
    boolean refused = state.startsWith("40") || state.startsWith("23") || state.startsWith("25");
    return Optional.of(refused ? Outcome.ABORTED : Outcome.UNKNOWN);
  }

  /** How the DBMS reports deadlocks. */
  public DeadlockSource deadlocks() {
    return DeadlockSource.NONE;
  }

  /** How the DBMS lists the waits for locks. */
  public WaitSource waits() {
    return WaitSource.NONE;
  }

  /** True if an error aborts the transaction, and a savepoint is needed to go on after it. */
  public boolean errorAbortsTransaction() {
    return false;
  }

  /** True if a change of the session's level commits an open transaction. */
  public boolean levelCommits() {
    return false;
  }

  /** True if a change of the session's level may commit an open transaction, or not. */
  public boolean levelMayCommit() {
    return false;
  }

  /** True if a statement may have committed what was open before it, or not, failed or not. */
  public boolean mayCommit(StatementKind kind, String text) {
    return false;
  }

  /** The outcome of a transaction that is open when its connection is closed. */
  public Outcome afterClose() {
    return Outcome.ABORTED;
  }

  /** True if a statement that commits implicitly failed before that commit. */
  public boolean failedBeforeCommit(SQLException error) {
    return true;
  }

  /**
   * True if a failed query that writes (H2's delta tables) keeps the rows that it wrote before it
   * failed: unlike an UPDATE, it is not undone.
   */
  public boolean failedQueryKeepsWrites() {
    return false;
  }

  /** True if BEGIN commits an open transaction. */
  public boolean beginCommits() {
    return false;
  }

  /** True if autocommit is on after the transaction that BEGIN began, whatever it was before. */
  public boolean beginRestoresAutoCommit() {
    return false;
  }

  /** True if SET TRANSACTION outside a transaction has no effect, rather than on the next one. */
  public boolean setTransactionNeedsTransaction() {
    return false;
  }

  /**
   * True if items of an autocommitted batch may share a transaction, so that the failure of one
   * rolls back others.
   */
  public boolean batchSharesTransaction() {
    return false;
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

  private static String state(SQLException error) {
    String state = error.getSQLState();
    return state == null ? "" : state;
  }
}
