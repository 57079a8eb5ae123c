package io.txwatch.sql.semantics;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.sql.dialect.Dialect;
import io.txwatch.sql.syntax.Identifiers;
import io.txwatch.sql.syntax.Span;
import io.txwatch.sql.syntax.StatementParser;
import io.txwatch.sql.syntax.Tokenizer;
import io.txwatch.sql.syntax.Tokens;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/**
 * Statements, and below each the columns that it reads and writes as histories name them; "unknown"
 * stands for all. The tables are t (id, a, b), u (id, a, c) and g (id, x, y), where y is generated;
 * v is a view; k (id, a) has the key id.
 */
class ColumnUseTest {

  private static final Map<String, Schema.Relation> TABLES =
      Map.of(
          "t", new Schema.Relation("t", Set.of("id", "a", "b"), Set.of(), Set.of()),
          "u", new Schema.Relation("u", Set.of("id", "a", "c"), Set.of(), Set.of()),
          "g", new Schema.Relation("g", Set.of("id", "x", "y"), Set.of("y"), Set.of()),
          "k", new Schema.Relation("k", Set.of("id", "a"), Set.of(), Set.of("id")));

  private static final Schema SCHEMA = ColumnUseTest::find;

  private static Optional<Schema.Relation> find(List<String> name) {
    return Optional.ofNullable(TABLES.get(Identifiers.fold(name.get(name.size() - 1))));
  }

