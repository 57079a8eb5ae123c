package io.txwatch.sql;

import io.txwatch.history.StatementKind;
import io.txwatch.sql.FromNode.TableRef;
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
 * Side reads: the rows of blocks that cannot carry columns, read by the block's own FROM and WHERE
 * (hazards 5 to 9, 14; level {@code items}).
 *
 * <p>A block under DISTINCT, GROUP BY or an aggregate, in a set operation, a subquery or a CTE has
 * read the rows that its FROM and WHERE let through. A block that speaks of the blocks around it
 * (it is correlated) is joined with them: its rows are those that it read for the outer rows that
 * match. What is copied must be sure to mean the same outside of its place: every name in it must
 * be known to be the block's own, and every function to be without effect and without chance. Else
 * the block is left out, and its rows are not seen. An over-count is never read in its place: what
 * a statement may have looked at beyond is what version sets are for.
 *
 * <p>They are sent before a plain query: so they leave alone what a DBMS keeps of the last
 * statement (FOUND_ROWS, warnings). A query that locks waits by itself, and is followed by a read
 * that takes just its locks again.
 */
final class SideReads {

  /** Tables that a read within a statement may join: each may have some hundred rows. */
  private static final int MAX_TABLES = 3;

  private final Draft draft;
  private final Scopes scopes;

  SideReads(Draft draft) {
    this.draft = draft;
    this.scopes = new Scopes(draft);
  }

  /** What a read looks like: one of its own, or one within the statement itself. */
  private enum Form {
    BESIDE,
    WITHIN
  }

  /**
   * Adds a side read for every block with tables that are not observed yet.
   *
   * @param observed the tables that are, by their first tokens; those of the side reads are added
   */
  static void add(Draft draft, Set<Integer> observed) {
    SideReads reads = new SideReads(draft);
    for (SelectBlock block : draft.shape.blocks) {
      reads.add(block, observed);
    }
    reads.scopes.written().ifPresent(block -> reads.add(block, observed));
    for (int query : draft.shape.tableQueries) {
      reads.tableQuery(query, observed);
    }
  }

  private void add(SelectBlock block, Set<Integer> observed) {
    List<TableRef> tables = unobserved(block, observed);
    if (tables.isEmpty()) {
      return;
    }
    boolean done = scopes.isUnused(block);
    if (!done) {
      Optional<SideRead> read = of(block, tables, Form.BESIDE);
      read.ifPresent(draft.sideReads::add);
      done = read.isPresent();
    }
    if (done) {
      tables.forEach(table -> observed.add(table.from()));
    }
  }

  /** The tables of a block that are prepared and not observed yet. */
  List<TableRef> unobserved(SelectBlock block, Set<Integer> observed) {
    List<TableRef> tables = new ArrayList<>();
    for (TableRef table : block.tables()) {
      boolean rows =
          draft.tables.isPrepared(table) || draft.tables.view(draft.dialect, table).isPresent();
      if (rows && !observed.contains(table.from())) {
        tables.add(table);
      }
    }
    return tables;
  }

  /** An UPDATE or DELETE, as the block around its subqueries. */
  Optional<SelectBlock> written() {
    return scopes.written();
  }

  /** True if nobody asks for what the block would give. */
  boolean isUnused(SelectBlock block) {
    return scopes.isUnused(block);
  }

