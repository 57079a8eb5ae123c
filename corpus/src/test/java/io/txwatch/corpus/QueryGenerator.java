package io.txwatch.corpus;

import io.txwatch.corpus.Expressions.Source;
import io.txwatch.corpus.Schema.Table;
import io.txwatch.servers.ServerKind;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Generates queries. A query with a row limit has a complete order, so its result is defined; other
 * results are compared as sets.
 */
final class QueryGenerator {

  private final RandomSource random;
  private final Expressions expressions;

  QueryGenerator(RandomSource random) {
    this.random = random;
    this.expressions = new Expressions(random);
  }

  String query() {
    String query =
        switch (random.below(random.singleBlock ? 10 : 20)) {
          case 0, 1 -> keyLookup();
          case 2, 3 -> paged();
          case 4 -> locking();
          case 10, 11 -> aggregate();
          case 12, 13 -> grouped();
          case 14 -> distinct();
          case 15 -> setOperation();
          case 16 -> commonTable();
          case 17 -> windowed();
          case 18 -> derived();
          case 19 -> specialCase();
          default -> plain();
        };
    return withRandomFormatting(query);
  }

  /** Adds comments, white space and another letter case, which must make no difference. */
  private String withRandomFormatting(String query) {
    return switch (random.below(14)) {
      case 0 -> query.replaceFirst("SELECT ", "select/* from x */ ");
      case 1 -> query.replaceFirst("SELECT ", "SELECT -- ' from\n ");
      case 2 -> query.replaceFirst(" FROM ", "\n\tfrom\n");
      case 3 -> query + " ";
      case 4 -> query + " -- end";
      case 5 -> "/* app='shop' */ " + query;
      case 6 -> query + ";";
      default -> query;
    };
  }

  private List<Source> sources(int most) {
    List<Source> sources = new ArrayList<>();
    int count = 1 + random.below(most);
    for (int i = 0; i < count; i++) {
      Table table = random.oneOf(Schema.TABLES);
      boolean taken = sources.stream().anyMatch(s -> s.name().equals(table.name()));
      sources.add(new Source(table, taken || random.percent(50) ? "t" + i : table.name()));
    }
    return sources;
  }

  private static String named(Source source, String as) {
    return source.name().equals(source.table().name())
        ? source.name()
        : source.table().name() + as + source.name();
  }

  private String from(List<Source> sources) {
    StringBuilder from = new StringBuilder();
    for (int i = 0; i < sources.size(); i++) {
      Source source = sources.get(i);
      String text = named(source, random.oneOf(" ", " AS "));
      if (i == 0) {
        from.append(text);
      } else if (random.percent(15)) {
        from.append(random.oneOf(" CROSS JOIN ", ", ")).append(text);
        if (from.indexOf(", ") >= 0 && i + 1 < sources.size()) {
          return from.append(commaSeparated(sources, i + 1)).toString();
        }
      } else {
        List<Source> scope = sources.subList(0, i + 1);
        from.append(
            random.oneOf(
                " JOIN ", " LEFT JOIN ", " INNER JOIN ", " LEFT OUTER JOIN ", outerJoin()));
        from.append(text).append(" ON ").append(joinCondition(scope));
      }
    }
    return from.toString();
  }

  /** After a comma there is no join, because its condition could not use the earlier tables. */
  private String commaSeparated(List<Source> sources, int from) {
    return sources.subList(from, sources.size()).stream()
        .map(source -> ", " + named(source, " "))
        .collect(Collectors.joining());
  }

  private String outerJoin() {
    return random.is(ServerKind.POSTGRESQL) && random.percent(30) ? " FULL JOIN " : " RIGHT JOIN ";
  }

  private String joinCondition(List<Source> scope) {
    Source left = scope.get(random.below(scope.size() - 1));
    Source right = scope.get(scope.size() - 1);
    var leftKeys = left.table().columnsOf(Schema.Type.INT);
    var rightKeys = right.table().columnsOf(Schema.Type.INT);
    return left.name()
        + "."
        + random.oneOf(leftKeys).name()
        + " = "
        + right.name()
        + "."
        + random.oneOf(rightKeys).name();
  }

  private String list(List<Source> sources) {
    int items = 1 + random.below(4);
    List<String> list = new ArrayList<>();
    for (int i = 0; i < items; i++) {
      if (i == 0 && random.percent(25)) {
        list.add(sources.size() > 1 || random.percent(50) ? "*" : sources.get(0).name() + ".*");
        if (random.isMySqlOrMariaDb() || random.percent(60)) {
          break; // MySQL requires a qualified star next to other items
        }
      } else if (random.percent(12)) {
        list.add(random.oneOf(sources).name() + ".*");
      } else {
        String item = expressions.any(sources, 2);
        list.add(random.percent(40) ? item + random.oneOf(" AS c", " c") + i : item);
      }
    }
    return String.join(", ", list);
  }

