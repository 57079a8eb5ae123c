package io.txwatch.product.mariadb;

import io.txwatch.history.Database;
import io.txwatch.product.mysql.MySqlTransactionRules;
import io.txwatch.sql.dialect.Dialect;
import java.sql.SQLException;

/** MariaDB: as MySQL, and with {@code innodb_snapshot_isolation} a conflict rolls back, too. */
public final class MariaDbTransactionRules extends MySqlTransactionRules {

  private static final int RECORD_CHANGED = 1020;

  public MariaDbTransactionRules(Dialect dialect, Database database) {
    super(dialect, database);
  }

  @Override
  public AfterError afterServersError(SQLException error) {
    return error.getErrorCode() == RECORD_CHANGED
        ? AfterError.ROLLED_BACK
        : super.afterServersError(error);
  }
}
