package io.txwatch.sql.rewrite;

import io.txwatch.sql.Catalog;
import io.txwatch.sql.RewritePlan.Returns;
import io.txwatch.sql.dialect.Dialect;
import io.txwatch.sql.semantics.Aggregation;
import io.txwatch.sql.semantics.AnalyzedStatement;
import io.txwatch.sql.semantics.FromNode.TableRef;
import io.txwatch.sql.semantics.ScalarFunctions;
import io.txwatch.sql.semantics.SelectBlock;
import io.txwatch.sql.semantics.Tables;
import io.txwatch.sql.syntax.TokenKind;
import io.txwatch.sql.syntax.Tokens;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/**
 * GROUP BY and aggregates (hazards 6 and 7): one hidden aggregate for each table at the end of the
 * select list, which lists the row versions behind the result's row. The statement stays one
 * statement, with the snapshot and the locks that it has.
 *
 * <p>The list is bounded twice, for an aggregate over a huge table must not hurt. When the plan is
 * made, the catalog must know each table as small. When the statement runs and the table has grown
 * since, the aggregate itself keeps to a bound, each dialect in its way, and never by an error or a
 * warning; the count in front of the list then says how many versions it should have had. Measured
 * and weighed in docs/decisions/0007.
 */
final class HiddenAggregates {

  /** Aggregates that every dialect has. */
  private static final Set<String> COMMON = Set.of("COUNT", "SUM", "MIN", "MAX", "AVG");

  /** Characters that MySQL's list may have: a small table's rows, and some to grow. */
  private static final int MAX_CHARACTERS = 512 * 1024;

  /** Lets MySQL's lists have them, for the one statement. */
  static final String LENGTH_HINT =
      " /*+ SET_VAR(group_concat_max_len = " + MAX_CHARACTERS + ") */";

  private HiddenAggregates() {}

  /** Why none can be added to a block; empty if they can. */
  static Optional<String> obstacle(RewriteContext context, SelectBlock block) {
    AnalyzedStatement statement = context.statement();
    if (block.distinct) {
      return Optional.of("DISTINCT");
    }
    if (block.into >= 0) {
      return Optional.of("SELECT INTO");
    }
    if (block.qualify >= 0 || isGroupByAll(statement.tokens(), block)) {
      return Optional.of("QUALIFY or GROUP BY ALL");
    }
    if (block.listTo <= block.listFrom || !isAggregated(statement, block)) {
      return Optional.of("an aggregate, or a function that may be one");
    }
    if (Aggregation.namesTwice(block)) {
      return Optional.of("two sources of rows with the same name");
    }
    for (TableRef table : block.tables()) {
      if (statement.tables().isPrepared(table) && !context.mayList(table)) {
        return Optional.of("an aggregate over a table that is not known to be small");
      }
    }
    if (block.groupBy >= 0 && changesGrouping(statement.dialect(), block)) {
      return Optional.of("GROUP BY");
    }
    if (statement.dialect() == Dialect.MYSQL && !takesHint(statement.tokens())) {
      return Optional.of("an aggregate beside hints or GROUP_CONCAT");
    }
    return Optional.empty();
  }

  /**
   * True if a list would make the DBMS group in another way, which shows: in the order of the
   * groups where none is asked for, and on MariaDB and MySQL, which then do without a temporary
   * table, in the metadata and warnings of other columns.
   */
  private static boolean changesGrouping(Dialect dialect, SelectBlock block) {
    return switch (dialect) {
      case MYSQL, MARIADB -> true;
      case POSTGRESQL -> isJoin(block) && block.orderBy < 0;
      case H2, SQLITE -> false;
    };
  }

  private static boolean isJoin(SelectBlock block) {
    return block.tables().size() + block.derived().size() > 1;
  }

  static boolean isGroupByAll(Tokens tokens, SelectBlock block) {
    return block.groupBy >= 0
        && tokens.isAnyWord(block.groupBy + 2, "ALL", "DISTINCT")
        && !tokens.isOpen(block.groupBy + 3);
  }

  /** True if it has one row for each group for sure: a function not known could be a scalar one. */
  private static boolean isAggregated(AnalyzedStatement statement, SelectBlock block) {
    if (block.groupBy >= 0 || block.having >= 0) {
      return true;
    }
    Tokens tokens = statement.tokens();
    for (int i = block.listFrom; i < block.listTo; i++) {
      if (tokens.isOpen(i) && tokens.isAnyWord(i + 1, "SELECT", "WITH", "TABLE", "VALUES")) {
        i = tokens.partner(i);
      } else if (tokens.isOpen(i)
          && tokens.is(i - 1, TokenKind.WORD)
          && !tokens.is(i - 2, TokenKind.DOT)
          && isAggregate(statement.dialect(), tokens, i)
          && !ScalarFunctions.isWindow(tokens, i)) {
        return true;
      }
    }
    return false;
  }

