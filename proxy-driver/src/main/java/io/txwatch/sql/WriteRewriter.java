package io.txwatch.sql;

import io.txwatch.history.GapReason;
import io.txwatch.history.StatementKind;
import io.txwatch.sql.FromNode.TableRef;
import io.txwatch.sql.RewritePlan.Returns;
import io.txwatch.sql.RowKey.Replaced;
import io.txwatch.sql.dialect.Dialect;
import io.txwatch.sql.syntax.Identifiers;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/**
 * UPDATE and DELETE of one table (IsoRel, Table 1, rows 7 and 8). UPDATE appends its token to the
 * writers' list; where the dialect lets a write return rows, both return which rows they wrote, in
 * the same round trip: so there is no need for IsoRel's locking read before a DELETE.
 */
final class WriteRewriter {

  private final Draft draft;
  private final StatementShape shape;
  private final TableRef target;

  private WriteRewriter(Draft draft) {
    this.draft = draft;
    this.shape = draft.shape;
    this.target = Objects.requireNonNull(shape.target);
  }

  static void rewrite(Draft draft) throws NotUnderstood {
    if (!draft.shape.deletesFrom.isEmpty()) {
      deleteFromSeveral(draft);
      return;
    }
    if (draft.shape.multiTable || draft.shape.target == null) {
      updateSeveral(draft);
      return;
    }
    new WriteRewriter(draft).run();
  }

  /** Nothing is appended to rows that go; which they are is read before, for each table. */
  private static void deleteFromSeveral(Draft draft) throws NotUnderstood {
    List<TableRef> tables = draft.shape.written().orElseThrow().tables();
    Set<Integer> observed = new HashSet<>();
    for (String name : draft.shape.deletesFrom) {
      List<TableRef> named =
          tables.stream()
              .filter(t -> Identifiers.fold(t.exposedName()).equals(Identifiers.fold(name)))
              .toList();
      if (named.size() != 1) {
        throw new NotUnderstood(GapReason.SHAPE, "DELETE from a table that is named otherwise");
      }
      TableRef target = named.get(0);
      if (draft.tables.isPrepared(target)) {
        observed.add(target.from());
        if (!WriteReads.before(draft, target)) {
          draft.unseen(GapReason.SHAPE, "DELETE from several tables");
        }
      }
    }
    reads(draft, observed);
  }

  /** MySQL and MariaDB: {@code UPDATE a JOIN b ON … SET a.x = …, b.y = …}. */
  private static void updateSeveral(Draft draft) throws NotUnderstood {
    boolean mysql = draft.dialect == Dialect.MYSQL || draft.dialect == Dialect.MARIADB;
    if (!mysql || draft.shape.kind != StatementKind.UPDATE) {
      draft.unseen(GapReason.SHAPE, draft.shape.kind + " of several tables");
      return;
    }
    List<TableRef> sources = draft.shape.written().orElseThrow().tables();
    Set<Integer> observed = new HashSet<>();
    for (TableRef target : ComparedGuard.append(draft, sources)) {
      observed.add(target.from());
      WriteReads.after(draft, target);
    }
    reads(draft, observed);
  }

  private void run() throws NotUnderstood {
    Optional<GapReason> reason = draft.tables.reason(target);
    if (reason.isPresent()) {
      draft.unseen(reason.get(), draft.tables.display(target));
      return;
    }
    if (!draft.tables.isPrepared(target)) {
      throw new NotUnderstood(GapReason.SHAPE, "a write through a CTE");
    }
    if (draft.dialect == Dialect.SQLITE && draft.tokens.isWord(shape.verb + 1, "OR")) {
      throw new NotUnderstood(GapReason.SHAPE, "UPDATE OR, which may take other rows away");
    }
    if (shape.kind == StatementKind.UPDATE && draft.tables.versions(target).marksWrites()) {
      if (draft.dialect == Dialect.MYSQL || draft.dialect == Dialect.MARIADB) {
        WriteStrategy.appendWriter(draft, target, shape.set + 1, shape.setEnd);
      } else {
        String assignment = Auxiliary.appendWriter(draft.dialect, "", qualifier());
        draft.splices.after(shape.setEnd - 1, ", " + assignment);
      }
    }
    VersionSource versions = draft.tables.versions(target);
    Optional<Replaced> replaced = replaced(draft, target);
    if (!versions.marksWrites() && replaced.isEmpty() && mayChangeKey(draft, target)) {
      draft.unseen(GapReason.SHAPE, "an UPDATE of a key");
    }
    Set<Integer> observed = new HashSet<>();
    observed.add(target.from());
    if (shape.kind == StatementKind.UPDATE && draft.mayReturnRows && !mayMoveRows()) {
      if (replaced.equals(Optional.of(Replaced.KEPT))) {
        addCondition(versions.keepsReplaced(qualifier()));
      } else if (!versions.marksWrites() && replaced.isEmpty()) {
        draft.unseen(GapReason.SHAPE, "which versions an UPDATE replaces that reads other rows");
      }
    }
    returnRows(observed);
    if (shape.kind == StatementKind.UPDATE && draft.returns == Returns.NOTHING) {
      WriteReads.after(draft, target);
    } else if (shape.kind == StatementKind.DELETE) {
      WriteReads.passedOver(draft, target);
    }
    reads(draft, observed);
  }

