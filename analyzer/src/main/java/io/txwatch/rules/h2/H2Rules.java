package io.txwatch.rules.h2;

import io.txwatch.history.Database;
import io.txwatch.history.IsolationLevel;
import io.txwatch.rules.DbmsRules;
import io.txwatch.rules.PlainReads;
import io.txwatch.rules.Promise;
import io.txwatch.rules.Promise.Kind;

/** H2 2.x with its multi-version store. */
public final class H2Rules implements DbmsRules {

  @Override
  public String product() {
    return "H2";
  }

  @Override
  public boolean isWatched() {
    return true;
  }

  @Override
  public Promise promise(IsolationLevel level, Database database) {
    String chapter = "H2 documentation, Advanced, Transaction Isolation: ";
    return switch (level) {
      case UNKNOWN -> Promise.NONE;
      case READ_UNCOMMITTED -> Kind.DIRTY.by(chapter + "Read uncommitted");
      case READ_COMMITTED -> Kind.COMMITTED.by(chapter + "Read committed");
      case REPEATABLE_READ -> Kind.REPEATABLE.by(chapter + "Repeatable read");
      case SNAPSHOT -> Kind.CONSISTENT_READS.by(chapter + "Snapshot");
      case SERIALIZABLE ->
          // "currently doesn't ensure equivalence of concurrent and serializable execution of
          // transactions that perform write operations"
          Kind.REPEATABLE.by(chapter + "Serializable");
    };
  }

  @Override
  public boolean namesSnapshot() {
    return true;
  }

  @Override
  public PlainReads plainReads(IsolationLevel level) {
    return level == IsolationLevel.REPEATABLE_READ
        ? PlainReads.SNAPSHOT_OF_TABLE
        : PlainReads.ofSnapshots(level);
  }

  @Override
  public boolean recordsInProcess() {
    return true;
  }

  @Override
  public boolean deadlocksByRows(Database database) {
    return true;
  }
}
