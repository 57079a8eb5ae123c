package io.txwatch.jdbc.plan;

import io.txwatch.capture.SampledCallSite;
import io.txwatch.dialect.PathChange;
import io.txwatch.history.Access;
import io.txwatch.history.AccessedColumns;
import io.txwatch.history.GapReason;
import io.txwatch.history.KeyValues;
import io.txwatch.history.StatementKind;
import io.txwatch.history.WriterToken;
import io.txwatch.jdbc.error.SentText;
import io.txwatch.plan.ComparedKey;
import io.txwatch.plan.LevelChange;
import io.txwatch.plan.NewRows;
import io.txwatch.plan.PlanRequest;
import io.txwatch.plan.Planner;
import io.txwatch.plan.RewritePlan;
import io.txwatch.plan.TransactionControl;
import io.txwatch.plan.ValuePlan;
import io.txwatch.sql.syntax.Tokens;
import java.util.BitSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * A plan with what follows from it for each execution: computed once, when a text is planned.
 * Immutable but for its {@linkplain #usage usage} and the other plans of its text. Shared by all
 * connections to a database.
 */
public final class CachedPlan {

  /** What a plan differs in from the one that is made for a text first. */
  public enum Variant {
    /** A write that returns no rows. */
    COUNTING(PlanRequest.RETURNING_NOTHING),
    /** A query that appends nothing, for a result that rows are written through. */
    BARE(PlanRequest.RETURNING_NOTHING),
    /** One whose rows carry nothing of what it reads besides. */
    CARRYING_NOTHING(PlanRequest.LISTING_NOTHING);

    final PlanRequest request;

    Variant(PlanRequest request) {
      this.request = request;
    }
  }

  private final RewritePlan plan;
  private final String shownSql;
  private final String columns;
  private final SampledCallSite place;
  private final TextTraits traits;

  private final PlanUsage usage;
  private final AtomicReferenceArray<@Nullable CachedPlan> variants =
      new AtomicReferenceArray<>(Variant.values().length);
  private volatile @Nullable CachedPlan withoutKeys;
  private final @Nullable PlannedReads sideReads;
  private final @Nullable KeyedRowHasher key;
  private final ComparedKeyHasher keyHashes;
  private final @Nullable RowNameReader[] named;
  private final @Nullable ValuePlan values;

  /** The parameters whose values {@link #values} names. */
  private final BitSet valueParameters;

  /**
   * A plan that has not been executed.
   *
   * @param shownSql the text as histories show it
   * @param place where in the application it is executed
   */
  CachedPlan(Planner.Planned planned, String shownSql, SampledCallSite place) {
    this(
        planned.plan(),
        shownSql,
        columns(planned),
        new ComparedKeyHasher(planned.key()),
        place,
        TextTraits.of(planned));
  }

  private CachedPlan(
      RewritePlan plan,
      String shownSql,
      String columns,
      ComparedKeyHasher keyHashes,
      SampledCallSite place,
      TextTraits traits) {
    this.plan = plan;
    this.shownSql = shownSql;
    this.columns = columns;
    this.place = place;
    this.traits = traits;
    this.usage = new PlanUsage(plan.isRewritten());
    this.sideReads = PlannedReads.of(plan);
    this.key = KeyedRowHasher.of(plan.keys());
    this.keyHashes = keyHashes;
    this.named = RowNameReader.of(plan.names());
    this.values = plan.values().filter(known -> !known.saysNothing()).orElse(null);
    this.valueParameters = values == null ? new BitSet(0) : values.parameters();
  }

  /** The columns of a text, as histories name them; empty if they are not known. */
  private static String columns(Planner.Planned planned) {
    String columns = planned.columns().text();
    return planned.plan().passThrough().isEmpty() ? columns : AccessedColumns.withoutItems(columns);
  }

  /**
   * The plan of a text, by that of its shape.
   *
   * @param tokens those of the text
   * @param shown the text as histories show it
   * @param itsPlace where in the application the text is executed; its shape may be elsewhere, too
   */
  CachedPlan in(Tokens tokens, String shown, SampledCallSite itsPlace) {
    return new CachedPlan(plan.in(tokens), shown, columns, keyHashes, itsPlace, traits);
  }

  /** True if it is a query, or a write, after which a name may mean another table. */
  public boolean mayChangeNames() {
    return traits.mayChangeNames();
  }

  public RewritePlan plan() {
    return plan;
  }

  /** What its executions have shown. */
  public PlanUsage usage() {
    return usage;
  }

  /**
   * The plan of the text to which RETURNING was appended for generated keys; itself if none was.
   */
  public CachedPlan withoutKeys() {
    CachedPlan before = withoutKeys;
    return before == null ? this : before;
  }

  /** RETURNING was appended to the text of that plan. */
  public void keysOf(CachedPlan before) {
    withoutKeys = before;
  }

  /** Another plan for the same text, if it has been made. */
  @Nullable CachedPlan variant(Variant which) {
    return variants.get(which.ordinal());
  }

  void variant(Variant which, CachedPlan made) {
    variants.set(which.ordinal(), made);
  }

  public String shownSql() {
    return shownSql;
  }

  /** The columns that it reads and writes: {@link AccessedColumns#text}. */
  public String columns() {
    return columns;
  }

  /** Where in the application it is executed. */
  public SampledCallSite place() {
    return place;
  }

  public StatementKind kind() {
    return plan.kind();
  }

  /** The plan that sends the application's own text, with the reason why. */
  public CachedPlan asItIs(GapReason reason, String detail) {
    return isControl() ? this : untouched(reason, detail);
  }

  /** The same of a text that controls the transaction, too. */
  CachedPlan untouched(GapReason reason, String detail) {
    return new CachedPlan(
        plan.asItIs(reason, detail),
        shownSql,
        AccessedColumns.withoutItems(columns),
        keyHashes,
        place,
        traits);
  }

  /** The plan for a result that rows are written through, which the text does not show. */
  CachedPlan forUpdatableResult() {
    RewritePlan unseen = plan.unseen(GapReason.SHAPE, "updatable result");
    return new CachedPlan(
        unseen, shownSql, "", new ComparedKeyHasher(ComparedKey.NONE), place, traits);
  }

  /** The text of it that a driver has, or is to prepare. */
  public SentText prepared() {
    return SentText.prepared(plan);
  }

  /** True if the statement is there for the transaction's control alone. */
  public boolean isControl() {
    return !(plan.control() instanceof TransactionControl.None);
  }

  /** True if the statement wrote just as many rows as its update count states. */
  public boolean countsWrites() {
    return switch (plan.kind()) {
      case INSERT, REPLACE, UPDATE, DELETE, MERGE -> true;
      case SELECT, LOCKING_SELECT, DDL, OTHER -> false;
    };
  }

  /**
   * True if it may write rows. Of definitions (DDL) and of what is not parsed further, these are
   * the statements whose rows are counted as not observed: {@code TRUNCATE} and {@code CALL}, but
   * not {@code CREATE TABLE} and {@code SET}.
   */
  public boolean mayWriteRows() {
    return switch (plan.kind()) {
      case SELECT, LOCKING_SELECT -> false;
      case DDL, OTHER -> plan.passThrough().isPresent();
      case INSERT, REPLACE, UPDATE, DELETE, MERGE -> true;
    };
  }

  /**
   * True if it may write versions that do not bear its token: it was sent as it is, calls what we
   * do not look into, or has the DBMS make versions of rows that stay the same. A DELETE leaves
   * none.
   */
  public boolean mayWriteUnnamed() {
    if (plan.passThrough().isEmpty() || plan.tokenParameters().length > 0) {
      return plan.mayLeaveUnnamed();
    }
    return switch (plan.passThrough().get()) {
      case OPAQUE -> plan.kind() != StatementKind.DDL;
      case SHAPE, NOT_UNDERSTOOD, NOT_A_BASE_TABLE, LOOKUP_FAILED, FAULT ->
          switch (plan.kind()) {
            case INSERT, UPDATE, REPLACE, MERGE, OTHER -> true;
            case SELECT, LOCKING_SELECT, DELETE, DDL -> false;
          };
      default -> false;
    };
  }

  /** True if the statement was made to return what it wrote. */
  public boolean returnsWrittenRows() {
    return plan.returns() == RewritePlan.Returns.WRITTEN_ROWS;
  }

  /** True if it appends what it writes to the rows that the application's own text returns. */
  public boolean appendsWrittenRows() {
    return plan.returns() == RewritePlan.Returns.WRITTEN_ROWS_APPENDED;
  }

  /** The key by which it finds a row, or what it does to keys; null if it has none to do with. */
  public @Nullable KeyedRowHasher key() {
    return key;
  }

  /** How the rows of one of its appended tables are named; null if they are not. */
  public @Nullable RowNameReader named(int table) {
    return table < named.length ? named[table] : null;
  }

  /** True if rows of a table may have other keys after it. */
  public boolean renames() {
    return !plan.names().renamed().isEmpty();
  }

  /** What it states itself of its rows; null if versions are not known by value, or it has none. */
  public @Nullable ValuePlan values() {
    return values;
  }

  /** True if the value of a parameter is of a row that is known by its values. */
  public boolean isValue(int parameter) {
    return valueParameters.get(parameter);
  }

  /** The values of a key's columns in the rows that an execution chooses or inserts. */
  public List<KeyValues> keyValues(PinnedValues parameters) {
    return keyHashes.of(parameters);
  }

  /** True if a parameter is the value of a key's column in rows that it chooses or inserts. */
  public boolean comparesKeyWith(int parameter) {
    return keyHashes.takes(parameter);
  }

  /** True if a parameter is a value of a key that rows are named by. */
  public boolean namesBy(int parameter) {
    for (RowNameReader key : named) {
      if (key != null && key.takes(parameter)) {
        return true;
      }
    }
    return false;
  }

  /** The reads that stand beside the statement; null if there are none. */
  public @Nullable PlannedReads sideReads() {
    return sideReads;
  }

  /** True if values of parameters are needed to name its predicates. */
  public boolean comparesPredicates() {
    return sideReads != null && sideReads.predicateText != 0;
  }

  /** True if it mentions FOUND_ROWS. */
  public boolean asksFoundRows() {
    return traits.asksFoundRows();
  }

  /** True if it makes FOUND_ROWS() worth asking for. */
  public boolean countsFoundRows() {
    return traits.asksFoundRows()
        && plan.original().toUpperCase(Locale.ROOT).contains("SQL_CALC_FOUND_ROWS");
  }

  /** True if it mentions ROW_COUNT. */
  public boolean asksRowCount() {
    return traits.asksRowCount();
  }

  /** True if the text is one that is not known, and may be none that the DBMS knows. */
  public boolean mayBeNoStatement() {
    return plan.passThrough().equals(Optional.of(GapReason.NOT_UNDERSTOOD))
        && plan.original().indexOf(';') < 0; // of several, the first ones are executed
  }

  /** What its execution may do to isolation levels that the text does not show. */
  public LevelChange levelChange() {
    return traits.levelChange();
  }

  /** What it does to the schemas in which names are looked up. */
  public PathChange pathChange() {
    return traits.pathChange();
  }

  /** True if it asks for what the DBMS keeps of the statement before. */
  public boolean asksDiagnostics() {
    return traits.asksDiagnostics();
  }

  /** True if each of the appended columns lists the versions of many rows. */
  public boolean aggregates() {
    return plan.returns() == RewritePlan.Returns.AGGREGATED_TO_RESULT;
  }

  /** How many columns were appended to the result. */
  public int appendedColumns() {
    return ownColumns() + plan.carried().reads().size();
  }

  /** How many of them identify the result's own rows. */
  public int ownColumns() {
    return aggregates() ? plan.appended().size() : 2 * plan.appended().size();
  }

  /** True if the rows of its result carry what it has read besides. */
  public boolean carries() {
    return !plan.carried().isEmpty();
  }

  /** True if a result of it has columns to hide. */
  public boolean hidesColumns() {
    return !plan.appended().isEmpty() || carries() || plan.starShowsAuxiliary();
  }

  /**
   * What was done to a row that came back with {@code writers}.
   *
   * <p>An INSERT that comes back with more than its own token has updated a row that was there (ON
   * CONFLICT DO UPDATE). Of an upsert's rows those are new that bear an id that it gave; any other
   * may have been there before.
   *
   * @param token of the statement
   * @param firstRow the id of the first row that it gives an id; 0 if it gives none
   */
  public Access access(long row, String writers, String token, long firstRow) {
    if (plan.kind() == StatementKind.MERGE) {
      if (plan.usesSystemColumns()) {
        return ofUpsert(writers);
      }
      return writers.endsWith(token) ? Access.UPDATE : Access.DELETE;
    }
    Optional<NewRows> rows = plan.newRows();
    if (rows.isEmpty() || rows.get().fate() != NewRows.Fate.MAY_UPDATE_ANOTHER) {
      return access(writers);
    }
    // Ids that were given are negative; others are not, and the difference would overflow.
    boolean given =
        row < 0 && firstRow != 0 && row >= firstRow && row - firstRow < rows.get().count();
    return given ? Access.INSERT : Access.UPDATE;
  }

  /** A row with a writer before its own was there. */
  private static Access ofUpsert(String writers) {
    return writers.length() > WriterToken.LENGTH ? Access.UPDATE : Access.INSERT;
  }

  private Access access(String writers) {
    return switch (plan.kind()) {
      case INSERT, REPLACE -> ofUpsert(writers);
      case UPDATE, MERGE -> Access.UPDATE;
      case DELETE -> Access.DELETE;
      case SELECT, LOCKING_SELECT, DDL, OTHER -> Access.READ;
    };
  }
}
