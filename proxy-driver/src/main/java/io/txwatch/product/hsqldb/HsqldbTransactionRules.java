package io.txwatch.product.hsqldb;

import io.txwatch.capture.TransactionRules;
import io.txwatch.history.Database;
import io.txwatch.history.Outcome;
import io.txwatch.history.StatementKind;
import io.txwatch.product.other.OtherTransactionRules;
import io.txwatch.sql.dialect.Dialect;
import java.sql.SQLException;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * HSQLDB: a statement fails alone, unless it conflicts with another transaction: then all is rolled
 * back, if the database is set so (HyperSQL User Guide, Sessions and Transactions: Overview, MVCC).
 * What a definition, or a setting of the database, does is left unknown: it commits before and
 * after, and one that fails may have committed.
 */
final class HsqldbTransactionRules extends TransactionRules {

  /** SET of what belongs to the session, and not to the database. */
  private static final Pattern OF_SESSION =
      Pattern.compile(
          "(?i)\\s*SET\\s+(SCHEMA|SESSION|TRANSACTION|LOCAL|TIME|AUTOCOMMIT|ROLE)\\b[^;]*");

  /** Answers whether a definition or a call may commit. */
  private final TransactionRules ofAny;

  private final AfterError afterConflict;

  HsqldbTransactionRules(Dialect dialect, Database database) {
    super(dialect);
    this.ofAny = new OtherTransactionRules(dialect, false);
    boolean rollsBack = "true".equals(database.settings().get("hsqldb.tx_conflict_rollback"));
    this.afterConflict = rollsBack ? AfterError.ROLLED_BACK : AfterError.MAY_BE_ROLLED_BACK;
  }

  @Override
  public AfterError afterServersError(SQLException error) {
    String state = String.valueOf(error.getSQLState());
    return state.startsWith("40") ? afterConflict : AfterError.GOES_ON;
  }

  @Override
  public Optional<Outcome> afterRefusedCommit(SQLException error) {
    return Optional.of(Outcome.UNKNOWN);
  }

  @Override
  public boolean mayCommit(StatementKind kind, String text) {
    boolean isSet =
        kind == StatementKind.OTHER && text.stripLeading().regionMatches(true, 0, "SET", 0, 3);
    return isSet ? !OF_SESSION.matcher(text).matches() : ofAny.mayCommit(kind, text);
  }
}
