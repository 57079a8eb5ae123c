package io.txwatch.corpus;

import io.txwatch.corpus.Schema.Column;
import io.txwatch.corpus.Schema.Table;
import io.txwatch.corpus.Schema.Type;
import io.txwatch.servers.ServerKind;
import java.util.ArrayList;
import java.util.List;

/**
 * Generates expressions and conditions over the tables in scope. At depth 0 they contain neither
 * other expressions nor subqueries.
 */
final class Expressions {

  /** A table and its name in the query. */
  record Source(Table table, String name) {}

  private final RandomSource random;

  Expressions(RandomSource random) {
    this.random = random;
  }

  /** The qualified columns of a type. */
  private List<String> columns(List<Source> sources, Type type) {
    List<String> found = new ArrayList<>();
    for (Source source : sources) {
      for (Column column : source.table().columnsOf(type)) {
        found.add(source.name() + "." + column.name());
      }
    }
    return found;
  }

  /**
   * Chooses a case of a switch.
   *
   * @param flat the number of cases that may be chosen at depth 0
   * @param simple the number of cases without subqueries
   */
  private int choice(int depth, int flat, int simple, int all) {
    return random.below(depth == 0 ? flat : random.singleBlock ? simple : all);
  }

  /**
   * An integer expression that cannot fail, because the plan decides for which rows it is
   * evaluated: it contains no {@code abs} of a SMALLINT, which overflows for the least one.
   */
  String integer(List<Source> sources, int depth) {
    List<String> columns = columns(sources, Type.INT);
    if (columns.isEmpty() || random.percent(8)) {
      return String.valueOf(random.below(6));
    }
    String column = random.oneOf(columns);
    return switch (choice(depth, 6, 10, 14)) {
      case 0 -> column + " + " + random.below(9);
      case 1 -> "coalesce(" + column + ", 0)";
      case 2 -> "abs(" + column + " + 0)";
      case 6 -> "(" + column + " * 2 - " + integer(sources, 0) + ")";
      case 7 -> "CASE WHEN " + condition(sources, 0) + " THEN " + column + " ELSE -1 END";
      case 8 -> "nullif(" + column + ", " + random.below(4) + ")";
      case 9 -> "(0 - " + column + ")";
      case 10 -> "(SELECT count(*) FROM pair)";
      case 11 -> "(SELECT max(z.id) FROM account z WHERE z.id <= " + column + ")";
      default -> column;
    };
  }

  String text(List<Source> sources, int depth) {
    List<String> columns = columns(sources, Type.TEXT);
    if (columns.isEmpty() || random.percent(8)) {
      return literal();
    }
    String column = random.oneOf(columns);
    return switch (choice(depth, 5, 10, 13)) {
      case 0 -> "upper(" + column + ")";
      case 1 -> "coalesce(" + column + ", " + literal() + ")";
      case 5 ->
          random.isMySqlOrMariaDb() ? "concat(" + column + ", '-')" : "(" + column + " || '-')";
      case 6 -> "substring(" + column + ", 1, 2)";
      case 7 -> "replace(" + column + ", 'a', 'from')";
      case 8 -> "CASE " + column + " WHEN 'x' THEN 'one' ELSE " + column + " END";
      case 10 -> "(SELECT min(z.city) FROM branch z)";
      default -> column;
    };
  }

  private String literal() {
    return random.oneOf(
        "'x'", "'vip'", "'it''s'", "'? from /*'", "'txw_rid'", "''", "'--'", "'a;b'", "'rent'");
  }

  /** An expression for a select list. */
  String any(List<Source> sources, int depth) {
    Source source = random.oneOf(sources);
    return switch (random.below(7)) {
      case 0, 1 -> integer(sources, depth);
      case 2, 3 -> text(sources, depth);
      default -> source.name() + "." + random.oneOf(source.table().names());
    };
  }

  String condition(List<Source> sources, int depth) {
    String number = integer(sources, Math.max(0, depth - 1));
    Source source = random.oneOf(sources);
    String column = source.name() + "." + random.oneOf(source.table().names());
    return switch (choice(depth, 9, 12, 23)) {
      case 0 -> number + random.oneOf(" = ", " < ", " >= ", " <> ") + random.below(5);
      case 1 -> number + " BETWEEN 1 AND " + random.below(300);
      case 2 -> number + " IN (1, 2, " + random.below(9) + ")";
      case 3 -> column + random.oneOf(" IS NULL", " IS NOT NULL");
      case 4 -> text(sources, 0) + random.oneOf(" = ", " <> ", " > ") + literal();
      case 5 ->
          text(sources, 0)
              + random.oneOf(" LIKE ", " NOT LIKE ")
              + random.oneOf("'%a%'", "'x_'", "'%'");
      case 9 ->
          "(" + condition(sources, 0) + random.oneOf(" AND ", " OR ") + condition(sources, 0) + ")";
      case 10 -> "NOT (" + condition(sources, 0) + ")";
      case 12 -> number + " IN (SELECT z.id FROM account z)";
      case 13 ->
          number + random.oneOf(" IN ", " NOT IN ") + "(SELECT account_id FROM item WHERE qty > 0)";
      case 14 -> "EXISTS (SELECT 1 FROM entry z WHERE z.account_id = " + number + ")";
      case 15 -> "NOT EXISTS (SELECT * FROM tag z WHERE z.account_id = " + number + ")";
      case 16 -> number + " > (SELECT min(id) FROM branch)";
      case 17 -> number + " = (SELECT count(*) FROM person WHERE n > " + random.below(3) + ")";
      case 18 ->
          random.is(ServerKind.SQLITE)
              ? number + " < 3"
              : number + random.oneOf(" = ANY ", " >= ALL ", " < SOME ") + "(SELECT a FROM pair)";
      case 19 -> "(" + number + ", 1) IN (SELECT a, b FROM pair)";
      case 20 -> number + " IN (SELECT a FROM pair UNION SELECT id FROM branch)";
      case 21 -> number + " IN (SELECT id FROM rich)";
      default -> number + random.oneOf(" > ", " <= ", " != ") + random.below(4);
    };
  }

  /** An ORDER BY list that orders the rows of these sources completely. */
  String totalOrder(List<Source> sources) {
    List<String> keys = new ArrayList<>();
    for (Source source : sources) {
      for (Column column : source.table().orderColumns()) {
        keys.add(source.name() + "." + column.name() + random.oneOf("", "", " DESC", " ASC"));
      }
    }
    return String.join(", ", keys);
  }
}
