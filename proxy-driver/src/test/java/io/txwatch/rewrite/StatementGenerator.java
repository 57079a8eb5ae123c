package io.txwatch.rewrite;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * Random statements over three prepared tables and one that is not: {@code t(id, a, b)}, {@code
 * u(id, t_id, c)}, {@code w(a, c)}, {@code np(id, x)}. Their columns overlap, so that NATURAL and
 * USING mean something.
 */
final class StatementGenerator {

  private final Random random;

  StatementGenerator(long seed) {
    this.random = new Random(seed);
  }

  private record Source(String table, String name, List<String> columns) {}

  private static final List<Source> TABLES =
      List.of(
          new Source("t", "t", List.of("id", "a", "b")),
          new Source("u", "u", List.of("id", "t_id", "c")),
          new Source("w", "w", List.of("a", "c")),
          new Source("np", "np", List.of("id", "x")));

  @SafeVarargs
  private <T> T one(T... choices) {
    return choices[random.nextInt(choices.length)];
  }

  private boolean maybe(int percent) {
    return random.nextInt(100) < percent;
  }

  String statement() {
    int kind = random.nextInt(10);
    return switch (kind) {
      case 0 -> insert();
      case 1 -> update();
      case 2 -> delete();
      default -> query(2);
    };
  }

  /** A query alone. */
  String query() {
    return query(2);
  }

  private String query(int depth) {
    if (depth > 0 && maybe(12)) {
      String columns = one("a, c", "*", "w.*", "a, c");
      return "select "
          + columns
          + " from w "
          + one("union", "union all", "except", "intersect")
          + " select "
          + one("a, c", "*", "t.a, t.b").replace("t.a, t.b", "a, c")
          + " from w"
          + (maybe(50) ? " where a > " + number() : "")
          + (maybe(40) ? " order by 1, 2" : "");
    }
    if (depth > 0 && maybe(8)) {
      return "with q as (" + query(depth - 1) + ") select * from q";
    }
    return block(depth);
  }

  private String block(int depth) {
    List<Source> sources = new ArrayList<>();
    StringBuilder from = new StringBuilder();
    boolean merges = from(from, sources, depth);
    StringBuilder list = new StringBuilder();
    boolean grouped = maybe(8) && !sources.isEmpty();
    Source first = sources.get(0);
    String column = first.name + "." + one(first.columns.toArray(new String[0]));
    if (grouped) {
      list.append(column).append(", ").append(one("count(*)", "count(*) as n"));
    } else {
      int items = 1 + random.nextInt(3);
      for (int i = 0; i < items; i++) {
        list.append(i == 0 ? "" : ", ").append(item(sources, merges, depth, i));
      }
    }
    boolean distinct = !grouped && maybe(12);
    String where = maybe(50) ? " where " + condition(sources, depth) : "";
    String tail = grouped ? " group by " + column : "";
    if (!grouped && maybe(15)) {
      tail += " order by 1";
    }
    if (!distinct && !grouped && maybe(10) && depth == 2 && !merges) {
      tail += " for update";
    }
    return one("select ", "SELECT ", "select /* c */ ", "select -- c\n ")
        + (distinct ? "distinct " : "")
        + list
        + one(" from ", "\nFROM ")
        + from
        + where
        + tail;
  }

  private boolean from(StringBuilder from, List<Source> sources, int depth) {
    int count = 1 + random.nextInt(3);
    boolean merges = false;
    for (int i = 0; i < count; i++) {
      Source table = TABLES.get(random.nextInt(TABLES.size()));
      boolean alias = sources.stream().anyMatch(s -> s.name.equals(table.table)) || maybe(40);
      String name = alias ? "x" + i : table.table;
      String text = table.table + (alias ? one(" ", " as ") + name : "");
      if (depth > 0 && maybe(12)) {
        name = "d" + i;
        text =
            "(select "
                + one("*", table.table + ".*", String.join(", ", table.columns))
                + " from "
                + table.table
                + ") "
                + one("", "as ")
                + name;
      }
      Source source = new Source(table.table, name, table.columns);
      if (i == 0) {
        from.append(text);
      } else {
        Source left = sources.get(i - 1);
        List<String> common = new ArrayList<>(left.columns);
        common.retainAll(source.columns);
        String on =
            " on "
                + left.name
                + "."
                + left.columns.get(0)
                + " = "
                + name
                + "."
                + source.columns.get(0);
        if (i == 1 && count == 2 && maybe(35)) {
          from.append(one(" natural join ", " natural left join ")).append(text);
          merges = true;
        } else if (i == 1 && count == 2 && !common.isEmpty() && maybe(35)) {
          from.append(one(" join ", " left join ")).append(text);
          from.append(" using (").append(common.get(0)).append(")");
          merges = true;
        } else if (maybe(30)) {
          from.append(", ").append(text);
        } else {
          from.append(one(" join ", " left join ", " left outer join ", " inner join "));
          from.append(text).append(on);
        }
      }
      sources.add(source);
    }
    return merges;
  }

