package io.txwatch.sql;

import io.txwatch.history.GapReason;
import io.txwatch.history.StatementKind;
import io.txwatch.sql.dialect.Dialect;
import io.txwatch.sql.syntax.Tokens;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** A plan in the making: what the rewriters of the statements add to, in one place. */
final class Draft {

  final Tokens tokens;
  final Dialect dialect;
  final StatementShape shape;
  final Tables tables;
  final boolean mayReturnRows;
  final Extent extent;
  final Splices splices;
  final List<String> appended = new ArrayList<>();
  RewritePlan.Returns returns = RewritePlan.Returns.NOTHING;
  final List<SideRead> sideReads = new ArrayList<>();
  final List<Carried.Read> carried = new ArrayList<>();
  Optional<NewRows> newRows = Optional.empty();
  Assumed assumed = Assumed.NOTHING;

  /** True if the text is this one statement: then rows can be given ids and be known by them. */
  boolean alone = true;

  /** True if it may make versions that do not bear its token although the text has one. */
  boolean mayLeaveUnnamed;

  boolean starShowsAuxiliary;

  /** True if the auxiliary columns may show where nothing hides them. */
  boolean exposed;

  /** What is sent where this is not. */
  Unwatched unwatched;

  private Optional<GapReason> reason = Optional.empty();
  private String detail = "";

  /**
   * How much of a statement is to be observed.
   *
   * @param level the level of instrumentation
   * @param mostRows how many rows a read of ours may bring; it reads one more, which shows that
   *     there are more
   */
  record Extent(RewritePlanner.Level level, int mostRows) {}

  Draft(
      Tokens tokens,
      Dialect dialect,
      StatementShape shape,
      Tables tables,
      boolean mayReturnRows,
      Extent extent) {
    this.tokens = tokens;
    this.dialect = dialect;
    this.shape = shape;
    this.tables = tables;
    this.mayReturnRows = mayReturnRows;
    this.extent = extent;
    this.splices = new Splices(tokens, dialect);
    this.unwatched = Unwatched.asItIs(tokens.text());
  }

  /** Says why not all rows are seen; the first reason stands. */
  void unseen(GapReason why, String text) {
    if (reason.isEmpty()) {
      reason = Optional.of(why);
      detail = text;
    }
  }

  /** Says so if there is something that is not seen of another statement in the same text. */
  void unseen(Draft other) {
    other.reason.ifPresent(why -> unseen(why, other.detail));
  }

  /** Why not all rows are seen, for people; empty if there is no reason. */
  String detail() {
    return detail;
  }

  /** The plan of a text that is this one statement. */
  RewritePlan finish(StatementKind kind) throws NotUnderstood {
    return finish(kind, TransactionControl.NONE, splices, starShowsAuxiliary);
  }

  /**
   * The plan of a text of which this draft holds the reason, the result and the appended tables.
   */
  RewritePlan finish(StatementKind kind, TransactionControl control, Splices all, boolean starShows)
      throws NotUnderstood {
    Splices.Parameters parameters = all.parameters();
    return new RewritePlan(
        tokens.text(),
        kind,
        control,
        reason,
        detail,
        all.prepared(parameters),
        all.pieces(),
        all.gaps(),
        all.isEmpty() ? Origins.SAME : all.origins(),
        parameters.count(),
        parameters.index(),
        parameters.writers(),
        parameters.rowIds(),
        newRows,
        returns,
        List.copyOf(appended),
        starShows,
        kind == shape.kind
                && control == TransactionControl.NONE
                && alone
                && shape.innerWrites.isEmpty()
            ? KeyedRows.of(this)
            : shape.kind == StatementKind.OTHER
                ? RewritePlan.withoutKeys(kind)
                : KeyedRow.ANY_MAY_MOVE,
        List.copyOf(sideReads),
        carried.isEmpty() && parameters.again().length == 0
            ? Carried.NONE
            : new Carried(List.copyOf(carried), parameters.again(), parameters.againOf()),
        assumed,
        mayLeaveUnnamed,
        tables.haveSystemVersions(),
        unwatched);
  }
}
