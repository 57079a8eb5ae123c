package io.txwatch.sql.rewrite;

import io.txwatch.history.StatementKind;
import io.txwatch.sql.Catalog;
import io.txwatch.sql.SideRead;
import io.txwatch.sql.SideRead.Moment;
import io.txwatch.sql.SideRead.Purpose;
import io.txwatch.sql.semantics.AnalyzedStatement;
import io.txwatch.sql.semantics.Repeatability;
import io.txwatch.sql.semantics.Scopes;
import io.txwatch.sql.semantics.SelectBlock;
import io.txwatch.sql.semantics.StatementShape;
import io.txwatch.sql.syntax.Source;
import io.txwatch.sql.syntax.Tokens;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Before-write and after-write reads (TxCheck, section 3.2: BWR, AWR), for writes that cannot
 * return their rows: before a DELETE at every level, after other writes at level {@code items}.
 *
 * <p>What an UPDATE or INSERT wrote is asked for by its token, which nobody else writes: so
 * whatever comes back is this statement's. The token has no index; so the statement's own WHERE, if
 * it means the same afterwards, narrows the search. It does not if it speaks of a column that is
 * assigned or that changes by itself, asks for the time, or holds a subquery.
 *
 * <p>What a DELETE is about to take is asked for by its own FROM, WHERE, ORDER BY and LIMIT. Others
 * may change it in between unless both see one snapshot; whoever carries it out knows.
 *
 * <p>What a DELETE of MySQL or MariaDB passed over is asked for by its WHERE, once it is through:
 * at level {@code predicates}, for it concerns the predicate and no row that was read.
 *
 * <p>No lock clause is carried: a read that locked first would wait in the statement's stead.
 */
final class WriteReads {

  /**
   * The read of ours for a write.
   *
   * @param rewrite the read, or nothing
   * @param isComplete true if it is planned, and reads every row that it is for
   */
  record Planned(Rewrite rewrite, boolean isComplete) {
    private static final Planned NONE = new Planned(Rewrite.NONE, false);
  }

  private final RewriteContext context;
  private final AnalyzedStatement statement;
  private final Source.Table target;
  private final StatementShape shape;

  private WriteReads(RewriteContext context, Source.Table target) {
    this.context = context;
    this.statement = context.statement();
    this.target = target;
    this.shape = context.shape();
  }

  private static boolean wanted(RewriteContext context) {
    return context.readsBeside() && context.alone();
  }

  /** Of what an UPDATE or INSERT wrote. */
  static Planned after(RewriteContext context, Source.Table target) {
    return wanted(context) ? new WriteReads(context, target).afterWrite() : Planned.NONE;
  }

  /**
   * Of what a DELETE that cannot return its rows is about to take. At every level: nobody can be
   * asked afterwards.
   */
  static Planned before(RewriteContext context, Source.Table target) {
    return context.alone() ? new WriteReads(context, target).beforeDelete() : Planned.NONE;
  }

  /** Of what a REPLACE is about to take away, by the keys of its rows. */
  static Planned replaced(RewriteContext context, Source.Table target) {
    return wanted(context) ? new WriteReads(context, target).beforeReplace() : Planned.NONE;
  }

  /** Of what a DELETE has passed over, where there can be such rows. */
  static Rewrite passedOver(RewriteContext context, Source.Table target) {
    boolean newestVersions = context.dialect().sql().locksNewestVersions();
    return newestVersions && context.readsVersionSets() && context.alone()
        ? new WriteReads(context, target).passedOver()
        : Rewrite.NONE;
  }

  private Planned afterWrite() {
    if (!VersionSource.of(statement.tables(), target).marksWrites()) {
      return Planned.NONE; // no token by which to find them
    }
    boolean narrowed = shape.kind == StatementKind.UPDATE && whereStillHolds();
    if (!narrowed && !context.mayReturnRows()) {
      // An item of a batch: a scan of the table for each would be too much.
      return Planned.NONE;
    }
    ReadText text = ofTarget().add(" where ");
    if (narrowed) {
      text.add("(").copy(shape.where + 1, shape.whereEnd).add(") and ");
    }
    String writers = target.exposedName() + "." + Auxiliary.WL;
    text.add(statement.dialect().sql().containsParameter(writers)).parameter(SideRead.TOKEN);
    text.add(context.limit());
    return new Planned(read(Purpose.AFTER_WRITE, Moment.AFTER, text, true), true);
  }

