package io.txwatch.rules.tidb;

import io.txwatch.history.Database;
import io.txwatch.history.IsolationLevel;
import io.txwatch.rules.DbmsRules;
import io.txwatch.rules.Promise;
import io.txwatch.rules.Promise.Kind;

/** TiDB: REPEATABLE READ is snapshot isolation, but in pessimistic mode writes read the newest. */
public final class TiDbRules implements DbmsRules {

  @Override
  public String product() {
    return "TiDB";
  }

  @Override
  public Promise promise(IsolationLevel level, Database database) {
    String chapter = "TiDB documentation, Transaction Isolation Levels: ";
    return switch (level) {
      case UNKNOWN -> Promise.NONE;
      case READ_UNCOMMITTED, READ_COMMITTED ->
          Kind.COMMITTED_BY_STATEMENT.by(chapter + "Read Committed");
      case REPEATABLE_READ, SNAPSHOT, SERIALIZABLE ->
          Kind.CONSISTENT_READS.by(chapter + "Repeatable Read, difference to MySQL");
    };
  }
}
