package io.txwatch.rewrite;

import io.txwatch.dialect.DialectSql;
import io.txwatch.dialect.VersionList;
import io.txwatch.plan.Catalog;
import io.txwatch.plan.RewritePlan.Returns;
import io.txwatch.sql.semantics.Block;
import io.txwatch.sql.semantics.ScalarFunctions;
import io.txwatch.sql.syntax.Clause.Kind;
import io.txwatch.sql.syntax.Source;
import io.txwatch.sql.syntax.TokenKind;
import io.txwatch.sql.syntax.Tokens;
import io.txwatch.statement.Aggregation;
import io.txwatch.statement.AnalyzedStatement;
import io.txwatch.statement.CannotFail;
import io.txwatch.statement.Tables;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/**
 * GROUP BY and aggregates (hazards 6 and 7): one hidden aggregate for each table at the end of the
 * select list, which lists the row versions behind the result's row. The statement stays one
 * statement, with the snapshot and the locks that it has. It is added only to what aggregates
 * already, over the rows that are read already: what fails for one of the others would fail for us.
 *
 * <p>The list is bounded twice, for an aggregate over a huge table must not hurt. When the plan is
 * made, the catalog must know each table as small. When the statement runs and the table has grown
 * since, the aggregate itself keeps to a bound, each dialect in its way, and never by an error or a
 * warning; the count in front of the list then states how many versions it should have had.
 * Measured and compared in docs/decisions/0007.
 */
final class HiddenAggregates {

  /** Aggregates that every dialect has. */
  private static final Set<String> COMMON = Set.of("COUNT", "SUM", "MIN", "MAX", "AVG");

  /** Those that an index may give without the other rows. */
  private static final Set<String> EXTREMES = Set.of("MIN", "MAX");

  private HiddenAggregates() {}

  /** Why none can be added to a block; empty if they can. */
  static Optional<String> obstacle(RewriteContext context, Block block) {
    AnalyzedStatement statement = context.statement();
    if (block.distinct()) {
      return Optional.of("DISTINCT");
    }
    if (block.has(Kind.INTO)) {
      return Optional.of("SELECT INTO");
    }
    if (block.list().isEmpty()) {
      return Optional.of("an empty select list");
    }
    if (block.has(Kind.QUALIFY) || isGroupByAll(statement.tokens(), block)) {
      return Optional.of("QUALIFY or GROUP BY ALL");
    }
    List<String> aggregates = aggregates(statement, block);
    if (aggregates.isEmpty() && !isGrouped(statement.tokens(), block)) {
      return Optional.of("an aggregate, or a function that may be one");
    }
    boolean grouped = block.has(Kind.GROUP_BY);
    if (grouped && block.limited() && !block.has(Kind.ORDER_BY)) {
      return Optional.of("some of the groups"); // and others if they are made in another way
    }
    boolean mayReadLess = grouped ? block.limited() : EXTREMES.containsAll(aggregates);
    if (mayReadLess
        && !block.choosing().stream().allMatch(c -> CannotFail.holds(statement, c.content()))) {
      return Optional.of("an aggregate for which the DBMS need not read every row");
    }
    if (Aggregation.namesTwice(block)) {
      return Optional.of("two sources of rows with the same name");
    }
    for (Source.Table table : block.tables()) {
      if (statement.tables().isPrepared(table) && !context.mayList(table)) {
        return Optional.of("an aggregate over a table that is not known to be small");
      }
    }
    DialectSql sql = statement.sql();
    if (block.has(Kind.GROUP_BY)
        && sql.regroupsForAggregate(isJoin(block), block.has(Kind.ORDER_BY))) {
      return Optional.of("GROUP BY");
    }
    if (!takesHint(statement)) {
      return Optional.of("an aggregate beside hints or GROUP_CONCAT");
    }
    return Optional.empty();
  }

  private static boolean isJoin(Block block) {
    return block.tables().size() + block.others().size() > 1;
  }

