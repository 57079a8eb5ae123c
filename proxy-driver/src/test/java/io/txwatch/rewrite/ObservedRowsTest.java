package io.txwatch.rewrite;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.plan.Catalog;
import io.txwatch.plan.Planner;
import io.txwatch.plan.RewritePlan;
import io.txwatch.plan.RewritePlan.Returns;
import io.txwatch.plan.SideRead;
import io.txwatch.product.registry.Products;
import io.txwatch.rewrite.RewritePlanner.Level;
import io.txwatch.servers.ServerKind;
import io.txwatch.servers.TestServers;
import io.txwatch.sql.dialect.Dialect;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/**
 * The rows that a query's plan returns are the rows that it has read, on real servers.
 *
 * <p>Two ways to see it. Against a reference: a query that is written down beside it gives the rows
 * to expect. And by deletion, for random queries: a row that is not observed is deleted, and the
 * result must stay what it was.
 */
class ObservedRowsTest {

  /** How many random queries a server gets; more by hand. */
  private static final int QUERIES = Integer.getInteger("txwatch.observed-rows.queries", 150);

  private static final List<String> TABLES = List.of("t", "u", "w");

  /** What stands for the version of a row: no writer, or on PostgreSQL a transaction. */
  private static final String VERSION = "\\d*";

  @TestFactory
  Stream<DynamicTest> asTheReferenceSays() {
    return TestServers.concurrentKinds()
        .map(
            kind ->
                DynamicTest.dynamicTest(
                    kind + "",
                    () -> {
                      try (Connection connection = connect(kind)) {
                        references(dialect(kind), connection);
                      }
                    }));
  }

  private static void references(Dialect dialect, Connection connection) throws SQLException {
    String[] lines =
        """
        select distinct a from t where b = 'p'
        t: select txw_rid from t where b = 'p'
        select a from t where id > 2 union select t_id from u where id < 3
        t: select txw_rid from t where id > 2
        u: select txw_rid from u where id < 3
        select count(*) from t where a = 1
        t: select txw_rid from t where a = 1
        select b, max(a) from t left join u on u.id = t.id group by b having count(*) > 0
        t: select txw_rid from t
        u: select txw_rid from u where id in (select id from t)
        select a from t where id in (select t_id from u where id > 1)
        t: select txw_rid from t where id in (select t_id from u where id > 1)
        u: select txw_rid from u where id > 1
        select x.id, (select max(y.id) from u y where y.t_id = x.id) from t x where x.id < 4
        t: select txw_rid from t where id < 4
        u: select txw_rid from u where t_id < 4
        select id from t where not exists (select 1 from u where u.id = 99)
        t: select txw_rid from t
        select z.a, count(*) from (select a from w where c = 'p') z, t where t.a = z.a group by z.a
        t: select txw_rid from t where a in (select a from w where c = 'p')
        w: select txw_rid from w where c = 'p'
        with q as (select id from t where id > 3) select distinct x.id from q x join q y on x.id = y.id
        t: select txw_rid from t where id > 3
        select id, t_id from u where id > 2 union all select a, a from w
        u: select txw_rid from u where id > 2
        w: select txw_rid from w
        select z.id from (select id from t where a = 1) z join u on u.t_id = z.id
        t: select txw_rid from t where a = 1 and id in (select t_id from u)
        u: select txw_rid from u where t_id in (select id from t where a = 1)
        """
            .strip()
            .split("\n");
    for (int i = 0; i < lines.length; ) {
      String sql = lines[i++];
      RewritePlan plan = planner(dialect).plan(sql, catalog(dialect));
      assertThat(plan.passThrough()).describedAs(sql + plan.passThroughDetail()).isEmpty();
      Run run = run(connection, plan, "");
      Map<String, TreeSet<Long>> expected = new TreeMap<>();
      while (i < lines.length && lines[i].charAt(1) == ':') {
        String table = lines[i].substring(0, 1);
        String reference = lines[i++].substring(3).replace("txw_rid", id(dialect, table));
        expected.put(table, rows(connection, reference));
      }
      expected.values().removeIf(TreeSet::isEmpty);
      assertThat(run.observed).describedAs(sql + "%nas %s", plan).isEqualTo(expected);
    }
  }

  @TestFactory
  Stream<DynamicTest> whatRowsCarryIsWhatIsReadBeside() {
    return TestServers.concurrentKinds()
        .map(
            kind ->
                DynamicTest.dynamicTest(
                    kind + "",
                    () -> {
                      try (Connection connection = connect(kind)) {
                        connection.setAutoCommit(false);
                        carriedAsBeside(dialect(kind), connection);
                      }
                    }));
  }