  /**
   * The same read as a query within the statement: its columns are named as {@link CarriedReads}
   * speaks of them, its parameters are the application's once more. Only of small tables, joined
   * with few others, where nothing can fail and nothing is locked.
   */
  Optional<SideRead> within(SelectBlock block, List<TableRef> tables) {
    Optional<List<SelectBlock>> outer = scopes.joinedTo(block);
    if (outer.isEmpty() || outer.get().size() > 1) {
      return Optional.empty();
    }
    List<SelectBlock> joined = new ArrayList<>(outer.get());
    joined.add(block);
    int with = scopes.with(joined).orElse(-1);
    int copied = 0;
    for (TableRef table : draft.shape.tables) {
      boolean copies =
          table.from() < with || joined.stream().anyMatch(one -> Scopes.copies(one, table.from()));
      if (copies && !table.isCte()) {
        copied++;
        boolean rows =
            draft.tables.isPrepared(table)
                || draft
                    .tables
                    .view(draft.dialect, table)
                    .filter(PlainView::cannotFail)
                    .isPresent();
        if (!rows || !draft.tables.isSmall(table)) {
          return Optional.empty();
        }
      }
    }
    // H2's parser does not come to an end with a WITH within a statement that has the same.
    boolean again = draft.dialect == Dialect.H2 && with > draft.shape.from;
    boolean harmless =
        with >= 0
            && !again
            && copied <= MAX_TABLES
            && CannotFail.holds(draft, draft.shape.from, with)
            && joined.stream().allMatch(one -> !one.locking && cannotFail(one));
    // A write that waited for a row has gone on with a newer version of it.
    boolean aboutTarget = scopes.written().filter(joined::contains).isPresent();
    return harmless
        ? of(block, tables, Form.WITHIN).map(read -> aboutTarget ? read.inexact() : read)
        : Optional.empty();
  }

  private boolean cannotFail(SelectBlock block) {
    return CannotFail.holds(draft, block.fromAt + 1, block.fromEnd)
        && (block.where < 0 || CannotFail.holds(draft, block.where + 1, block.whereEnd))
        && (!block.limited || block.limit < 0 || !scopes.canCopyLimit(block));
  }

  /**
   * When a read may be sent. What an INSERT reads, and what an UPDATE reads of other tables than
   * the one that it changes, is the same before and after: what the statement itself wrote bears
   * its token. A DELETE may take rows of other tables along.
   */
  private Moment moment(List<SelectBlock> joined) {
    StatementShape shape = draft.shape;
    boolean inserts = shape.kind == StatementKind.INSERT && shape.onConflict < 0;
    boolean writes = inserts || shape.kind == StatementKind.UPDATE;
    // Elsewhere the catalog does not say which columns change by themselves.
    boolean traits = draft.dialect == Dialect.MYSQL || draft.dialect == Dialect.MARIADB;
    if (traits && shape.kind == StatementKind.UPDATE && !namesChanged(joined)) {
      return Moment.EITHER;
    }
    if (!writes || scopes.written().filter(joined::contains).isPresent()) {
      return Moment.BEFORE;
    }
    for (TableRef table : shape.tables) {
      boolean copied = joined.stream().anyMatch(block -> Scopes.copies(block, table.from()));
      boolean changed = shape.target == null || isTarget(table);
      if (!inserts && copied && (table.isCte() || changed)) {
        return Moment.BEFORE;
      }
    }
    return Moment.EITHER;
  }

  /**
   * True if what is copied may speak of a column that an UPDATE changes: then other rows may match
   * once it was carried out.
   */
  private boolean namesChanged(List<SelectBlock> joined) {
    StatementShape shape = draft.shape;
    Tokens tokens = draft.tokens;
    Set<String> changed = new HashSet<>();
    for (TableRef table : shape.tables) {
      Optional<Catalog.Table> known = draft.tables.find(table);
      if (known.isEmpty() || known.get().traits().beforeUpdate()) {
        return true;
      }
      changed.addAll(known.get().traits().changing());
    }
    Optional<Set<String>> assigned = shape.assignedColumns();
    if (assigned.isEmpty()) {
      return true;
    }
    changed.addAll(assigned.get());
    for (int i = shape.from; i < shape.to; i++) {
      int token = i;
      boolean named = tokens.isName(i) && changed.contains(tokens.folded(i));
      boolean natural = tokens.isAnyWord(i, "NATURAL", "WITH");
      if ((named || natural) && joined.stream().anyMatch(b -> Scopes.copies(b, token))) {
        return true;
      }
    }
    return joined.stream().anyMatch(block -> block.limited);
  }

  private boolean isTarget(TableRef table) {
    TableRef target = draft.shape.target;
    return target != null && draft.tables.displayOfRows(table).equals(draft.tables.display(target));
  }

  /** {@code TABLE t} in the place of a query. */
  private void tableQuery(int query, Set<Integer> observed) {
    for (TableRef table : draft.shape.tables) {
      if (table.from() == query + 1
          && draft.tables.isPrepared(table)
          && observed.add(table.from())) {
        String sql = "select " + draft.tables.versions(table).pair("") + " from ";
        sql += String.join(".", table.name()) + limit();
        draft.sideReads.add(
            new SideRead(
                Purpose.READ,
                Moment.BEFORE,
                sql,
                new int[0],
                List.of(draft.tables.display(table)),
                true));
      }
    }
  }