  static boolean isGroupByAll(Tokens tokens, Block block) {
    return block
        .clause(Kind.GROUP_BY)
        .map(group -> group.span().from() + 2)
        .filter(first -> tokens.isAnyWord(first, "ALL", "DISTINCT") && !tokens.isOpen(first + 1))
        .isPresent();
  }

  /** True if it groups by something: without, and without an aggregate, no row need be read. */
  private static boolean isGrouped(Tokens tokens, Block block) {
    return block
        .clause(Kind.GROUP_BY)
        .filter(
            group -> {
              for (int i = group.span().from(); i < group.span().to(); i++) {
                if (tokens.isOpen(i) && tokens.partner(i) == i + 1) {
                  return false; // of no columns, or of a function's value
                }
              }
              return true;
            })
        .isPresent();
  }

  /** The aggregates in its list; a function that is not known is none, it could be a scalar one. */
  private static List<String> aggregates(AnalyzedStatement statement, Block block) {
    List<String> names = new ArrayList<>();
    Tokens tokens = statement.tokens();
    for (int i = block.list().from(); i < block.list().to(); i++) {
      if (tokens.isOpen(i) && tokens.isAnyWord(i + 1, "SELECT", "WITH", "TABLE", "VALUES")) {
        i = tokens.partner(i);
      } else if (tokens.isOpen(i)
          && tokens.is(i - 1, TokenKind.WORD)
          && !tokens.is(i - 2, TokenKind.DOT)
          && isAggregate(statement.sql(), tokens, i)
          && !ScalarFunctions.isWindow(tokens, i)) {
        names.add(tokens.text(i - 1).toUpperCase(Locale.ROOT));
      }
    }
    return names;
  }

  private static boolean isAggregate(DialectSql sql, Tokens tokens, int open) {
    String name = tokens.text(open - 1).toUpperCase(Locale.ROOT);
    return COMMON.contains(name) || sql.aggregates().contains(name);
  }

  /** MySQL takes one comment of hints; and its length is the application's GROUP_CONCAT's too. */
  static boolean takesHint(AnalyzedStatement statement) {
    if (statement.sql().listHint().isEmpty()) {
      return true;
    }
    Tokens tokens = statement.tokens();
    for (int i = 0; i < tokens.count(); i++) {
      if (tokens.isWord(i, "GROUP_CONCAT")) {
        return false;
      }
    }
    return tokens.text().indexOf("/*+") < 0;
  }

  /** Adds one for each table whose versions can be read. */
  static Rewrite append(RewriteContext context, Block block) {
    Tables tables = context.tables();
    List<Source.Table> read =
        block.tables().stream()
            .filter(table -> tables.view(context.sql(), table).isEmpty())
            .toList();
    List<Source.Table> listed = block.tables().stream().filter(tables::isPrepared).toList();
    Rewrite observed = Rewrite.observing(read);
    if (listed.isEmpty()) {
      return observed;
    }
    StringBuilder columns = new StringBuilder();
    for (Source.Table table : listed) {
      columns.append(", ").append(column(context, table, isJoin(block))).append(" as txw_rid");
    }
    return hint(context, block)
        .and(context.after(block.list().to() - 1, columns.toString()))
        .and(
            Rewrite.returning(
                Returns.AGGREGATED_TO_RESULT, listed.stream().map(tables::display).toList()))
        .and(observed);
  }

  /** What lets lists be long enough, behind a block's SELECT. */
  static Rewrite hint(RewriteContext context, Block block) {
    String hint = context.sql().listHint();
    return hint.isEmpty() ? Rewrite.NONE : context.after(block.start(), hint);
  }

  /**
   * {@code <count>;<list>} of one table.
   *
   * @param several true if a row of the table may match several rows of others, and come up often
   */
  private static String column(RewriteContext context, Source.Table table, boolean several) {
    VersionSource versions = VersionSource.of(context.tables(), table);
    String alias = table.exposedName() + ".";
    return context
        .sql()
        .versionList(
            new VersionList(
                versions.row(alias),
                versions.version(alias),
                several,
                String.join(".", table.name()),
                Catalog.SMALL_TABLE_ROWS,
                Catalog.SMALL_HEAP_BYTES));
  }
}