  /**
   * What a write reads besides its target: subqueries, sources.
   *
   * @param observed the tables that are observed, by their first tokens
   */
  static void reads(Draft draft, Set<Integer> observed) {
    if (draft.extent.level().includes(RewritePlanner.Level.ITEMS) && draft.alone) {
      SideReads.add(draft, observed);
    }
    for (TableRef table : draft.shape.tables) {
      Optional<GapReason> reason = draft.tables.reason(table);
      boolean view = draft.tables.view(draft.dialect, table).isPresent();
      if (view && observed.contains(table.from())) {
        continue;
      }
      if (!table.isCte() && (reason.isPresent() || !observed.contains(table.from()))) {
        draft.unseen(
            reason.orElse(GapReason.SHAPE),
            "rows that it reads are not seen: " + draft.tables.display(table));
      }
    }
  }

  private String qualifier() {
    return target.exposedName() + ".";
  }

  private void returnRows(Set<Integer> observed) {
    if (mayMoveRows()) {
      draft.unseen(GapReason.SHAPE, "an UPDATE that may move rows to another partition");
      return;
    }
    if (!draft.mayReturnRows) {
      if (shape.kind == StatementKind.DELETE && !WriteReads.before(draft, target)) {
        draft.unseen(GapReason.SHAPE, "a DELETE that may not return rows");
      }
      return;
    }
    if (shape.returning >= 0) {
      draft.splices.after(shape.to - 1, ", " + returningPair() + carried(draft, observed));
      returns(Returns.WRITTEN_ROWS_APPENDED);
      return;
    }
    switch (draft.dialect) {
      case POSTGRESQL -> returning(shape.to - 1, observed);
      case SQLITE -> returning((shape.limit >= 0 ? shape.limit : shape.to) - 1, observed);
      case MARIADB -> {
        if (shape.kind == StatementKind.DELETE) {
          returning(shape.to - 1, observed);
        }
      }
      case H2 -> deltaTable(observed);
      case MYSQL -> {
        if (shape.kind == StatementKind.DELETE && !WriteReads.before(draft, target)) {
          draft.unseen(GapReason.SHAPE, "DELETE returns no rows on MySQL");
        }
      }
    }
  }

  /** What it reads besides, as further columns of what it returns; at {@code items} it is asked. */
  static String carried(Draft draft, Set<Integer> observed) {
    return draft.extent.level().includes(RewritePlanner.Level.ITEMS)
        ? ""
        : CarriedReads.ofWrite(draft, observed);
  }

  private void returning(int last, Set<Integer> observed) {
    draft.splices.after(last, " returning " + returningPair() + carried(draft, observed));
    returns(Returns.WRITTEN_ROWS);
  }

  /** H2: {@code SELECT … FROM FINAL TABLE (UPDATE …)}, {@code OLD TABLE (DELETE …)}. */
  private void deltaTable(Set<Integer> observed) {
    deltaTable(draft, observed);
    returns(Returns.WRITTEN_ROWS);
  }

  static void deltaTable(Draft draft, Set<Integer> observed) {
    String which = draft.shape.kind == StatementKind.DELETE ? "old" : "final";
    draft.splices.before(
        draft.shape.from,
        "select %s, %s%s from %s table ("
            .formatted(Auxiliary.RID, Auxiliary.WL, carried(draft, observed), which));
    draft.splices.after(draft.shape.to - 1, ")");
  }

