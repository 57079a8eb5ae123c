package io.txwatch.jdbc;

import io.txwatch.plan.Catalog;
import io.txwatch.plan.PlanRequest;
import io.txwatch.plan.Planner;
import io.txwatch.plan.SideRead;
import io.txwatch.sql.syntax.Tokens;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;

/**
 * A planner that plans reads of the test's choice beside statements that begin with some words, and
 * leaves everything else to the real one.
 */
final class Beside implements UnaryOperator<Planner> {

  private final Map<String, List<SideRead>> reads = new LinkedHashMap<>();
  private boolean returnsRows = true;

  /** Plans one more read beside the statements that begin so. */
  Beside plan(String beginning, SideRead read) {
    reads.computeIfAbsent(beginning, key -> new ArrayList<>()).add(read);
    return this;
  }

  /** The read's text, with the parameters that its question marks stand for. */
  Beside plan(
      String beginning,
      SideRead.Purpose purpose,
      SideRead.Moment moment,
      String table,
      String sql,
      int... parameters) {
    return plan(beginning, new SideRead(purpose, moment, sql, parameters, List.of(table), true));
  }

  /** The rows of writes are recorded by these reads alone. */
  Beside withoutReturning() {
    returnsRows = false;
    return this;
  }

  @Override
  public Planner apply(Planner real) {
    return new Planner() {
      @Override
      public Tokens tokens(String sql) {
        return real.tokens(sql);
      }

      @Override
      public Planned planned(Tokens tokens, Catalog catalog, PlanRequest request) {
        List<SideRead> found = List.of();
        for (Map.Entry<String, List<SideRead>> entry : reads.entrySet()) {
          if (tokens.text().startsWith(entry.getKey())) {
            found = entry.getValue();
          }
        }
        if (found.isEmpty()) {
          return real.planned(tokens, catalog, request);
        }
        // Where tables are not known to be small, nothing else records what these reads find.
        PlanRequest without =
            request.mayReturnRows() && returnsRows
                ? PlanRequest.LISTING_NOTHING
                : PlanRequest.RETURNING_NOTHING;
        Planned planned = real.planned(tokens, catalog::find, without);
        return planned.with(planned.plan().withSideReads(found));
      }
    };
  }
}
