package io.txwatch.hazard;

import static io.txwatch.servers.ServerKind.MARIADB;
import static io.txwatch.servers.ServerKind.MYSQL;
import static io.txwatch.servers.ServerKind.POSTGRESQL;
import static io.txwatch.servers.ServerKind.SQLITE;

import java.sql.SQLException;
import java.sql.Statement;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;

/**
 * Texts that are hard to read: dialects' own operators, and every construct through which a table's
 * columns show although nobody names them. What such a text means must not depend on whether it is
 * understood.
 */
class ShapesTest {

  private static final String[] TABLES = {
    "CREATE TABLE a (x INTEGER PRIMARY KEY, y VARCHAR(20), j VARCHAR(20))",
    "CREATE TABLE b (x INTEGER PRIMARY KEY, y VARCHAR(20), j VARCHAR(20))",
    "CREATE TABLE z (x INTEGER PRIMARY KEY, y VARCHAR(20), j VARCHAR(20))",
    "CREATE TABLE s (x INTEGER)",
    "INSERT INTO a VALUES (1, 'u', 'k'), (2, 'v', 'l')",
    "INSERT INTO b VALUES (1, 'u', 'k'), (3, 'w', NULL)",
    "INSERT INTO s VALUES (1)"
  };

  private static Twins twins(Place place, String... more) {
    return place.of(Stream.concat(Stream.of(TABLES), Stream.of(more)).toArray(String[]::new));
  }

  /** Statements, one a line; a line that begins with blanks goes on with the one before. */
  private static String[] lines(String text) {
    return text.strip().replace("\n  ", " ").split("\n");
  }

  @OnEach({POSTGRESQL, MARIADB, MYSQL, SQLITE})
  @DisplayName("62 stars, NATURAL and set operations")
  void everywhere(Place place) throws SQLException {
    twins(place)
        .run(
            lines(
                """
                SELECT * FROM a NATURAL JOIN b
                SELECT * FROM a NATURAL JOIN b WHERE y LIKE 'u%' ORDER BY x
                SELECT COUNT(*) FROM (SELECT * FROM a UNION SELECT * FROM b) q
                SELECT COUNT(*) FROM (SELECT * FROM a WHERE x IN (SELECT x FROM b)) q
                SELECT * FROM a WHERE EXISTS (SELECT * FROM b WHERE b.x = a.x)
                SELECT * FROM a JOIN b USING (x)
                SELECT DISTINCT * FROM s
                SELECT q.* FROM (SELECT * FROM a) q ORDER BY 1
                WITH q AS (SELECT * FROM a) SELECT * FROM q ORDER BY x
                INSERT INTO z SELECT * FROM a
                INSERT INTO z SELECT x + 10, y, j FROM a NATURAL JOIN b
                UPDATE z SET y = 'changed' WHERE x NOT IN (SELECT x FROM a NATURAL JOIN b)
                DELETE FROM z WHERE x IN (SELECT x FROM a NATURAL JOIN b)
                SELECT * FROM z ORDER BY x
                DELETE FROM z
                """));
  }

