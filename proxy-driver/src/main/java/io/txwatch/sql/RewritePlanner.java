package io.txwatch.sql;

import io.txwatch.history.AccessedColumns;
import io.txwatch.history.GapReason;
import io.txwatch.history.StatementKind;
import io.txwatch.sql.dialect.Dialect;
import io.txwatch.sql.syntax.Span;
import io.txwatch.sql.syntax.StatementSplitter;
import io.txwatch.sql.syntax.TokenKind;
import io.txwatch.sql.syntax.Tokenizer;
import io.txwatch.sql.syntax.Tokens;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * The planner: tokens, syntax tree, shape, splices.
 *
 * <p>A statement is rewritten only if the grammar knows all of it, and a further column changes
 * nothing. Everything else is sent as it is, with the reason in the plan. Thread-safe.
 */
public final class RewritePlanner implements Planner {

  /** How much is observed; each level is a superset of the one before. */
  public enum Level {
    /** What rides on the application's own statements. */
    INLINE,
    /**
     * Side reads, before-write and after-write reads where a statement does not return its own
     * rows.
     */
    ITEMS,
    /** Version-set reads too. */
    PREDICATES;

    /** True if this level observes all that the other does. */
    public boolean includes(Level other) {
      return compareTo(other) >= 0;
    }
  }

  private static final int MAX_ROWS = 10_000;

  private final Dialect dialect;
  private final Draft.Extent extent;

  /** A planner for one dialect, whose own reads bring at most {@value #MAX_ROWS} rows each. */
  public RewritePlanner(Dialect dialect, Level level) {
    this(dialect, level, MAX_ROWS);
  }

  /**
   * A planner for one dialect.
   *
   * @param mostRows how many rows a read of ours may bring ({@code txwatch.version-set-rows}); it
   *     asks for one more, and if that comes, not all were read
   */
  public RewritePlanner(Dialect dialect, Level level, int mostRows) {
    this.dialect = dialect;
    this.extent = new Draft.Extent(level, mostRows);
  }

  /** The level. */
  public Level level() {
    return extent.level();
  }

  @Override
  public RewritePlan plan(String sql, Catalog catalog, boolean mayReturnRows) {
    Tokens tokens = Tokenizer.tokenize(sql, dialect);
    int parameters = countParameters(tokens);
    try {
      boolean watched = sql.length() <= dialect.sql().maxTextLength();
      RewritePlan plan = plan(tokens, catalog, mayReturnRows, watched, parameters);
      return watched && Limits.exceeds(plan, dialect.sql())
          ? plan(tokens, catalog, false, false, parameters)
          : plan;
    } catch (NotUnderstood e) {
      return untouched(tokens, e.reason(), e.detail(), parameters);
    } catch (RuntimeException | StackOverflowError | LinkageError e) {
      return untouched(tokens, GapReason.FAULT, e.getClass().getSimpleName(), parameters);
    }
  }

  @Override
  public AccessedColumns columns(String sql, Catalog catalog) {
    return StatementColumns.of(sql, dialect, catalog);
  }

  /**
   * The plan for a text.
   *
   * @param watched false if nothing of ours fits into it: it is only put right
   */
  private RewritePlan plan(
      Tokens tokens, Catalog catalog, boolean mayReturnRows, boolean watched, int parameters)
      throws NotUnderstood {
    if (tokens.isBroken()) {
      throw new NotUnderstood("a literal, comment or parenthesis without its end");
    }
    List<Span> statements = StatementSplitter.split(tokens, dialect);
    if (statements.isEmpty()) {
      return plain(tokens, StatementKind.OTHER, TransactionControl.NONE, parameters);
    }
    if (statements.size() > 1) {
      return several(tokens, statements, catalog, watched, parameters);
    }
    Span range = statements.get(0);
    TransactionControl control =
        TransactionControlReader.read(tokens, dialect, range.from(), range.to());
    StatementClass what = StatementClass.of(tokens, dialect, range.from(), range.to());
    Tables tables = new Tables(catalog);
    Protection protection = Protection.of(tokens, dialect, range, tables, extent);
    if (dialect == Dialect.H2 && what.kind() == StatementKind.MERGE) {
      StatementShape shape = new StatementShape(range.from(), range.to());
      Draft draft = new Draft(tokens, dialect, shape, tables, false, extent);
      Optional<Draft> named = MergeColumns.name(draft, range);
      if (named.isPresent()) {
        return named.get().finish(what.kind());
      }
    }
    if (what.reason().isPresent() || !what.hasShape()) {
      return protectedPlan(tokens, range, protection, what, control);
    }
    try {
      if (tokens.hasBackslashBeforeQuote()
          && !Tokenizer.tokenizeOtherBackslash(tokens.text(), dialect).isBroken()) {
        throw new NotUnderstood("a string whose end depends on a setting of the server");
      }
      Draft draft = draft(tokens, range, tables, mayReturnRows, watched, watched);
      if (!watched) {
        draft.unseen(GapReason.SHAPE, "near a limit of the DBMS, nothing is added");
      }
      draft.unwatched = Protection.unwatched(tokens, dialect, List.of(protection));
      return draft.finish(draft.shape.kind);
    } catch (NotUnderstood e) {
      StatementClass unseen =
          new StatementClass(what.kind(), true, Optional.of(e.reason()), e.detail());
      return protectedPlan(tokens, range, protection, unseen, control);
    }
  }