  private static void carriedAsBeside(Dialect dialect, Connection connection) throws SQLException {
    TestCatalog catalog = catalog(dialect);
    Planner inline = new RewritePlanner(Products.of(dialect).sql(), Level.INLINE);
    int compared = 0;
    for (int seed = 0; seed < 3 * QUERIES; seed++) {
      String sql =
          seed % 3 == 0
              ? new StatementGenerator(seed).query()
              : new ReadGenerator(seed, dialect).query();
      RewritePlan carrying = inline.plan(sql, catalog);
      RewritePlan beside = planner(dialect).plan(sql, catalog);
      boolean both =
          !carrying.carried().isEmpty()
              && carrying.passThrough().isEmpty()
              && beside.passThrough().isEmpty();
      Run asked = both ? run(connection, beside, sql) : Run.FAILED;
      if (!both || !asked.error.isEmpty()) {
        continue;
      }
      Run carried = run(connection, carrying, sql);
      assertThat(carried.error).describedAs(carrying.preparedSql()).isEmpty();
      assertThat(carried.rows).describedAs(carrying.preparedSql()).isEqualTo(asked.rows);
      if (!carried.rows.isEmpty()) {
        assertThat(carried.observed)
            .describedAs("%d: %s%nas %s%nbeside %s", seed, sql, carrying, beside.sideReads())
            .isEqualTo(asked.observed);
        compared++;
      }
    }
    assertThat(compared).isGreaterThan(10);
  }

  @TestFactory
  Stream<DynamicTest> rowsThatAreNotObservedDoNotMatter() {
    return TestServers.concurrentKinds()
        .map(
            kind ->
                DynamicTest.dynamicTest(
                    kind + "",
                    () -> {
                      try (Connection connection = connect(kind)) {
                        connection.setAutoCommit(false);
                        deletions(dialect(kind), connection);
                      }
                    }));
  }

  private static void deletions(Dialect dialect, Connection connection) throws SQLException {
    TestCatalog catalog = catalog(dialect);
    Planner planner = planner(dialect);
    int seen = 0;
    int deleted = 0;
    for (int seed = 0; seed < QUERIES; seed++) {
      String sql =
          seed % 3 == 0
              ? new StatementGenerator(seed).query()
              : new ReadGenerator(seed, dialect).query();
      if (sql.contains(" left ") && sql.contains(" is distinct from ")) {
        continue; // a row that is not there is null, which is distinct from a number
      }
      RewritePlan plan = planner.plan(sql, catalog);
      boolean large = seed % 2 == 0;
      if (large) {
        plan = planner.plan(sql, catalog(dialect).large());
      }
      boolean observed =
          planner.plan(sql, catalog(dialect).prepared("np", "id", "x")).passThrough().isEmpty();
      Run run = observed ? run(connection, plan, sql) : Run.FAILED;
      if (!run.error.isEmpty()) {
        connection.rollback();
        continue;
      }
      seen++;
      for (String table : TABLES) {
        String id = id(dialect, table);
        TreeSet<Long> unobserved = rows(connection, "select " + id + " from " + table);
        unobserved.removeAll(run.observed.getOrDefault(table, new TreeSet<>()));
        if (unobserved.isEmpty()) {
          continue;
        }
        deleted += unobserved.size();
        try (Statement statement = connection.createStatement()) {
          for (long row : unobserved) {
            statement.executeUpdate("delete from " + table + " where " + id + " = " + row);
          }
        }
        Run without = run(connection, plan, sql);
        assertThat(without.rows)
            .describedAs(
                "%s: without the rows of %s that are not observed%n%s%nas %s%nbeside %s",
                seed, table, sql, plan.preparedSql(), plan.sideReads())
            .isEqualTo(run.rows);
        connection.rollback();
      }
    }
    assertThat(seen).isGreaterThan(QUERIES / 3);
    assertThat(deleted).isGreaterThan(QUERIES / 3);
  }

  /**
   * What a query returned and observed.
   *
   * @param rows what the application sees, in any order
   * @param observed row ids by table
   * @param error of the query itself; a side read must not fail where it does not
   */
  private record Run(List<String> rows, Map<String, TreeSet<Long>> observed, String error) {
    static final Run FAILED = new Run(List.of(), Map.of(), "failed");
  }

  private static Run run(Connection connection, RewritePlan plan, String sql) throws SQLException {
    Map<String, TreeSet<Long>> observed = new TreeMap<>();
    List<String> rows = new ArrayList<>();
    try (PreparedStatement statement = connection.prepareStatement(plan.preparedSql());
        ResultSet result = statement.executeQuery()) {
      int each = plan.returns() == Returns.AGGREGATED_TO_RESULT ? 1 : 2;
      int columns = result.getMetaData().getColumnCount();
      int lists = columns - plan.carried().reads().size() + 1;
      int first = lists - each * plan.appended().size();
      while (result.next()) {
        for (int k = 0; k < plan.carried().reads().size(); k++) {
          carried(result.getString(lists + k), plan.carried().reads().get(k).tables(), observed);
        }
        StringBuilder row = new StringBuilder();
        for (int c = 1; c < first; c++) {
          String label = result.getMetaData().getColumnLabel(c).toLowerCase(Locale.ROOT);
          row.append(label.startsWith("txw_") ? "" : result.getString(c) + "|");
        }
        rows.add(row.toString());
        for (int k = 0; k < plan.appended().size(); k++) {
          observe(result, first + each * k, each, plan.appended().get(k), observed);
        }
      }
    } catch (SQLException e) {
      connection.rollback();
      return new Run(List.of(), Map.of(), e + "");
    }
    for (SideRead read : plan.sideReads()) {
      try (PreparedStatement statement = connection.prepareStatement(read.sql());
          ResultSet result = statement.executeQuery()) {
        assertThat(result.getMetaData().getColumnCount()).isEqualTo(2 * read.tables().size());
        while (result.next()) {
          for (int k = 0; k < read.tables().size(); k++) {
            observe(result, 1 + 2 * k, 2, read.tables().get(k), observed);
          }
        }
      } catch (SQLException e) {
        throw new AssertionError(sql + "\nbeside: " + read.sql(), e);
      }
    }
    Collections.sort(rows);
    return new Run(rows, observed, "");
  }

