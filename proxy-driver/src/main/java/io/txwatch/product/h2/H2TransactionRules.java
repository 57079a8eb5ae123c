package io.txwatch.product.h2;

import io.txwatch.capture.DeadlockSource;
import io.txwatch.capture.TransactionRules;
import io.txwatch.capture.WaitSource;
import io.txwatch.sql.dialect.Dialect;
import java.sql.SQLException;
import java.util.List;

/** H2: a deadlock rolls the transaction back. */
public final class H2TransactionRules extends TransactionRules {

  /**
   * A session that was released clears its entry when it next runs: the entry counts only while the
   * other one has changes.
   */
  private static final WaitSource WAITS =
      new WaitSource(
          List.of(
              """
              SELECT w.SESSION_ID, w.BLOCKER_ID
              FROM INFORMATION_SCHEMA.SESSIONS w
              JOIN INFORMATION_SCHEMA.SESSIONS b ON b.SESSION_ID = w.BLOCKER_ID
              WHERE b.CONTAINS_UNCOMMITTED\
              """));

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
    return H2TransactionRules::isDeadlock;
  }

  /**
   * A write of a row that another transaction has changed since the snapshot fails by that code,
   * too.
   */
  private static boolean isDeadlock(SQLException error) {
    if (error.getErrorCode() != DEADLOCK) {
      return false;
    }
    for (Throwable each : error) { // with the causes, and the errors of a batch's items
      // The text of an SQLException contains that of the statement, which may be anything.
      if (!(each instanceof SQLException)
          && String.valueOf(each.getMessage()).contains("deadlock victim")) {
        return true;
      }
    }
    return false;
  }

  @Override
  public WaitSource waits() {
    return WAITS;
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