  @OnEach(SQLITE)
  @DisplayName("62 queries in SQLite's own words")
  void queriesOfSqlite(Place place) throws SQLException {
    twins(place, "CREATE VIRTUAL TABLE ft USING fts5(p, q)", "INSERT INTO ft VALUES ('hello', 'b')")
        .run(
            lines(
                """
                SELECT * FROM a NATURAL JOIN b WHERE y GLOB 'u*'
                SELECT * FROM a NATURAL JOIN b WHERE y == 'u'
                SELECT * FROM a NATURAL JOIN b WHERE y IS 'u'
                SELECT * FROM a NATURAL JOIN b WHERE y IS NOT 'z'
                SELECT * FROM a NATURAL JOIN b WHERE y ISNULL
                SELECT * FROM a NATURAL JOIN b WHERE y NOTNULL
                SELECT * FROM a NATURAL JOIN b WHERE y NOT NULL
                SELECT * FROM a NATURAL JOIN b WHERE +x = 1
                SELECT * FROM a NATURAL JOIN b WHERE y = 'U' COLLATE NOCASE
                SELECT * FROM a NOT INDEXED NATURAL JOIN b
                SELECT * FROM a NATURAL JOIN b ORDER BY x LIMIT 0, 3
                SELECT * FROM a NATURAL JOIN b, json_each('[1,2]')
                SELECT * FROM a NATURAL LEFT JOIN b
                SELECT * FROM a NATURAL FULL JOIN b
                SELECT * FROM a NATURAL JOIN b NATURAL JOIN a AS c
                SELECT * FROM (SELECT * FROM a NATURAL JOIN b, a AS c)
                SELECT * FROM (a NATURAL JOIN b) AS q
                SELECT q.x, q.* FROM (a NATURAL JOIN b) AS q WHERE q.y GLOB 'u*'
                SELECT * FROM (a NATURAL JOIN b)
                SELECT * FROM (a, s) NATURAL JOIN b
                SELECT * FROM a INTERSECT SELECT * FROM b WHERE y GLOB 'u*'
                SELECT * FROM a EXCEPT SELECT * FROM b WHERE y NOT NULL
                SELECT * FROM a WHERE (x, y, j) IN b
                SELECT * FROM a WHERE x IN s
                SELECT * FROM a WHERE x NOT IN main.s AND y NOT NULL
                SELECT 1 IN s, 2 IN s AS two, (SELECT 1 IN s)
                SELECT 1 IN (SELECT * FROM s), EXISTS (SELECT * FROM s), x FROM a
                SELECT x, 1 IN s FROM a WHERE y NOT NULL
                SELECT 1 IN a
                WITH s AS (SELECT 5 AS x) SELECT 1 IN s, 5 IN s
                WITH q AS (SELECT * FROM s WHERE x NOT NULL) SELECT 1 IN q, 1 IN s FROM q
                SELECT (WITH s AS (SELECT 5) SELECT 1 IN s), 1 IN s
                SELECT x, sum(x) FILTER (WHERE x > 0) OVER (ORDER BY x GROUPS BETWEEN 1 PRECEDING
                  AND CURRENT ROW EXCLUDE TIES) FROM a NATURAL JOIN b
                SELECT * FROM a NATURAL JOIN b WHERE CAST(x AS "any type") = 1
                SELECT * FROM a NATURAL JOIN b WHERE x IN (1,)
                SELECT * FROM a NATURAL JOIN b WHERE x IN ()
                SELECT * FROM a NATURAL JOIN b WHERE iif(x = 1, 1, 0)
                SELECT * FROM a NATURAL JOIN b WHERE CASE WHEN x THEN 1 END
                SELECT DISTINCT * FROM a WHERE x | 1 & 3 << 1
                SELECT * FROM a NATURAL JOIN b WHERE ~x < 0
                SELECT * FROM a NATURAL JOIN b WHERE y IS DISTINCT FROM 'z'
                SELECT [x], "y", `j` FROM a NATURAL JOIN b
                SELECT x 'lit' FROM a NATURAL JOIN b
                SELECT * FROM main.a NATURAL JOIN main.b
                SELECT main.a.x, main.b.* FROM main.a NATURAL JOIN main.b WHERE main.a.y NOT NULL
                SELECT * FROM A NATURAL JOIN "B" WHERE Y NOT NULL
                SELECT * FROM a NATURAL JOIN b, ft WHERE ft MATCH 'hello'
                SELECT * FROM [a] NATURAL JOIN `b` AS c WHERE c.y NOT NULL
                SELECT rowid, * FROM a WHERE y NOT NULL
                SELECT count(*) FROM a WHERE y NOT NULL
                SELECT (SELECT count(*) FROM (SELECT DISTINCT * FROM a)) + 0
                EXPLAIN QUERY PLAN SELECT 1 FROM s WHERE x NOT NULL
                WITH RECURSIVE r (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r WHERE n < 3)
                  SELECT * FROM r, (a NATURAL JOIN b) AS q
                WITH q AS NOT MATERIALIZED (SELECT * FROM a EXCEPT SELECT * FROM b WHERE y NOT NULL)
                  SELECT * FROM q
                VALUES (1), (2)
                """));
  }