  @TestFactory
  Stream<DynamicTest> queries() {
    return cases(
        Dialect.POSTGRESQL,
        """
        SELECT a FROM t WHERE id = 1
        -> t read=a,id predicate=id
        SELECT T.A, "b" + 1 AS x FROM t ORDER BY id
        -> t read=a,b,id predicate=id
        SELECT * FROM t WHERE id = 1
        -> t read=* predicate=id
        SELECT count(*) FROM t
        -> t
        SELECT count(*) FROM t WHERE a > 1
        -> t read=a predicate=a
        SELECT a, count(b) FROM t GROUP BY 1
        -> t read=a,b predicate=a,b
        SELECT DISTINCT a FROM t
        -> t read=a predicate=a
        SELECT a AS x FROM t ORDER BY x LIMIT 1
        -> t read=a predicate=a
        SELECT x.a FROM t x JOIN u y ON x.id = y.id
        -> t read=a,id predicate=id;u read=id predicate=id
        SELECT b, c FROM t JOIN u USING (id)
        -> t read=b,id predicate=id;u read=c,id predicate=id
        SELECT b FROM t NATURAL JOIN u
        -> t read=* predicate=*;u read=* predicate=*
        SELECT u.* FROM t, u WHERE t.id = u.id
        -> t read=id predicate=id;u read=* predicate=id
        SELECT a FROM t WHERE EXISTS (SELECT * FROM u WHERE u.id = t.id)
        -> t read=a,id predicate=id;u read=id predicate=id
        SELECT b FROM t WHERE a IN (SELECT c FROM u WHERE b > 1)
        -> t read=a,b predicate=a,b;u read=c predicate=c
        SELECT b FROM t WHERE id IN (SELECT a FROM u)
        -> t read=b,id predicate=id;u read=a predicate=a
        SELECT s FROM (SELECT a AS s FROM t WHERE id = 1) d
        -> t read=a,id predicate=a,id
        SELECT d.a FROM (SELECT a, b FROM t WHERE id = 1) d
        -> t read=a,id predicate=a,id
        SELECT d.a FROM (SELECT id, a, b FROM (SELECT id, a, b FROM t) e WHERE id = 1) d
        -> t read=a,id predicate=a,id
        SELECT count(*) FROM (SELECT a, b FROM t) d WHERE EXISTS (SELECT 1 FROM u WHERE u.c = d.b)
        -> t read=b predicate=b;u read=c predicate=c
        WITH w AS (SELECT id, a, b FROM t), x AS (SELECT w.a, w.b FROM w) SELECT x.b FROM x
        -> t read=b predicate=b
        WITH w AS (SELECT a, b FROM t) SELECT w.a FROM w WHERE a IN (SELECT y.b FROM w y)
        -> t read=a,b predicate=a,b
        SELECT d.a FROM (SELECT DISTINCT a, b FROM t) d
        -> t read=a,b predicate=a,b some=b
        SELECT d.a FROM (SELECT a, b FROM t LIMIT 1) d
        -> t read=a,b predicate=a,b some=b
        SELECT d.a FROM (SELECT a, b FROM t UNION SELECT a, c FROM u) d
        -> t read=a,b predicate=a,b some=b;u read=a,c predicate=a,c some=c
        SELECT d.a FROM (SELECT a, b FROM t UNION ALL SELECT a, c FROM u) d
        -> t read=a predicate=a;u read=a predicate=a
        SELECT d.a FROM (SELECT x.a, x.b FROM (SELECT a, b FROM t) x GROUP BY x.a, x.b) d
        -> t read=a,b predicate=a,b
        SELECT d.a FROM (SELECT DISTINCT x.a, x.b FROM (SELECT a, b FROM t) x) d
        -> t read=a,b predicate=a,b some=b
        SELECT x.a FROM (SELECT a, b FROM t) x, (SELECT a, c FROM u) y WHERE y.c = 1
        -> t read=a predicate=a;u read=c predicate=c
        SELECT a FROM t WHERE b = 1 OR a = 2
        -> t read=a,b predicate=a,b some=b
        SELECT d.id FROM (SELECT id, a, b FROM t) d WHERE d.a < 4 OR d.a < 1 AND d.b = 2
        -> t read=a,b,id predicate=a,b,id some=b
        WITH w AS (SELECT id, a, b FROM t) SELECT w.id FROM w WHERE w.a = 1 OR (w.b = 2 AND w.a = 3)
        -> t read=a,b,id predicate=a,b,id some=b
        SELECT coalesce(d.a, d.b) FROM (SELECT a, b FROM t) d
        -> t read=a,b predicate=a,b some=b
        SELECT 1 FROM (SELECT a, b FROM t) d JOIN u ON d.a = u.a OR d.b = u.a
        -> t read=a,b predicate=a,b some=a,b;u read=a predicate=a
        SELECT 1 FROM t WHERE a = 1 AND (b = 1 OR b > 2)
        -> t read=a,b predicate=a,b
        SELECT coalesce(a, b) FROM t
        -> t read=a,b some=b
        SELECT CASE WHEN a = 1 THEN b ELSE 0 END FROM t
        -> t read=a,b some=b
        SELECT x.a, y.b FROM t x JOIN t y ON x.a = y.a
        -> t read=a,b predicate=a some=b
        SELECT x.a FROM t x WHERE x.b IN (SELECT y.b FROM t y)
        -> t read=a,b predicate=b some=a
        SELECT d.x FROM (SELECT a, b FROM t) d (x, y)
        -> t read=a,b predicate=a,b
        SELECT * FROM (SELECT a, b FROM t) d
        -> t read=a,b predicate=a,b
        SELECT d FROM (SELECT a, b FROM t) d
        -> t read=a,b predicate=a,b
        SELECT u.c FROM (SELECT a, b FROM t) d NATURAL JOIN u
        -> t read=a,b predicate=a,b;u read=* predicate=*
        SELECT u.c FROM (SELECT a, b FROM t) d JOIN u USING (a)
        -> t read=a predicate=a;u read=a,c predicate=a
        SELECT d.a FROM (SELECT a, b FROM t) d, LATERAL (SELECT c FROM u WHERE u.id = b) e
        -> t read=a,b predicate=a,b;u read=c,id predicate=c,id
        SELECT d.a FROM (SELECT a, (SELECT max(c) FROM u) AS m FROM t) d
        -> t read=a predicate=a
        WITH t AS (SELECT a FROM t WHERE id = 1) SELECT a FROM t
        -> t read=a,id predicate=a,id
        WITH RECURSIVE t AS (SELECT a FROM t) SELECT c FROM t, u
        -> u read=c
        WITH d AS (SELECT a FROM t) SELECT c FROM d, u
        -> t;u read=c
        SELECT a FROM t UNION SELECT c FROM u ORDER BY 1
        -> t read=a predicate=a;u read=c predicate=c
        SELECT t FROM t
        -> t read=*
        SELECT to_json(t.*) FROM t
        -> t read=*
        SELECT ctid FROM t
        -> t read=*
        SELECT a FROM t WHERE b < current_date
        -> t read=a,b predicate=b
        SELECT extract(year FROM a) FROM t
        -> t read=a
        SELECT a FROM t FOR UPDATE
        -> t read=a
        SELECT x FROM generate_series(1, 2) x
        -> unknown
        SELECT a FROM t, v
        -> unknown
        SELECT a FROM t WHERE a @#$ # 1 ## 2 b b
        -> unknown
        """);
  }

