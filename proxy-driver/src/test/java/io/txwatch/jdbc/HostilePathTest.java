package io.txwatch.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.txwatch.history.Event;
import io.txwatch.history.Event.StatementExecuted;
import io.txwatch.servers.ServerKind;
import io.txwatch.servers.TestServers;
import io.txwatch.settings.Setting;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * PostgreSQL's users may define operators and functions with the names of those of {@code
 * pg_catalog}. What txwatch sends calls none of them: everything is observed as it is without them.
 */
class HostilePathTest {

  private static final String[] TABLES = {
    "CREATE SCHEMA shop",
    "SET search_path = shop",
    "CREATE TABLE account (id INT PRIMARY KEY, n INT, rich BOOLEAN)",
    "CREATE TABLE named (name TEXT PRIMARY KEY, n INT)",
    "CREATE TABLE pair (a INT, b VARCHAR(9), n INT, PRIMARY KEY (a, b))",
    "CREATE TABLE keyless (n INT)",
    "CREATE TABLE part (id INT PRIMARY KEY, n INT) PARTITION BY RANGE (id)",
    "CREATE TABLE part1 PARTITION OF part FOR VALUES FROM (0) TO (9)",
    "CREATE VIEW richer AS SELECT id, n, CASE n WHEN 10 THEN 'ten' END AS word, nullif(n, 3) AS m"
        + " FROM account WHERE n > 1 AND lower(n::text) <> ''",
    "INSERT INTO account VALUES (1, 10, true), (2, 20, false)",
    "INSERT INTO named VALUES ('a', 1)",
    "INSERT INTO pair VALUES (1, 'b', 2)",
    "INSERT INTO keyless VALUES (5), (6)",
    "INSERT INTO part VALUES (1, 1), (2, 2)",
  };

  private static final List<String> STATEMENTS =
      List.of(
          "SELECT * FROM account",
          "SELECT n FROM named FOR UPDATE",
          "SELECT * FROM pair, keyless",
          "SELECT * FROM part",
          "SELECT n FROM richer",
          "TABLE account",
          "SELECT n FROM account GROUP BY n",
          "SELECT DISTINCT n FROM named",
          "SELECT n FROM account UNION ALL SELECT n FROM pair",
          "SELECT n FROM account UNION SELECT n FROM keyless",
          "SELECT n FROM account a WHERE EXISTS (SELECT 1 FROM named) AND rich",
          "SELECT n FROM (SELECT n FROM pair) p",
          "INSERT INTO account VALUES (7, 7, true)",
          "INSERT INTO account VALUES (7, 8, true) ON CONFLICT (id) DO UPDATE SET n = 9",
          "INSERT INTO keyless SELECT n FROM named",
          "UPDATE account SET n = 5 WHERE rich",
          "UPDATE account SET n = 6 WHERE EXISTS (SELECT 1 FROM pair)",
          "UPDATE named SET n = 5",
          "UPDATE named SET name = 'z'",
          "UPDATE pair SET b = 'z' RETURNING n",
          "UPDATE keyless SET n = 5",
          "UPDATE part SET n = 5",
          "DELETE FROM account WHERE rich",
          "DELETE FROM named RETURNING *",
          "DELETE FROM keyless");

  /** Each function, operator, type and table of pg_catalog once more, where calls fail. */
  private static final String HOSTILE =
      """
      SET search_path = pg_catalog;
      CREATE SCHEMA hostile;
      CREATE FUNCTION hostile.fail() RETURNS boolean LANGUAGE plpgsql AS
        $f$ BEGIN RAISE EXCEPTION 'hostile'; END $f$;
      CREATE FUNCTION hostile.add(bigint) RETURNS bigint LANGUAGE plpgsql AS
        $f$ BEGIN RAISE EXCEPTION 'hostile'; END $f$;
      CREATE FUNCTION hostile.add(text, text, text) RETURNS text LANGUAGE plpgsql AS
        $f$ BEGIN RAISE EXCEPTION 'hostile'; END $f$;
      CREATE AGGREGATE hostile.count(*) (SFUNC = hostile.add, STYPE = bigint);
      CREATE AGGREGATE hostile.string_agg(text, text) (SFUNC = hostile.add, STYPE = text);
      DO $do$
      DECLARE x record;
      BEGIN
        FOR x IN SELECT format('FUNCTION hostile.%I(%s) RETURNS %s %s LANGUAGE plpgsql AS
              $f$ BEGIN RAISE EXCEPTION ''hostile''; END $f$', proname,
              replace(oidvectortypes(proargtypes), '"any"', 'text'),
              CASE WHEN proretset THEN 'SETOF' END, format_type(prorettype, NULL)) AS text
            FROM pg_proc WHERE pronamespace = 'pg_catalog'::regnamespace AND prokind = 'f'
          UNION ALL SELECT 'FUNCTION hostile.' || f || '(VARIADIC text[]) RETURNS text
              LANGUAGE plpgsql AS $f$ BEGIN RAISE EXCEPTION ''hostile''; END $f$'
            FROM unnest('{concat,concat_ws}'::text[]) f
          UNION ALL SELECT format('OPERATOR hostile.%s (%s %s FUNCTION = hostile.%I)', oprname,
              CASE WHEN oprleft <> 0 THEN 'LEFTARG = ' || oprleft::regtype || ',' END,
              'RIGHTARG = ' || oprright::regtype || ',', proname)
            FROM pg_operator o JOIN pg_proc p ON p.oid = o.oprcode
          UNION ALL SELECT format('DOMAIN hostile.%I AS pg_catalog.%I CHECK (hostile.fail())', t, t)
            FROM unnest('{text,oid,int2,int8,name,regclass,regtype,bpchar,uuid,xid,char}'::text[]) t
          UNION ALL SELECT format('VIEW hostile.%I AS TABLE pg_catalog.%I', relname, relname)
            FROM pg_class WHERE relnamespace = 'pg_catalog'::regnamespace AND relkind IN ('r', 'v')
          UNION ALL SELECT 'COLLATION hostile."C" FROM "POSIX"'
        LOOP
          BEGIN
            EXECUTE 'CREATE ' || x.text;
          EXCEPTION WHEN OTHERS THEN NULL; -- of types that only C functions have
          END;
        END LOOP;
      END $do$
      """;