  private String returningPair() {
    return returningPair(draft, target);
  }

  /** Row and version of the rows that a write returns. */
  static String returningPair(Draft draft, TableRef target) {
    VersionSource versions = draft.tables.versions(target);
    if (versions.marksWrites()) {
      return draft.dialect == Dialect.POSTGRESQL
          ? Auxiliary.pair(target.exposedName())
          : Auxiliary.RID + ", " + Auxiliary.WL;
    }
    String qualifier = target.exposedName() + ".";
    String written =
        versions.written(
            draft.shape.kind,
            qualifier,
            new VersionSource.Written(
                draft.shape.onConflict >= 0, mayChangeKey(draft, target), replaced(draft, target)));
    return "%s as %s, %s as %s"
        .formatted(versions.row(qualifier), Auxiliary.RID, written, Auxiliary.WL);
  }

  /** Adds a condition to the statement's own, which is evaluated before it. */
  private void addCondition(String condition) {
    if (shape.where < 0) {
      draft.splices.after(shape.setEnd - 1, " where " + condition);
    } else {
      draft.splices.after(shape.where, " (");
      draft.splices.after(shape.whereEnd - 1, ") and " + condition);
    }
  }

  /** How a write returns the version that each of its rows replaced; empty if it does not. */
  static Optional<Replaced> replaced(Draft draft, TableRef target) {
    Set<Replaced> ways = draft.tables.versions(target).replaced();
    if (ways.contains(Replaced.RETURNED) && !hidesOld(draft)) {
      return Optional.of(Replaced.RETURNED);
    }
    return ways.contains(Replaced.KEPT) && isEvaluatedLast(draft)
        ? Optional.of(Replaced.KEPT)
        : Optional.empty();
  }

  /**
   * True if a condition that is added to a write is evaluated right before each row is updated, and
   * hardly for other rows: it joins nothing, has no subquery that may become a join, and takes its
   * row from no cursor.
   */
  private static boolean isEvaluatedLast(Draft draft) {
    StatementShape shape = draft.shape;
    int where = shape.where;
    boolean selects =
        shape.blocks.stream().anyMatch(b -> b.select > where && b.select < shape.whereEnd);
    boolean atCursor = where >= 0 && draft.tokens.areWords(where + 1, "CURRENT", "OF");
    return shape.onConflict >= 0 || (shape.moreAt < 0 && !selects && !atCursor);
  }

  /** True if {@code old} or {@code new} is a name of a table in the statement. */
  private static boolean hidesOld(Draft draft) {
    return draft.shape.tables.stream()
            .map(t -> Identifiers.fold(t.exposedName()))
            .anyMatch(name -> name.equals("old") || name.equals("new"))
        || draft.shape.sources.stream()
            .flatMap(node -> derived(node).stream())
            .flatMap(derived -> derived.alias().stream())
            .map(Identifiers::fold)
            .anyMatch(name -> name.equals("old") || name.equals("new"));
  }

  private static List<FromNode.Derived> derived(FromNode node) {
    List<FromNode.Derived> all = new ArrayList<>();
    node.collectDerived(all);
    return all;
  }

  /** True unless an UPDATE surely leaves the columns that identify its row as they are. */
  private static boolean mayChangeKey(Draft draft, TableRef target) {
    return mayAssign(draft, draft.tables.key(target).orElseThrow().columns());
  }

  /** True unless it surely assigns none of these columns. */
  private static boolean mayAssign(Draft draft, Collection<String> columns) {
    return draft.shape.assignments.stream()
        .anyMatch(
            assignment ->
                assignment.targets().isEmpty()
                    || assignment.targets().stream()
                        .flatMap(target -> target.parts().stream())
                        .map(Identifiers::fold)
                        .anyMatch(part -> columns.stream().anyMatch(part::equalsIgnoreCase)));
  }

  /**
   * PostgreSQL raises an error if system columns are to be returned of a row that is moved to a
   * partition with columns in another order.
   */
  private boolean mayMoveRows() {
    return shape.kind == StatementKind.UPDATE
        && draft.tables.key(target).map(k -> mayAssign(draft, k.partitionedBy())).orElse(false);
  }

  private void returns(Returns how) {
    draft.returns = how;
    draft.appended.add(draft.tables.display(target));
  }
}
