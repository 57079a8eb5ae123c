package io.txwatch.rewrite;

import io.txwatch.history.StatementKind;
import io.txwatch.plan.Catalog;
import io.txwatch.plan.SideRead;
import io.txwatch.plan.SideRead.Moment;
import io.txwatch.plan.SideRead.Purpose;
import io.txwatch.sql.semantics.Block;
import io.txwatch.sql.semantics.StatementParts;
import io.txwatch.sql.syntax.Clause;
import io.txwatch.sql.syntax.Clause.Kind;
import io.txwatch.sql.syntax.QueryBody;
import io.txwatch.sql.syntax.Source;
import io.txwatch.sql.syntax.Span;
import io.txwatch.sql.syntax.Tokens;
import io.txwatch.statement.Aggregation;
import io.txwatch.statement.AnalyzedStatement;
import io.txwatch.statement.CannotFail;
import io.txwatch.statement.PlainView;
import io.txwatch.statement.Scopes;
import io.txwatch.statement.StatementKinds;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Side reads: the rows of blocks that cannot carry columns, read by the block's own FROM and WHERE
 * (hazards 5 to 9, 14; level {@code items}).
 *
 * <p>A block under DISTINCT, GROUP BY or an aggregate, in a set operation, a subquery or a CTE has
 * read the rows that its FROM and WHERE let through. A block that refers to the blocks around it
 * (it is correlated) is joined with them: its rows are those that it read for the outer rows that
 * match. What is copied must be sure to mean the same outside of its place: every name in it must
 * be known to be the block's own, and every function to be without effect and without chance. Else
 * the block is left out, and its rows are not seen. Where something else than the copied conditions
 * may omit rows ({@link RowFilters}, LIMIT, EXISTS), the read is {@linkplain SideRead#exact not
 * exact}. A copy of a subquery that locks would not wait as that does, and where rows are skipped
 * that others have locked it may choose other rows: these are left out, too.
 *
 * <p>They are sent before a plain query: so they leave alone what a DBMS keeps of the last
 * statement (FOUND_ROWS, warnings). A query that locks waits by itself, and is followed by a read
 * that takes just its locks again.
 */
final class SideReads {

  /** Tables that a read within a statement may join: each may have some hundred rows. */
  private static final int MAX_TABLES = 3;

  private final RewriteContext context;
  private final AnalyzedStatement statement;
  private final Scopes scopes;

  SideReads(RewriteContext context) {
    this.context = context;
    this.statement = context.statement();
    this.scopes = new Scopes(statement);
  }

  /** Where a read stands: one of its own, or one within the statement itself. */
  private enum Form {
    BESIDE,
    WITHIN
  }

  /**
   * A side read for every block with tables that are not observed yet.
   *
   * @param observed the tables that are, by their first tokens
   */
  static Rewrite of(RewriteContext context, Set<Integer> observed) {
    SideReads reads = new SideReads(context);
    Rewrite all = Rewrite.NONE;
    for (Block block : context.parts().blocks()) {
      all = all.and(reads.ofBlock(block, observed));
    }
    if (reads.scopes.written().isPresent()) {
      all = all.and(reads.ofBlock(reads.scopes.written().get(), observed));
    }
    for (QueryBody.TableQuery query : context.parts().tableQueries()) {
      all = all.and(reads.ofTable(query.table(), observed));
    }
    return all;
  }

  private Rewrite ofBlock(Block block, Set<Integer> observed) {
    List<Source.Table> tables = unobserved(block, observed);
    if (tables.isEmpty()) {
      return Rewrite.NONE;
    }
    Rewrite seen = Rewrite.observing(tables);
    return scopes.isUnused(block)
        ? seen
        : of(block, tables, Form.BESIDE)
            .map(read -> Rewrite.beside(read).and(seen))
            .orElse(Rewrite.NONE);
  }

  /** The tables of a block that are prepared and not observed yet. */
  List<Source.Table> unobserved(Block block, Set<Integer> observed) {
    List<Source.Table> tables = new ArrayList<>();
    for (Source.Table table : block.tables()) {
      boolean rows =
          statement.tables().isPrepared(table)
              || statement.tables().view(statement.sql(), table).isPresent();
      if (rows && !observed.contains(table.from())) {
        tables.add(table);
      }
    }
    return tables;
  }

  /** An UPDATE or DELETE, as the block around its subqueries. */
  Optional<Block> written() {
    return scopes.written();
  }

  /** True if nothing reads the rows of the block. */
  boolean isUnused(Block block) {
    return scopes.isUnused(block);
  }

