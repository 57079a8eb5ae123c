package io.txwatch.rewrite;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.plan.PlanRequest;
import io.txwatch.plan.Planner.Planned;
import io.txwatch.plan.RewritePlan;
import io.txwatch.product.registry.Products;
import io.txwatch.sql.dialect.Dialect;
import io.txwatch.sql.syntax.Redactor;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/** Whatever a text holds, a plan is made of it and nothing is thrown. */
class PlannerRobustnessTest {

  @Property(tries = 1000)
  void thePlannerNeverThrows(@ForAll("texts") String text, @ForAll Dialect dialect) {
    TestCatalog catalog = new TestCatalog(dialect).prepared("t", "a", "b");
    RewritePlan plan =
        new RewritePlanner(Products.of(dialect).sql(), RewritePlanner.Level.INLINE)
            .plan(text, catalog);
    assertThat(plan.original()).isEqualTo(text);
    assertThat(Redactor.redact(text, dialect)).isNotNull();
  }

  /** Why a statement is not understood, and what it names, is recorded as it is. */
  @Property(tries = 1000)
  void noReasonQuotesAValue(
      @ForAll("beginnings") String beginning,
      @ForAll("values") String value,
      @ForAll("texts") String end,
      @ForAll Dialect dialect) {
    TestCatalog catalog = new TestCatalog(dialect).prepared("t", "a", "b");
    for (RewritePlanner.Level level : RewritePlanner.Level.values()) {
      RewritePlanner planner = new RewritePlanner(Products.of(dialect).sql(), level);
      for (String text : List.of(beginning + value + end, beginning + value)) {
        Planned planned = planner.planned(planner.tokens(text), catalog, PlanRequest.ANY);
        assertThat(planned.plan().passThroughDetail()).doesNotContain("ecret");
        assertThat(planned.columns().text()).doesNotContain("ecret");
      }
    }
  }

  @Provide
  Arbitrary<String> beginnings() {
    return Arbitraries.of(
        "SELECT a FROM t ",
        "SELECT a FROM t WHERE b = ",
        "SELECT a FROM t WHERE b = 1 ",
        "SELECT * FROM (SELECT * FROM t ",
        "SELECT * FROM (t NATURAL JOIN t) ",
        "WITH c AS (SELECT a FROM t ",
        "INSERT INTO t VALUES (1, 2) ",
        "INSERT INTO t VALUES (1, ",
        "UPDATE t SET a = 1 WHERE b = 1 ",
        "UPDATE t SET a = ",
        "DELETE FROM t WHERE a = 1 ",
        "MERGE INTO t USING t AS s ON t.a = s.a ",
        "CREATE VIEW v AS SELECT * FROM t ",
        "EXPLAIN SELECT a FROM t ",
        "SET a = ",
        "LOCK TABLE t ",
        "CALL a(",
        "");
  }

  @Provide
  Arbitrary<String> values() {
    return Arbitraries.of(
        "'secret' ", "N'secret' ", "-'secret' ", "('secret') ", "1 'secret' ", "'a' 'secret' ");
  }

  @Provide
  Arbitrary<String> texts() {
    return Fragments.texts();
  }
}