  private String limit() {
    return " limit " + (draft.extent.mostRows() + 1L);
  }

  private Optional<SideRead> of(SelectBlock block, List<TableRef> tables, Form form) {
    Optional<List<SelectBlock>> outer = scopes.joinedTo(block);
    if (outer.isEmpty()) {
      return Optional.empty();
    }
    List<SelectBlock> joined = new ArrayList<>(outer.get());
    joined.add(block);
    // A view may have been replaced by another, elsewhere.
    boolean exact = block.role != SelectBlock.Role.EXISTS && !scopes.readViews(joined);
    Text text = new Text(form);
    for (SelectBlock one : joined) {
      exact &= !one.limited && !scopes.asksForTime(one);
    }
    boolean ordered = joined.size() == 1 && block.limited && scopes.canCopyLimit(block);
    boolean locks = block.locking && block.role == SelectBlock.Role.TOP;
    if (locks && !exact && !ordered) {
      return Optional.empty();
    }
    Optional<Integer> with = scopes.with(joined);
    if (with.isEmpty()) {
      return Optional.empty();
    }
    if (with.get() > draft.shape.from) {
      text.slice(draft.shape.from, with.get());
      text.literal(" ");
    }
    text.literal("select ");
    List<String> names = new ArrayList<>();
    for (TableRef table : tables) {
      text.literal(
          (names.isEmpty() ? "" : ", ")
              + (form == Form.WITHIN
                  ? CarriedReads.pair(
                      draft.tables.versions(table), table.exposedName(), names.size())
                  : draft.tables.pair(table)));
      names.add(draft.tables.displayOfRows(table));
    }
    text.literal(" from ");
    for (int i = 0; i < joined.size(); i++) {
      text.literal(i == 0 ? "" : ", ");
      text.slice(joined.get(i).fromAt + 1, joined.get(i).fromEnd);
      if (joined.get(i).moreAt >= 0) {
        text.literal(", ");
        text.slice(joined.get(i).moreAt + 1, joined.get(i).moreEnd);
      }
    }
    where(joined, text);
    if (ordered) {
      if (block.orderBy >= 0) {
        text.literal(" ");
        text.slice(block.orderBy, block.orderByEnd);
      }
      text.literal(" ");
      text.slice(block.limit, block.limitEnd);
      exact = !scopes.asksForTime(block) && !scopes.readViews(joined);
    } else {
      text.literal(form == Form.WITHIN ? CarriedReads.limit(tables.size()) : limit());
    }
    if (locks) {
      text.literal(" ");
      text.slice(block.lockFrom, block.lockEnd);
    }
    return Optional.of(
        new SideRead(
            Purpose.READ,
            locks ? Moment.AFTER : moment(joined),
            text.out.toString(),
            text.parameters.stream().mapToInt(Integer::intValue).toArray(),
            List.copyOf(names),
            exact));
  }

  private static void where(List<SelectBlock> joined, Text text) {
    String separator = " where ";
    for (SelectBlock block : joined) {
      if (block.where >= 0) {
        boolean alone = joined.size() == 1;
        text.literal(separator + (alone ? "" : "("));
        text.slice(block.where + 1, block.whereEnd);
        text.literal(alone ? "" : ")");
        separator = " and ";
      }
    }
  }

  /** The text of a side read in the making, with the application's parameters that it takes. */
  private final class Text {
    private final Form form;
    private final StringBuilder out = new StringBuilder();
    private final List<Integer> parameters = new ArrayList<>();

    Text(Form form) {
      this.form = form;
    }

    void literal(String sql) {
      out.append(sql);
    }

    void slice(int from, int to) {
      Splices guarded = scopes.guarded();
      out.append(form == Form.WITHIN ? guarded.sliceAgain(from, to) : guarded.slice(from, to));
      int[] numbers = scopes.numbers();
      for (int i = from; i < to; i++) {
        if (numbers[i] > 0) {
          parameters.add(numbers[i]);
        }
      }
    }
  }
}