  /** {@code 2;17:,18:}: two rows of one table, or one row of two. */
  private static void carried(
      String text, List<String> tables, Map<String, TreeSet<Long>> observed) {
    String[] parts = text.split(";", -1);
    assertThat(parts).hasSize(2);
    int count = Integer.parseInt(parts[0]) * tables.size();
    String[] entries = count == 0 ? new String[0] : parts[1].split(",", -1);
    assertThat(entries).hasSize(count);
    for (int i = 0; i < count; i++) {
      if (!entries[i].isEmpty()) {
        observed
            .computeIfAbsent(
                tables.get(i % tables.size()).toLowerCase(Locale.ROOT), t -> new TreeSet<>())
            .add(id(entries[i]));
      }
    }
  }

  private static void observe(
      ResultSet result, int column, int columns, String table, Map<String, TreeSet<Long>> observed)
      throws SQLException {
    TreeSet<Long> ids = new TreeSet<>();
    if (columns == 2) {
      long row = result.getLong(column);
      if (!result.wasNull()) {
        ids.add(row);
        assertThat(result.getString(column + 1)).matches(VERSION);
      }
    } else {
      String text = result.getString(column);
      int semicolon = text.indexOf(';');
      List<String> versions =
          semicolon + 1 == text.length()
              ? List.of()
              : List.of(text.substring(semicolon + 1).split(","));
      assertThat(versions).hasSize(Integer.parseInt(text.substring(0, semicolon)));
      for (String version : versions) {
        ids.add(id(version));
      }
    }
    if (!ids.isEmpty()) {
      observed.computeIfAbsent(table.toLowerCase(Locale.ROOT), t -> new TreeSet<>()).addAll(ids);
    }
  }

  /** The id of {@code 17:}, or on PostgreSQL {@code 17:735}. */
  private static Long id(String version) {
    int colon = version.indexOf(':');
    assertThat(version.substring(colon + 1)).matches(VERSION);
    return Long.valueOf(version.substring(0, colon));
  }

  /** The column that identifies a table's rows: on PostgreSQL its key. */
  private static String id(Dialect dialect, String table) {
    return dialect != Dialect.POSTGRESQL ? "txw_rid" : table.equals("w") ? "k" : "id";
  }

  private static TreeSet<Long> rows(Connection connection, String sql) throws SQLException {
    TreeSet<Long> rows = new TreeSet<>();
    try (Statement statement = connection.createStatement();
        ResultSet result = statement.executeQuery(sql)) {
      while (result.next()) {
        rows.add(result.getLong(1));
      }
    }
    return rows;
  }

  private static Dialect dialect(ServerKind kind) {
    return Dialect.valueOf(kind.name());
  }

  private static Planner planner(Dialect dialect) {
    return new RewritePlanner(Products.of(dialect).sql(), Level.ITEMS);
  }

  private static TestCatalog catalog(Dialect dialect) {
    boolean upper = dialect == Dialect.H2;
    TestCatalog catalog = new TestCatalog(dialect);
    return (dialect == Dialect.POSTGRESQL
            ? catalog.prepared("w", "k", "a", "c")
            : catalog.prepared(
                DifferentialTest.cased("w", upper), DifferentialTest.cased(upper, "a", "c")))
        .prepared(DifferentialTest.cased("t", upper), DifferentialTest.cased(upper, "id", "a", "b"))
        .prepared(
            DifferentialTest.cased("u", upper), DifferentialTest.cased(upper, "id", "t_id", "c"))
        .with(
            DifferentialTest.cased("np", upper),
            Catalog.Status.NOT_PREPARED,
            DifferentialTest.cased(upper, "id", "x"));
  }

  private static Connection connect(ServerKind kind) throws SQLException {
    Connection connection = DriverManager.getConnection(TestServers.freshDatabase(kind));
    DifferentialTest.create(connection);
    DifferentialTest.execute(
        connection,
        "insert into t values (4, 2, 'r'), (5, 4, 'p'), (6, 2, 'q')",
        "insert into u values (3, 1, 'p'), (5, 2, 'z'), (6, 4, 'q')",
        "insert into w values (4, 'p'), (3, 'z')");
    DifferentialTest.prepare(dialect(kind), connection);
    if (kind == ServerKind.POSTGRESQL) {
      DifferentialTest.execute(
          connection, "alter table w add k bigint generated always as identity primary key");
    }
    return connection;
  }
}
