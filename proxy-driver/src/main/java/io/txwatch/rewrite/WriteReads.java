package io.txwatch.rewrite;

import io.txwatch.plan.Catalog;
import io.txwatch.plan.SideRead;
import io.txwatch.plan.SideRead.Moment;
import io.txwatch.plan.SideRead.Purpose;
import io.txwatch.rewrite.Rewrite.Returned;
import io.txwatch.sql.semantics.Block;
import io.txwatch.sql.semantics.StatementParts;
import io.txwatch.sql.syntax.Clause;
import io.txwatch.sql.syntax.Source;
import io.txwatch.sql.syntax.Span;
import io.txwatch.sql.syntax.Statement;
import io.txwatch.sql.syntax.Tokens;
import io.txwatch.statement.AnalyzedStatement;
import io.txwatch.statement.Repeatability;
import io.txwatch.statement.Scopes;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Before-write and after-write reads (TxCheck, section 3.2: BWR, AWR), for writes that cannot
 * return their rows: before a DELETE at every level, after other writes at level {@code items}.
 *
 * <p>What an UPDATE or INSERT wrote is found by its token, which no other statement writes: so
 * whatever comes back is this statement's. The token has no index; so the statement's own WHERE, if
 * it means the same afterwards, narrows the search. It does not if it refers to a column that is
 * assigned or that changes by itself, depends on the time, or contains a subquery.
 *
 * <p>At every level, the row of an UPDATE by its key is read if another session has updated it
 * meanwhile: else a change that it overwrote would stay unknown until the row is next read.
 *
 * <p>What a DELETE is about to take is read by its own FROM, WHERE, ORDER BY and LIMIT. Others may
 * change it in between unless both see one snapshot; the session knows whether they do.
 *
 * <p>What a DELETE did not delete is read by its WHERE, at level {@code predicates}, for it
 * concerns the predicate and no row that was read: after it (MySQL, MariaDB), or before it and
 * after it (PostgreSQL, H2), if it returns what it deletes, and nothing of the table's own keeps
 * rows.
 *
 * <p>No lock clause of the statement is carried: a read that locked first would wait in its stead.
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
  private final Statement tree;

  private WriteReads(RewriteContext context, Source.Table target) {
    this.context = context;
    this.statement = context.statement();
    this.target = target;
    this.tree = context.tree();
  }

  private static boolean wanted(RewriteContext context) {
    return context.readsBeside() && context.alone();
  }

  /** Of what an UPDATE or INSERT wrote. */
  static Planned after(RewriteContext context, Source.Table target) {
    return wanted(context) ? new WriteReads(context, target).afterWrite() : Planned.NONE;
  }

  /**
   * Of the row that an UPDATE finds by its key, where the DBMS neither returns it nor makes a
   * version of it if nothing changes.
   */
  static Rewrite contended(RewriteContext context, Source.Table target) {
    return context.alone() && context.mayReturnRows()
        ? new WriteReads(context, target).contended()
        : Rewrite.NONE;
  }

  /**
   * Of what a DELETE that cannot return its rows is about to take. At every level, since nothing
   * shows them afterwards.
   */
  static Planned before(RewriteContext context, Source.Table target) {
    return context.alone() ? new WriteReads(context, target).beforeDelete() : Planned.NONE;
  }

  /** Of what a DELETE matches and does not delete, where there can be such rows. */
  static Rewrite notDeleted(RewriteContext context, Source.Table target) {
    return context.readsVersionSets() && context.alone()
        ? new WriteReads(context, target).notDeleted()
        : Rewrite.NONE;
  }

  private Planned afterWrite() {
    if (!VersionSource.of(statement.tables(), target).marksWrites()) {
      return Planned.NONE; // no token by which to find them
    }
    Optional<Span> where =
        tree instanceof Statement.Update ? whereThatStillHolds() : Optional.empty();
    if (where.isEmpty() && !context.mayReturnRows()) {
      // An item of a batch: a scan of the table for each would be too much.
      return Planned.NONE;
    }
    ReadText text = ofTarget().add(" where ");
    where.ifPresent(condition -> text.add("(").copy(condition).add(") and "));
    String writers = target.exposedName() + "." + Auxiliary.WL;
    text.add(statement.sql().containsParameter(writers)).parameter(SideRead.TOKEN);
    text.add(context.limit());
    return new Planned(read(Purpose.AFTER_WRITE, Moment.AFTER, text, true), true);
  }

  /** A WHERE that names an assigned column has compared the newest version itself. */
  private Rewrite contended() {
    if (!statement.sql().skipsUnchangedRows()
        || !VersionSource.of(statement.tables(), target).marksWrites()
        || !KeyedRowFinder.of(statement, Returned.NOTHING).writes()) {
      return Rewrite.NONE;
    }
    return whereThatStillHolds()
        .map(where -> ofTarget().add(" where ").copy(where).add(" for update"))
        .map(text -> read(Purpose.CONTENDED, Moment.AFTER, text, true))
        .orElse(Rewrite.NONE);
  }

  /**
   * What the whole statement chooses from is copied, subqueries and all: it stands in the same
   * scope there.
   */
  private Planned beforeDelete() {
    Scopes scopes = new Scopes(statement);
    Block chosen = scopes.written().orElseThrow();
    Optional<Span> with = scopes.with(List.of(chosen));
    Optional<Span> tail = tree.tail();
    if (with.isEmpty()
        || leavesSome()
        || statement.skipsLockedRows()
        || !scopes.isRepeatable(chosen)
        || tail.filter(limit -> !Repeatability.holds(statement, limit)).isPresent()) {
      return Planned.NONE;
    }
    ReadText text = ReadText.of(statement, false);
    text.copyWith(with.get());
    boolean joins = tree.writtenTable().isEmpty() || chosen.sources().size() > 1;
    text.add(joins ? "select distinct " : "select ")
        .add(VersionSource.pair(statement.tables(), target))
        .add(" from ")
        .copySources(chosen);
    tree.where().ifPresent(where -> text.add(" where ").copy(where.content()));
    if (tail.isPresent()) {
      text.add(" ").copy(tail.get());
    } else {
      text.add(context.limit());
    }
    boolean exact = tail.isEmpty() && !scopes.dependsOnTime(chosen);
    return new Planned(read(Purpose.BEFORE_WRITE, Moment.BEFORE, text, exact), true);
  }

  /**
   * Not with LIMIT, which leaves rows that match, nor IGNORE, which leaves those that it may not
   * delete.
   */
  private Rewrite notDeleted() {
    Optional<Span> where = tree.where().map(Clause::content);
    if (tree.tail().isPresent()
        || leavesSome()
        || where.filter(condition -> !canCopy(condition)).isPresent()) {
      return Rewrite.NONE;
    }
    if (context.sql().locksNewestVersions()) {
      return read(Purpose.SKIPPED_BY_DELETE, Moment.AFTER, matching(where), true);
    }
    boolean atCursor =
        where.filter(w -> statement.tokens().areWords(w.from(), "CURRENT", "OF")).isPresent();
    boolean deletesAll =
        statement.tables().find(target).filter(t -> t.traits().deletesAllMatches()).isPresent();
    if (atCursor || !deletesAll || !context.mayReturnRows()) {
      return Rewrite.NONE;
    }
    return read(Purpose.SKIPPED_BY_DELETE, Moment.BEFORE, matching(where), true)
        .and(read(Purpose.MISSED_BY_DELETE, Moment.AFTER, matching(where), true));
  }

  private ReadText matching(Optional<Span> where) {
    ReadText text = ofTarget();
    where.ifPresent(condition -> text.add(" where ").copy(condition));
    return text.add(context.limit());
  }

  /** DELETE IGNORE leaves what it may not delete. */
  private boolean leavesSome() {
    return tree instanceof Statement.Delete delete
        && statement.tokens().hasAnyWord(delete.verb(), delete.sourcesAt().from() - 1, "IGNORE");
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

  /**
   * True if a condition means the same outside of the statement, and at another time: it names one
   * table and no query.
   */
  private boolean canCopy(Span condition) {
    StatementParts parts = context.parts();
    return parts.sources().size() <= 1
        && parts.blocks().stream().noneMatch(block -> condition.contains(block.start()))
        && parts.tableQueries().stream().noneMatch(q -> condition.contains(q.span().from()))
        && Repeatability.holds(statement, condition)
        && !Repeatability.dependsOnTime(statement, condition);
  }

  /** The condition of an UPDATE that lets the same rows through once it was carried out. */
  private Optional<Span> whereThatStillHolds() {
    Optional<Set<String>> assigned = tree.assignedColumns();
    if (assigned.isEmpty() || tree.writtenTable().isEmpty()) {
      return Optional.empty();
    }
    Catalog.Traits traits = statement.tables().find(target).orElseThrow().traits();
    Set<String> changing = new HashSet<>(traits.changing());
    changing.addAll(assigned.get());
    return tree.where()
        .map(Clause::content)
        .filter(this::canCopy)
        .filter(condition -> !names(condition, changing));
  }

  private boolean names(Span stretch, Set<String> columns) {
    Tokens tokens = statement.tokens();
    for (int i = stretch.from(); i < stretch.to(); i++) {
      if (tokens.isName(i) && columns.contains(tokens.folded(i))) {
        return true;
      }
    }
    return false;
  }
}
