package io.txwatch.rules.sqlite;

import io.txwatch.history.Database;
import io.txwatch.history.IsolationLevel;
import io.txwatch.rules.DbmsRules;
import io.txwatch.rules.PlainReads;
import io.txwatch.rules.Promise;
import io.txwatch.rules.Promise.Kind;

/** SQLite: always serializable, but for shared cache with read_uncommitted. */
public final class SqliteRules implements DbmsRules {

  @Override
  public String product() {
    return "SQLite";
  }

  @Override
  public boolean isWatched() {
    return true;
  }

  @Override
  public Promise promise(IsolationLevel level, Database database) {
    return switch (level) {
      case UNKNOWN -> Promise.NONE;
      case READ_UNCOMMITTED -> Kind.DIRTY.by("SQLite documentation, PRAGMA read_uncommitted");
      case READ_COMMITTED, REPEATABLE_READ, SNAPSHOT, SERIALIZABLE ->
          Kind.SERIALIZABLE.by("SQLite documentation, Isolation In SQLite");
    };
  }

  @Override
  public String lockClause() {
    return "BEGIN IMMEDIATE";
  }

  @Override
  public PlainReads plainReads(IsolationLevel level) {
    return PlainReads.ofSnapshots(level);
  }
}
