package io.txwatch.rewrite;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.history.WriterToken;
import io.txwatch.plan.Catalog;
import io.txwatch.plan.PlanRequest;
import io.txwatch.plan.Planner;
import io.txwatch.plan.RewritePlan;
import io.txwatch.plan.RewritePlan.Returns;
import io.txwatch.product.registry.Products;
import io.txwatch.servers.ServerKind;
import io.txwatch.servers.TestServers;
import io.txwatch.sql.dialect.Dialect;
import io.txwatch.sql.syntax.TokenKind;
import io.txwatch.sql.syntax.Tokenizer;
import io.txwatch.sql.syntax.Tokens;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.lifecycle.AfterContainer;
import org.jspecify.annotations.Nullable;

/**
 * Raw against rewritten, on real engines: the same random statements go to a database without
 * auxiliary columns as they are, and to one that has them (but on PostgreSQL, where system columns
 * are read) as the planner says. What the application sees must be the same: labels, rows, counts,
 * whether it fails, and what the tables hold after.
 */
class DifferentialTest {

  private static final String TOKEN = WriterToken.of(77, 1);

  private static long rows = Long.MIN_VALUE;

  /** The first of as many row ids as a statement needs. */
  private static long nextRow() {
    rows += 1000;
    return rows;
  }

  private static final Map<ServerKind, List<Connection>> SERVERS = new EnumMap<>(ServerKind.class);

  @AfterContainer
  static void close() throws SQLException {
    for (List<Connection> pair : SERVERS.values()) {
      for (Connection connection : pair) {
        connection.close();
      }
    }
    SERVERS.clear();
  }

  @Property(tries = 80)
  void h2(@ForAll long seed) throws SQLException {
    compare(Dialect.H2, seed, ServerKind.H2);
  }

  @Property(tries = 40)
  void postgresql(@ForAll long seed) throws SQLException {
    compare(Dialect.POSTGRESQL, seed, ServerKind.POSTGRESQL);
  }

  @Property(tries = 40)
  void mariadb(@ForAll long seed) throws SQLException {
    compare(Dialect.MARIADB, seed, ServerKind.MARIADB);
  }

  private static void compare(Dialect dialect, long seed, ServerKind kind) throws SQLException {
    if (!SERVERS.containsKey(kind)) {
      List<Connection> pair = new ArrayList<>();
      for (int i = 0; i < 2; i++) {
        pair.add(DriverManager.getConnection(TestServers.freshDatabase(kind)));
      }
      SERVERS.put(kind, pair);
    }
    List<Connection> pair = java.util.Objects.requireNonNull(SERVERS.get(kind));
    compare(dialect, seed, pair.get(0), pair.get(1));
  }

  private static void compare(Dialect dialect, long seed, Connection raw, Connection watched)
      throws SQLException {
    create(raw);
    create(watched);
    prepare(dialect, watched);
    boolean upper = dialect == Dialect.H2;
    TestCatalog catalog =
        new TestCatalog(dialect)
            .prepared(cased("t", upper), cased(upper, "id", "a", "b"))
            .prepared(cased("u", upper), cased(upper, "id", "t_id", "c"))
            .with(cased("w", upper), withoutKey(dialect), cased(upper, "a", "c"))
            .with(cased("np", upper), Catalog.Status.NOT_PREPARED, cased(upper, "id", "x"));
    Planner planner = new RewritePlanner(Products.of(dialect).sql(), RewritePlanner.Level.INLINE);
    StatementGenerator generator = new StatementGenerator(seed);
    ReadGenerator reads = new ReadGenerator(seed, dialect);
    for (int i = 0; i < 12; i++) {
      String sql = i % 4 == 3 ? reads.query() : generator.statement();
      List<Integer> values = new ArrayList<>();
      if (i % 2 == 1) {
        sql = withParameters(sql, dialect, values);
      }
      RewritePlan plan =
          planner.plan(sql, catalog, i % 5 != 0 ? PlanRequest.ANY : PlanRequest.RETURNING_NOTHING);
      if (plan.passThroughDetail().equals(NaturalJoins.REASON)) {
        continue;
      }
      String immediate = plan.immediateSql(TOKEN, nextRow());
      Seen expected = values.isEmpty() ? run(raw, sql, null) : runPrepared(raw, sql, values, null);
      Seen actual =
          values.isEmpty()
              ? run(watched, immediate, plan)
              : runPrepared(watched, plan.preparedSql(), values, plan);
      assertThat(actual.withoutMessage())
          .describedAs(
              "seed %s: %s%nas %s%n%s %s%n%s",
              seed, sql, immediate, plan.passThrough(), plan.passThroughDetail(), actual.error)
          .isEqualTo(expected.withoutMessage());
      for (String table : List.of("t", "u", "w", "np")) {
        assertThat(contents(watched, table))
            .describedAs("seed %s: %s after %s%nas %s", seed, table, sql, immediate)
            .isEqualTo(contents(raw, table));
      }
    }
  }

