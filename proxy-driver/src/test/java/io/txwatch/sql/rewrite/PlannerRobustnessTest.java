package io.txwatch.sql.rewrite;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.sql.Redactor;
import io.txwatch.sql.RewritePlan;
import io.txwatch.sql.dialect.Dialect;
import io.txwatch.sql.syntax.SqlFragments;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/** Whatever a text holds, a plan is made of it and nothing is thrown. */
class PlannerRobustnessTest {

  @Property(tries = 1000)
  void thePlannerNeverThrows(@ForAll("texts") String text, @ForAll Dialect dialect) {
    TestCatalog catalog = new TestCatalog(dialect).prepared("t", "a", "b");
    RewritePlan plan = new RewritePlanner(dialect, RewritePlanner.Level.INLINE).plan(text, catalog);
    assertThat(plan.original()).isEqualTo(text);
    assertThat(Redactor.redact(text, dialect)).isNotNull();
  }

  @Provide
  Arbitrary<String> texts() {
    return SqlFragments.texts();
  }
}
