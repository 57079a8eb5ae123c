package io.txwatch.plan;

import io.txwatch.history.IsolationLevel;
import java.util.List;
import java.util.Optional;

/**
 * What a statement does to the transaction it stands in, or to the ones after it (hazards 40, 41).
 */
public sealed interface TransactionControl {

  /** Nothing: an ordinary statement. */
  record None() implements TransactionControl {}

  /** BEGIN, START TRANSACTION; with the level it names, if it names one. */
  record Begin(Optional<IsolationLevel> level) implements TransactionControl {}

  /** COMMIT, END; with AND CHAIN another transaction begins at once. */
  record Commit(boolean chain) implements TransactionControl {}

  /** ROLLBACK, ABORT; with AND CHAIN another transaction begins at once. */
  record Rollback(boolean chain) implements TransactionControl {}

  /** SAVEPOINT name, folded as the DBMS compares names. */
  record Savepoint(String name) implements TransactionControl {}

  /** ROLLBACK TO name. */
  record RollbackTo(String name) implements TransactionControl {}

  /** RELEASE SAVEPOINT name. */
  record Release(String name) implements TransactionControl {}

  /** XA START: the statements that follow belong to the branch of that id. */
  record BranchStart(String id) implements TransactionControl {}

  /** XA END. */
  record BranchEnd() implements TransactionControl {}

  /** XA PREPARE, PREPARE TRANSACTION, PREPARE COMMIT: neither a commit nor a rollback. */
  record Prepare(String id) implements TransactionControl {}

  /**
   * XA COMMIT, COMMIT PREPARED and their like: of the branch of that id, regardless of who did its
   * work.
   */
  record BranchOutcome(String id, boolean committed) implements TransactionControl {}

  /**
   * SET TRANSACTION ISOLATION LEVEL: the current transaction, or (MySQL, MariaDB) the next one
   * only.
   */
  record SetTransaction(IsolationLevel level) implements TransactionControl {}

  /** SET SESSION … ISOLATION LEVEL and its like: all transactions that begin from now on. */
  record SetSession(IsolationLevel level) implements TransactionControl {}

  /** SET autocommit. */
  record SetAutocommit(boolean on) implements TransactionControl {}

  /**
   * Commits what is open, then is a transaction of its own (DDL on MySQL, MariaDB and H2; LOCK
   * TABLES).
   */
  record ImplicitCommit(TableLocks locks) implements TransactionControl {

    /** It neither takes nor releases locks of tables. */
    public ImplicitCommit() {
      this(TableLocks.AS_BEFORE);
    }
  }

  /** The locks of whole tables that a session of MySQL or MariaDB holds after a statement. */
  enum TableLocks {
    AS_BEFORE,
    /** LOCK TABLES; FLUSH TABLES … WITH READ LOCK, FOR EXPORT. */
    HELD,
    /** UNLOCK TABLES. BEGIN releases them, too. */
    RELEASED
  }

  /**
   * Several statements in one string, of which at least one is not {@link None}: in their order.
   */
  record Several(List<TransactionControl> parts) implements TransactionControl {}

  /** The one instance of {@link None}. */
  None NONE = new None();
}
