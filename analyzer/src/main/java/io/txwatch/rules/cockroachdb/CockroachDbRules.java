package io.txwatch.rules.cockroachdb;

import io.txwatch.history.Database;
import io.txwatch.history.IsolationLevel;
import io.txwatch.rules.DbmsRules;
import io.txwatch.rules.Promise;
import io.txwatch.rules.Promise.Kind;

/** CockroachDB: SERIALIZABLE by default, READ COMMITTED since 23.2, weaker names are upgraded. */
public final class CockroachDbRules implements DbmsRules {

  @Override
  public String product() {
    return "CockroachDB";
  }

  @Override
  public Promise promise(IsolationLevel level, Database database) {
    return switch (level) {
      case UNKNOWN -> Promise.NONE;
      case READ_UNCOMMITTED, READ_COMMITTED ->
          Kind.COMMITTED_BY_STATEMENT.by("CockroachDB documentation, Read Committed Transactions");
      case REPEATABLE_READ, SNAPSHOT ->
          Kind.SNAPSHOT_READS.by("CockroachDB documentation, SET TRANSACTION, isolation levels");
      case SERIALIZABLE ->
          Kind.SERIALIZABLE.by("CockroachDB documentation, Serializable Transactions");
    };
  }

  @Override
  public String retry() {
    return "retry on SQLSTATE 40001";
  }
}
