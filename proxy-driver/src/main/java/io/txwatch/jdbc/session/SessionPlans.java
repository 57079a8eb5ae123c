package io.txwatch.jdbc.session;

import io.txwatch.capture.SessionTracker;
import io.txwatch.catalog.JdbcCatalog;
import io.txwatch.dialect.DriverTraits;
import io.txwatch.history.GapReason;
import io.txwatch.history.IsolationLevel;
import io.txwatch.history.StatementKind;
import io.txwatch.jdbc.error.VendorErrors;
import io.txwatch.jdbc.log.Faults;
import io.txwatch.jdbc.plan.CachedPlan;
import io.txwatch.jdbc.plan.CachedPlan.Variant;
import io.txwatch.jdbc.plan.PlanCache;
import io.txwatch.jdbc.plan.StatementOptions;
import io.txwatch.settings.ObservationLevel;
import io.txwatch.settings.Setting;
import java.sql.SQLException;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The plans for the texts of one connection. Selects the variant of a plan that fits the isolation
 * level and the execution method.
 */
public final class SessionPlans {

  /** Spreads the number of changes over the bits, so that no version of the catalog equals it. */
  private static final long LEVEL_CHANGE = 0x9E3779B97F4A7C15L;

  private final WatchedDatabase database;
  private final SessionTracker tracker;
  private final JdbcCatalog catalog;
  private @Nullable PlanCache own;

  /** The level of observation: that of the open transaction, or of the next one. */
  private String level;

  /** The level that was set for the process when {@link #level} was last compared with it. */
  private @Nullable String compared;

  private PlanCache shared;

  /** How often the level has changed. */
  private long changes;

  public SessionPlans(WatchedSession session) {
    this.database = session.database();
    this.tracker = session.tracker();
    this.catalog = session.catalog();
    this.level = database.plans().levelAtFirst();
    this.shared = database.plans().shared(level);
  }

  /** True if observation is switched off: nothing of ours is sent, and no row is seen. */
  public boolean isOff() {
    return level.equals(Setting.OFF);
  }

  /**
   * Takes over the level that was set while the process runs, unless a transaction is open: that
   * one is observed to its end as at its beginning. One read of a variable as long as nothing was
   * set.
   */
  private void followLevel() {
    String set = ObservationLevel.changedOrNull();
    if (Objects.equals(set, compared) || tracker.open() != 0) {
      return;
    }
    compared = set;
    String wanted = set == null ? database.plans().levelAtFirst() : set;
    if (!wanted.equals(level)) {
      level = wanted;
      shared = database.plans().shared(wanted);
      own = null;
      changes++;
      tracker.observed(!isOff());
    }
  }

  /** The plan for a text; null, for which the driver has its own error, has an empty plan. */
  public CachedPlan of(@Nullable String sql, StatementOptions options) {
    followLevel();
    CachedPlan cached = withKeys(sql == null ? "" : sql, options);
    if (catalog.hasOtherLexis()
        && cached.kind() != StatementKind.DDL
        && cached.kind() != StatementKind.OTHER) {
      return cached.asItIs(GapReason.NOT_UNDERSTOOD, "the session reads quotes in another way");
    }
    return options.updatable() && cached.hidesColumns() ? variant(cached, Variant.BARE) : cached;
  }

  /** The plan for a text that is sent right afterwards. */
  public CachedPlan toSend(String sql, StatementOptions options) {
    catalog.sending();
    return of(sql, options);
  }

  /** True if a plan that was made now may be another one by the time when it is executed. */
  public boolean mayChange() {
    return catalog.preparesTables();
  }

  /** Somebody else changed tables. */
  public void tablesChanged() {
    catalog.invalidate();
    cache().tablesChanged();
  }

  /** What plans depend on: while it stays, so do they. */
  public long version() {
    followLevel();
    return catalog.version() ^ (changes * LEVEL_CHANGE);
  }

  /**
   * The plan for a text. PostgreSQL's driver appends RETURNING to a write whose generated keys are
   * wanted, unless it is there. Appended here, it can return the versions of the rows, too. To a
   * MERGE the driver appends it or not, by the first command that it finds anywhere in the text, so
   * that is left to the driver.
   */
  private CachedPlan withKeys(String sql, StatementOptions options) {
    CachedPlan cached = cache().of(sql, catalog);
    if (options.returning().isEmpty()
        || !database.writerTexts().areIds()
        || cached.kind() == StatementKind.MERGE
        || !cached.returnsWrittenRows()) {
      return cached;
    }
    CachedPlan withKeys = cache().of(sql + options.returning(), catalog);
    if (!withKeys.appendsWrittenRows()) {
      return cached;
    }
    withKeys.keysOf(cached);
    return withKeys;
  }

