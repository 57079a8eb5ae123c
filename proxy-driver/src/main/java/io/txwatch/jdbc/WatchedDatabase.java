package io.txwatch.jdbc;

import io.txwatch.capture.Pipeline;
import io.txwatch.capture.TransactionRules;
import io.txwatch.history.Database;
import io.txwatch.sql.Dialect;
import io.txwatch.sql.Planner;
import io.txwatch.sql.RewritePlanner;
import java.util.function.UnaryOperator;

/**
 * What the watched connections to one database, of one user, have in common.
 *
 * @param database the DBMS as histories name it
 * @param rules what it does to transactions
 * @param planner makes plans
 * @param show a text as histories show it
 * @param plans the plans that hold for sessions that look names up where they did when opened
 * @param pipeline where events go
 */
record WatchedDatabase(
    Database database,
    TransactionRules rules,
    Planner planner,
    UnaryOperator<String> show,
    PlanCache plans,
    Pipeline pipeline) {

  static WatchedDatabase of(
      Database database,
      Dialect dialect,
      RewritePlanner.Level level,
      UnaryOperator<String> show,
      Pipeline pipeline) {
    Planner planner = new RewritePlanner(dialect, level);
    return new WatchedDatabase(
        database,
        TransactionRules.of(dialect, database),
        planner,
        show,
        new PlanCache(planner, show),
        pipeline);
  }

  /** An empty cache, for a session that looks names up elsewhere. */
  PlanCache ownPlans() {
    return new PlanCache(planner, show);
  }
}
