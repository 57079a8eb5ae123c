package io.txwatch.jdbc.session;

import io.txwatch.capture.CallSites;
import io.txwatch.capture.Pipeline;
import io.txwatch.capture.SnapshotRules;
import io.txwatch.capture.TransactionRules;
import io.txwatch.capture.WriterTexts;
import io.txwatch.catalog.CatalogMode;
import io.txwatch.dialect.DialectSql;
import io.txwatch.history.Database;
import io.txwatch.jdbc.plan.PlanCache;
import io.txwatch.jdbc.plan.SideReadMemory;
import io.txwatch.plan.Planner;
import io.txwatch.product.WatchedProduct;

/**
 * What the watched connections to one database, of one user, have in common.
 *
 * @param database the DBMS as histories name it
 * @param sql what can be added to its statements, and what its driver does
 * @param rules what it does to transactions
 * @param snapshots when a read beside a statement may be sent, and what it sees
 * @param planner makes plans
 * @param redacts true if values that may be personal are not to be shown
 * @param recordsValues true if parameters and values of statements are recorded
 * @param exactPlaces true if the place in the application is looked up at each execution
 * @param callSites finds the place in the application
 * @param plans the plans that hold for sessions that look names up where they did when opened
 * @param pipeline where events go
 * @param mostSideRows how many rows a read beside a statement may bring
 * @param memory what such reads have learnt
 * @param writerTexts reads the writers of a version
 * @param versions where row versions come from
 * @param latestUpdates who updated which row last
 */
public record WatchedDatabase(
    Database database,
    DialectSql sql,
    TransactionRules rules,
    SnapshotRules snapshots,
    Planner planner,
    boolean redacts,
    boolean recordsValues,
    boolean exactPlaces,
    CallSites callSites,
    PlanCache plans,
    Pipeline pipeline,
    int mostSideRows,
    SideReadMemory memory,
    WriterTexts writerTexts,
    CatalogMode.Versions versions,
    LatestUpdates latestUpdates) {

  public static WatchedDatabase of(
      Database database,
      WatchedProduct product,
      Planner planner,
      WriterTexts writerTexts,
      CatalogMode.Versions versions,
      int mostSideRows,
      boolean redacts,
      boolean recordsValues,
      boolean exactPlaces,
      CallSites callSites,
      Pipeline pipeline) {
    return new WatchedDatabase(
        database,
        product.sql(),
        product.transactionRules(database),
        product.snapshotRules(database),
        planner,
        redacts,
        recordsValues,
        exactPlaces,
        callSites,
        new PlanCache(planner, product.dialect(), redacts, exactPlaces),
        pipeline,
        mostSideRows,
        new SideReadMemory(),
        writerTexts,
        versions,
        new LatestUpdates());
  }

  /** An empty cache, for a session that looks names up elsewhere. */
  PlanCache ownPlans() {
    return new PlanCache(planner, sql.dialect(), redacts, exactPlaces);
  }
}