  private String item(List<Source> sources, boolean merges, int depth, int position) {
    Source source = sources.get(random.nextInt(sources.size()));
    String column = source.columns.get(random.nextInt(source.columns.size()));
    if (position == 0 && maybe(35)) {
      return "*";
    }
    if (!merges && maybe(20)) {
      return source.name + ".*";
    }
    if (depth > 0 && maybe(8)) {
      return "(select max(id) from np) as m" + position;
    }
    String reference = source.name + "." + column;
    return one(
            reference,
            reference,
            reference + " as c" + position,
            "coalesce(" + reference + ", null) as c" + position,
            "case when " + reference + " is null then 1 else 2 end as c" + position,
            "'txw_rid, ? from /*' as c" + position,
            maybe(25) ? "count(*) over () as c" + position : reference,
            maybe(15) ? "count(" + reference + ") as c" + position : reference)
        .replace("c" + position + " from", "c" + position);
  }

  private String condition(List<Source> sources, int depth) {
    Source source = sources.get(random.nextInt(sources.size()));
    String first = source.name + "." + source.columns.get(0);
    if (depth > 0 && maybe(30)) {
      return one(
          first + " in (select id from u)",
          "exists (select * from u where u.id = " + first + ")",
          "(" + first + ", " + first + ") in (select a, a from w)",
          first + " in (select a from (select * from w) z)",
          "exists (" + query(depth - 1) + ")");
    }
    return one(
        first + " > " + number(),
        first + " is not null",
        first + " is distinct from " + number(),
        first + " between 1 and 3 or " + first + " = " + number());
  }

  private int number() {
    return random.nextInt(5);
  }

  private String insert() {
    int id = 100 + random.nextInt(1_000_000);
    return one(
        "insert into t values (" + id + ", 1, 'x')",
        "INSERT INTO t (id, a) VALUES (" + id + ", 1), (" + (id + 1) + ", 2)",
        "insert into w select a, c from w",
        "insert into w (a, c) select a, b from t where a > " + number(),
        "insert into w select * from w",
        "insert into w (c, a) select distinct c, a from w",
        "insert into w select a, c from w union select id, x from np",
        "insert into np select id + " + id + ", b from t",
        "insert into np select * from (select id + " + id + " as id, b from t) z",
        "insert into w default values",
        "insert into w values (1, (select max(b) from t))",
        "insert into w (a) values (" + number() + ")",
        "insert into u select id + " + id + ", a, b from t order by id");
  }

  private String update() {
    return one(
        "update t set a = a + 1",
        "update t set a = a + 1, b = 'y' where id = " + number(),
        "UPDATE t AS z SET a = (select count(*) from w) WHERE z.id > " + number(),
        "update w set a = case when a is distinct from 1 then 1 else 2 end",
        "update w set c = upper(c) where a in (select a from t)",
        "update np set x = 'z' where id in (select id from t)",
        "update u set (t_id, c) = (select 7, 'k') where id = " + number(),
        "update t set b = null where exists (select * from w where w.a = t.a);");
  }

  private String delete() {
    return one(
        "delete from t where id = " + number(),
        "delete from w where a > " + number() + " -- gone",
        "delete from u where t_id in (select id from t where a = " + number() + ")",
        "DELETE FROM w",
        "delete from np where id = 1",
        "delete from t where id = (select max(id) from u);");
  }
}