  /**
   * The same read as a query within the statement: its columns have the names that {@link
   * CarriedReads} uses, its parameters are the application's once more. Only of small tables,
   * joined with few others, where nothing can fail and nothing is locked.
   */
  Optional<SideRead> within(Block block, List<Source.Table> tables) {
    Optional<List<Block>> outer = scopes.joinedTo(block);
    if (outer.isEmpty() || outer.get().size() > 1) {
      return Optional.empty();
    }
    List<Block> joined = new ArrayList<>(outer.get());
    joined.add(block);
    Optional<Span> with = scopes.with(joined);
    int copied = 0;
    for (Source.Table table : statement.parts().references()) {
      boolean copies =
          with.filter(w -> w.contains(table.from())).isPresent()
              || joined.stream().anyMatch(one -> one.chooses(table.from()));
      if (copies && !table.isCommon()) {
        copied++;
        boolean rows =
            statement.tables().isPrepared(table)
                || statement
                    .tables()
                    .view(statement.sql(), table)
                    .filter(PlainView::cannotFail)
                    .isPresent();
        if (!rows || !context.mayList(table)) {
          return Optional.empty();
        }
      }
    }
    boolean again =
        with.filter(w -> !w.isEmpty()).isPresent() && !statement.sql().takesSameWithInside();
    boolean harmless =
        with.isPresent()
            && !again
            && copied <= MAX_TABLES
            && CannotFail.holds(statement, with.get())
            && joined.stream().allMatch(one -> !one.has(Kind.LOCK) && cannotFail(one));
    // A write that waited for a row has gone on with a newer version of it.
    boolean aboutTarget = scopes.written().filter(joined::contains).isPresent();
    return harmless
        ? of(block, tables, Form.WITHIN).map(read -> aboutTarget ? read.inexact() : read)
        : Optional.empty();
  }

  private boolean cannotFail(Block block) {
    return block.choosing().stream().allMatch(c -> CannotFail.holds(statement, c.content()))
        && !scopes.canCopyLimit(block);
  }

  /**
   * When a read may be sent. What an INSERT reads, and what an UPDATE reads of other tables than
   * the one that it changes, is the same before and after: what the statement itself wrote bears
   * its token. A DELETE may take rows of other tables along.
   */
  private Moment moment(List<Block> joined) {
    StatementParts parts = statement.parts();
    boolean inserts =
        StatementKinds.of(parts) == StatementKind.INSERT && parts.tree().conflicts().isEmpty();
    boolean writes = inserts || StatementKinds.of(parts) == StatementKind.UPDATE;
    boolean changesKnown = statement.sql().listsChangingColumns();
    if (changesKnown && StatementKinds.of(parts) == StatementKind.UPDATE && !namesChanged(joined)) {
      return Moment.EITHER;
    }
    if (!writes || scopes.written().filter(joined::contains).isPresent()) {
      return Moment.BEFORE;
    }
    for (Source.Table table : parts.references()) {
      boolean copied = joined.stream().anyMatch(block -> block.chooses(table.from()));
      boolean changed = parts.tree().writtenTable().isEmpty() || isTarget(table);
      if (!inserts && copied && (table.isCommon() || changed)) {
        return Moment.BEFORE;
      }
    }
    return Moment.EITHER;
  }

  /**
   * True if what is copied may refer to a column that an UPDATE changes: then other rows may match
   * once it was carried out.
   */
  private boolean namesChanged(List<Block> joined) {
    StatementParts parts = statement.parts();
    Tokens tokens = statement.tokens();
    Set<String> changed = new HashSet<>();
    for (Source.Table table : parts.references()) {
      Optional<Catalog.Table> known = statement.tables().find(table);
      if (known.isEmpty() || known.get().traits().beforeUpdate()) {
        return true;
      }
      changed.addAll(known.get().traits().changing());
    }
    Optional<Set<String>> assigned = parts.tree().assignedColumns();
    if (assigned.isEmpty()) {
      return true;
    }
    changed.addAll(assigned.get());
    for (int i = parts.from(); i < parts.to(); i++) {
      int token = i;
      boolean named = tokens.isName(i) && changed.contains(tokens.folded(i));
      boolean natural = tokens.isAnyWord(i, "NATURAL", "WITH");
      if ((named || natural) && joined.stream().anyMatch(b -> b.chooses(token))) {
        return true;
      }
    }
    return joined.stream().anyMatch(block -> block.limited());
  }

  private boolean isTarget(Source.Table table) {
    String rows = statement.tables().displayOfRows(table);
    return statement
        .tree()
        .writtenTable()
        .filter(target -> rows.equals(statement.tables().display(target)))
        .isPresent();
  }