  private record Seen(List<String> labels, List<String> rows, long count, String error) {
    Seen withoutMessage() {
      return new Seen(labels, rows, count, error.isEmpty() ? "" : "failed");
    }
  }

  /** Makes parameters of the numbers that may be some. */
  private static String withParameters(String sql, Dialect dialect, List<Integer> values) {
    Tokens tokens = Tokenizer.tokenize(sql, dialect);
    StringBuilder out = new StringBuilder();
    int at = 0;
    for (int i = 1; i < tokens.count(); i++) {
      boolean operand =
          tokens.is(i - 1, TokenKind.OPERATOR)
              || tokens.isAnyWord(i - 1, "BETWEEN", "AND")
              || (tokens.isWord(0, "INSERT")
                  && (tokens.isOpen(i - 1) || tokens.is(i - 1, TokenKind.COMMA)));
      if (tokens.is(i, TokenKind.NUMBER) && operand) {
        values.add(Integer.parseInt(tokens.text(i)));
        out.append(sql, at, tokens.start(i)).append('?');
        at = tokens.end(i);
      }
    }
    return out.append(sql, at, sql.length()).toString();
  }

  private static Seen runPrepared(
      Connection connection, String sql, List<Integer> values, @Nullable RewritePlan plan) {
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      for (int i = 0; i < values.size(); i++) {
        statement.setInt(plan == null ? i + 1 : plan.parameterIndex()[i], values.get(i));
      }
      if (plan != null) {
        assertThat(plan.parameterCount()).describedAs(sql).isEqualTo(values.size());
        for (int place : plan.tokenParameters()) {
          statement.setString(place, TOKEN);
        }
        long row = nextRow();
        for (int place : plan.rowIdParameters()) {
          statement.setLong(place, row++);
        }
        int[] again = plan.carried().places();
        for (int i = 0; i < again.length; i++) {
          statement.setInt(again[i], values.get(plan.carried().parameters()[i] - 1));
        }
      }
      return seen(statement, statement.execute(), sql, plan);
    } catch (SQLException e) {
      return new Seen(List.of(), List.of(), -1, String.valueOf(e.getMessage()));
    }
  }

  private static Seen run(Connection connection, String sql, @Nullable RewritePlan plan) {
    try (Statement statement = connection.createStatement()) {
      return seen(statement, statement.execute(sql), sql, plan);
    } catch (SQLException e) {
      return new Seen(List.of(), List.of(), -1, String.valueOf(e.getMessage()));
    }
  }

  private static Seen seen(
      Statement statement, boolean isResult, String sql, @Nullable RewritePlan plan)
      throws SQLException {
    if (!isResult) {
      return new Seen(List.of(), List.of(), statement.getLargeUpdateCount(), "");
    }
    List<String> labels = new ArrayList<>();
    List<String> rows = new ArrayList<>();
    int count = 0;
    try (ResultSet result = statement.getResultSet()) {
      ResultSetMetaData meta = result.getMetaData();
      int each = plan != null && plan.returns() == Returns.AGGREGATED_TO_RESULT ? 1 : 2;
      int appended =
          plan == null ? 0 : each * plan.appended().size() + plan.carried().reads().size();
      List<Integer> shown = new ArrayList<>();
      for (int c = 1; c <= meta.getColumnCount(); c++) {
        String label = meta.getColumnLabel(c).toLowerCase(Locale.ROOT);
        boolean ours = label.startsWith("txw_rid") || label.startsWith("txw_wl");
        if (c > meta.getColumnCount() - appended) {
          assertThat(ours).describedAs(sql).isTrue();
        } else if (!(ours && plan != null && plan.starShowsAuxiliary())) {
          shown.add(c);
          labels.add(label);
        }
      }
      while (result.next()) {
        count++;
        StringBuilder row = new StringBuilder();
        for (int c : shown) {
          row.append(result.getString(c)).append('|');
        }
        rows.add(row.toString());
      }
    }
    if (plan != null && plan.returns() == Returns.WRITTEN_ROWS) {
      return new Seen(List.of(), List.of(), count, "");
    }
    Collections.sort(rows);
    return new Seen(labels, rows, -1, "");
  }

  private static List<String> contents(Connection connection, String table) throws SQLException {
    String columns =
        switch (table) {
          case "t" -> "id, a, b";
          case "u" -> "id, t_id, c";
          case "w" -> "a, c";
          default -> "id, x";
        };
    List<String> rows = new ArrayList<>();
    try (Statement statement = connection.createStatement();
        ResultSet result =
            statement.executeQuery(
                "select " + columns + " from " + table + " order by " + columns)) {
      while (result.next()) {
        StringBuilder row = new StringBuilder();
        for (int c = 1; c <= result.getMetaData().getColumnCount(); c++) {
          row.append(result.getString(c)).append('|');
        }
        rows.add(row.toString());
      }
    }
    return rows;
  }

  static void create(Connection connection) throws SQLException {
    for (String table : List.of("t", "u", "w", "np")) {
      execute(connection, "drop table if exists " + table);
    }
    execute(
        connection,
        "create table t (id int primary key, a int, b varchar(20))",
        "create table u (id int primary key, t_id int, c varchar(20))",
        "create table w (a int, c varchar(20))",
        "create table np (id int, x varchar(20))",
        "insert into t values (1, 1, 'p'), (2, 1, 'q'), (3, null, 'p')",
        "insert into u values (1, 1, 'p'), (2, 3, 'z'), (4, null, 'q')",
        "insert into w values (1, 'p'), (1, 'p'), (2, 'q')",
        "insert into np values (1, 'p'), (7, 'z')");
  }

  static void prepare(Dialect dialect, Connection connection) throws SQLException {
    for (String table : List.of("t", "u", "w")) {
      String add = "alter table " + table + " add column ";
      switch (dialect) {
        case H2 ->
            execute(
                connection,
                "create sequence if not exists s",
                add + "txw_rid bigint invisible default next value for s not null",
                add + "txw_wl varchar(112) invisible default '' not null");
        case POSTGRESQL -> {
          // Its tables are never changed.
        }
        case MYSQL ->
            execute(
                connection,
                add + "txw_rid bigint invisible",
                add
                    + "txw_wl varchar(252) character set ascii collate ascii_bin"
                    + " not null default '' invisible",
                "update " + table + " set txw_rid = uuid_short() & 9223372036854775807");
        case MARIADB ->
            execute(
                connection,
                add
                    + "txw_rid bigint not null default (uuid_short() & 9223372036854775807) invisible",
                add
                    + "txw_wl varchar(252) character set ascii collate ascii_bin"
                    + " not null default '' invisible");
        default -> throw new IllegalArgumentException(dialect + "");
      }
    }
  }

  /** What the catalog says of a table without a key: system columns are of no use without one. */
  static Catalog.Status withoutKey(Dialect dialect) {
    return dialect == Dialect.POSTGRESQL ? Catalog.Status.NOT_PREPARED : Catalog.Status.PREPARED;
  }

  static void execute(Connection connection, String... sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      for (String one : sql) {
        statement.execute(one);
      }
    }
  }

  static String cased(String name, boolean upper) {
    return upper ? name.toUpperCase(Locale.ROOT) : name;
  }

  static String[] cased(boolean upper, String... names) {
    String[] out = names.clone();
    for (int i = 0; i < out.length; i++) {
      out[i] = cased(out[i], upper);
    }
    return out;
  }
}
