package io.txwatch.corpus;

import io.txwatch.corpus.Expressions.Source;
import io.txwatch.corpus.Schema.Table;
import io.txwatch.servers.ServerKind;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** Random queries. Where a row limit or an order matters, it leaves one result only. */
final class QueryGenerator {

  private final RandomSource random;
  private final Expressions expressions;

  QueryGenerator(RandomSource random) {
    this.random = random;
    this.expressions = new Expressions(random);
  }

  String query() {
    String query =
        switch (random.below(random.simple ? 10 : 20)) {
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
          case 19 -> oddity();
          default -> plain();
        };
    return dressed(query);
  }

  /** Comments, letter case and white space, which must make no difference. */
  private String dressed(String query) {
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
      Table table = random.of(Schema.TABLES);
      boolean taken = sources.stream().anyMatch(s -> s.name().equals(table.name()));
      sources.add(new Source(table, taken || random.maybe(50) ? "t" + i : table.name()));
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
      String text = named(source, random.one(" ", " AS "));
      if (i == 0) {
        from.append(text);
      } else if (random.maybe(15)) {
        from.append(random.one(" CROSS JOIN ", ", ")).append(text);
        if (from.indexOf(", ") >= 0 && i + 1 < sources.size()) {
          return from.append(rest(sources, i + 1)).toString();
        }
      } else {
        List<Source> scope = sources.subList(0, i + 1);
        from.append(
            random.one(" JOIN ", " LEFT JOIN ", " INNER JOIN ", " LEFT OUTER JOIN ", right()));
        from.append(text).append(" ON ").append(joined(scope));
      }
    }
    return from.toString();
  }

  /** After a comma nothing joins: what follows could not refer to what stands before. */
  private String rest(List<Source> sources, int from) {
    return sources.subList(from, sources.size()).stream()
        .map(source -> ", " + named(source, " "))
        .collect(Collectors.joining());
  }

  private String right() {
    return random.is(ServerKind.POSTGRESQL) && random.maybe(30) ? " FULL JOIN " : " RIGHT JOIN ";
  }

  private String joined(List<Source> scope) {
    Source left = scope.get(random.below(scope.size() - 1));
    Source right = scope.get(scope.size() - 1);
    var leftKeys = left.table().of(Schema.Type.INT);
    var rightKeys = right.table().of(Schema.Type.INT);
    return left.name()
        + "."
        + random.of(leftKeys).name()
        + " = "
        + right.name()
        + "."
        + random.of(rightKeys).name();
  }

  private String list(List<Source> sources) {
    int items = 1 + random.below(4);
    List<String> list = new ArrayList<>();
    for (int i = 0; i < items; i++) {
      if (i == 0 && random.maybe(25)) {
        list.add(sources.size() > 1 || random.maybe(50) ? "*" : sources.get(0).name() + ".*");
        if (random.mySqlLike() || random.maybe(60)) {
          break; // a star beside other items must come qualified on MySQL
        }
      } else if (random.maybe(12)) {
        list.add(random.of(sources).name() + ".*");
      } else {
        String item = expressions.any(sources, 2);
        list.add(random.maybe(40) ? item + random.one(" AS c", " c") + i : item);
      }
    }
    return String.join(", ", list);
  }

  private String where(List<Source> sources) {
    return random.maybe(65) ? " WHERE " + expressions.condition(sources, 2) : "";
  }

  private String plain() {
    List<Source> sources = sources(3);
    String order = random.maybe(30) ? " ORDER BY " + expressions.totalOrder(sources) : "";
    return "SELECT " + list(sources) + " FROM " + from(sources) + where(sources) + order;
  }

  private String paged() {
    List<Source> sources = sources(2);
    String limit =
        switch (random.below(random.mySqlLike() || random.is(ServerKind.SQLITE) ? 3 : 5)) {
          case 0 -> " LIMIT 2";
          case 1 -> " LIMIT 3 OFFSET 1";
          case 2 -> random.is(ServerKind.POSTGRESQL, ServerKind.H2) ? " LIMIT 1" : " LIMIT 1, 2";
          case 3 -> " OFFSET 1 ROWS FETCH NEXT 2 ROWS ONLY";
          default -> " FETCH FIRST ROW ONLY";
        };
    return "SELECT "
        + list(sources)
        + " FROM "
        + from(sources)
        + where(sources)
        + " ORDER BY "
        + expressions.totalOrder(sources)
        + limit;
  }

  private String keyLookup() {
    Source source = new Source(random.one(Schema.ACCOUNT, Schema.ENTRY, Schema.PERSON), "p");
    return "SELECT "
        + random.one("*", "p.*", "p.id", "id")
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
            : random.one(
                " FOR UPDATE",
                " FOR UPDATE",
                random.is(ServerKind.MARIADB) ? " LOCK IN SHARE MODE" : " FOR SHARE",
                " FOR UPDATE NOWAIT",
                random.is(ServerKind.POSTGRESQL) ? " FOR NO KEY UPDATE" : " FOR UPDATE",
                " FOR UPDATE SKIP LOCKED");
    return "SELECT "
        + list(sources)
        + " FROM "
        + from(sources)
        + where(sources)
        + " ORDER BY "
        + expressions.totalOrder(sources)
        + lock;
  }

  private String call(List<Source> sources) {
    String number = expressions.integer(sources, 1);
    return random.one(
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
      calls.add(call(sources) + (random.maybe(40) ? " AS n" + i : ""));
    }
    return "SELECT " + String.join(", ", calls) + " FROM " + from(sources) + where(sources);
  }

  private String grouped() {
    List<Source> sources = sources(2);
    Source source = random.of(sources);
    String key = source.name() + "." + random.of(source.table().names());
    String having =
        random.maybe(35)
            ? " HAVING "
                + random.one(
                    "count(*) > 1", "min(" + key + ") IS NOT NULL", call(sources) + " IS NULL")
            : "";
    return "SELECT "
        + random.one(key, key + " AS k", key)
        + ", "
        + call(sources)
        + (random.maybe(40) ? ", " + call(sources) : "")
        + " FROM "
        + from(sources)
        + where(sources)
        + " GROUP BY "
        + key
        + having
        + (random.maybe(30) ? " ORDER BY 1" : "");
  }

  private String distinct() {
    List<Source> sources = sources(2);
    Source source = random.of(sources);
    String column = source.name() + "." + random.of(source.table().names());
    String items =
        random.one(column, column + ", " + expressions.integer(sources, 1), source.name() + ".*");
    if (random.is(ServerKind.POSTGRESQL) && random.maybe(25)) {
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

  private String branch() {
    List<Source> sources = sources(2);
    return "SELECT "
        + expressions.integer(sources, 1)
        + random.one("", " AS k")
        + ", "
        + expressions.text(sources, 1)
        + " FROM "
        + from(sources)
        + where(sources);
  }

  private String setOperation() {
    if (random.maybe(20)) {
      return "SELECT * FROM account UNION ALL SELECT * FROM account WHERE id < 3";
    }
    String operation =
        random.one(" UNION ", " UNION ALL ", " EXCEPT ", " INTERSECT ", " UNION ALL ");
    String third = random.maybe(20) ? " UNION " + branch() : "";
    return branch() + operation + branch() + third + (random.maybe(30) ? " ORDER BY 1, 2" : "");
  }

  private String commonTable() {
    return switch (random.below(5)) {
      case 0 -> "WITH q AS (" + branchNamed() + ") SELECT * FROM q";
      case 1 ->
          "WITH q AS (" + branchNamed() + ") SELECT q.k, a.* FROM q JOIN account a ON a.id = q.k";
      case 2 ->
          "WITH q (k, v) AS (" + branch() + "), r AS (SELECT k FROM q) SELECT count(*) FROM r";
      case 3 ->
          "WITH RECURSIVE q (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM q WHERE n < 4)"
              + " SELECT q.n, a.owner FROM q LEFT JOIN account a ON a.id = q.n";
      default ->
          "WITH q AS (SELECT * FROM " + random.of(Schema.TABLES).name() + ") SELECT * FROM q";
    };
  }

  private String branchNamed() {
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
        random.one(
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
      case 0 -> "SELECT d.* FROM (" + branchNamed() + ") d";
      case 1 -> "SELECT d.k, count(*) FROM (" + branchNamed() + ") AS d GROUP BY d.k";
      case 2 -> "SELECT * FROM (SELECT * FROM " + random.of(Schema.TABLES).name() + ") d";
      default ->
          "SELECT a.id, d.k FROM account a LEFT JOIN (" + branchNamed() + ") d ON d.k = a.id";
    };
  }

  private String oddity() {
    Table table = random.of(Schema.TABLES);
    return random.one(
        "SELECT * FROM rich",
        "SELECT r.owner, e.amount FROM rich r JOIN entry e ON e.account_id = r.id",
        "SELECT 1, 'x' FROM " + table.name(),
        "SELECT nosuch FROM " + table.name(),
        "SELECT * FROM " + table.name() + " WHERE 1 = 0",
        "SELECT * FROM account NATURAL JOIN item",
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