  /** {@code TABLE t} in the place of a query. */
  private Rewrite ofTable(Source.Table table, Set<Integer> observed) {
    if (!statement.tables().isPrepared(table) || observed.contains(table.from())) {
      return Rewrite.NONE;
    }
    String sql =
        "select %s from %s%s"
            .formatted(
                VersionSource.of(statement.tables(), table).pair(""),
                String.join(".", table.name()),
                context.limit());
    List<String> tables = List.of(statement.tables().display(table));
    return Rewrite.beside(new SideRead(Purpose.READ, Moment.BEFORE, sql, new int[0], tables, true))
        .and(Rewrite.observing(table));
  }

  private Optional<SideRead> of(Block block, List<Source.Table> tables, Form form) {
    Optional<List<Block>> outer = scopes.joinedTo(block);
    if (outer.isEmpty()) {
      return Optional.empty();
    }
    List<Block> joined = new ArrayList<>(outer.get());
    joined.add(block);
    boolean ordered = joined.size() == 1 && block.limited() && scopes.canCopyLimit(block);
    boolean exact = isExact(block, joined, ordered, form);
    boolean locks = block.has(Kind.LOCK) && block.role() == Block.Role.TOP;
    Optional<Span> with = scopes.with(joined);
    boolean waits = !locks && joined.stream().anyMatch(one -> one.has(Kind.LOCK));
    if (with.isEmpty() || waits || statement.skipsLockedRows() || (locks && !exact && !ordered)) {
      return Optional.empty();
    }
    if (joined.stream().anyMatch(this::usesOuterAggregate)) {
      return Optional.empty();
    }
    ReadText text = ReadText.of(statement, form == Form.WITHIN);
    text.copyWith(with.get()).add("select ").add(columns(tables, form)).add(" from ");
    from(joined, text);
    where(joined, text);
    if (ordered) {
      orderAndLimit(block, text);
    } else {
      text.add(form == Form.WITHIN ? CarriedReads.limit(tables.size()) : context.limit());
    }
    if (locks) {
      text.add(" ").copy(block.span(Kind.LOCK).orElseThrow());
    }
    return Optional.of(
        new SideRead(
            Purpose.READ,
            locks ? Moment.AFTER : moment(joined),
            text.sql(),
            text.parameters(),
            tables.stream().map(statement.tables()::displayOfRows).toList(),
            exact));
  }

  /** True if WHERE may have an aggregate in it, which is one of the query around the block. */
  private boolean usesOuterAggregate(Block block) {
    return block
        .clause(Kind.WHERE)
        .filter(where -> Aggregation.mayAggregate(statement, where.content()))
        .isPresent();
  }

  /**
   * True if just the rows are read that the statement reads, given one snapshot.
   *
   * @param ordered true if ORDER BY and LIMIT are copied
   */
  private boolean isExact(Block block, List<Block> joined, boolean ordered, Form form) {
    // A view may have been replaced by another, elsewhere.
    boolean stays = !scopes.readViews(joined) && joined.stream().noneMatch(scopes::dependsOnTime);
    return stays
        && !new RowFilters(statement, joined, form == Form.WITHIN).mayOmitRows()
        && (ordered
            || (block.role() != Block.Role.EXISTS
                && joined.stream().noneMatch(one -> one.limited())));
  }

  private String columns(List<Source.Table> tables, Form form) {
    return IntStream.range(0, tables.size())
        .mapToObj(i -> columns(tables.get(i), i, form))
        .collect(Collectors.joining(", "));
  }

  private String columns(Source.Table table, int place, Form form) {
    return form == Form.WITHIN
        ? CarriedReads.pair(VersionSource.of(statement.tables(), table), table.exposedName(), place)
        : VersionSource.pair(statement.tables(), table);
  }

  private static void from(List<Block> joined, ReadText text) {
    String separator = "";
    for (Block block : joined) {
      text.add(separator).copySources(block);
      separator = ", ";
    }
  }

  private static void where(List<Block> joined, ReadText text) {
    String separator = " where ";
    boolean alone = joined.size() == 1;
    for (Block block : joined) {
      Optional<Clause> condition = block.clause(Kind.WHERE);
      if (condition.isPresent()) {
        text.add(separator).add(alone ? "" : "(");
        text.copy(condition.get().content()).add(alone ? "" : ")");
        separator = " and ";
      }
    }
  }

  private static void orderAndLimit(Block block, ReadText text) {
    block.clause(Kind.ORDER_BY).ifPresent(order -> text.add(" ").copy(order.span()));
    text.add(" ").copy(block.span(Kind.LIMIT).orElseThrow());
  }
}
