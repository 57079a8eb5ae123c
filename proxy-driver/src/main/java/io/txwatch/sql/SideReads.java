package io.txwatch.sql;

import io.txwatch.history.StatementKind;
import io.txwatch.sql.FromNode.TableRef;
import io.txwatch.sql.SideRead.Moment;
import io.txwatch.sql.SideRead.Purpose;
import java.util.ArrayList;
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

  private final Draft draft;
  private final Scopes scopes;

  private SideReads(Draft draft) {
    this.draft = draft;
    this.scopes = new Scopes(draft);
  }

  /**
   * Adds a side read for every block with tables that are not told of yet.
   *
   * @param told the tables that are, by their first tokens; those of the side reads are added
   */
  static void add(Draft draft, Set<Integer> told) {
    SideReads reads = new SideReads(draft);
    for (SelectBlock block : draft.shape.blocks) {
      reads.add(block, told);
    }
    reads.scopes.written().ifPresent(block -> reads.add(block, told));
    for (int query : draft.shape.tableQueries) {
      reads.tableQuery(query, told);
    }
  }

  private void add(SelectBlock block, Set<Integer> told) {
    List<TableRef> tables = new ArrayList<>();
    for (TableRef table : block.tables()) {
      if (draft.tables.isPrepared(table) && !told.contains(table.from())) {
        tables.add(table);
      }
    }
    if (tables.isEmpty()) {
      return;
    }
    boolean done = scopes.isUnused(block);
    if (!done) {
      Optional<SideRead> read = of(block, tables);
      read.ifPresent(draft.sideReads::add);
      done = read.isPresent();
    }
    if (done) {
      tables.forEach(table -> told.add(table.from()));
    }
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

  private boolean isTarget(TableRef table) {
    TableRef target = draft.shape.target;
    return target != null && draft.tables.display(table).equals(draft.tables.display(target));
  }

  /** {@code TABLE t} in the place of a query. */
  private void tableQuery(int query, Set<Integer> told) {
    for (TableRef table : draft.shape.tables) {
      if (table.from() == query + 1 && draft.tables.isPrepared(table) && told.add(table.from())) {
        String sql = "select " + Auxiliary.RID + ", " + Auxiliary.WL + " from ";
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

  private Optional<SideRead> of(SelectBlock block, List<TableRef> tables) {
    Optional<List<SelectBlock>> outer = scopes.joinedTo(block);
    if (outer.isEmpty()) {
      return Optional.empty();
    }
    List<SelectBlock> joined = new ArrayList<>(outer.get());
    joined.add(block);
    boolean exact = block.role != SelectBlock.Role.EXISTS;
    Text text = new Text();
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
      text.literal((names.isEmpty() ? "" : ", ") + Auxiliary.pair(table.exposedName()));
      names.add(draft.tables.display(table));
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
      exact = !scopes.asksForTime(block);
    } else {
      text.literal(limit());
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
    private final StringBuilder out = new StringBuilder();
    private final List<Integer> parameters = new ArrayList<>();

    void literal(String sql) {
      out.append(sql);
    }

    void slice(int from, int to) {
      out.append(scopes.guarded().slice(from, to));
      int[] numbers = scopes.numbers();
      for (int i = from; i < to; i++) {
        if (numbers[i] > 0) {
          parameters.add(numbers[i]);
        }
      }
    }
  }
}