  /** The plan of a statement that is protected, and no more. */
  private RewritePlan protectedPlan(
      Tokens tokens,
      Span range,
      Protection protection,
      StatementClass what,
      TransactionControl control)
      throws NotUnderstood {
    Draft draft =
        new Draft(
            tokens,
            dialect,
            new StatementShape(range.from(), range.to()),
            new Tables(name -> Optional.empty()),
            false,
            extent);
    what.reason().ifPresent(reason -> draft.unseen(reason, what.detail()));
    draft.unwatched = Protection.unwatched(tokens, dialect, List.of(protection));
    return draft.finish(
        what.kind(), control, protection.splices(), protection.starShowsAuxiliary());
  }

  /**
   * Parses, protects and rewrites.
   *
   * @param watched false if the statement only has to be put right, and carries nothing
   * @param alone true if the text holds no other statement
   */
  private Draft draft(
      Tokens tokens,
      Span range,
      Tables tables,
      boolean mayReturnRows,
      boolean watched,
      boolean alone)
      throws NotUnderstood {
    for (int i = range.from(); i < range.to(); i++) {
      if (tokens.is(i, TokenKind.EXECUTABLE_COMMENT)) {
        throw new NotUnderstood(GapReason.SHAPE, "a comment that some versions execute");
      }
    }
    StatementShape shape = ShapeBuilder.of(tokens, dialect, range);
    Draft draft =
        carrying(
            () -> {
              Draft fresh = new Draft(tokens, dialect, shape, tables, mayReturnRows, extent);
              fresh.alone = alone;
              return fresh;
            },
            watched);
    InnerWrites.add(draft, watched);
    if (Protection.isNeeded(dialect) && draft.exposed) {
      throw new NotUnderstood(GapReason.SHAPE, draft.detail());
    }
    if (Protection.isNeeded(dialect)
        && Protection.hasStar(tokens, range)
        && (shape.tables.stream().anyMatch(tables::isUnknown) || returnsRowsOfFunction(shape))) {
      // A table that cannot be looked up, or a function that returns rows of a prepared table.
      draft.starShowsAuxiliary = true;
    }
    if (shape.hasOpaque && !(draft.splices.isEmpty() && draft.sideReads.isEmpty())) {
      throw new NotUnderstood("an expression that the grammar does not know");
    }
    return draft;
  }

  private static boolean returnsRowsOfFunction(StatementShape shape) {
    return shape.blocks.stream()
        .anyMatch(b -> b.derived().stream().anyMatch(d -> d.query().isEmpty()));
  }

  /**
   * A statement that is put right and carries what it can; with the reason if that is nothing.
   *
   * @param watched false if it only has to be put right
   */
  static Draft carrying(Supplier<Draft> fresh, boolean watched) {
    Draft draft = fresh.get();
    StarGuard.protect(draft);
    try {
      Optional<String> wholeRow = WholeRows.find(draft);
      if (wholeRow.isPresent()) {
        throw new NotUnderstood(
            GapReason.SHAPE, wholeRow.get() + " as a whole row shows the columns");
      }
      StarGuard.expandReturned(draft);
      if (watched) {
        rewrite(draft);
        VersionSetReads.add(draft);
      } else {
        InsertRewriter.nameVisibleColumns(draft);
      }
      return draft;
    } catch (NotUnderstood e) {
      Draft plain = fresh.get();
      StarGuard.protect(plain);
      InsertRewriter.nameVisibleColumns(plain);
      plain.exposed |= WholeRows.find(plain).isPresent();
      plain.unseen(e.reason(), e.detail());
      return plain;
    }
  }

