package io.txwatch.corpus;

import io.txwatch.corpus.Schema.Column;
import io.txwatch.corpus.Schema.Table;
import io.txwatch.corpus.Schema.Type;
import io.txwatch.servers.ServerKind;
import java.util.ArrayList;
import java.util.List;

/** Expressions and conditions over the tables that are in scope. */
final class Expressions {

  /** A table under the name that it has in the query. */
  record Source(Table table, String name) {}

  private final RandomSource random;

  Expressions(RandomSource random) {
    this.random = random;
  }

  /** A column of some type, qualified; empty list if no source has one. */
  private List<String> columns(List<Source> sources, Type type) {
    List<String> found = new ArrayList<>();
    for (Source source : sources) {
      for (Column column : source.table().of(type)) {
        found.add(source.name() + "." + column.name());
      }
    }
    return found;
  }

  /** The case to take; those from {@code simple} on have subqueries. */
  private int choice(int depth, int flat, int simple, int all) {
    return random.below(depth == 0 ? flat : random.simple ? simple : all);
  }

  /**
   * One that cannot fail, for which rows it is asked is the plan's to choose: so no {@code abs} of
   * a SMALLINT, of which the least one has none.
   */
  String integer(List<Source> sources, int depth) {
    List<String> columns = columns(sources, Type.INT);
    if (columns.isEmpty() || random.maybe(8)) {
      return String.valueOf(random.below(6));
    }
    String column = random.of(columns);
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
    if (columns.isEmpty() || random.maybe(8)) {
      return literal();
    }
    String column = random.of(columns);
    return switch (choice(depth, 5, 10, 13)) {
      case 0 -> "upper(" + column + ")";
      case 1 -> "coalesce(" + column + ", " + literal() + ")";
      case 5 -> random.mySqlLike() ? "concat(" + column + ", '-')" : "(" + column + " || '-')";
      case 6 -> "substring(" + column + ", 1, 2)";
      case 7 -> "replace(" + column + ", 'a', 'from')";
      case 8 -> "CASE " + column + " WHEN 'x' THEN 'one' ELSE " + column + " END";
      case 10 -> "(SELECT min(z.city) FROM branch z)";
      default -> column;
    };
  }

  private String literal() {
    return random.one(
        "'x'", "'vip'", "'it''s'", "'? from /*'", "'txw_rid'", "''", "'--'", "'a;b'", "'rent'");
  }

  /** Something for a select list. */
  String any(List<Source> sources, int depth) {
    Source source = random.of(sources);
    return switch (random.below(7)) {
      case 0, 1 -> integer(sources, depth);
      case 2, 3 -> text(sources, depth);
      default -> source.name() + "." + random.of(source.table().names());
    };
  }

  String condition(List<Source> sources, int depth) {
    String number = integer(sources, Math.max(0, depth - 1));
    Source source = random.of(sources);
    String column = source.name() + "." + random.of(source.table().names());
    return switch (choice(depth, 9, 12, 23)) {
      case 0 -> number + random.one(" = ", " < ", " >= ", " <> ") + random.below(5);
      case 1 -> number + " BETWEEN 1 AND " + random.below(300);
      case 2 -> number + " IN (1, 2, " + random.below(9) + ")";
      case 3 -> column + random.one(" IS NULL", " IS NOT NULL");
      case 4 -> text(sources, 0) + random.one(" = ", " <> ", " > ") + literal();
      case 5 ->
          text(sources, 0)
              + random.one(" LIKE ", " NOT LIKE ")
              + random.one("'%a%'", "'x_'", "'%'");
      case 9 ->
          "(" + condition(sources, 0) + random.one(" AND ", " OR ") + condition(sources, 0) + ")";
      case 10 -> "NOT (" + condition(sources, 0) + ")";
      case 12 -> number + " IN (SELECT z.id FROM account z)";
      case 13 ->
          number + random.one(" IN ", " NOT IN ") + "(SELECT account_id FROM item WHERE qty > 0)";
      case 14 -> "EXISTS (SELECT 1 FROM entry z WHERE z.account_id = " + number + ")";
      case 15 -> "NOT EXISTS (SELECT * FROM tag z WHERE z.account_id = " + number + ")";
      case 16 -> number + " > (SELECT min(id) FROM branch)";
      case 17 -> number + " = (SELECT count(*) FROM person WHERE n > " + random.below(3) + ")";
      case 18 ->
          random.is(ServerKind.SQLITE)
              ? number + " < 3"
              : number + random.one(" = ANY ", " >= ALL ", " < SOME ") + "(SELECT a FROM pair)";
      case 19 -> "(" + number + ", 1) IN (SELECT a, b FROM pair)";
      case 20 -> number + " IN (SELECT a FROM pair UNION SELECT id FROM branch)";
      case 21 -> number + " IN (SELECT id FROM rich)";
      default -> number + random.one(" > ", " <= ", " != ") + random.below(4);
    };
  }

  /** An order by which rows of these sources have one place only. */
  String totalOrder(List<Source> sources) {
    List<String> keys = new ArrayList<>();
    for (Source source : sources) {
      for (Column column : source.table().order()) {
        keys.add(source.name() + "." + column.name() + random.one("", "", " DESC", " ASC"));
      }
    }
    return String.join(", ", keys);
  }
}
