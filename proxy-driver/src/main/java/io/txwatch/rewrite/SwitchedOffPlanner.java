package io.txwatch.rewrite;

import io.txwatch.dialect.DialectSql;
import io.txwatch.history.AccessedColumns;
import io.txwatch.history.GapReason;
import io.txwatch.history.StatementKind;
import io.txwatch.plan.Catalog;
import io.txwatch.plan.ComparedKey;
import io.txwatch.plan.PlanRequest;
import io.txwatch.plan.Planner;
import io.txwatch.plan.RewritePlan;
import io.txwatch.plan.TransactionControl;
import io.txwatch.plan.ValuePlan;
import io.txwatch.sql.syntax.Tokens;
import java.util.Optional;

/**
 * The planner for connections whose observation was switched off while they were open: each text is
 * sent as it is, and rows of queries are not seen. What a text does to the transaction is still
 * planned, because the connection may be switched on again. Each statement that is not observed has
 * a gap in the history, so that nothing follows from its absence. Thread-safe.
 *
 * <p>If versions are known by value, writes are observed as before. Nothing is sent for that, and
 * without them another session's version could be taken for theirs.
 */
final class SwitchedOffPlanner implements Planner {

  /** The detail of the gap of each statement. */
  private static final String SWITCHED_OFF = "observation was switched off";

  private static final Catalog NO_TABLES = name -> Optional.empty();

  private final UntouchedPlanner untouched;
  private final Optional<UntouchedPlanner> byValue;

  private SwitchedOffPlanner(DialectSql additions, Optional<UntouchedPlanner> byValue) {
    this.untouched = new UntouchedPlanner(additions, false);
    this.byValue = byValue;
  }

  /** Plans texts of a DBMS; no table is looked up. */
  static SwitchedOffPlanner of(DialectSql additions) {
    return new SwitchedOffPlanner(additions, Optional.empty());
  }

  /** Plans texts of a DBMS whose versions are known by value, as the planner for writes has it. */
  static SwitchedOffPlanner byValue(DialectSql additions, UntouchedPlanner planner) {
    return new SwitchedOffPlanner(additions, Optional.of(planner));
  }

  @Override
  public Tokens tokens(String sql) {
    return untouched.tokens(sql);
  }

  @Override
  public Planned planned(Tokens tokens, Catalog catalog, PlanRequest request) {
    Planned planned = untouched.planned(tokens, NO_TABLES, request);
    RewritePlan plan = planned.plan();
    if (!(plan.control() instanceof TransactionControl.None)) {
      return planned;
    }
    boolean isQuery =
        plan.kind() == StatementKind.SELECT || plan.kind() == StatementKind.LOCKING_SELECT;
    if (byValue.isPresent() && !isQuery) {
      return byValue.get().planned(tokens, catalog, request);
    }
    RewritePlan unseen = plan.asItIs(GapReason.SHAPE, SWITCHED_OFF);
    return new Planned(
        byValue.isPresent() ? unseen.withValues(ValuePlan.without(SWITCHED_OFF)) : unseen,
        AccessedColumns.UNKNOWN,
        ComparedKey.NONE,
        planned.levelChange(),
        planned.pathChange());
  }
}
