package io.txwatch.rewrite;

import io.txwatch.dialect.DialectSql;
import io.txwatch.dialect.PathChange;
import io.txwatch.history.AccessedColumns;
import io.txwatch.history.GapReason;
import io.txwatch.history.StatementKind;
import io.txwatch.plan.Catalog;
import io.txwatch.plan.ComparedKey;
import io.txwatch.plan.PlanRequest;
import io.txwatch.plan.Planner;
import io.txwatch.plan.RewritePlan;
import io.txwatch.plan.TransactionControl;
import io.txwatch.plan.ValuePlan;
import io.txwatch.sql.dialect.Dialect;
import io.txwatch.sql.semantics.NotUnderstood;
import io.txwatch.sql.syntax.Span;
import io.txwatch.sql.syntax.Statement;
import io.txwatch.sql.syntax.StatementParser;
import io.txwatch.sql.syntax.StatementSplitter;
import io.txwatch.sql.syntax.TextShape;
import io.txwatch.sql.syntax.TokenKind;
import io.txwatch.sql.syntax.Tokenizer;
import io.txwatch.sql.syntax.Tokens;
import io.txwatch.statement.AnalyzedStatement;
import io.txwatch.statement.Reasons;
import io.txwatch.statement.Tables;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The planner for versions by value: each text is sent as it is, with a plan that states of what
 * kind it is, what it does to the transaction, and {@linkplain ValuePlanner what it states of its
 * rows}. A text is parsed once. Thread-safe.
 */
public final class UntouchedPlanner implements Planner {

  private final DialectSql additions;
  private final Dialect dialect;
  private final boolean hasRecord;
  private final boolean comparesKeys;

  /**
   * Plans texts of a DBMS.
   *
   * @param hasRecord whether a record of all changes is read, so that a condition on rows can be
   *     compared with it
   */
  public UntouchedPlanner(DialectSql additions, boolean hasRecord) {
    this(additions, hasRecord, false);
  }

  /**
   * Plans texts of a DBMS.
   *
   * @param comparesKeys true if the values of keys that a text compares are wanted
   */
  public UntouchedPlanner(DialectSql additions, boolean hasRecord, boolean comparesKeys) {
    this.comparesKeys = comparesKeys;
    this.additions = additions;
    this.dialect = additions.dialect();
    this.hasRecord = hasRecord;
  }

  /** A planner for texts of a DBMS while observation is switched off: none is observed. */
  public static Planner switchedOff(DialectSql additions) {
    return SwitchedOffPlanner.of(additions);
  }

  /** This planner while observation is switched off: only writes are observed. */
  public Planner switchedOff() {
    return SwitchedOffPlanner.byValue(additions, this);
  }

  @Override
  public Tokens tokens(String sql) {
    return Tokenizer.tokenize(sql, dialect);
  }

  @Override
  public Planned planned(Tokens tokens, Catalog catalog, PlanRequest request) {
    return withKey(planned(tokens, new Tables(catalog)).in(tokens), tokens, catalog);
  }

  /** With the values of a key that the text compares, if they are wanted. */
  private Planned withKey(Planned planned, Tokens tokens, Catalog catalog) {
    if (!comparesKeys) {
      return planned;
    }
    try {
      return new Planned(
          planned.plan(),
          planned.columns(),
          StatementColumns.only(tokens, dialect)
              .map(statement -> ComparedKeyFinder.of(statement, tokens, additions, catalog))
              .orElse(ComparedKey.NONE),
          planned.levelChange(),
          planned.pathChange());
    } catch (RuntimeException | StackOverflowError | LinkageError e) {
      return planned;
    }
  }

  @Override
  public Optional<TextShape> shape(Tokens tokens) {
    return TextShape.of(tokens);
  }

  @Override
  public Optional<Planned> planned(TextShape shape, Catalog catalog) {
    boolean isText = shape.text().equals(shape.tokens().text()); // as without literals
    if (comparesKeys && !isText) {
      return Optional.empty(); // literals are values of keys
    }
    Tokens tokens = isText ? shape.tokens() : tokens(shape.text());
    Tables tables = new Tables(catalog);
    Planned planned = planned(tokens, tables);
    boolean isOfAll =
        tokens.count() == shape.tokens().count()
            && planned.plan().values().isPresent()
            && tables.areFound(); // each text asks again for one that was not
    return isOfAll ? Optional.of(withKey(planned, tokens, catalog)) : Optional.empty();
  }

  /** What is known of a text; it names literals by their tokens. */
  private Planned planned(Tokens tokens, Tables tables) {
    int parameters = RewritePlanner.countParameters(tokens);
    try {
      if (tokens.isBroken()) {
        throw new NotUnderstood("a literal, comment or parenthesis without its end");
      }
      List<Span> statements = StatementSplitter.split(tokens, dialect);
      return switch (statements.size()) {
        case 0 -> unparsed(tokens, untouched(tokens, NOTHING, TransactionControl.NONE, parameters));
        case 1 -> one(tokens, statements.get(0), tables, parameters);
        default -> unparsed(tokens, several(tokens, statements, parameters));
      };
    } catch (NotUnderstood e) {
      return unparsed(tokens, notUnderstood(tokens, Reasons.of(e), e.detail(), parameters));
    } catch (RuntimeException | StackOverflowError | LinkageError e) {
      return unparsed(
          tokens, notUnderstood(tokens, GapReason.FAULT, e.getClass().getSimpleName(), parameters));
    }
  }

