package io.txwatch.sql;

import io.txwatch.history.StatementKind;
import io.txwatch.sql.FromNode.TableRef;
import io.txwatch.sql.RewritePlanner.Level;
import io.txwatch.sql.SideRead.Moment;
import io.txwatch.sql.SideRead.Purpose;
import io.txwatch.sql.dialect.Dialect;
import io.txwatch.sql.syntax.Tokens;
import java.util.ArrayList;
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

  private final Draft draft;
  private final TableRef target;
  private final StatementShape shape;
  private final Splices original;
  private final StringBuilder sql = new StringBuilder();
  private final List<Integer> parameters = new ArrayList<>();

  private WriteReads(Draft draft, TableRef target) {
    this.draft = draft;
    this.target = target;
    this.shape = draft.shape;
    this.original = new Splices(draft.tokens, draft.dialect);
  }

  private static boolean wanted(Draft draft) {
    return draft.extent.level().includes(Level.ITEMS) && draft.alone;
  }

  /** Plans a read of what an UPDATE or INSERT wrote; false if there is to be none. */
  static boolean after(Draft draft, TableRef target) {
    return wanted(draft) && new WriteReads(draft, target).afterWrite();
  }

  /**
   * Plans a read of what a DELETE that cannot return its rows is about to take; false if there is
   * to be none. At every level: nobody can be asked afterwards.
   */
  static boolean before(Draft draft, TableRef target) {
    return draft.alone && new WriteReads(draft, target).beforeDelete();
  }

  /**
   * Plans a read of what a REPLACE is about to take away, by the keys of its rows.
   *
   * @return true if it asks by every key of every row, so that nothing else can go
   */
  static boolean replaced(Draft draft, TableRef target) {
    return wanted(draft) && new WriteReads(draft, target).beforeReplace();
  }

  /** Plans a read of what a DELETE has passed over, where there can be such rows. */
  static void passedOver(Draft draft, TableRef target) {
    boolean newestVersions = draft.dialect == Dialect.MYSQL || draft.dialect == Dialect.MARIADB;
    if (newestVersions && draft.extent.level().includes(Level.PREDICATES) && draft.alone) {
      new WriteReads(draft, target).passedOver();
    }
  }

  private boolean afterWrite() {
    if (!draft.tables.versions(target).marksWrites()) {
      return false; // no token by which to find them
    }
    boolean narrowed = shape.kind == StatementKind.UPDATE && whereStillHolds();
    if (!narrowed && !draft.mayReturnRows) {
      return false; // an item of a batch: a scan of the table for each would be too much
    }
    begin();
    sql.append(" where ");
    if (narrowed) {
      sql.append('(');
      slice(shape.where + 1, shape.whereEnd);
      sql.append(") and ");
    }
    sql.append(draft.dialect.sql().containsParameter(target.exposedName() + "." + Auxiliary.WL));
    parameters.add(SideRead.TOKEN);
    limit();
    add(Purpose.AFTER_WRITE, Moment.AFTER, true);
    return true;
  }

  /**
   * What the whole statement chooses from is copied, subqueries and all: it stands in the same
   * scope there.
   */
  private boolean beforeDelete() {
    Scopes scopes = new Scopes(draft);
    SelectBlock chosen = scopes.written().orElseThrow();
    Optional<Integer> with = scopes.with(List.of(chosen));
    boolean limited = shape.limit >= 0;
    if (with.isEmpty()
        || leavesSome()
        || !scopes.isRepeatable(chosen)
        || (limited && !Repeatability.holds(draft, shape.limit, tailEnd()))) {
      return false;
    }
    if (with.get() > shape.from) {
      slice(scopes.guarded(), shape.from, with.get());
      sql.append(' ');
    }
    boolean joins = shape.sources.size() > 1 || !(shape.sources.get(0) instanceof TableRef);
    sql.append(joins ? "select distinct " : "select ");
    sql.append(draft.tables.pair(target)).append(" from ");
    slice(scopes.guarded(), chosen.fromAt + 1, chosen.fromEnd);
    if (chosen.moreAt >= 0) {
      sql.append(", ");
      slice(scopes.guarded(), chosen.moreAt + 1, chosen.moreEnd);
    }
    if (shape.where >= 0) {
      sql.append(" where ");
      slice(scopes.guarded(), shape.where + 1, shape.whereEnd);
    }
    if (limited) {
      sql.append(' ');
      slice(scopes.guarded(), shape.limit, tailEnd());
    } else {
      limit();
    }
    add(Purpose.BEFORE_WRITE, Moment.BEFORE, !limited && !scopes.asksForTime(chosen));
    return true;
  }

  private boolean beforeReplace() {
    RowsInTheWay rows = RowsInTheWay.of(draft, target);
    if (!rows.condition().isEmpty()) {
      begin();
      sql.append(" where ").append(rows.condition());
      parameters.addAll(rows.parameters());
      limit();
      add(Purpose.BEFORE_WRITE, Moment.BEFORE, true);
    }
    return rows.isComplete();
  }

  /**
   * Not with LIMIT, which leaves rows that match, nor IGNORE, which leaves those that it may not
   * delete.
   */
  private void passedOver() {
    boolean all = shape.where < 0;
    if (shape.limit >= 0
        || leavesSome()
        || !(all || canCopy(shape.where, shape.whereEnd))
        || (!all && Repeatability.asksForTime(draft, shape.where, shape.whereEnd))) {
      return;
    }
    begin();
    if (!all) {
      sql.append(" where ");
      slice(shape.where + 1, shape.whereEnd);
    }
    limit();
    add(Purpose.SKIPPED_BY_DELETE, Moment.AFTER, true);
  }

  /** DELETE IGNORE leaves what it may not delete. */
  private boolean leavesSome() {
    for (int i = shape.verb; i < shape.sourcesAt; i++) {
      if (draft.tokens.isWord(i, "IGNORE")) {
        return true;
      }
    }
    return false;
  }

  private int tailEnd() {
    return shape.returning >= 0 ? shape.returning : shape.to;
  }

  private void begin() {
    sql.append("select ").append(draft.tables.pair(target)).append(" from ");
    slice(target.from(), target.to());
  }

  private void limit() {
    sql.append(" limit ").append(draft.extent.mostRows() + 1L);
  }

  private void add(Purpose purpose, Moment moment, boolean exact) {
    draft.sideReads.add(
        new SideRead(
            purpose,
            moment,
            sql.toString(),
            parameters.stream().mapToInt(Integer::intValue).toArray(),
            List.of(draft.tables.display(target)),
            exact));
  }

  private void slice(int from, int to) {
    slice(original, from, to);
  }

  private void slice(Splices text, int from, int to) {
    sql.append(text.slice(from, to));
    int[] numbers = original.numbers();
    for (int i = from; i < to; i++) {
      if (numbers[i] > 0) {
        parameters.add(numbers[i]);
      }
    }
  }

  /** True if a stretch means the same outside of the statement: it names one table and no query. */
  private boolean canCopy(int from, int to) {
    return shape.sources.size() <= 1
        && shape.blocks.stream().noneMatch(block -> block.select >= from && block.select < to)
        && shape.tableQueries.stream().noneMatch(query -> query >= from && query < to)
        && Repeatability.holds(draft, from, to);
  }

  /** True if the WHERE of an UPDATE lets the same rows through once it was carried out. */
  private boolean whereStillHolds() {
    if (shape.where < 0 || shape.multiTable) {
      return false;
    }
    if (!canCopy(shape.where, shape.whereEnd)
        || Repeatability.asksForTime(draft, shape.where, shape.whereEnd)) {
      return false;
    }
    Catalog.Traits traits = draft.tables.find(target).orElseThrow().traits();
    Set<String> changing = new HashSet<>(traits.changing());
    Tokens tokens = draft.tokens;
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
