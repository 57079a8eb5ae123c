package io.txwatch.product.mysql;

import io.txwatch.capture.DeadlockSource;
import io.txwatch.capture.TransactionRules;
import io.txwatch.capture.WaitSource;
import io.txwatch.history.Database;
import io.txwatch.sql.dialect.Dialect;
import java.sql.SQLException;

/** MySQL: a deadlock rolls the transaction back, a lock wait timeout does if it is set so. */
public class MySqlTransactionRules extends TransactionRules {

  private static final int LOCK_WAIT_TIMEOUT = 1205;
  private static final int SYNTAX = 1064;

  /** {@code innodb_rollback_on_timeout}. */
  private final boolean timeoutRollsBack;

  public MySqlTransactionRules(Dialect dialect, Database database) {
    super(dialect);
    String onTimeout = database.settings().getOrDefault("innodb_rollback_on_timeout", "OFF");
    this.timeoutRollsBack = onTimeout.equalsIgnoreCase("ON") || onTimeout.equals("1");
  }

  @Override
  public LevelTakesEffect levelTakesEffect() {
    return LevelTakesEffect.NEXT;
  }

  @Override
  public AfterError afterServersError(SQLException error) {
    int code = error.getErrorCode();
    boolean whole =
        code == InnoDbDeadlocks.DEADLOCK || (code == LOCK_WAIT_TIMEOUT && timeoutRollsBack);
    return whole ? AfterError.ROLLED_BACK : AfterError.GOES_ON;
  }

  @Override
  public DeadlockSource deadlocks() {
    return InnoDbDeadlocks.INSTANCE;
  }

  @Override
  public WaitSource waits() {
    return InnoDbWaits.SOURCE;
  }

  @Override
  public boolean failedBeforeCommit(SQLException error) {
    return error.getErrorCode() == SYNTAX;
  }

  @Override
  public boolean beginCommits() {
    return true;
  }
}
