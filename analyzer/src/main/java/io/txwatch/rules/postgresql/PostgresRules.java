package io.txwatch.rules.postgresql;

import io.txwatch.history.Database;
import io.txwatch.history.IsolationLevel;
import io.txwatch.rules.DbmsRules;
import io.txwatch.rules.PlainReads;
import io.txwatch.rules.Promise;
import io.txwatch.rules.Promise.Kind;
import java.util.Locale;

/** PostgreSQL. READ UNCOMMITTED behaves as READ COMMITTED. */
public final class PostgresRules implements DbmsRules {

  @Override
  public String product() {
    return "PostgreSQL";
  }

  @Override
  public boolean isWatched() {
    return true;
  }

  @Override
  public Promise promise(IsolationLevel level, Database database) {
    String chapter = "PostgreSQL documentation, 13.2 Transaction Isolation: ";
    return switch (level) {
      case UNKNOWN -> Promise.NONE;
      case READ_UNCOMMITTED, READ_COMMITTED ->
          Kind.COMMITTED_BY_STATEMENT.by(chapter + "13.2.1 Read Committed");
      case REPEATABLE_READ, SNAPSHOT -> Kind.SNAPSHOT.by(chapter + "13.2.2 Repeatable Read");
      case SERIALIZABLE -> Kind.SERIALIZABLE.by(chapter + "13.2.3 Serializable");
    };
  }

  @Override
  public String retry() {
    return "retry on SQLSTATE 40001";
  }

  @Override
  public PlainReads plainReads(IsolationLevel level) {
    return PlainReads.ofSnapshots(level);
  }

  @Override
  public boolean locksRows(Database database) {
    return true;
  }

  @Override
  public boolean deadlocksByRows(Database database) {
    return true;
  }

  @Override
  public boolean mayLockByName(String sql) {
    return sql.toLowerCase(Locale.ROOT).contains("advisory");
  }

  @Override
  public boolean writesMayHideRows(IsolationLevel level) {
    return false;
  }
}