  private String where(List<Source> sources) {
    return random.percent(65) ? " WHERE " + expressions.condition(sources, 2) : "";
  }

  private String plain() {
    List<Source> sources = sources(3);
    String order = random.percent(30) ? " ORDER BY " + expressions.totalOrder(sources) : "";
    return "SELECT " + list(sources) + " FROM " + from(sources) + where(sources) + order;
  }

  /** A query with a complete order. */
  private String ordered(List<Source> sources) {
    return "SELECT "
        + list(sources)
        + " FROM "
        + from(sources)
        + where(sources)
        + " ORDER BY "
        + expressions.totalOrder(sources);
  }

  private String paged() {
    List<Source> sources = sources(2);
    String limit =
        switch (random.below(random.isMySqlOrMariaDb() || random.is(ServerKind.SQLITE) ? 3 : 5)) {
          case 0 -> " LIMIT 2";
          case 1 -> " LIMIT 3 OFFSET 1";
          case 2 -> random.is(ServerKind.POSTGRESQL, ServerKind.H2) ? " LIMIT 1" : " LIMIT 1, 2";
          case 3 -> " OFFSET 1 ROWS FETCH NEXT 2 ROWS ONLY";
          default -> " FETCH FIRST ROW ONLY";
        };
    return ordered(sources) + limit;
  }

  private String keyLookup() {
    Source source = new Source(random.oneOf(Schema.ACCOUNT, Schema.ENTRY, Schema.PERSON), "p");
    return "SELECT "
        + random.oneOf("*", "p.*", "p.id", "id")
        + " FROM "
        + named(source, " ")
        + " WHERE p.id = "
        + random.below(7);
  }

  private String locking() {
    if (random.is(ServerKind.SQLITE)) {
      return keyLookup();
    }
    List<Source> sources = sources(1);
    String lock =
        random.is(ServerKind.H2)
            ? " FOR UPDATE"
            : random.oneOf(
                " FOR UPDATE",
                " FOR UPDATE",
                random.is(ServerKind.MARIADB) ? " LOCK IN SHARE MODE" : " FOR SHARE",
                " FOR UPDATE NOWAIT",
                random.is(ServerKind.POSTGRESQL) ? " FOR NO KEY UPDATE" : " FOR UPDATE",
                " FOR UPDATE SKIP LOCKED");
    return ordered(sources) + lock;
  }

  private String aggregateCall(List<Source> sources) {
    String number = expressions.integer(sources, 1);
    return random.oneOf(
        "count(*)",
        "count(" + number + ")",
        "sum(" + number + ")",
        "max(" + number + ")",
        "min(" + expressions.text(sources, 1) + ")",
        "avg(" + number + ")",
        "count(DISTINCT " + number + ")",
        "sum(CASE WHEN " + expressions.condition(sources, 0) + " THEN 1 ELSE 0 END)");
  }

  private String aggregate() {
    List<Source> sources = sources(2);
    List<String> calls = new ArrayList<>();
    for (int i = 0; i <= random.below(3); i++) {
      calls.add(aggregateCall(sources) + (random.percent(40) ? " AS n" + i : ""));
    }
    return "SELECT " + String.join(", ", calls) + " FROM " + from(sources) + where(sources);
  }

  private String grouped() {
    List<Source> sources = sources(2);
    Source source = random.oneOf(sources);
    String key = source.name() + "." + random.oneOf(source.table().names());
    String having =
        random.percent(35)
            ? " HAVING "
                + random.oneOf(
                    "count(*) > 1",
                    "min(" + key + ") IS NOT NULL",
                    aggregateCall(sources) + " IS NULL")
            : "";
    return "SELECT "
        + random.oneOf(key, key + " AS k", key)
        + ", "
        + aggregateCall(sources)
        + (random.percent(40) ? ", " + aggregateCall(sources) : "")
        + " FROM "
        + from(sources)
        + where(sources)
        + " GROUP BY "
        + key
        + having
        + (random.percent(30) ? " ORDER BY 1" : "");
  }

  private String distinct() {
    List<Source> sources = sources(2);
    Source source = random.oneOf(sources);
    String column = source.name() + "." + random.oneOf(source.table().names());
    String items =
        random.oneOf(column, column + ", " + expressions.integer(sources, 1), source.name() + ".*");
    if (random.is(ServerKind.POSTGRESQL) && random.percent(25)) {
      String order = expressions.totalOrder(sources);
      String first = order.split(",")[0].replaceAll(" (DESC|ASC)", "");
      return "SELECT DISTINCT ON ("
          + first
          + ") "
          + items
          + " FROM "
          + from(sources)
          + " ORDER BY "
          + order;
    }
    return "SELECT DISTINCT " + items + " FROM " + from(sources) + where(sources);
  }