  /**
   * What the whole statement chooses from is copied, subqueries and all: it stands in the same
   * scope there.
   */
  private Planned beforeDelete() {
    Scopes scopes = new Scopes(statement);
    SelectBlock chosen = scopes.written().orElseThrow();
    Optional<Integer> with = scopes.with(List.of(chosen));
    boolean limited = shape.limit >= 0;
    if (with.isEmpty()
        || leavesSome()
        || !scopes.isRepeatable(chosen)
        || (limited && !Repeatability.holds(statement, shape.limit, tailEnd()))) {
      return Planned.NONE;
    }
    ReadText text = ReadText.of(statement, false);
    if (with.get() > shape.from) {
      text.copy(shape.from, with.get()).add(" ");
    }
    boolean joins = shape.sources.size() > 1 || !(shape.sources.get(0) instanceof Source.Table);
    text.add(joins ? "select distinct " : "select ")
        .add(VersionSource.pair(statement.tables(), target));
    text.add(" from ").copy(chosen.fromAt + 1, chosen.fromEnd);
    if (chosen.moreAt >= 0) {
      text.add(", ").copy(chosen.moreAt + 1, chosen.moreEnd);
    }
    if (shape.where >= 0) {
      text.add(" where ").copy(shape.where + 1, shape.whereEnd);
    }
    if (limited) {
      text.add(" ").copy(shape.limit, tailEnd());
    } else {
      text.add(context.limit());
    }
    boolean exact = !limited && !scopes.asksForTime(chosen);
    return new Planned(read(Purpose.BEFORE_WRITE, Moment.BEFORE, text, exact), true);
  }

  private Planned beforeReplace() {
    RowsInTheWay rows = RowsInTheWay.of(statement, target);
    if (rows.condition().isEmpty()) {
      return new Planned(Rewrite.NONE, rows.isComplete());
    }
    ReadText text = ofTarget().add(" where ").add(rows.condition());
    rows.parameters().forEach(text::parameter);
    text.add(context.limit());
    Rewrite read = read(Purpose.BEFORE_WRITE, Moment.BEFORE, text, true);
    return new Planned(read, rows.isComplete());
  }

  /**
   * Not with LIMIT, which leaves rows that match, nor IGNORE, which leaves those that it may not
   * delete.
   */
  private Rewrite passedOver() {
    boolean all = shape.where < 0;
    if (shape.limit >= 0
        || leavesSome()
        || !(all || canCopy(shape.where, shape.whereEnd))
        || (!all && Repeatability.asksForTime(statement, shape.where, shape.whereEnd))) {
      return Rewrite.NONE;
    }
    ReadText text = ofTarget();
    if (!all) {
      text.add(" where ").copy(shape.where + 1, shape.whereEnd);
    }
    text.add(context.limit());
    return read(Purpose.SKIPPED_BY_DELETE, Moment.AFTER, text, true);
  }

  /** DELETE IGNORE leaves what it may not delete. */
  private boolean leavesSome() {
    for (int i = shape.verb; i < shape.sourcesAt; i++) {
      if (statement.tokens().isWord(i, "IGNORE")) {
        return true;
      }
    }
    return false;
  }

  private int tailEnd() {
    return shape.returning >= 0 ? shape.returning : shape.to;
  }

  private ReadText ofTarget() {
    ReadText text = ReadText.ofOriginal(statement);
    return text.add("select ")
        .add(VersionSource.pair(statement.tables(), target))
        .add(" from ")
        .copy(target.from(), target.to());
  }

  private Rewrite read(Purpose purpose, Moment moment, ReadText text, boolean exact) {
    List<String> tables = List.of(statement.tables().display(target));
    return Rewrite.beside(
        new SideRead(purpose, moment, text.sql(), text.parameters(), tables, exact));
  }

  /** True if a stretch means the same outside of the statement: it names one table and no query. */
  private boolean canCopy(int from, int to) {
    return shape.sources.size() <= 1
        && shape.blocks.stream().noneMatch(block -> block.select >= from && block.select < to)
        && shape.tableQueries.stream().noneMatch(query -> query >= from && query < to)
        && Repeatability.holds(statement, from, to);
  }

  /** True if the WHERE of an UPDATE lets the same rows through once it was carried out. */
  private boolean whereStillHolds() {
    if (shape.where < 0 || shape.multiTable) {
      return false;
    }
    if (!canCopy(shape.where, shape.whereEnd)
        || Repeatability.asksForTime(statement, shape.where, shape.whereEnd)) {
      return false;
    }
    Catalog.Traits traits = statement.tables().find(target).orElseThrow().traits();
    Set<String> changing = new HashSet<>(traits.changing());
    Tokens tokens = statement.tokens();
    Optional<Set<String>> assigned = shape.assignedColumns();
    if (assigned.isEmpty()) {
      return false;
    }
    changing.addAll(assigned.get());
    for (int i = shape.where + 1; i < shape.whereEnd; i++) {
      if (tokens.isName(i) && changing.contains(tokens.folded(i))) {
        return false;
      }
    }
    return true;
  }
}
