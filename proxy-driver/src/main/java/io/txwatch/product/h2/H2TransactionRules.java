package io.txwatch.product.h2;

import io.txwatch.capture.DeadlockSource;
import io.txwatch.capture.TransactionRules;
import io.txwatch.sql.dialect.Dialect;
import java.sql.SQLException;

/** H2: a deadlock rolls the transaction back. */
public final class H2TransactionRules extends TransactionRules {

  private static final int DEADLOCK = 40001;
  private static final int SYNTAX = 42000;
  private static final int SYNTAX_EXPECTED = 42001;

  public H2TransactionRules(Dialect dialect) {
    super(dialect);
  }

  @Override
  public AfterError afterServersError(SQLException error) {
    return error.getErrorCode() == DEADLOCK ? AfterError.ROLLED_BACK : AfterError.GOES_ON;
  }

  @Override
  public DeadlockSource deadlocks() {
    return error -> error.getErrorCode() == DEADLOCK;
  }

  @Override
  public boolean failedBeforeCommit(SQLException error) {
    int code = error.getErrorCode();
    return code == SYNTAX || code == SYNTAX_EXPECTED;
  }

  @Override
  public boolean levelCommits() {
    return true;
  }

  @Override
  public boolean failedQueryKeepsWrites() {
    return true;
  }

  @Override
  public boolean beginRestoresAutoCommit() {
    return true;
  }
}
