package io.txwatch.rules.opengauss;

import io.txwatch.history.Database;
import io.txwatch.history.IsolationLevel;
import io.txwatch.rules.DbmsRules;
import io.txwatch.rules.Promise;
import io.txwatch.rules.Promise.Kind;

/** openGauss: SERIALIZABLE is not supported and equals REPEATABLE READ. */
public final class OpenGaussRules implements DbmsRules {

  @Override
  public String product() {
    return "openGauss";
  }

  @Override
  public Promise promise(IsolationLevel level, Database database) {
    return switch (level) {
      case UNKNOWN -> Promise.NONE;
      case READ_UNCOMMITTED, READ_COMMITTED ->
          Kind.COMMITTED.by("openGauss documentation, SET TRANSACTION, READ COMMITTED");
      case REPEATABLE_READ, SNAPSHOT, SERIALIZABLE ->
          Kind.SNAPSHOT_READS.by(
              "openGauss documentation, SET TRANSACTION: SERIALIZABLE is equivalent to REPEATABLE"
                  + " READ");
    };
  }

  @Override
  public boolean writesMayHideRows(IsolationLevel level) {
    return false;
  }
}
