package io.txwatch.rewrite;

import io.txwatch.sql.dialect.Dialect;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * Random queries over the tables of {@link StatementGenerator}, of the shapes that cannot carry
 * columns: grouped, distinct, set operations, subqueries in every place, derived tables, CTEs.
 *
 * <p>What is compared with a correlated subquery only grows with the rows that it finds, so that a
 * row that no side read returns can be deleted without changing the result (see {@link
 * ObservedRowsTest}).
 */
final class ReadGenerator {

  private record Source(String name, List<String> numbers) {}

  private final Random random;
  private final Dialect dialect;
  private int names;

  ReadGenerator(long seed, Dialect dialect) {
    this.random = new Random(seed);
    this.dialect = dialect;
  }

  String query() {
    return switch (random.nextInt(6)) {
      case 0 -> setOperation();
      case 1 -> cte();
      case 2 -> aggregated(List.of(), 1) + oneOf("", " order by 1");
      default -> block(List.of(), 2, true) + oneOf("", " order by 1");
    };
  }

  private String oneOf(String... choices) {
    return choices[random.nextInt(choices.length)];
  }

  private boolean maybe(int percent) {
    return random.nextInt(100) < percent;
  }

  private int number() {
    return random.nextInt(5);
  }

  private String setOperation() {
    String operator = oneOf("union", "union all", "union all", "intersect", "except");
    String left = number(List.of(), 1);
    String right = number(List.of(), 1);
    return left + " " + operator + " " + right + oneOf("", " union all " + number(List.of(), 0));
  }

  private String cte() {
    String body = oneOf(number(List.of(), 1), aggregate(List.of(), 1));
    body = body.replaceFirst("(?i)^select ", "select ");
    String name = "q" + names++;
    return "with "
        + name
        + "(k) as ("
        + body
        + ") select "
        + oneOf("x.k", "distinct x.k", "count(*)", "x.k")
        + " from "
        + name
        + " x"
        + oneOf("", ", w where w.a = x.k", " where x.k in (" + number(List.of(), 0) + ")");
  }

  /** FROM of one or two sources, derived tables among them. */
  private String from(List<Source> sources, int depth) {
    StringBuilder from = new StringBuilder(" from ");
    int count = 1 + random.nextInt(2);
    for (int i = 0; i < count; i++) {
      String name = "s" + names++;
      String table = oneOf("t", "t", "u", "w", "np");
      List<String> numbers =
          switch (table) {
            case "t" -> List.of("id", "a");
            case "u" -> List.of("id", "t_id");
            case "w" -> List.of("a");
            default -> List.of("id");
          };
      String text = table + " " + name;
      if (depth > 0 && maybe(20)) {
        text = "(" + oneOf(number(List.of(), 0), aggregate(List.of(), 0)) + ") " + name;
        numbers = List.of("n");
        text = text.replaceFirst("(?i)^\\(select (distinct )?(\\S+)", "(select $1$2 as n");
      }
      Source source = new Source(name, numbers);
      if (i == 0) {
        from.append(text);
      } else {
        from.append(oneOf(" join ", " left join ")).append(text);
        from.append(" on ").append(column(sources.get(0))).append(" = ").append(column(source));
      }
      sources.add(source);
    }
    return from.toString();
  }

  private String column(Source source) {
    return source.name + "." + source.numbers.get(random.nextInt(source.numbers.size()));
  }

  private String column(List<Source> sources) {
    return column(sources.get(random.nextInt(sources.size())));
  }

  /** A query of one number a row. */
  private String number(List<Source> outer, int depth) {
    List<Source> sources = new ArrayList<>();
    String from = from(sources, depth);
    String where = where(sources, outer, depth);
    return "select " + oneOf("", "", "distinct ") + column(sources) + from + where;
  }

  /** A query of one number in all, which does not fall when there are more rows. */
  private String aggregate(List<Source> outer, int depth) {
    List<Source> sources = new ArrayList<>();
    String from = from(sources, depth);
    String column = column(sources);
    String function = oneOf("count(*)", "max(" + column + ")", "count(distinct " + column + ")");
    return "select " + function + from + where(sources, outer, depth);
  }

  private String aggregated(List<Source> outer, int depth) {
    List<Source> sources = new ArrayList<>();
    String from = from(sources, depth);
    String where = where(sources, outer, depth);
    String key = column(sources);
    String column = column(sources);
    String functions =
        oneOf("count(*)", "sum(" + column + ") as n", "min(" + column + "), max(" + column + ")");
    if (maybe(30)) {
      return "select " + functions + from + where;
    }
    String having = oneOf("", " having count(*) > 1", " having max(" + column + ") >= " + number());
    return "select " + key + ", " + functions + from + where + " group by " + key + having;
  }

  private String block(List<Source> outer, int depth, boolean wide) {
    List<Source> sources = new ArrayList<>();
    String from = from(sources, depth);
    StringBuilder list = new StringBuilder(column(sources));
    if (wide && maybe(40)) {
      List<Source> around = new ArrayList<>(sources);
      list.append(", (").append(aggregate(maybe(60) ? around : List.of(), 0)).append(") as k");
    }
    if (wide && maybe(20)) {
      list.append(", count(*) over (partition by ").append(column(sources)).append(") as p");
    }
    String distinct = maybe(25) ? "distinct " : "";
    return "select " + distinct + list + from + where(sources, outer, depth);
  }

  private String where(List<Source> sources, List<Source> outer, int depth) {
    List<String> conditions = new ArrayList<>();
    if (!outer.isEmpty()) {
      conditions.add(column(sources) + oneOf(" = ", " >= ") + column(outer));
    }
    int count = random.nextInt(3);
    for (int i = 0; i < count; i++) {
      conditions.add(condition(sources, depth));
    }
    return conditions.isEmpty()
        ? ""
        : " where " + String.join(oneOf(" and ", " and ", " or "), conditions);
  }

  private String condition(List<Source> sources, int depth) {
    String column = column(sources);
    if (depth == 0 || maybe(40)) {
      return oneOf(
          column + " > " + number(),
          column + " is not null",
          column + " between 1 and " + number(),
          column + " = " + number());
    }
    return switch (random.nextInt(6)) {
      case 0 -> column + oneOf(" in (", " not in (") + number(List.of(), depth - 1) + ")";
      case 1 -> column + " <= (" + aggregate(sources, 0) + ")";
      case 2 -> column + oneOf(" <= (", " > (", " = (") + aggregate(List.of(), depth - 1) + ")";
      case 3 -> "exists (" + number(sources, depth - 1) + ")";
      case 4 -> oneOf("exists (", "not exists (") + number(List.of(), depth - 1) + ")";
      default -> {
        String name = "s" + names++;
        String limited = "select " + name + ".a from t " + name + " where " + name + ".id > ";
        String tail = dialect == Dialect.H2 ? " fetch first 1 rows only)" : " limit 1)";
        yield column + " = (" + limited + number() + " order by " + name + ".id" + tail;
      }
    };
  }
}
