package io.txwatch.sql;

import io.txwatch.history.StatementKind;
import io.txwatch.sql.FromNode.TableRef;
import io.txwatch.sql.SelectBlock.Role;
import io.txwatch.sql.dialect.Dialect;
import io.txwatch.sql.syntax.TokenKind;
import io.txwatch.sql.syntax.Tokens;
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
 * list ends after {@link Carried#MAX_ENTRIES} entries. It is weighed in docs/decisions/0019.
 *
 * <p>Not in a query that locks on MySQL and MariaDB, which reads other versions than a subquery
 * does. Whether it may be sent at all is a matter of the isolation level: {@link
 * io.txwatch.capture.SnapshotRules#mayPiggyback}.
 */
final class CarriedReads {

  private static final String RID = "txw_r";
  private static final String WL = "txw_w";

  private final Draft draft;
  private final List<SelectBlock> carriers;

  /** Tables that are not observed where the statement returns no row. */
  private final Set<Integer> lost = new HashSet<>();

  private CarriedReads(Draft draft, List<SelectBlock> carriers) {
    this.draft = draft;
    this.carriers = carriers;
  }

  /**
   * Adds a column for every block with tables that are not observed yet.
   *
   * @param observed the tables that are, by their first tokens; those of the columns are added
   * @return those of them that are not observed where the statement returns no row
   */
  static Set<Integer> add(Draft draft, Set<Integer> observed) {
    if (!draft.mayReturnRows || !draft.alone || hasOtherParameters(draft.tokens)) {
      return Set.of();
    }
    boolean locks = draft.shape.kind == StatementKind.LOCKING_SELECT;
    if (locks && (draft.dialect == Dialect.MYSQL || draft.dialect == Dialect.MARIADB)) {
      return Set.of();
    }
    SelectBlock top = draft.shape.top();
    List<SelectBlock> carriers =
        top != null
            ? List.of(top)
            : draft.shape.blocks.stream().filter(block -> block.role == Role.BRANCH).toList();
    boolean all = !carriers.isEmpty() && !draft.shape.otherBranch;
    boolean hint = draft.dialect != Dialect.MYSQL || HiddenAggregates.takesHint(draft.tokens);
    if (all && hint && carriers.stream().allMatch(block -> takesColumn(draft, block))) {
      CarriedReads reads = new CarriedReads(draft, carriers);
      if (!reads.changesOrder()) {
        reads.add(observed);
        return reads.lost;
      }
    }
    return Set.of();
  }

  private static boolean hasOtherParameters(Tokens tokens) {
    for (int i = 0; i < tokens.count(); i++) {
      if (tokens.is(i, TokenKind.NUMBERED_PARAMETER) || tokens.is(i, TokenKind.NAMED_PARAMETER)) {
        return true;
      }
    }
    return false;
  }

  private static boolean takesColumn(Draft draft, SelectBlock block) {
    return block.into < 0
        && block.qualify < 0
        && block.listTo > block.listFrom
        && !HiddenAggregates.isGroupByAll(draft.tokens, block);
  }

  private void add(Set<Integer> observed) {
    String columns = columns(observed);
    if (columns.isEmpty()) {
      return;
    }
    boolean hinted = draft.returns == RewritePlan.Returns.AGGREGATED_TO_RESULT;
    if (draft.dialect == Dialect.MYSQL && !hinted) {
      draft.splices.after(carriers.get(0).select, HiddenAggregates.LENGTH_HINT);
    }
    carriers.forEach(block -> draft.splices.after(block.listTo - 1, columns));
  }

  /**
   * The columns of what a write reads besides its target, for the list of what it returns; empty if
   * there are none.
   *
   * <p>On PostgreSQL a subquery there sees what the statement's own subqueries see. On H2 and
   * SQLite it sees what the statement has left: the same where the read may come {@linkplain
   * SideRead.Moment#EITHER before or after} it.
   *
   * @param observed the tables that are observed, by their first tokens; those of the columns are
   *     added
   */
  static String ofWrite(Draft draft, Set<Integer> observed) {
    boolean takes =
        draft.mayReturnRows
            && draft.alone
            && !hasOtherParameters(draft.tokens)
            && draft.dialect != Dialect.MYSQL
            && draft.dialect != Dialect.MARIADB;
    return takes ? new CarriedReads(draft, List.of()).columns(observed) : "";
  }

  private boolean isSeen(SideRead read) {
    return carriers.isEmpty()
        ? draft.dialect == Dialect.POSTGRESQL || read.moment() == SideRead.Moment.EITHER
        : true;
  }

  private String columns(Set<Integer> observed) {
    SideReads reads = new SideReads(draft);
    StringBuilder columns = new StringBuilder();
    List<SelectBlock> blocks = new ArrayList<>(draft.shape.blocks);
    reads.written().ifPresent(blocks::add);
    for (SelectBlock block : blocks) {
      List<TableRef> tables = reads.unobserved(block, observed);
      if (tables.isEmpty()) {
        continue;
      }
      boolean done = reads.isUnused(block);
      if (!done) {
        Optional<SideRead> read = reads.within(block, tables).filter(this::isSeen);
        read.ifPresent(
            found -> {
              columns.append(", ").append(column(found.sql(), tables.size()));
              columns.append(" as ").append(Auxiliary.WL);
              boolean mayBeLost = mayBeLost(block);
              boolean askedBeside = draft.extent.level().includes(RewritePlanner.Level.ITEMS);
              draft.carried.add(
                  new Carried.Read(found.tables(), found.exact(), mayBeLost && !askedBeside));
              if (mayBeLost) {
                tables.forEach(table -> lost.add(table.from()));
              }
            });
        done = read.isPresent();
      }
      if (done) {
        tables.forEach(table -> observed.add(table.from()));
      }
    }
    return columns.toString();
  }

  /**
   * True if a further column may bring the rows in another order where none is asked for: where
   * PostgreSQL and SQLite find equal rows, they may do it by hashing or by an index.
   */
  private boolean changesOrder() {
    boolean finds = draft.shape.deduplicates || carriers.stream().anyMatch(block -> block.distinct);
    boolean ordered = false;
    for (int i = draft.shape.verb; i < draft.shape.to; i = draft.tokens.next(i)) {
      ordered |= draft.tokens.areWords(i, "ORDER", "BY");
    }
    return switch (draft.dialect) {
      case POSTGRESQL, SQLITE -> finds && !ordered;
      case H2, MYSQL, MARIADB -> false;
    };
  }

  /** True if the block may have read rows although the statement returns none. */
  private boolean mayBeLost(SelectBlock block) {
    SelectBlock top = draft.shape.top();
    Tokens tokens = draft.tokens;
    for (int i = draft.shape.from; i < draft.shape.to; i++) {
      if (tokens.isAnyWord(
          i, "HAVING", "LIMIT", "OFFSET", "FETCH", "TOP", "INTERSECT", "EXCEPT", "MINUS")) {
        return true;
      }
    }
    boolean own =
        switch (block.role) {
          case TOP, BRANCH -> true;
          case SOURCE -> draft.shape.onConflict < 0;
          case EXISTS, NESTED -> false;
        };
    boolean item = top != null && block.select > top.listFrom && block.select < top.listTo;
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
    List<String> entries = new ArrayList<>();
    boolean mysql = draft.dialect == Dialect.MYSQL || draft.dialect == Dialect.MARIADB;
    for (int i = 0; i < tables; i++) {
      entries.add(
          (mysql
                  ? "ifnull(concat(%s, ':', ifnull(%s, '')), '')"
                  : "coalesce(%s || ':' || coalesce(%s, ''), '')")
              .formatted(RID + i, WL + i));
    }
    String row =
        mysql && tables > 1
            ? "concat(" + String.join(", ',', ", entries) + ")"
            : String.join(" || ',' || ", entries);
    String list =
        switch (draft.dialect) {
          case POSTGRESQL -> "string_agg(%1$s, ',' order by %1$s)".formatted(row);
          case H2 -> "listagg(%1$s, ',') within group (order by %1$s)".formatted(row);
          case SQLITE -> "group_concat(%s, ',')".formatted(row);
          case MYSQL, MARIADB -> "group_concat(%1$s order by %1$s separator ',')".formatted(row);
        };
    String bounded =
        "case when count(*) > %d then '' else coalesce(%s, '') end"
            .formatted(mostRows(tables), list);
    String text =
        mysql ? "concat(count(*), ';', " + bounded + ")" : "count(*) || ';' || " + bounded;
    return "(select " + text + " from (" + read + ") txw)";
  }
}