  /** The variant that is not made to return what it writes. */
  public CachedPlan withoutWrittenRows(CachedPlan cached) {
    return atThisLevel(cached.returnsWrittenRows() ? variant(cached, Variant.COUNTING) : cached);
  }

  /** The plan, or the variant that carries nothing where the isolation level is against it. */
  CachedPlan atThisLevel(CachedPlan cached) {
    return cached.carries() && !mayPiggyback(tracker.level()) ? carryingNothing(cached) : cached;
  }

  private boolean mayPiggyback(IsolationLevel level) {
    return level.isKnown() && database.snapshots().mayPiggyback(level);
  }

  /**
   * The variant of a write that is right now.
   *
   * @param mayReturn true if it may be made to return what it writes
   */
  public CachedPlan ofWrite(CachedPlan cached, boolean mayReturn) {
    return mayReturn ? atThisLevel(cached) : withoutWrittenRows(cached);
  }

  public CachedPlan carryingNothing(CachedPlan cached) {
    return cached.carries() ? variant(cached, Variant.CARRYING_NOTHING) : cached;
  }

  private CachedPlan variant(CachedPlan cached, Variant which) {
    return cache().variant(cached, which, catalog);
  }

  private DriverTraits driver() {
    return database.sql().driver();
  }

  /** A session that looks names up elsewhere than it first did has plans of its own. */
  private PlanCache cache() {
    if (catalog.version() >>> 32 == 0) {
      return shared;
    }
    if (own == null) {
      own = database.plans().own(level);
    }
    return own;
  }

  /**
   * The variant of a plan for batches of a prepared statement. MariaDB's driver sends a batch with
   * parameters in bulk, for which the server refuses some statements, and one without as it is: a
   * first parameter must not come from us. PostgreSQL's driver waits for the server after fewer
   * items the longer their generated keys are, so they stay as they are.
   */
  public CachedPlan forBatch(CachedPlan planned) {
    CachedPlan cached = planned.withoutKeys();
    boolean first =
        cached.plan().parameterCount() == 0 && cached.plan().tokenParameters().length > 0;
    return first && driver().sendsBatchesInBulk()
        ? cached.asItIs(GapReason.SHAPE, "batch of a statement without parameters")
        : ofItem(cached);
  }

  /**
   * The variant of a plan for an item of a batch. Of several statements in one text the drivers of
   * MySQL and MariaDB make what their settings state, an error among it: they are left alone.
   */
  public CachedPlan ofItem(CachedPlan cached) {
    return driver().splitsTexts()
            && cached.kind() == StatementKind.OTHER
            && cached.plan().isRewritten()
        ? cached.asItIs(GapReason.SHAPE, "several statements in an item of a batch")
        : withoutWrittenRows(cached);
  }

  /**
   * The DBMS has refused a rewritten text, and executed the application's own: the tables are not
   * what they were, or have something that is not known. They are looked up again, and unless that
   * gives another text, the application's own is sent from now on.
   *
   * @return the plan that sends the application's own text
   */
  public CachedPlan refused(CachedPlan cached, SQLException ours) {
    if (VendorErrors.isOfLimit(ours)) {
      return cache().refused(cached, GapReason.SHAPE, "near a limit of the DBMS");
    }
    Faults.reportRewriting(ours);
    CachedPlan untouched =
        cache().refused(cached, GapReason.FAULT, "SQLState " + ours.getSQLState());
    catalog.invalidate();
    return untouched;
  }

  /**
   * A rewritten text has failed, and the application's own could not be tried instead. Whose fault
   * it is is not known unless the error names something of ours, so the text is as good as new.
   */
  public void failed(CachedPlan cached, SQLException error) {
    if (!cached.usage().isProven()) { // it would fail as often as it is sent
      if (VendorErrors.isAboutOurs(error) || VendorErrors.isOfLimit(error)) {
        refused(cached, error);
      } else {
        cache().refused(cached, GapReason.SHAPE, "failed where its own text could not be tried");
        catalog.invalidate();
      }
    } else if (VendorErrors.isOfText(error, database.sql())) {
      Faults.reportFailed(error);
      catalog.invalidate();
    }
    cached.usage().disprove();
  }
}
