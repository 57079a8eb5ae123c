package io.txwatch.jdbc.plan;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.txwatch.capture.SampledCallSite;
import io.txwatch.catalog.JdbcCatalog;
import io.txwatch.history.AccessedColumns;
import io.txwatch.history.GapReason;
import io.txwatch.history.StatementKind;
import io.txwatch.jdbc.plan.CachedPlan.Variant;
import io.txwatch.plan.Catalog;
import io.txwatch.plan.ComparedKey;
import io.txwatch.plan.PlanRequest;
import io.txwatch.plan.Planner;
import io.txwatch.plan.RewritePlan;
import io.txwatch.plan.TransactionControl;
import io.txwatch.sql.syntax.TextShape;
import java.time.Duration;
import java.util.Optional;
import java.util.function.UnaryOperator;

/**
 * The plans for a database, by text: one lookup in the steady state, bounded by the characters of
 * the texts. Texts that differ only in the values of literals have a {@linkplain TextShape shape}
 * in common: the shape is planned, and the plan of each text follows from that of its shape; such a
 * text is kept from its second use on. A plan is made outside the cache's locks, so that a slow
 * catalog holds up no one else; two connections may make the same plan at the same time.
 */
public final class PlanCache {

  /** Characters of SQL that are kept; a plan weighs some six times its text. */
  private static final long MAX_CHARACTERS = 4_000_000;

  /** The same of shapes, of which there are few unless texts are lists of ever other lengths. */
  private static final long MAX_CHARACTERS_OF_SHAPES = 1_000_000;

  private static final int WEIGHT_OF_A_PLAN = 200;

  /** How often a text is planned if the catalog changes meanwhile each time. */
  private static final int MAX_ATTEMPTS = 4;

  /** How long a text that was refused is not tried again. */
  private static final Duration REFUSED_FOR = Duration.ofMinutes(1);

  /** Why a text was refused. */
  private record Refusal(GapReason reason, String why) {}

  /** The texts of ours that the DBMS has refused lately. */
  private final Cache<String, Refusal> refused =
      Caffeine.newBuilder()
          .maximumWeight(MAX_CHARACTERS)
          .weigher((String sql, Refusal refusal) -> sql.length())
          .expireAfterWrite(REFUSED_FOR)
          .executor(Runnable::run)
          .build();

  private final Planner planner;
  private final UnaryOperator<String> show;
  private final boolean redacts;
  private final boolean exactPlaces;

  private volatile Generation generation = new Generation(0);

  /** The plans that were made at one version of the catalog; one made at another has no place. */
  private static final class Generation {
    private final long version;

    private final Cache<String, CachedPlan> plans =
        Caffeine.newBuilder()
            .maximumWeight(MAX_CHARACTERS)
            .weigher((String sql, CachedPlan plan) -> sql.length() + WEIGHT_OF_A_PLAN)
            .executor(Runnable::run)
            .build();

    /** The plans of shapes. */
    private final Cache<String, CachedPlan> shapes =
        Caffeine.newBuilder()
            .maximumWeight(MAX_CHARACTERS_OF_SHAPES)
            .weigher((String shape, CachedPlan plan) -> shape.length() + WEIGHT_OF_A_PLAN)
            .executor(Runnable::run)
            .build();

    /** Texts that were planned by their shape once: a text that never comes again is not kept. */
    private final RecentTexts recentTexts = new RecentTexts();

    private Generation(long version) {
      this.version = version;
    }
  }

  /**
   * An empty cache.
   *
   * @param show the text as histories show it
   * @param redacts true if they show texts of one shape alike
   * @param exactPlaces true if the place in the application is looked up at each execution
   */
  public PlanCache(
      Planner planner, UnaryOperator<String> show, boolean redacts, boolean exactPlaces) {
    this.planner = planner;
    this.show = show;
    this.redacts = redacts;
    this.exactPlaces = exactPlaces;
  }

  /** The plan for a text. Never throws: what goes wrong here is a reason to pass the text on. */
  public CachedPlan of(String sql, JdbcCatalog catalog) {
    Generation current = at(catalog.version());
    CachedPlan known = current.plans.getIfPresent(sql);
    if (known != null) {
      return known;
    }
    Optional<TextShape> shape = shape(sql);
    for (int attempt = 1; ; attempt++) {
      CachedPlan made = make(sql, shape, catalog, current);
      long after = catalog.version();
      if (after == current.version) {
        boolean isKept = shape.isEmpty() || current.recentTexts.contains(sql);
        if (isKept) {
          current.plans.put(sql, made);
        }
        return made;
      }
      if (attempt == MAX_ATTEMPTS) {
        return made;
      }
      current = at(after); // two tables of the statement may have been looked up at two versions
    }
  }