  private String setOperand() {
    List<Source> sources = sources(2);
    return "SELECT "
        + expressions.integer(sources, 1)
        + random.oneOf("", " AS k")
        + ", "
        + expressions.text(sources, 1)
        + " FROM "
        + from(sources)
        + where(sources);
  }

  private String setOperation() {
    if (random.percent(20)) {
      return "SELECT * FROM account UNION ALL SELECT * FROM account WHERE id < 3";
    }
    String operation =
        random.oneOf(" UNION ", " UNION ALL ", " EXCEPT ", " INTERSECT ", " UNION ALL ");
    String third = random.percent(20) ? " UNION " + setOperand() : "";
    return setOperand()
        + operation
        + setOperand()
        + third
        + (random.percent(30) ? " ORDER BY 1, 2" : "");
  }

  private String commonTable() {
    return switch (random.below(5)) {
      case 0 -> "WITH q AS (" + namedSetOperand() + ") SELECT * FROM q";
      case 1 ->
          "WITH q AS ("
              + namedSetOperand()
              + ") SELECT q.k, a.* FROM q JOIN account a ON a.id = q.k";
      case 2 ->
          "WITH q (k, v) AS (" + setOperand() + "), r AS (SELECT k FROM q) SELECT count(*) FROM r";
      case 3 ->
          "WITH RECURSIVE q (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM q WHERE n < 4)"
              + " SELECT q.n, a.owner FROM q LEFT JOIN account a ON a.id = q.n";
      default ->
          "WITH q AS (SELECT * FROM " + random.oneOf(Schema.TABLES).name() + ") SELECT * FROM q";
    };
  }

  private String namedSetOperand() {
    List<Source> sources = sources(2);
    return "SELECT "
        + expressions.integer(sources, 1)
        + " AS k, "
        + expressions.text(sources, 1)
        + " AS v FROM "
        + from(sources)
        + where(sources);
  }

  private String windowed() {
    List<Source> sources = sources(1);
    String order = expressions.totalOrder(sources);
    String number = expressions.integer(sources, 0);
    String window =
        random.oneOf(
            "row_number() OVER (ORDER BY " + order + ")",
            "rank() OVER (ORDER BY " + order + ")",
            "sum(" + number + ") OVER (ORDER BY " + order + ")",
            "count(*) OVER ()",
            "lag(" + number + ") OVER (ORDER BY " + order + ")",
            "max(" + number + ") OVER (PARTITION BY " + expressions.text(sources, 0) + ")");
    return "SELECT "
        + expressions.any(sources, 1)
        + ", "
        + window
        + " AS w FROM "
        + from(sources)
        + where(sources);
  }

  private String derived() {
    return switch (random.below(4)) {
      case 0 -> "SELECT d.* FROM (" + namedSetOperand() + ") d";
      case 1 -> "SELECT d.k, count(*) FROM (" + namedSetOperand() + ") AS d GROUP BY d.k";
      case 2 -> "SELECT * FROM (SELECT * FROM " + random.oneOf(Schema.TABLES).name() + ") d";
      default ->
          "SELECT a.id, d.k FROM account a LEFT JOIN (" + namedSetOperand() + ") d ON d.k = a.id";
    };
  }

  private String specialCase() {
    Table table = random.oneOf(Schema.TABLES);
    return random.oneOf(
        "SELECT * FROM rich",
        "SELECT r.owner, e.amount FROM rich r JOIN entry e ON e.account_id = r.id",
        "SELECT 1, 'x' FROM " + table.name(),
        "SELECT nosuch FROM " + table.name(),
        "SELECT * FROM " + table.name() + " WHERE 1 = 0",
        "SELECT * FROM account JOIN item USING (id)",
        "SELECT id FROM account a JOIN entry b USING (id)",
        "SELECT * FROM np",
        "SELECT a.*, np.x FROM account a JOIN np ON np.id = a.id",
        "SELECT " + table.name() + ".* FROM " + table.name() + ", branch b WHERE b.id = 1",
        "(SELECT id FROM account WHERE id = 1)",
        "VALUES (1, 'a'), (2, 'b')",
        "SELECT id, owner, FROM account",
        "SELECT 1 / 0 FROM account",
        "SELECT count(*) AS \"select\", max(id) FROM account",
        "SELECT owner AS txw_owner FROM account WHERE id = 2",
        "TABLE " + table.name(),
        "SELECT EXISTS (SELECT 1 FROM account WHERE balance > 100)",
        "SELECT (SELECT owner FROM account WHERE id = 1), (SELECT count(*) FROM tag)",
        "SELECT id FROM account WHERE (id, branch_id) = (1, 1)");
  }
}
