package io.txwatch.rewrite;

import io.txwatch.dialect.DialectSql;
import io.txwatch.history.StatementKind;
import io.txwatch.plan.Carried;
import io.txwatch.plan.RewritePlan;
import io.txwatch.plan.SideRead;
import io.txwatch.sql.semantics.Block;
import io.txwatch.sql.semantics.Block.Role;
import io.txwatch.sql.semantics.StatementParts;
import io.txwatch.sql.syntax.Clause.Kind;
import io.txwatch.sql.syntax.Source;
import io.txwatch.sql.syntax.TokenKind;
import io.txwatch.sql.syntax.Tokens;
import io.txwatch.statement.AnalyzedStatement;
import io.txwatch.statement.StatementKinds;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * What a query's own columns cannot return (subqueries, DISTINCT, groups, set operations), returned
 * by one more column: an uncorrelated subquery, with the same value in every row, that lists the
 * row versions which a block has read. It is the block's {@link SideReads side read} within the
 * statement itself: so it sees the statement's snapshot, and costs no round trip.
 *
 * <p>A column that is the same in every row leaves DISTINCT, groups and what a set operation takes
 * for equal as they are; where the value is computed once for each branch, it is put in order. What
 * it lists is bounded as hidden aggregates are: the tables are small when the plan is made, and the
 * list ends after {@link Carried#MAX_ENTRIES} entries. See docs/decisions/0019.
 *
 * <p>Not in a query that locks and so reads {@linkplain DialectSql#locksNewestVersions other
 * versions} than a subquery does. Whether it may be sent at all is a matter of the isolation level:
 * {@link io.txwatch.capture.SnapshotRules#mayPiggyback}.
 */
final class CarriedReads {

  private static final String RID = "txw_r";
  private static final String WL = "txw_w";

  /** Words without which each row that a block has found makes a row of the result. */
  private static final String[] BOUNDING = {
    "HAVING", "LIMIT", "OFFSET", "FETCH", "TOP", "INTERSECT", "EXCEPT", "MINUS"
  };

  private final RewriteContext context;
  private final AnalyzedStatement statement;
  private final List<Block> carriers;

  private CarriedReads(RewriteContext context, List<Block> carriers) {
    this.context = context;
    this.statement = context.statement();
    this.carriers = carriers;
  }

  /**
   * Columns, for a list of what a statement returns.
   *
   * @param text with a comma before each; empty if there are none
   * @param rewrite what they carry; for a query, also what puts them into the text
   * @param mayBeLost the tables, by their first tokens, that are not observed where the statement
   *     returns no row
   */
  record Columns(String text, Rewrite rewrite, Set<Integer> mayBeLost) {
    static final Columns NONE = new Columns("", Rewrite.NONE, Set.of());
  }

  /**
   * A column of a query for every block with tables that are not observed yet.
   *
   * @param own what the query's own rows identify
   */
  static Columns ofQuery(RewriteContext context, Rewrite own) {
    AnalyzedStatement statement = context.statement();
    if (!mayCarry(context)) {
      return Columns.NONE;
    }
    boolean locks = StatementKinds.of(statement.parts()) == StatementKind.LOCKING_SELECT;
    if (locks && context.sql().locksNewestVersions()) {
      return Columns.NONE;
    }
    List<Block> carriers = carriers(statement.parts());
    boolean all = !carriers.isEmpty() && !statement.parts().hasOtherBranch();
    boolean hint = HiddenAggregates.takesHint(statement);
    CarriedReads reads = new CarriedReads(context, carriers);
    boolean takes =
        all && hint && carriers.stream().allMatch(reads::takesColumn) && !reads.changesOrder();
    return takes ? reads.inQuery(own) : Columns.NONE;
  }

  private static boolean mayCarry(RewriteContext context) {
    return context.mayReturnRows() && context.alone() && !hasOtherParameters(context.tokens());
  }

  private static List<Block> carriers(StatementParts parts) {
    return parts.top().map(List::of).orElseGet(() -> parts.blocks(Role.BRANCH));
  }

  private static boolean hasOtherParameters(Tokens tokens) {
    for (int i = 0; i < tokens.count(); i++) {
      if (tokens.is(i, TokenKind.NUMBERED_PARAMETER) || tokens.is(i, TokenKind.NAMED_PARAMETER)) {
        return true;
      }
    }
    return false;
  }

  private boolean takesColumn(Block block) {
    return !block.has(Kind.INTO)
        && !block.has(Kind.QUALIFY)
        && block.list().to() > block.list().from()
        && !HiddenAggregates.isGroupByAll(statement.tokens(), block);
  }

  private Columns inQuery(Rewrite own) {
    Columns columns = columns(own.observed());
    if (columns.text.isEmpty()) {
      return columns;
    }
    boolean hinted = own.returned().how() == RewritePlan.Returns.AGGREGATED_TO_RESULT;
    Rewrite rewrite = columns.rewrite;
    if (!hinted) {
      rewrite = rewrite.and(HiddenAggregates.hint(context, carriers.get(0)));
    }
    for (Block block : carriers) {
      rewrite = rewrite.and(context.after(block.list().to() - 1, columns.text));
    }
    return new Columns(columns.text, rewrite, columns.mayBeLost);
  }

  /**
   * The columns of what a write reads besides its target, for the list of what it returns.
   *
   * <p>On PostgreSQL a subquery there sees what the statement's own subqueries see. On H2 it sees
   * what the statement has left: the same where the read may come {@linkplain
   * SideRead.Moment#EITHER before or after} it. At level {@code items} side reads do it.
   *
   * @param observed the tables that are observed, by their first tokens
   */
  static Columns ofWrite(RewriteContext context, Set<Integer> observed) {
    boolean takes =
        !context.readsBeside() && mayCarry(context) && !context.sql().locksNewestVersions();
    return takes ? new CarriedReads(context, List.of()).columns(observed) : Columns.NONE;
  }

  private boolean isSeen(SideRead read) {
    return !carriers.isEmpty()
        || statement.sql().returnsFromSnapshot()
        || read.moment() == SideRead.Moment.EITHER;
  }

  private Columns columns(Set<Integer> observed) {
    SideReads reads = new SideReads(context);
    StringBuilder text = new StringBuilder();
    Rewrite rewrite = Rewrite.NONE;
    Set<Integer> mayBeLost = new HashSet<>();
    List<Block> blocks = new ArrayList<>(statement.parts().blocks());
    reads.written().ifPresent(blocks::add);
    for (Block block : blocks) {
      List<Source.Table> tables = reads.unobserved(block, observed);
      if (tables.isEmpty()) {
        continue;
      }
      if (reads.isUnused(block)) {
        rewrite = rewrite.and(Rewrite.observing(tables));
        continue;
      }
      Optional<SideRead> read = reads.within(block, tables).filter(this::isSeen);
      if (read.isPresent()) {
        text.append(", ").append(column(read.get().sql(), tables.size()));
        text.append(" as ").append(Auxiliary.WL);
        rewrite = rewrite.and(carrying(block, read.get())).and(Rewrite.observing(tables));
        if (mayBeLost(block)) {
          tables.forEach(table -> mayBeLost.add(table.from()));
        }
      }
    }
    return new Columns(text.toString(), rewrite, mayBeLost);
  }

  private Rewrite carrying(Block block, SideRead read) {
    boolean askedBeside = context.readsBeside();
    return Rewrite.carrying(
        new Carried.Read(read.tables(), read.exact(), mayBeLost(block) && !askedBeside));
  }

  /** True if a further column may bring the rows in another order, and the query has no order. */
  private boolean changesOrder() {
    boolean finds =
        statement.parts().deduplicates() || carriers.stream().anyMatch(block -> block.distinct());
    boolean ordered = false;
    for (int i = statement.parts().tree().verb();
        i < statement.parts().to();
        i = statement.tokens().next(i)) {
      ordered |= statement.tokens().areWords(i, "ORDER", "BY");
    }
    return finds && !ordered && statement.sql().reordersDistinctRows();
  }

  /** True if the block may have read rows although the statement returns none. */
  private boolean mayBeLost(Block block) {
    StatementParts parts = statement.parts();
    if (statement.tokens().hasAnyWord(parts.from(), parts.to(), BOUNDING)) {
      return true;
    }
    boolean own =
        switch (block.role()) {
          case TOP, BRANCH -> true;
          case SOURCE -> statement.tree().conflicts().isEmpty();
          case EXISTS, NESTED -> false;
        };
    boolean item = parts.top().filter(top -> top.list().contains(block.start())).isPresent();
    return !own && !item;
  }

  // ---------------------------------------------------------------- in each dialect's words

  /** {@code t.txw_rid as …, t.txw_wl as …} for the table in that place of a read. */
  static String pair(VersionSource versions, String exposedName, int place) {
    String qualifier = exposedName + ".";
    return "%s as %s%d, %s as %s%d"
        .formatted(versions.row(qualifier), RID, place, versions.version(qualifier), WL, place);
  }

  /** Rows that a read of some tables may bring; with one more it has too many. */
  private static int mostRows(int tables) {
    return Carried.MAX_ENTRIES / tables;
  }

  static String limit(int tables) {
    return " limit " + (mostRows(tables) + 1);
  }

  /** The list of what a read finds, as a subquery for one value. */
  private String column(String read, int tables) {
    DialectSql sql = statement.sql();
    List<String> entries = new ArrayList<>();
    for (int i = 0; i < tables; i++) {
      entries.addAll(i == 0 ? List.of() : List.of("','"));
      entries.add(sql.orEmpty(sql.concatenate(RID + i, "':'", sql.orEmpty(WL + i))));
    }
    String list = sql.orderedList(sql.concatenate(entries.toArray(String[]::new)));
    String bounded =
        "case when %s then '' else coalesce(%s, '') end"
            .formatted(sql.isMore(sql.count("*"), mostRows(tables)), list);
    String text = sql.concatenate(sql.count("*"), "';'", bounded);
    return "(select " + text + " from (" + read + ") txw)";
  }
}