  private static boolean isAggregate(Dialect dialect, Tokens tokens, int open) {
    String name = tokens.text(open - 1).toUpperCase(Locale.ROOT);
    if (COMMON.contains(name)) {
      return !dialect.sql().hasScalarMinMax() || !severalArguments(tokens, open);
    }
    return dialect.sql().aggregates().contains(name);
  }

  /** MIN and MAX of several arguments are no aggregates on SQLite. */
  private static boolean severalArguments(Tokens tokens, int open) {
    for (int i = open + 1; i < tokens.partner(open); i = tokens.next(i)) {
      if (tokens.is(i, TokenKind.COMMA)) {
        return true;
      }
    }
    return false;
  }

  /** MySQL takes one comment of hints; and its length is the application's GROUP_CONCAT's too. */
  static boolean takesHint(Tokens tokens) {
    for (int i = 0; i < tokens.count(); i++) {
      if (tokens.isWord(i, "GROUP_CONCAT")) {
        return false;
      }
    }
    return tokens.text().indexOf("/*+") < 0;
  }

  /** Adds one for each table whose versions can be read. */
  static Rewrite append(RewriteContext context, SelectBlock block) {
    Tables tables = context.tables();
    List<TableRef> read =
        block.tables().stream()
            .filter(table -> tables.view(context.dialect(), table).isEmpty())
            .toList();
    List<TableRef> listed = block.tables().stream().filter(tables::isPrepared).toList();
    Rewrite observed = Rewrite.observing(read);
    if (listed.isEmpty()) {
      return observed;
    }
    StringBuilder columns = new StringBuilder();
    for (TableRef table : listed) {
      columns
          .append(", ")
          .append(column(context.dialect(), table, VersionSource.of(tables, table), isJoin(block)))
          .append(" as txw_rid");
    }
    Rewrite hint =
        context.dialect() == Dialect.MYSQL
            ? context.after(block.select, LENGTH_HINT)
            : Rewrite.NONE;
    return hint.and(context.after(block.listTo - 1, columns.toString()))
        .and(
            Rewrite.returning(
                Returns.AGGREGATED_TO_RESULT, listed.stream().map(tables::display).toList()))
        .and(observed);
  }

  /**
   * {@code <count>;<list>} of one table.
   *
   * @param several true if a row of the table may meet several rows of others, and come up often
   */
  private static String column(
      Dialect dialect, TableRef table, VersionSource versions, boolean several) {
    String alias = table.exposedName() + ".";
    String rid = versions.row(alias);
    String wl = versions.version(alias);
    String distinct = several ? "distinct " : "";
    String count = "count(" + distinct + rid + ")";
    String version = distinct + rid + " || ':' || " + wl;
    return switch (dialect) {
      case POSTGRESQL ->
          "%s || ';' || coalesce(string_agg(%s, ',') filter (where %s), '')"
              .formatted(count, version, smallOnPostgres(table));
      case H2 ->
          "%s || ';' || coalesce(listagg(%s, ',') filter (where %s), '')"
              .formatted(count, version, smallByCounting(table));
      case SQLITE ->
          "%s || ';' || coalesce(group_concat(%s) filter (where %s), '')"
              .formatted(count, version, smallByCounting(table));
      case MARIADB ->
          "concat(%s, ';', coalesce(group_concat(%sconcat(%s, ':', %s) separator ',' limit %d), ''))"
              .formatted(count, distinct, rid, wl, Catalog.SMALL_TABLE_ROWS);
      case MYSQL ->
          "concat(%s, ';', coalesce(group_concat(%sconcat(%s, ':', %s) separator ','), ''))"
              .formatted(count, distinct, rid, wl);
    };
  }

  /** Evaluated once; takes no lock, and none of SSI's either, since it reads the catalog alone. */
  private static String smallOnPostgres(TableRef table) {
    String name = String.join(".", table.name()).replace("'", "''");
    return "(select not c.relhassubclass and pg_catalog.pg_relation_size(c.oid) <= "
        + Catalog.SMALL_HEAP_BYTES
        + " from pg_catalog.pg_class c where c.oid = '"
        + name
        + "'::pg_catalog.regclass)";
  }

  /** Evaluated once: what it reads is at most one row more than the bound. */
  private static String smallByCounting(TableRef table) {
    return "(select count(*) from (select 1 from "
        + String.join(".", table.name())
        + " limit "
        + (Catalog.SMALL_TABLE_ROWS + 1)
        + ") txw) <= "
        + Catalog.SMALL_TABLE_ROWS;
  }
}