  @OnEach(SQLITE)
  @DisplayName("62 writes in SQLite's own words")
  void writesOfSqlite(Place place) throws SQLException {
    twins(place, "CREATE TABLE ge (x INTEGER, y AS (x * 2) STORED)", "INSERT INTO ge VALUES (1)")
        .run(
            lines(
                """
                INSERT INTO z SELECT * FROM a NATURAL JOIN b WHERE y GLOB 'u*'
                INSERT INTO z SELECT * FROM (a NATURAL JOIN b) AS q ON CONFLICT DO NOTHING
                INSERT INTO z SELECT * FROM a EXCEPT SELECT * FROM b WHERE y NOT NULL
                INSERT OR IGNORE INTO z SELECT * FROM a WHERE x IN (1, 2,)
                INSERT INTO z VALUES (50, 'q', hex(x'00'))
                INSERT INTO z VALUES (51, 'q' COLLATE NOCASE, 1 == 1)
                INSERT INTO z VALUES (53, 'a' IS 'b', 'q' GLOB 'x') RETURNING *
                INSERT INTO main.z AS t VALUES (53, 'a' NOT NULL, 1) ON CONFLICT (x) DO UPDATE SET
                  y = t.y || excluded.y WHERE t.y NOT NULL
                REPLACE INTO z SELECT * FROM a WHERE y NOT NULL
                UPDATE z SET y = 'in' WHERE x IN s
                UPDATE z SET y = 'joined' WHERE x NOT IN (SELECT x FROM a NATURAL JOIN b WHERE y NOT NULL)
                UPDATE z SET y = q.y FROM (a NATURAL JOIN b) AS q WHERE q.x = z.x
                UPDATE a SET y = 'own' WHERE x IN (SELECT x FROM a NATURAL JOIN b WHERE y NOT NULL)
                SELECT * FROM a
                DELETE FROM z WHERE x NOT IN s AND y ISNULL
                DELETE FROM z WHERE x NOT IN (SELECT x FROM a NATURAL JOIN b WHERE y NOT NULL) RETURNING *, 1 IN s
                DELETE FROM a WHERE x NOT IN (SELECT x FROM a NATURAL JOIN s WHERE y NOT NULL)
                SELECT * FROM z
                DELETE FROM z
                SELECT * FROM (SELECT * FROM ge)
                SELECT * FROM ge EXCEPT SELECT * FROM s, s AS t WHERE 1 NOT NULL
                INSERT INTO ge VALUES (7)
                SELECT count(*) FROM (SELECT DISTINCT * FROM ge)
                DELETE FROM ge WHERE x = 7
                CREATE TABLE made AS SELECT * FROM (a NATURAL JOIN b) AS q
                SELECT * FROM made
                DROP TABLE made
                CREATE VIEW seen AS SELECT *, 1 IN s FROM (a NATURAL JOIN b) AS q WHERE q.y NOT NULL
                SELECT * FROM seen
                DROP VIEW seen
                """));
  }

  @OnEach(POSTGRESQL)
  @DisplayName("62 queries in PostgreSQL's own words, and whole rows")
  void queriesOfPostgres(Place place) throws SQLException {
    twins(place)
        .run(
            lines(
                """
                SELECT * FROM a NATURAL JOIN b WHERE x OPERATOR(pg_catalog.=) 1
                SELECT * FROM a INTERSECT SELECT * FROM b WHERE y IS JSON IS NOT TRUE
                SELECT * FROM a NATURAL JOIN b WHERE y ISNULL IS NOT TRUE
                SELECT * FROM a NATURAL JOIN b, ROWS FROM (generate_series(1, 2)) r (p)
                SELECT count(*) FROM a NATURAL JOIN b GROUP BY DISTINCT ROLLUP (x), ROLLUP (x, y)
                SELECT * FROM a NATURAL JOIN b WHERE x = ANY ((SELECT array_agg(x) FROM a)::int[])
                SELECT * FROM (a NATURAL JOIN b) AS q
                SELECT * FROM (a NATURAL JOIN b) AS q (p, q, r)
                SELECT * FROM a JOIN b USING (x) AS j WHERE j.x = 1
                SELECT count(*) FROM (SELECT * FROM a AS q (p, q, r) EXCEPT SELECT * FROM b) t
                WITH RECURSIVE t AS (SELECT * FROM a UNION SELECT a.x, a.y, a.j FROM a JOIN t USING (x))
                  CYCLE x SET c USING p SELECT x, y, c FROM t ORDER BY x, c
                WITH q AS NOT MATERIALIZED (SELECT * FROM a EXCEPT SELECT * FROM b) SELECT * FROM q
                SELECT * FROM a WHERE (x, y, j) IN (TABLE b)
                SELECT a::text FROM a ORDER BY x
                SELECT row_to_json(a) FROM a ORDER BY x
                SELECT a.*::text FROM a ORDER BY x
                SELECT ROW (a.*)::text FROM a ORDER BY x
                SELECT (SELECT a)::text FROM a ORDER BY x
                SELECT array_agg(a ORDER BY x)::text FROM a
                SELECT (a).* FROM a ORDER BY x
                SELECT public.a.x FROM public.a, (public.b NATURAL JOIN s) AS q ORDER BY 1
                SELECT FROM a GROUP BY x
                SELECT (SELECT count(*) FROM b WHERE b.x = max(a.x)) FROM a
                SELECT x::float8 FROM a ORDER BY x
                SELECT y, percentile_cont(0.5) WITHIN GROUP (ORDER BY x) FROM a GROUP BY y ORDER BY y
                INSERT INTO z SELECT x, y, j, 1 FROM a
                INSERT INTO z SELECT *, 1, 'w' FROM a UNION SELECT *, 2, 'w' FROM b
                UPDATE z SET y = z::text WHERE x < 3
                UPDATE z AS q SET j = left(row_to_json(q)::text, 20)
                SELECT * FROM z ORDER BY x
                DELETE FROM z WHERE z IN (SELECT z FROM z WHERE x = 1) RETURNING z::text
                DELETE FROM z WHERE z IS NOT NULL AND z = z
                """));
  }

