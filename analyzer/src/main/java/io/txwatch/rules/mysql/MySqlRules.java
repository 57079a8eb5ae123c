package io.txwatch.rules.mysql;

import io.txwatch.history.Database;
import io.txwatch.history.IsolationLevel;
import io.txwatch.rules.Promise;
import io.txwatch.rules.innodb.InnodbRules;

/** MySQL with InnoDB. */
public final class MySqlRules extends InnodbRules {

  @Override
  public String product() {
    return "MySQL";
  }

  @Override
  public Promise promise(IsolationLevel level, Database database) {
    return innodb("MySQL Reference Manual, 17.7.2.1 Transaction Isolation Levels", level);
  }
}
