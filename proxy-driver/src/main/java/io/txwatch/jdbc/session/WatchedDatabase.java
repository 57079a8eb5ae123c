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
import java.util.function.Function;

/**
 * What the watched connections to one database, of one user, have in common.
 *
 * @param database the DBMS as histories name it
 * @param sql what can be added to its statements, and what its driver does
 * @param rules what it does to transactions
 * @param snapshots when a read beside a statement may be sent, and what it sees
 * @param redacts true if values that may be personal are not to be shown
 * @param recordsValues true if parameters and values of statements are recorded
 * @param exactPlaces true if the place in the application is looked up at each execution
 * @param callSites finds the place in the application
 * @param plans the plans for its texts, by the level of observation
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
    boolean redacts,
    boolean recordsValues,
    boolean exactPlaces,
    CallSites callSites,
    LevelPlans plans,
    Pipeline pipeline,
    int mostSideRows,
    SideReadMemory memory,
    WriterTexts writerTexts,
    CatalogMode.Versions versions,
    LatestUpdates latestUpdates) {

  /**
   * A database with no plans yet.
   *
   * @param level the level of observation that its connections are opened with
   * @param planners makes the planner of a level
   */
  public static WatchedDatabase of(
      Database database,
      WatchedProduct product,
      String level,
      Function<String, Planner> planners,
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
        redacts,
        recordsValues,
        exactPlaces,
        callSites,
        new LevelPlans(
            level,
            one -> new PlanCache(planners.apply(one), product.dialect(), redacts, exactPlaces)),
        pipeline,
        mostSideRows,
        new SideReadMemory(),
        writerTexts,
        versions,
        new LatestUpdates());
  }
}
