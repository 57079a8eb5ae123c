package io.txwatch.oracle.log;

import io.txwatch.sql.syntax.Clause;
import io.txwatch.sql.syntax.Expression;
import io.txwatch.sql.syntax.Identifiers;
import io.txwatch.sql.syntax.Item;
import io.txwatch.sql.syntax.QueryBody;
import io.txwatch.sql.syntax.Source;
import io.txwatch.sql.syntax.Statement;
import io.txwatch.testcase.SqlText;
import io.txwatch.testcase.StatementText;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * A query of one table that returns columns by their names, so that each row of its result is a
 * part of one version of a row.
 *
 * @param table the table, as tables are known by
 * @param columns the columns by the index of the result's column; all of the table, in its order,
 *     if the query selects {@code *}
 * @param isLocking true if it locks the rows
 */
record PlainRead(String table, Map<Integer, String> columns, boolean isLocking) {

  /** A query, or why its rows are not parts of versions. */
  record Parsed(Optional<PlainRead> read, String obstacle) {

    private static Parsed without(String obstacle) {
      return new Parsed(Optional.empty(), obstacle);
    }
  }

  /**
   * Reads the text of a query.
   *
   * @param tables the columns of each table, in its order
   */
  static Parsed of(String sql, Map<String, List<String>> tables) {
    SqlText text = SqlText.of(sql);
    if (!(text.tree() instanceof Statement.Select statement)
        || statement.query().with().isPresent()
        || !(statement.query().body() instanceof QueryBody.Select select)) {
      return Parsed.without("no simple SELECT");
    }
    List<Source> from = select.from();
    if (from.size() != 1
        || !(from.get(0) instanceof Source.Table source)
        || source.isCommon()
        || source.columnAliases() > 0) {
      return Parsed.without("not of one table");
    }
    String table = StatementText.unquoted(source.name().get(source.name().size() - 1));
    List<String> known = tables.get(table);
    if (known == null || source.name().size() > 1) {
      return Parsed.without("of a view or an unknown table");
    }
    if (select.clause(Clause.Kind.GROUP_BY).isPresent()
        || select.clause(Clause.Kind.HAVING).isPresent()
        || select.clause(Clause.Kind.INTO).isPresent()) {
      return Parsed.without("grouped");
    }
    if (!select.items().stream().map(Item::value).allMatch(PlainRead::isPlain)) {
      return Parsed.without("with computed columns"); // of aggregates, there is a row without rows
    }
    Map<Integer, String> columns = columns(select.items(), known);
    return columns.isEmpty()
        ? Parsed.without("without a column by its name")
        : new Parsed(Optional.of(new PlainRead(table, columns, StatementText.locksRows(sql))), "");
  }

  private static boolean isPlain(Expression value) {
    return value instanceof Expression.Star
        || value instanceof Expression.Name
        || value instanceof Expression.Literal;
  }

  private static Map<Integer, String> columns(List<Item> items, List<String> known) {
    Map<Integer, String> columns = new LinkedHashMap<>();
    int index = 0;
    for (Item item : items) {
      if (item.value() instanceof Expression.Star) {
        for (String column : known) {
          columns.put(index++, column);
        }
        continue;
      }
      if (item.value() instanceof Expression.Name name) {
        List<String> same = new ArrayList<>();
        for (String column : known) {
          if (column
              .toLowerCase(Locale.ROOT)
              .equals(Identifiers.fold(Identifiers.unquote(name.last())))) {
            same.add(column);
          }
        }
        if (same.size() == 1) {
          columns.put(index, same.get(0));
        }
      }
      index++;
    }
    return columns;
  }
}
