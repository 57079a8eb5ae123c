package io.txwatch.rules.mariadb;

import io.txwatch.history.Database;
import io.txwatch.history.IsolationLevel;
import io.txwatch.rules.Promise;
import io.txwatch.rules.Promise.Kind;
import io.txwatch.rules.VersionNumbers;
import io.txwatch.rules.innodb.InnodbRules;
import java.util.List;
import java.util.Locale;

/**
 * MariaDB with InnoDB; from 11.6.2 on writes at REPEATABLE READ are checked against the snapshot.
 */
public final class MariaDbRules extends InnodbRules {

  @Override
  public String product() {
    return "MariaDB";
  }

  @Override
  public Promise promise(IsolationLevel level, Database database) {
    if (level == IsolationLevel.REPEATABLE_READ && checksSnapshots(database)) {
      return Kind.SNAPSHOT.by(
          "MariaDB documentation, InnoDB System Variables: innodb_snapshot_isolation");
    }
    return innodb("MariaDB documentation, SET TRANSACTION, Isolation Levels", level);
  }

  private static boolean checksSnapshots(Database database) {
    String setting = database.settings().get("innodb_snapshot_isolation");
    if (setting != null) {
      return List.of("on", "1", "true").contains(setting.toLowerCase(Locale.ROOT));
    }
    return VersionNumbers.atLeast(database.product().version(), 11, 6, 2);
  }
}