  private Optional<TextShape> shape(String sql) {
    try {
      return planner.shape(sql);
    } catch (RuntimeException e) {
      return Optional.empty();
    }
  }

  private CachedPlan make(
      String sql, Optional<TextShape> shape, JdbcCatalog catalog, Generation current) {
    return shape
        .flatMap(of -> inShape(sql, of, catalog, current))
        .orElseGet(() -> make(sql, catalog, PlanRequest.ANY));
  }

  /** The plan of a text by that of its shape; empty if it must be planned itself. */
  private Optional<CachedPlan> inShape(
      String sql, TextShape shape, JdbcCatalog catalog, Generation current) {
    try {
      CachedPlan ofShape = current.shapes.getIfPresent(shape.text());
      if (ofShape == null) {
        Optional<Planner.Planned> planned = planner.planned(shape, catalog);
        if (planned.isEmpty()) {
          return Optional.empty();
        }
        ofShape = cached(planned.get(), shape.text());
        if (catalog.version() == current.version) {
          current.shapes.put(shape.text(), ofShape);
        }
      }
      String shown = redacts ? ofShape.shownSql() : show.apply(sql);
      return Optional.of(ofShape.in(shape.tokens(), shown, newPlace()));
    } catch (RuntimeException | StackOverflowError e) {
      return Optional.empty(); // planned by itself, it shows what is wrong
    }
  }

  private CachedPlan cached(Planner.Planned planned, String sql) {
    return new CachedPlan(
        planned.plan(), show.apply(sql), columns(planned), planned.key(), newPlace());
  }

  private Generation at(long version) {
    Generation current = generation;
    if (current.version != version) {
      current = new Generation(version);
      generation = current;
    }
    return current;
  }

  /** Another plan for the text of a plan. */
  public CachedPlan variant(CachedPlan cached, Variant which, Catalog catalog) {
    CachedPlan known = cached.usage().variant(which);
    if (known == null) {
      CachedPlan made = make(cached.plan().original(), catalog, which.request);
      known = which == Variant.BARE ? bare(made) : made;
      cached.usage().variant(which, known);
    }
    return known;
  }

  private static CachedPlan bare(CachedPlan made) {
    return new CachedPlan(
        made.plan().unseen(GapReason.SHAPE, "updatable result"),
        made.shownSql(),
        "", // what is written through the result is not in the text
        ComparedKey.NONE,
        made.place());
  }

  private SampledCallSite newPlace() {
    return new SampledCallSite(exactPlaces);
  }

  private CachedPlan make(String sql, Catalog catalog, PlanRequest request) {
    try {
      Planner.Planned planned = planner.planned(sql, catalog, request);
      return unlessRefused(cached(planned, sql));
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
          "",
          ComparedKey.NONE,
          newPlace());
    }
  }

  /** The columns of a text, as histories name them; empty if they are not known. */
  private static String columns(Planner.Planned planned) {
    String columns = planned.columns().text();
    return planned.plan().passThrough().isEmpty() ? columns : AccessedColumns.withoutItems(columns);
  }

  /**
   * The DBMS has refused a text of ours: for a while it is not sent again, whatever else is known
   * of the tables by then.
   */
  public CachedPlan refused(CachedPlan cached, GapReason reason, String why) {
    CachedPlan untouched = cached.untouched(reason, why);
    refused.put(cached.plan().preparedSql(), new Refusal(reason, why));
    generation.plans.asMap().remove(cached.plan().original());
    return untouched;
  }

  /** Somebody changed tables, and reports it: what was refused before may be right now. */
  public void tablesChanged() {
    refused.invalidateAll();
  }

  private CachedPlan unlessRefused(CachedPlan made) {
    Refusal refusal =
        made.plan().isRewritten() ? refused.getIfPresent(made.plan().preparedSql()) : null;
    return refusal == null ? made : made.untouched(refusal.reason(), refusal.why());
  }
}