  private Planned unparsed(Tokens tokens, RewritePlan plan) {
    return planned(tokens, plan, AccessedColumns.UNKNOWN);
  }

  private Planned planned(Tokens tokens, RewritePlan plan, AccessedColumns columns) {
    return new Planned(
        plan,
        columns,
        ComparedKey.NONE,
        LevelChanges.of(tokens, additions),
        PathChange.of(tokens, additions));
  }

  private static final StatementClass NOTHING =
      new StatementClass(StatementKind.OTHER, false, Optional.empty(), "");

  private Planned one(Tokens tokens, Span range, Tables tables, int parameters)
      throws NotUnderstood {
    TransactionControl control =
        TransactionControlReader.read(tokens, additions, range.from(), range.to());
    StatementClass what = StatementClass.of(tokens, dialect, range.from(), range.to());
    if (!what.hasShape()) {
      return unparsed(tokens, untouched(tokens, what, control, parameters));
    }
    AccessedColumns columns = AccessedColumns.UNKNOWN;
    ValuePlan values;
    Optional<GapReason> reason = Optional.empty();
    try {
      checkReadOneWay(tokens);
      Statement tree = StatementParser.parse(tokens, dialect, range);
      columns = columns(tree, tokens, tables);
      values = ValuePlanner.plan(AnalyzedStatement.of(tree, tokens, additions, tables));
      values = hasRecord ? values : values.withoutChoice();
      if (values.isEmpty() && (what.kind().mayWrite() || !values.unread().isEmpty())) {
        reason = Optional.of(GapReason.SHAPE);
      }
    } catch (NotUnderstood e) {
      values = ValuePlan.without(e.detail());
      reason = Optional.of(Reasons.of(e));
    }
    String detail = values.unread().isEmpty() ? "rows of a write" : values.unread();
    StatementClass observed =
        reason.isPresent() ? new StatementClass(what.kind(), true, reason, detail) : what;
    RewritePlan plan = untouched(tokens, observed, control, parameters).withValues(values);
    return planned(tokens, plan, columns);
  }

  /** Fails if a setting or the version of the server decides what the text is. */
  private void checkReadOneWay(Tokens tokens) throws NotUnderstood {
    if (tokens.hasBackslashBeforeQuote()
        && !Tokenizer.tokenizeOtherBackslash(tokens.text(), dialect).isBroken()) {
      throw new NotUnderstood("a string whose end depends on a setting of the server");
    }
    for (int i = 0; i < tokens.count(); i++) {
      if (tokens.is(i, TokenKind.EXECUTABLE_COMMENT)) {
        throw new NotUnderstood(NotUnderstood.Reason.SHAPE, "a comment that some versions execute");
      }
    }
  }

  private AccessedColumns columns(Statement tree, Tokens tokens, Tables tables) {
    try {
      return tokens.hasBackslashBeforeQuote()
          ? AccessedColumns.UNKNOWN
          : StatementColumns.of(tree, tokens, additions, tables::find);
    } catch (RuntimeException | StackOverflowError e) {
      return AccessedColumns.UNKNOWN;
    }
  }

  private RewritePlan several(Tokens tokens, List<Span> statements, int parameters)
      throws NotUnderstood {
    List<TransactionControl> controls = new ArrayList<>();
    boolean touches = false;
    for (Span range : statements) {
      StatementClass what = StatementClass.of(tokens, dialect, range.from(), range.to());
      controls.add(TransactionControlReader.read(tokens, additions, range.from(), range.to()));
      touches |= what.hasShape() || what.reason().isPresent();
    }
    boolean controlled = controls.stream().anyMatch(c -> c != TransactionControl.NONE);
    TransactionControl control =
        controlled
            ? new TransactionControl.Several(List.copyOf(controls))
            : TransactionControl.NONE;
    StatementClass all =
        new StatementClass(
            StatementKind.OTHER,
            false,
            touches ? Optional.of(GapReason.OPAQUE) : Optional.empty(),
            touches ? "several statements in one string" : "");
    return untouched(tokens, all, control, parameters);
  }

  private static RewritePlan untouched(
      Tokens tokens, StatementClass what, TransactionControl control, int parameters) {
    return RewritePlan.untouched(
        tokens.text(), what.kind(), control, what.reason(), what.detail(), parameters);
  }

  private RewritePlan notUnderstood(
      Tokens tokens, GapReason reason, String detail, int parameters) {
    StatementKind kind =
        tokens.count() == 0
            ? StatementKind.OTHER
            : StatementClass.of(tokens, dialect, 0, tokens.count()).kind();
    return RewritePlan.untouched(
        tokens.text(), kind, TransactionControl.NONE, Optional.of(reason), detail, parameters);
  }
}
