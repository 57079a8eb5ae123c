package io.txwatch.product.postgresql;

import io.txwatch.capture.DeadlockSource;
import io.txwatch.capture.TransactionRules;
import io.txwatch.capture.WaitSource;
import io.txwatch.history.Outcome;
import io.txwatch.sql.dialect.Dialect;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;

/** PostgreSQL: an error aborts the transaction. */
public final class PostgresTransactionRules extends TransactionRules {

  private static final WaitSource WAITS =
      new WaitSource(
          List.of(
              PgCatalogNames.qualify(
                  """
                  SELECT waiting.pid, blocking.pid
                  FROM (SELECT DISTINCT pid FROM pg_catalog.pg_locks WHERE NOT granted) AS waiting,
                       unnest(pg_blocking_pids(waiting.pid)) AS blocking(pid)\
                  """)));

  public PostgresTransactionRules(Dialect dialect) {
    super(dialect);
  }

  @Override
  public LevelTakesEffect levelTakesEffect() {
    return LevelTakesEffect.NEXT_IF_COMMITTED;
  }

  @Override
  public AfterError afterServersError(SQLException error) {
    return isOfDriver(error) ? AfterError.GOES_ON : AfterError.MUST_ROLL_BACK;
  }

  @Override
  public Optional<Outcome> afterRefusedCommit(SQLException error) {
    return Optional.of(isOfDriver(error) ? Outcome.UNKNOWN : Outcome.ABORTED);
  }

  @Override
  public DeadlockSource deadlocks() {
    return PostgresDeadlocks.INSTANCE;
  }

  @Override
  public WaitSource waits() {
    return WAITS;
  }

  @Override
  public boolean errorAbortsTransaction() {
    return true;
  }

  @Override
  public boolean setTransactionNeedsTransaction() {
    return true;
  }

  @Override
  public boolean batchSharesTransaction() {
    return true;
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
}