  @OnEach(POSTGRESQL)
  @DisplayName("62 scripts with definitions in them")
  void scripts(Place place) throws SQLException {
    twins(place)
        .run(
            (connection, transcript) -> {
              try (Statement statement = connection.createStatement()) {
                for (String sql :
                    lines(
                        """
                        CREATE TABLE z1 (x int, y text, j text); INSERT INTO z1 SELECT * FROM a
                        CREATE TEMP TABLE z2 (x int, y text, j text);
                          INSERT INTO z2 SELECT * FROM a NATURAL JOIN b; SELECT * FROM z2
                        CREATE INDEX ON a (y); SELECT * FROM a NATURAL JOIN b;
                          SELECT count(*) FROM (SELECT * FROM a INTERSECT SELECT * FROM b) q
                        DROP TABLE z1; CREATE TABLE z1 AS SELECT * FROM a; INSERT INTO z1 SELECT * FROM z1
                        ALTER TABLE z1 ADD k int; SELECT count(*) FROM (SELECT * FROM z1 UNION SELECT *, 1 FROM a) q
                        SELECT * FROM z1
                        """)) {
                  transcript.step(sql, () -> transcript.results(statement, statement.execute(sql)));
                }
              }
            });
  }

  @OnEach({POSTGRESQL, SQLITE})
  @DisplayName("62 tables that the open transaction has made, altered or renamed")
  void tablesOfThisTransaction(Place place) throws SQLException {
    twins(place)
        .run(
            (connection, transcript) -> {
              connection.setAutoCommit(false);
              try (Statement statement = connection.createStatement()) {
                for (String sql :
                    lines(
                        """
                        CREATE TABLE m (x INTEGER PRIMARY KEY, y VARCHAR(20), j VARCHAR(20))
                        INSERT INTO m SELECT * FROM a
                        SELECT * FROM m NATURAL JOIN a ORDER BY x
                        SELECT * FROM (m NATURAL JOIN a) AS q ORDER BY x
                        CREATE TEMPORARY TABLE t AS SELECT * FROM a
                        INSERT INTO t SELECT * FROM m
                        SELECT count(*) FROM (SELECT * FROM t UNION SELECT * FROM a) q
                        CREATE TEMPORARY TABLE b (x INTEGER, k INTEGER)
                        SELECT * FROM a NATURAL JOIN b
                        DROP TABLE b
                        ALTER TABLE a ADD COLUMN k INTEGER DEFAULT 7
                        SELECT count(*) FROM (SELECT * FROM a UNION SELECT *, 7 FROM m) q
                        SELECT DISTINCT * FROM a WHERE x = 1
                        ALTER TABLE a RENAME TO c
                        SELECT DISTINCT * FROM c WHERE x = 1
                        INSERT INTO c VALUES (9, 'i', 'j', 3)
                        SELECT * FROM c ORDER BY x
                        """)) {
                  transcript.step(sql, () -> transcript.results(statement, statement.execute(sql)));
                }
              }
              connection.rollback();
              connection.setAutoCommit(true);
              try (Statement statement = connection.createStatement()) {
                String sql = "SELECT DISTINCT * FROM a WHERE x = 1";
                transcript.step(sql, () -> transcript.results(statement, statement.execute(sql)));
              }
            });
  }

  @OnEach(SQLITE)
  @DisplayName("62 triggers that are made while running, and attached databases")
  void triggersAndAttached(Place place) throws SQLException {
    twins(place, "CREATE TABLE log (x, y, j)")
        .run(
            (connection, transcript) -> {
              try (Statement statement = connection.createStatement()) {
                for (String sql :
                    lines(
                        """
                        CREATE TRIGGER t1 AFTER INSERT ON z BEGIN INSERT INTO b VALUES (new.x, 't', 't'); END
                        CREATE TRIGGER t2 AFTER INSERT ON z WHEN new.x NOT NULL BEGIN
                          INSERT INTO log SELECT * FROM a WHERE x NOT IN (SELECT x FROM log);
                          UPDATE a SET y = CASE WHEN new.x IN s THEN 's' ELSE 'n' END WHERE x IN s; END
                        INSERT INTO z VALUES (70, 'm', 'm')
                        SELECT * FROM log
                        SELECT * FROM b
                        SELECT * FROM a
                        ATTACH ':memory:' AS m
                        CREATE TABLE m.a AS SELECT * FROM main.a
                        SELECT * FROM m.a
                        INSERT INTO m.a SELECT * FROM main.a
                        SELECT * FROM m.a EXCEPT SELECT * FROM main.a
                        SELECT * FROM m.a AS p NATURAL JOIN main.a AS q
                        SELECT * FROM m.a NATURAL JOIN main.b WHERE b.y NOT NULL
                        """)) {
                  transcript.step(sql, () -> transcript.results(statement, statement.execute(sql)));
                }
              }
            });
  }
}
