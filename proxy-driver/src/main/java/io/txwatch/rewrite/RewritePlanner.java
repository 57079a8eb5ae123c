package io.txwatch.rewrite;

import io.txwatch.dialect.DialectSql;
import io.txwatch.dialect.PathChange;
import io.txwatch.history.AccessedColumns;
import io.txwatch.history.GapReason;
import io.txwatch.history.StatementKind;
import io.txwatch.plan.Catalog;
import io.txwatch.plan.ComparedKey;
import io.txwatch.plan.KeyedRow;
import io.txwatch.plan.PlanRequest;
import io.txwatch.plan.Planner;
import io.txwatch.plan.RewritePlan;
import io.txwatch.plan.RowNaming;
import io.txwatch.plan.TransactionControl;
import io.txwatch.sql.dialect.Dialect;
import io.txwatch.sql.dialect.Syntax;
import io.txwatch.sql.semantics.NotUnderstood;
import io.txwatch.sql.semantics.StatementParts;
import io.txwatch.sql.syntax.Span;
import io.txwatch.sql.syntax.Statement;
import io.txwatch.sql.syntax.StatementSplitter;
import io.txwatch.sql.syntax.TokenKind;
import io.txwatch.sql.syntax.Tokenizer;
import io.txwatch.sql.syntax.Tokens;
import io.txwatch.statement.AnalyzedStatement;
import io.txwatch.statement.Reasons;
import io.txwatch.statement.StatementKinds;
import io.txwatch.statement.Tables;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The planner: tokens, syntax tree, edits.
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

  private final DialectSql additions;
  private final Dialect dialect;
  private final Level level;
  private final boolean comparesKeys;
  private final RewriteContext.Extent extent;

  /** A planner for one DBMS, whose own reads bring at most {@value #MAX_ROWS} rows each. */
  public RewritePlanner(DialectSql additions, Level level) {
    this(additions, level, MAX_ROWS);
  }

  /**
   * A planner for one DBMS.
   *
   * @param maxRows how many rows a read of ours may bring ({@code txwatch.version-set-rows}); it
   *     reads one more, and if there is one, not all were read
   */
  public RewritePlanner(DialectSql additions, Level level, int maxRows) {
    this(additions, level, maxRows, false);
  }

  /**
   * A planner for one DBMS.
   *
   * @param comparesKeys true if the values of keys that a text compares are wanted at every level
   */
  public RewritePlanner(DialectSql additions, Level level, int maxRows, boolean comparesKeys) {
    this.comparesKeys = comparesKeys || level.includes(Level.PREDICATES);
    this.additions = additions;
    this.dialect = additions.dialect();
    this.level = level;
    this.extent =
        new RewriteContext.Extent(
            level.includes(Level.ITEMS), level.includes(Level.PREDICATES), maxRows);
  }

  /** The level. */
  public Level level() {
    return level;
  }

  @Override
  public Tokens tokens(String sql) {
    return Tokenizer.tokenize(sql, dialect);
  }

  @Override
  public Planned planned(Tokens tokens, Catalog catalog, PlanRequest request) {
    RewritePlan plan = plan(tokens, catalog, request);
    AccessedColumns columns = AccessedColumns.UNKNOWN;
    ComparedKey key = ComparedKey.NONE;
    try {
      Optional<Statement> statement = StatementColumns.only(tokens, dialect);
      if (statement.isPresent()) {
        columns = StatementColumns.of(statement.get(), tokens, additions, catalog);
        if (comparesKeys) {
          key = ComparedKeyFinder.of(statement.get(), tokens, additions, catalog);
        }
      }
    } catch (RuntimeException | StackOverflowError e) {
      // they stay unknown
    }
    return new Planned(
        plan, columns, key, LevelChanges.of(tokens, additions), PathChange.of(tokens, additions));
  }

  /** The values of a key that a text compares, whatever the level is. */
  public static ComparedKey comparedKey(String text, DialectSql sql, Catalog catalog) {
    Tokens tokens = Tokenizer.tokenize(text, sql.dialect());
    return StatementColumns.only(tokens, sql.dialect())
        .map(statement -> ComparedKeyFinder.of(statement, tokens, sql, catalog))
        .orElse(ComparedKey.NONE);
  }

  private RewritePlan plan(Tokens tokens, Catalog catalog, PlanRequest request) {
    int parameters = countParameters(tokens);
    try {
      boolean watched = tokens.text().length() <= additions.maxTextLength();
      RewritePlan plan = plan(tokens, catalog, request, watched, parameters);
      return watched && Limits.exceeds(plan, additions)
          ? plan(tokens, catalog, PlanRequest.RETURNING_NOTHING, false, parameters)
          : plan;
    } catch (NotUnderstood e) {
      return untouched(tokens, Reasons.of(e), e.detail(), parameters);
    } catch (RuntimeException | StackOverflowError | LinkageError e) {
      return untouched(tokens, GapReason.FAULT, e.getClass().getSimpleName(), parameters);
    }
  }

  /**
   * The plan for a text.
   *
   * @param watched false if nothing of ours fits into it: it is sent as it is
   */
  private RewritePlan plan(
      Tokens tokens, Catalog catalog, PlanRequest request, boolean watched, int parameters)
      throws NotUnderstood {
    if (tokens.isBroken()) {
      throw new NotUnderstood("a literal, comment or parenthesis without its end");
    }
    List<Span> statements = StatementSplitter.split(tokens, dialect);
    if (statements.isEmpty()) {
      return plain(tokens, StatementKind.OTHER, TransactionControl.NONE, parameters);
    }
    return statements.size() > 1
        ? several(tokens, statements, catalog, watched, parameters)
        : one(tokens, statements.get(0), new Tables(catalog), request, watched);
  }

  /** The plan for a text of one statement. */
  private RewritePlan one(
      Tokens tokens, Span range, Tables tables, PlanRequest request, boolean watched)
      throws NotUnderstood {
    TransactionControl control =
        TransactionControlReader.read(tokens, additions, range.from(), range.to());
    StatementClass what = StatementClass.of(tokens, dialect, range.from(), range.to());
    if (what.kind() == StatementKind.MERGE && dialect.grammar().has(Syntax.MERGE_BY_KEY)) {
      Optional<Rewrite> named = MergeColumns.name(tokens, additions, range, tables);
      if (named.isPresent()) {
        return new PlanAssembly(tokens, dialect, what.kind())
            .of(named.get(), KeyedRow.ANY_MAY_MOVE, tables.haveSystemVersions());
      }
    }
    if (what.reason().isPresent() || !what.hasShape()) {
      return unseen(tokens, what, control);
    }
    try {
      if (tokens.hasBackslashBeforeQuote()
          && !Tokenizer.tokenizeOtherBackslash(tokens.text(), dialect).isBroken()) {
        throw new NotUnderstood("a string whose end depends on a setting of the server");
      }
      AnalyzedStatement statement = analyzed(tokens, range, tables);
      RewriteContext context = new RewriteContext(statement, extent, request, watched);
      Rewrite rewrite = rewrite(context, watched);
      return new PlanAssembly(tokens, dialect, StatementKinds.of(statement.parts()))
          .of(
              rewrite,
              keys(context, rewrite),
              names(context, rewrite),
              tables.haveSystemVersions());
    } catch (NotUnderstood e) {
      StatementClass unseen =
          new StatementClass(what.kind(), true, Optional.of(Reasons.of(e)), e.detail());
      return unseen(tokens, unseen, control);
    }
  }

  private static KeyedRow keys(RewriteContext context, Rewrite rewrite) {
    return context.alone() && context.parts().innerWrites().isEmpty()
        ? KeyedRowFinder.of(context.statement(), rewrite.returned())
        : KeyedRow.ANY_MAY_MOVE;
  }

  private static RowNaming.OfStatement names(RewriteContext context, Rewrite rewrite) {
    return context.alone() && context.parts().innerWrites().isEmpty()
        ? RowNamingFinder.of(context.statement(), rewrite.returned())
        : RowNaming.OfStatement.NONE;
  }

  private KeyedRow withoutKeys(StatementKind kind, TransactionControl control) {
    boolean other = kind == StatementKind.OTHER && control == TransactionControl.NONE;
    return other && additions.returnsEveryWrite() ? KeyedRow.NONE : RewritePlan.withoutKeys(kind);
  }

  /** The plan of a statement that is sent as it is. */
  private RewritePlan unseen(Tokens tokens, StatementClass what, TransactionControl control)
      throws NotUnderstood {
    Rewrite unseen =
        what.reason().map(reason -> Rewrite.unseen(reason, what.detail())).orElse(Rewrite.NONE);
    return new PlanAssembly(tokens, dialect, what.kind())
        .control(control)
        .of(unseen, withoutKeys(what.kind(), control), false);
  }

  private AnalyzedStatement analyzed(Tokens tokens, Span range, Tables tables)
      throws NotUnderstood {
    for (int i = range.from(); i < range.to(); i++) {
      if (tokens.is(i, TokenKind.EXECUTABLE_COMMENT)) {
        throw new NotUnderstood(NotUnderstood.Reason.SHAPE, "a comment that some versions execute");
      }
    }
    return AnalyzedStatement.of(tokens, additions, range, tables);
  }

  /**
   * Rewrites.
   *
   * @param watched false if nothing is added to the statement
   */
  private Rewrite rewrite(RewriteContext context, boolean watched) throws NotUnderstood {
    if (Ordinals.mayBeBeyondList(context.statement())) {
      throw new NotUnderstood(
          NotUnderstood.Reason.SHAPE,
          "a number in ORDER BY or GROUP BY that may be beyond the select list");
    }
    Edits joins =
        NaturalJoins.of(context.statement())
            .orElseThrow(() -> new NotUnderstood(NotUnderstood.Reason.SHAPE, NaturalJoins.REASON));
    RewriteContext used = joins.isEmpty() ? context : context.copyingNothing();
    Rewrite rewrite =
        Rewrite.of(joins)
            .and(StatementRewriter.rewrite(used, watched))
            .and(InnerWrites.of(used, watched));
    StatementParts parts = context.parts();
    if (parts.hasOpaque() && !(rewrite.edits().isEmpty() && rewrite.sideReads().isEmpty())) {
      throw new NotUnderstood("an expression that the grammar does not know");
    }
    return watched
        ? rewrite
        : rewrite.and(
            Rewrite.unseen(GapReason.SHAPE, "near a limit of the DBMS, nothing is added"));
  }

  /**
   * Several statements in one string (hazard 35). Each names its writer, none returns more than it
   * did. A string that begins or ends transactions, or changes tables, cannot be given one token,
   * or one catalog: it is sent as it is.
   */
  private RewritePlan several(
      Tokens tokens, List<Span> statements, Catalog catalog, boolean watched, int parameters)
      throws NotUnderstood {
    List<TransactionControl> controls = new ArrayList<>();
    boolean touches = false;
    boolean defines = false;
    for (Span range : statements) {
      StatementClass what = StatementClass.of(tokens, dialect, range.from(), range.to());
      controls.add(TransactionControlReader.read(tokens, additions, range.from(), range.to()));
      defines |= what.kind() == StatementKind.DDL;
      touches |= what.hasShape() || what.reason().isPresent();
    }
    boolean controlled = controls.stream().anyMatch(c -> c != TransactionControl.NONE);
    TransactionControl control =
        controlled
            ? new TransactionControl.Several(List.copyOf(controls))
            : TransactionControl.NONE;
    Rewrite all =
        touches
            ? Rewrite.unseen(GapReason.OPAQUE, "several statements in one string")
            : Rewrite.NONE;
    for (Span range : statements) {
      if (watched && !controlled && !defines) {
        all = all.and(oneOfSeveral(tokens, range, new Tables(catalog)));
      }
    }
    RewritePlan plan =
        new PlanAssembly(tokens, dialect, StatementKind.OTHER)
            .control(control)
            .of(all, withoutKeys(StatementKind.OTHER, control), false);
    return plan.parameterCount() == parameters
        ? plan
        : plain(tokens, StatementKind.OTHER, control, parameters);
  }

  /** What is put into the text for one of several statements. */
  private Rewrite oneOfSeveral(Tokens tokens, Span range, Tables tables) {
    if (!StatementClass.of(tokens, dialect, range.from(), range.to()).hasShape()) {
      return Rewrite.NONE;
    }
    try {
      RewriteContext context =
          new RewriteContext(
              analyzed(tokens, range, tables), extent, PlanRequest.RETURNING_NOTHING, false);
      return Rewrite.of(rewrite(context, true).edits());
    } catch (NotUnderstood e) {
      return Rewrite.NONE; // it is sent as it is
    }
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
        parameters);
  }

  static int countParameters(Tokens tokens) {
    try {
      return ParameterNumbers.count(tokens);
    } catch (RuntimeException e) {
      return 0;
    }
  }
}
