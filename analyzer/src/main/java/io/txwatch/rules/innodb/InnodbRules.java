package io.txwatch.rules.innodb;

import io.txwatch.history.Database;
import io.txwatch.history.IsolationLevel;
import io.txwatch.rules.DbmsRules;
import io.txwatch.rules.PlainReads;
import io.txwatch.rules.Promise;
import io.txwatch.rules.Promise.Kind;
import java.util.Locale;
import java.util.Map;

/** A DBMS with InnoDB: plain reads at SERIALIZABLE lock, and so return the newest versions. */
public abstract class InnodbRules implements DbmsRules {

  @Override
  public boolean isWatched() {
    return true;
  }

  @Override
  public String retry() {
    return "retry on deadlock (error 1213)";
  }

  @Override
  public PlainReads plainReads(IsolationLevel level) {
    return level == IsolationLevel.SERIALIZABLE ? PlainReads.NEWEST : PlainReads.ofSnapshots(level);
  }

  @Override
  public boolean locksRows(Database database) {
    Map<String, String> settings = database.settings();
    boolean isGalera = settings.getOrDefault("wsrep_on", "OFF").equalsIgnoreCase("ON");
    return !isGalera
        && !settings
            .getOrDefault("group_replication_single_primary_mode", "ON")
            .equalsIgnoreCase("OFF");
  }

  @Override
  public boolean deadlocksByRows(Database database) {
    return locksRows(database);
  }

  @Override
  public boolean plainReadsLock(IsolationLevel level) {
    return level == IsolationLevel.SERIALIZABLE || level == IsolationLevel.UNKNOWN;
  }

  @Override
  public boolean mayLockByName(String sql) {
    String text = sql.toLowerCase(Locale.ROOT);
    return text.contains("get_lock") || text.contains("lock table");
  }

  /**
   * What it promises.
   *
   * @param chapter of the documentation, on the levels
   */
  protected static Promise innodb(String chapter, IsolationLevel level) {
    return switch (level) {
      case UNKNOWN -> Promise.NONE;
      case READ_UNCOMMITTED -> Kind.DIRTY.by(chapter + ", READ UNCOMMITTED");
      case READ_COMMITTED -> Kind.COMMITTED_BY_STATEMENT.by(chapter + ", READ COMMITTED");
      case REPEATABLE_READ, SNAPSHOT ->
          Kind.CONSISTENT_READS.by(chapter + ", REPEATABLE READ; Consistent Nonlocking Reads");
      case SERIALIZABLE -> Kind.SERIALIZABLE.by(chapter + ", SERIALIZABLE");
    };
  }
}