  /** Better candidates than those of pg_catalog, also on the usual path. */
  private static final String[] OVERLOADED = {
    "CREATE FUNCTION fail(numeric, integer) RETURNS integer LANGUAGE plpgsql AS"
        + " $f$ BEGIN RAISE EXCEPTION 'hostile'; END $f$",
    "CREATE FUNCTION fail(text, name) RETURNS text LANGUAGE plpgsql AS"
        + " $f$ BEGIN RAISE EXCEPTION 'hostile'; END $f$",
    "CREATE FUNCTION fail(name, varchar) RETURNS boolean LANGUAGE plpgsql AS"
        + " $f$ BEGIN RAISE EXCEPTION 'hostile'; END $f$",
    "CREATE FUNCTION to_json(pg_attribute) RETURNS json LANGUAGE plpgsql AS"
        + " $f$ BEGIN RAISE EXCEPTION 'hostile'; END $f$",
    "CREATE FUNCTION concat(name, varchar, name) RETURNS text LANGUAGE plpgsql AS"
        + " $f$ BEGIN RAISE EXCEPTION 'hostile'; END $f$",
    "CREATE OPERATOR & (LEFTARG = numeric, RIGHTARG = integer, FUNCTION = fail)",
    "CREATE OPERATOR || (LEFTARG = text, RIGHTARG = name, FUNCTION = fail)",
    "CREATE OPERATOR = (LEFTARG = name, RIGHTARG = varchar, FUNCTION = fail)",
  };

  private static TestDatabase database(String path, String... further) throws SQLException {
    TestDatabase database =
        TestDatabase.at(
            ServerKind.POSTGRESQL,
            TestServers.freshDatabase(ServerKind.POSTGRESQL),
            Stream.concat(Stream.of(TABLES), Stream.of(further)).toList());
    String name = database.url.replaceAll("\\?.*|.*/", "");
    try (Connection raw = database.raw()) {
      TestDatabase.execute(raw, "ALTER DATABASE \"" + name + "\" SET search_path = " + path);
    }
    return database;
  }

  /** What the application gets, and what is observed, statement by statement. */
  private static List<String> observed(TestDatabase database) throws SQLException {
    List<String> all = new ArrayList<>();
    Map<Setting, String> settings = Map.of(Setting.INSTRUMENT, "predicates");
    try (Connection connection = database.watched(planner -> planner, settings);
        Statement statement = connection.createStatement()) {
      connection.setAutoCommit(false);
      for (String sql : STATEMENTS) {
        int before = database.events().size();
        all.add(sql + " -> " + outcome(statement, sql));
        List<Event> events = database.events();
        events.subList(before, events.size()).forEach(event -> all.add(line(event)));
      }
      connection.commit();
    }
    all.removeIf(String::isEmpty);
    return all;
  }

  private static String outcome(Statement statement, String sql) throws SQLException {
    if (!statement.execute(sql)) {
      return String.valueOf(statement.getUpdateCount());
    }
    List<String> rows = new ArrayList<>();
    try (ResultSet result = statement.getResultSet()) {
      while (result.next()) {
        rows.add(result.getString(1));
      }
    }
    return rows.toString();
  }

  private static String line(Event event) {
    if (event instanceof Event.Gap gap) {
      return "  gap " + gap.reason() + " " + gap.detail();
    }
    return event instanceof StatementExecuted statement
        ? "  "
            + statement.writesSeen()
            + statement.rows().stream()
                .map(row -> " " + row.access() + " " + row.table() + " " + row.writers().size())
                .sorted()
                .toList()
            + statement.versionSets().size()
        : "";
  }

  @Test
  void aSchemaBeforePgCatalogChangesNothing() throws SQLException {
    TestDatabase usual = database("shop");
    TestDatabase hostile = database("shop, hostile, pg_catalog", HOSTILE);
    try (Connection raw = hostile.raw();
        Statement statement = raw.createStatement()) {
      for (String sql : List.of("1 = 1", "'a'::name || 'b'::name", "count(*)", "upper('a')")) {
        assertThatThrownBy(() -> statement.execute("SELECT " + sql))
            .hasMessageContaining("hostile");
      }
    }
    List<String> observed = observed(usual);
    assertThat(observed).anyMatch(line -> line.contains("UPDATE named"));
    assertThat(observed(hostile)).isEqualTo(observed);
  }

  @Test
  void betterCandidatesChangeNothing() throws SQLException {
    TestDatabase usual = database("shop");
    TestDatabase overloaded = database("shop", OVERLOADED);
    assertThat(observed(overloaded)).isEqualTo(observed(usual));
  }
}