  @TestFactory
  Stream<DynamicTest> writes() {
    return cases(
        Dialect.POSTGRESQL,
        """
        UPDATE t SET a = 1 WHERE id = 1
        -> t read=id predicate=id written=a
        UPDATE t SET a = a + 1 WHERE id = 1
        -> t read=a,id predicate=id written=a
        UPDATE t SET (a, b) = (SELECT c, 1 FROM u WHERE u.id = t.id) WHERE b > 0
        -> t read=b,id predicate=b,id written=a,b;u read=c,id predicate=c,id
        UPDATE t x SET a = c FROM u WHERE u.id = x.id RETURNING *
        -> t read=* predicate=id written=a;u read=* predicate=id
        UPDATE g SET x = 1 WHERE id = 1
        -> g read=id predicate=id written=x,y
        UPDATE t SET nosuch = 1
        -> t written=*
        INSERT INTO t (id) VALUES (1)
        -> t written=*
        INSERT INTO t SELECT id, a, c FROM u WHERE a > 1
        -> t written=*;u read=a,c,id predicate=a,c,id
        INSERT INTO t (id, a) VALUES (1, 2) ON CONFLICT (id) DO UPDATE SET a = excluded.a
        -> t read=* predicate=* written=*
        DELETE FROM t WHERE a = 1
        -> t read=a predicate=a written=*
        WITH d AS (DELETE FROM t RETURNING a) SELECT a FROM d
        -> unknown
        """);
  }

  @TestFactory
  Stream<DynamicTest> queriesOfSqlite() {
    return cases(
        Dialect.SQLITE,
        """
        WITH c (x) AS (SELECT 1 UNION ALL SELECT x + a FROM c, t) SELECT x FROM c
        -> t read=a predicate=a
        """);
  }

  @TestFactory
  Stream<DynamicTest> keysCountAsRead() {
    return cases(
        Dialect.POSTGRESQL,
        """
        SELECT a FROM k
        -> k read=a,id predicate=id
        SELECT count(*) FROM k
        -> k read=id predicate=id
        UPDATE k SET a = 1
        -> k read=id predicate=id written=a
        UPDATE k SET id = id + 1 WHERE a = 1
        -> k read=a,id predicate=a,id written=id
        DELETE FROM k
        -> k read=id predicate=id written=*
        INSERT INTO k VALUES (1, 2)
        -> k written=*
        INSERT INTO k SELECT id, a FROM k
        -> k read=a,id predicate=a,id written=*
        INSERT INTO t SELECT a, a, a FROM k
        -> t written=*;k read=a,id predicate=a,id
        """);
  }

  @TestFactory
  Stream<DynamicTest> writesOfMySql() {
    return cases(
        Dialect.MYSQL,
        """
        UPDATE t JOIN u ON t.id = u.id SET t.b = u.c, c = 1
        -> t read=id predicate=id written=b;u read=c,id predicate=id written=c
        UPDATE t, u SET a = 1 WHERE t.id = u.id
        -> t read=id predicate=id written=a;u read=id predicate=id written=a
        UPDATE t SET a = 1 WHERE b > 1 ORDER BY id LIMIT 1
        -> t read=b,id predicate=b,id written=a
        REPLACE INTO t VALUES (1, 2, 3)
        -> t read=* predicate=* written=*
        INSERT INTO t SET id = 1, a = 2
        -> t written=*
        """);
  }

  private static Stream<DynamicTest> cases(Dialect dialect, String text) {
    return Arrays.stream(text.split("\n(?!->)"))
        .map(one -> one.split("\n-> ?", 2))
        .map(
            one ->
                DynamicTest.dynamicTest(
                    one[0], () -> assertThat(use(one[0], dialect)).isEqualTo(one[1])));
  }

  private static String use(String sql, Dialect dialect) {
    Tokens tokens = Tokenizer.tokenize(sql, dialect);
    Span all = new Span(0, tokens.count());
    return ColumnUse.of(StatementParser.parse(tokens, dialect, all), SCHEMA)
        .map(tables -> tables.stream().map(ColumnUseTest::text).collect(Collectors.joining(";")))
        .filter(text -> !text.isEmpty())
        .orElse("unknown");
  }

  private static String text(UsedColumns used) {
    return used.table()
        + text(" read=", used.read())
        + text(" predicate=", used.predicate())
        + text(" written=", used.written())
        + text(" some=", used.some());
  }

  private static String text(String name, UsedColumns.Columns columns) {
    String list = columns.all() ? "*" : String.join(",", columns.names());
    return list.isEmpty() ? "" : name + list;
  }
}