  private static void rewrite(Draft draft) throws NotUnderstood {
    switch (draft.shape.kind) {
      case SELECT, LOCKING_SELECT -> SelectRewriter.rewrite(draft);
      case INSERT, REPLACE -> InsertRewriter.rewrite(draft);
      case MERGE -> MergeRewriter.rewrite(draft);
      default -> WriteRewriter.rewrite(draft);
    }
  }

  /**
   * Several statements in one string (hazard 35). Each is put right and names its writer, none
   * returns more than it did. A string that begins or ends transactions, or changes tables, cannot
   * be given one token, or one catalog: there the writers stay out, and each statement is protected
   * alone.
   */
  private RewritePlan several(
      Tokens tokens, List<Span> statements, Catalog catalog, boolean watched, int parameters)
      throws NotUnderstood {
    List<TransactionControl> controls = new ArrayList<>();
    boolean touches = false;
    boolean controlled = false;
    boolean defines = false;
    for (Span range : statements) {
      TransactionControl control =
          TransactionControlReader.read(tokens, dialect, range.from(), range.to());
      StatementClass what = StatementClass.of(tokens, dialect, range.from(), range.to());
      controls.add(control);
      controlled |= control != TransactionControl.NONE;
      defines |= what.kind() == StatementKind.DDL;
      touches |= what.hasShape() || what.reason().isPresent();
    }
    TransactionControl all =
        controlled
            ? new TransactionControl.Several(List.copyOf(controls))
            : TransactionControl.NONE;
    Draft whole =
        new Draft(
            tokens,
            dialect,
            new StatementShape(0, tokens.count()),
            new Tables(catalog),
            false,
            extent);
    if (touches) {
      whole.unseen(GapReason.OPAQUE, "several statements in one string");
    }
    boolean stars = false;
    List<Protection> protections = new ArrayList<>();
    DefinedTables defined = new DefinedTables(catalog);
    for (Span range : statements) {
      Tables tables = new Tables(defines ? defined : catalog);
      Protection protection = Protection.of(tokens, dialect, range, tables, extent);
      protections.add(protection);
      StatementClass what = StatementClass.of(tokens, dialect, range.from(), range.to());
      try {
        if (defines || !what.hasShape()) {
          throw new NotUnderstood("a definition, or a statement beside one");
        }
        Draft one = draft(tokens, range, tables, false, watched && !controlled, false);
        whole.splices.addAll(one.splices);
        stars |= one.starShowsAuxiliary;
      } catch (NotUnderstood e) {
        whole.splices.addAll(protection.splices());
        stars |= protection.starShowsAuxiliary();
      }
      defined.after(tokens, range);
    }
    whole.unwatched = Protection.unwatched(tokens, dialect, protections);
    RewritePlan plan = whole.finish(StatementKind.OTHER, all, whole.splices, stars);
    return plan.parameterCount() == parameters
        ? plan
        : plain(tokens, StatementKind.OTHER, all, parameters);
  }

  private static RewritePlan plain(
      Tokens tokens, StatementKind kind, TransactionControl control, int parameters) {
    return RewritePlan.untouched(tokens.text(), kind, control, Optional.empty(), "", parameters);
  }

  private RewritePlan untouched(Tokens tokens, GapReason reason, String detail, int parameters) {
    StatementClass what =
        tokens.count() == 0
            ? StatementClass.UNKNOWN
            : StatementClass.of(tokens, dialect, 0, tokens.count());
    return RewritePlan.untouched(
            tokens.text(),
            what.kind(),
            TransactionControl.NONE,
            Optional.of(reason),
            detail,
            parameters)
        .withStarShowsAuxiliary(
            Protection.isNeeded(dialect)
                && Protection.hasStar(tokens, new Span(0, tokens.count())));
  }

  private int countParameters(Tokens tokens) {
    try {
      return new Splices(tokens, dialect).parameters().count();
    } catch (NotUnderstood | RuntimeException e) {
      return 0;
    }
  }
}
