package io.txwatch.rules.oceanbase;

import io.txwatch.history.Database;
import io.txwatch.history.IsolationLevel;
import io.txwatch.rules.DbmsRules;
import io.txwatch.rules.Promise;
import io.txwatch.rules.Promise.Kind;

/** OceanBase in either mode: SERIALIZABLE is snapshot isolation. */
public final class OceanBaseRules implements DbmsRules {

  @Override
  public String product() {
    return "OceanBase";
  }

  @Override
  public Promise promise(IsolationLevel level, Database database) {
    String chapter = "OceanBase documentation, Transaction isolation levels: ";
    return switch (level) {
      case UNKNOWN -> Promise.NONE;
      case READ_UNCOMMITTED, READ_COMMITTED -> Kind.COMMITTED.by(chapter + "Read Committed");
      case REPEATABLE_READ, SNAPSHOT, SERIALIZABLE ->
          Kind.SNAPSHOT_READS.by(chapter + "Repeatable Read and Serializable");
    };
  }
}
