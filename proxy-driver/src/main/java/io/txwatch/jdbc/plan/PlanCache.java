package io.txwatch.jdbc.plan;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.txwatch.capture.SampledCallSite;
import io.txwatch.catalog.JdbcCatalog;
import io.txwatch.dialect.PathChange;
import io.txwatch.history.AccessedColumns;
import io.txwatch.history.GapReason;
import io.txwatch.history.StatementKind;
import io.txwatch.jdbc.plan.CachedPlan.Variant;
import io.txwatch.plan.Catalog;
import io.txwatch.plan.ComparedKey;
import io.txwatch.plan.LevelChange;
import io.txwatch.plan.PlanRequest;
import io.txwatch.plan.Planner;
import io.txwatch.plan.RewritePlan;
import io.txwatch.plan.TransactionControl;
import io.txwatch.sql.dialect.Dialect;
import io.txwatch.sql.syntax.Redactor;
import io.txwatch.sql.syntax.TextShape;
import io.txwatch.sql.syntax.Tokens;
import java.time.Duration;
import java.util.Optional;

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
  private final Dialect dialect;
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
   * @param redacts true if histories show texts without their literals
   * @param exactPlaces true if the place in the application is looked up at each execution
   */
  public PlanCache(Planner planner, Dialect dialect, boolean redacts, boolean exactPlaces) {
    this.planner = planner;
    this.dialect = dialect;
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
    Tokens tokens = planner.tokens(sql);
    Optional<TextShape> shape = shape(tokens);
    for (int attempt = 1; ; attempt++) {
      CachedPlan made = make(tokens, shape, catalog, current);
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

  private Optional<TextShape> shape(Tokens tokens) {
    try {
      return planner.shape(tokens);
    } catch (RuntimeException e) {
      return Optional.empty();
    }
  }

  private CachedPlan make(
      Tokens tokens, Optional<TextShape> shape, JdbcCatalog catalog, Generation current) {
    return shape
        .flatMap(of -> inShape(of, catalog, current))
        .orElseGet(() -> make(tokens, catalog, PlanRequest.ANY));
  }

  /** The plan of a text by that of its shape; empty if it must be planned itself. */
  private Optional<CachedPlan> inShape(TextShape shape, JdbcCatalog catalog, Generation current) {
    try {
      CachedPlan ofShape = current.shapes.getIfPresent(shape.text());
      if (ofShape == null) {
        Optional<Planner.Planned> planned = planner.planned(shape, catalog);
        if (planned.isEmpty()) {
          return Optional.empty();
        }
        ofShape = cached(planned.get(), shape.tokens());
        if (catalog.version() == current.version) {
          current.shapes.put(shape.text(), ofShape);
        }
      }
      if (ofShape.mayChangeNames()) {
        return Optional.empty(); // a literal may be the name of the setting that it changes
      }
      String shown = redacts ? ofShape.shownSql() : shape.tokens().text();
      return Optional.of(ofShape.in(shape.tokens(), shown, newPlace()));
    } catch (RuntimeException | StackOverflowError e) {
      return Optional.empty(); // planned by itself, it shows what is wrong
    }
  }

  private CachedPlan cached(Planner.Planned planned, Tokens tokens) {
    String shown = redacts ? Redactor.redact(tokens, dialect) : tokens.text();
    return new CachedPlan(planned, shown, newPlace());
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
    CachedPlan known = cached.variant(which);
    if (known == null) {
      CachedPlan made = make(planner.tokens(cached.plan().original()), catalog, which.request);
      known = which == Variant.BARE ? made.forUpdatableResult() : made;
      cached.variant(which, known);
    }
    return known;
  }

  private SampledCallSite newPlace() {
    return new SampledCallSite(exactPlaces);
  }

  private CachedPlan make(Tokens tokens, Catalog catalog, PlanRequest request) {
    try {
      return unlessRefused(cached(planner.planned(tokens, catalog, request), tokens));
    } catch (RuntimeException | StackOverflowError e) {
      RewritePlan plan =
          RewritePlan.untouched(
              tokens.text(),
              StatementKind.OTHER,
              TransactionControl.NONE,
              Optional.of(GapReason.FAULT),
              e.getClass().getSimpleName(),
              0);
      return new CachedPlan(
          new Planner.Planned(
              plan,
              AccessedColumns.UNKNOWN,
              ComparedKey.NONE,
              LevelChange.ANY,
              PathChange.unknown(false)),
          "",
          newPlace());
    }
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
