package io.txwatch.jdbc;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.txwatch.capture.StatementPlace;
import io.txwatch.history.GapReason;
import io.txwatch.history.StatementKind;
import io.txwatch.prepare.JdbcCatalog;
import io.txwatch.sql.Catalog;
import io.txwatch.sql.Planner;
import io.txwatch.sql.RewritePlan;
import io.txwatch.sql.TransactionControl;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;

/**
 * The plans for a database, by text: one look-up in the steady state, bounded by the characters of
 * the texts. A plan is made outside the cache's locks, so that a slow catalog holds up nobody else;
 * two connections may make the same plan at the same time.
 */
final class PlanCache {

  /** Characters of SQL that are kept; a plan weighs some six times its text. */
  private static final long MOST_CHARACTERS = 4_000_000;

  private static final int WEIGHT_OF_A_PLAN = 200;

  private final Planner planner;
  private final UnaryOperator<String> show;
  private final boolean exactPlaces;

  /** The catalog's version that the plans were made at. */
  private volatile long version;

  private final Cache<String, CachedPlan> plans =
      Caffeine.newBuilder()
          .maximumWeight(MOST_CHARACTERS)
          .weigher((String sql, CachedPlan plan) -> sql.length() + WEIGHT_OF_A_PLAN)
          .executor(Runnable::run)
          .build();

  /**
   * An empty cache.
   *
   * @param show the text as histories show it
   * @param exactPlaces true if the place in the application is looked up at each execution
   */
  PlanCache(Planner planner, UnaryOperator<String> show, boolean exactPlaces) {
    this.planner = planner;
    this.show = show;
    this.exactPlaces = exactPlaces;
  }

  /** The plan for a text. Never throws: what goes wrong here is a reason to pass the text on. */
  CachedPlan of(String sql, JdbcCatalog catalog) {
    long now = catalog.version();
    if (now != version) {
      version = now;
      plans.invalidateAll();
    }
    CachedPlan known = plans.getIfPresent(sql);
    if (known != null) {
      return known;
    }
    CachedPlan made = make(sql, catalog, true);
    if (catalog.version() == now) {
      plans.put(sql, made);
    }
    return made;
  }

  /** The variant of a plan that returns no rows of a write's. */
  CachedPlan counting(CachedPlan cached, Catalog catalog) {
    if (!cached.returnsWrittenRows()) {
      return cached;
    }
    CachedPlan known = cached.counting();
    if (known == null) {
      known = make(cached.plan().original(), catalog, false);
      cached.counting(known);
    }
    return known;
  }

  /** The variant of a plan whose rows carry nothing of what it reads besides. */
  CachedPlan carryingNothing(CachedPlan cached, Catalog catalog) {
    CachedPlan known = cached.carryingNothing();
    if (known == null) {
      known = make(cached.plan().original(), catalog::find, true);
      cached.carryingNothing(known);
    }
    return known;
  }

  /**
   * A catalog that does not say whether rows may be written anew.
   *
   * @param values whether it says how values are stored
   * @param holdsRow whether the statement's row is held
   */
  private record SayingLess(Catalog catalog, boolean values, boolean holdsRow) implements Catalog {
    @Override
    public Optional<Table> find(List<String> nameParts) {
      return catalog.find(nameParts);
    }

    @Override
    public boolean isSmall(List<String> nameParts) {
      return catalog.isSmall(nameParts);
    }

    @Override
    public boolean storesAsGiven() {
      return values && catalog.storesAsGiven();
    }
  }

  /** The variant of a plan that does not assume that the statement is a transaction of its own. */
  CachedPlan inTransaction(CachedPlan cached, Catalog catalog) {
    CachedPlan known = cached.inTransaction();
    if (known == null) {
      known = make(cached.plan().original(), new SayingLess(catalog, true, false), true);
      cached.inTransaction(known);
    }
    return known;
  }

  /** The variant of a plan for a row that the transaction holds, with its writers. */
  CachedPlan ofHeldRow(CachedPlan cached, Catalog catalog) {
    CachedPlan known = cached.ofHeldRow();
    if (known == null) {
      known = make(cached.plan().original(), new SayingLess(catalog, true, true), true);
      cached.ofHeldRow(known);
    }
    return known;
  }

  /** The variant of a plan that assumes nothing of session and values. */
  CachedPlan assumingNothing(CachedPlan cached, Catalog catalog) {
    CachedPlan known = cached.assumingNothing();
    if (known == null) {
      known = make(cached.plan().original(), new SayingLess(catalog, false, false), true);
      cached.assumingNothing(known);
    }
    return known;
  }

  /** The variant of a query that appends nothing, for a result that rows are written through. */
  CachedPlan bare(CachedPlan cached, Catalog catalog) {
    CachedPlan known = cached.counting();
    if (known == null) {
      CachedPlan made = make(cached.plan().original(), catalog, false);
      known =
          new CachedPlan(
              made.plan().unseen(GapReason.SHAPE, "updatable result"),
              made.shownSql(),
              made.place());
      cached.counting(known);
    }
    return known;
  }

  private StatementPlace newPlace() {
    return new StatementPlace(exactPlaces);
  }

  private CachedPlan make(String sql, Catalog catalog, boolean mayReturnRows) {
    try {
      return new CachedPlan(planner.plan(sql, catalog, mayReturnRows), show.apply(sql), newPlace());
    } catch (RuntimeException | StackOverflowError e) {
      return new CachedPlan(
          RewritePlan.untouched(
              sql,
              StatementKind.OTHER,
              TransactionControl.NONE,
              Optional.of(GapReason.FAULT),
              e.getClass().getSimpleName(),
              0),
          "",
          newPlace());
    }
  }

  /** The plan that sends the application's own text, with the reason why. */
  static CachedPlan asItIs(CachedPlan cached, GapReason reason, String detail) {
    RewritePlan plan = cached.plan();
    RewritePlan untouched =
        RewritePlan.untouched(
            plan.original(),
            plan.kind(),
            plan.control(),
            Optional.of(reason),
            detail,
            plan.parameterCount());
    return new CachedPlan(
        new RewritePlan(
            untouched.original(),
            untouched.kind(),
            untouched.control(),
            untouched.passThrough(),
            untouched.passThroughDetail(),
            untouched.preparedSql(),
            untouched.immediatePieces(),
            untouched.immediateGaps(),
            untouched.parameterCount(),
            untouched.parameterIndex(),
            untouched.tokenParameters(),
            untouched.rowIdParameters(),
            untouched.newRows(),
            untouched.returns(),
            untouched.appended(),
            // Where a star was written out, the application's own text has it still.
            plan.starShowsAuxiliary() || (plan.isRewritten() && plan.original().indexOf('*') >= 0),
            untouched.keys(),
            List.of(),
            untouched.carried(),
            untouched.assumed(),
            untouched.mayLeaveUnnamed()),
        cached.shownSql(),
        cached.place());
  }

  /** From now on the text is sent as it is. */
  CachedPlan doNotRewrite(CachedPlan cached, String why) {
    CachedPlan untouched = asItIs(cached, GapReason.FAULT, why);
    plans.put(cached.plan().original(), untouched);
    return untouched;
  }
}
