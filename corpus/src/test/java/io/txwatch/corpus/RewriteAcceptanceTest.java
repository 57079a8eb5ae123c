package io.txwatch.corpus;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.catalog.CatalogMode;
import io.txwatch.catalog.JdbcCatalog;
import io.txwatch.corpus.Script.Step;
import io.txwatch.plan.PlanRequest;
import io.txwatch.plan.RewritePlan;
import io.txwatch.plan.SideRead;
import io.txwatch.product.registry.Products;
import io.txwatch.rewrite.RewritePlanner;
import io.txwatch.rewrite.RewritePlanner.Level;
import io.txwatch.servers.ServerKind;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * If the server prepares a text of the corpus, it also prepares its rewritten text and the text of
 * each of its side reads.
 */
class RewriteAcceptanceTest {

  private static final int GENERATED = 10;
  private static final int LENGTH = 40;

  @ParameterizedTest
  @MethodSource("io.txwatch.servers.TestServers#concurrentKinds")
  void rewrittenTextsAreAcceptedByTheServer(ServerKind kind) throws SQLException {
    Set<String> statements = new TreeSet<>();
    List<Script> scripts = new ArrayList<>(CorpusFiles.scripts(kind, 0));
    for (int seed = 0; seed < GENERATED; seed++) {
      scripts.add(GeneratedScripts.of(kind, 1_000_000 + seed, LENGTH));
    }
    scripts.forEach(script -> script.steps().stream().map(Step::sql).forEach(statements::add));
    statements.removeIf(sql -> !StatementTraits.isQueryOrWrite(sql));

    String url = WatchedTestDatabase.create(kind, Level.PREDICATES).url();
    String preparing =
        switch (kind) {
          case MYSQL -> url + "&useServerPrepStmts=true&emulateUnsupportedPstmts=false";
          case MARIADB -> url + "&useServerPrepStmts=true";
          case POSTGRESQL, H2, SQLITE -> url;
        };
    List<String> rejected = new ArrayList<>();
    int rewritten = 0;
    int sideReads = 0;
    int piggybacked = 0;
    try (Connection connection = DriverManager.getConnection(preparing);
        JdbcCatalog catalog =
            JdbcCatalog.open(
                connection,
                url,
                "",
                () -> DriverManager.getConnection(url),
                CatalogMode.rewriting(Products.catalogs()),
                () -> true,
                notice -> {})) {
      RewritePlanner planner = new RewritePlanner(catalog.sql().orElseThrow(), Level.PREDICATES);
      RewritePlanner inline = new RewritePlanner(catalog.sql().orElseThrow(), Level.INLINE);
      for (String sql : statements) {
        if (rejection(connection, sql) != null) {
          continue;
        }
        RewritePlan inlinePlan = inline.plan(sql, catalog);
        if (!inlinePlan.carried().isEmpty()) {
          piggybacked++;
          check(connection, inlinePlan.preparedSql(), sql, rejected);
        }
        for (PlanRequest request : List.of(PlanRequest.ANY, PlanRequest.RETURNING_NOTHING)) {
          RewritePlan plan = planner.plan(sql, catalog, request);
          rewritten += plan.isRewritten() ? 1 : 0;
          check(connection, plan.preparedSql(), sql, rejected);
          for (SideRead read : plan.sideReads()) {
            sideReads++;
            check(connection, read.sql(), sql, rejected);
          }
        }
      }
    }
    assertThat(rejected).isEmpty();
    assertThat(rewritten).isGreaterThan(500);
    assertThat(sideReads).isGreaterThan(1000);
    assertThat(piggybacked).isGreaterThan(50);
  }

  private static void check(
      Connection connection, String rewritten, String original, List<String> rejected) {
    String why = rejection(connection, rewritten);
    if (why != null) {
      rejected.add(rewritten + "\n  of " + original + "\n  " + why);
    }
  }

  /** Why the server does not prepare a text; null if it does. */
  private static @Nullable String rejection(Connection connection, String sql) {
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      statement.getMetaData();
      return null;
    } catch (SQLException e) {
      return String.valueOf(e.getMessage());
    }
  }
}
