package io.txwatch.jdbc.execution;

import io.txwatch.history.KeyValues;
import io.txwatch.history.StatementKind;
import io.txwatch.jdbc.gate.Gate;
import io.txwatch.jdbc.gate.GatedCall;
import io.txwatch.jdbc.gate.GatedCall.Statement;
import io.txwatch.jdbc.gate.GatedCall.Type;
import io.txwatch.jdbc.gate.Gates;
import io.txwatch.jdbc.plan.CachedPlan;
import io.txwatch.jdbc.plan.ComparedKeyHasher;
import io.txwatch.jdbc.plan.PinnedValues;
import io.txwatch.plan.ComparedKey;
import io.txwatch.plan.TransactionControl;
import io.txwatch.rewrite.RewritePlanner;
import io.txwatch.statement.CalledNames;
import java.util.List;
import java.util.Set;

/** What a gate is given of statements. */
public final class GatedStatements {

  private GatedStatements() {}

  /**
   * A statement is about to be executed, before anything is sent for it.
   *
   * @param parameters as they are set now
   */
  public static void before(
      ExecutionContext context, CachedPlan cached, PinnedValues parameters, String callSite) {
    Gate gate = Gates.installed();
    if (gate != null) {
      Statement statement = statement(context, cached, keys(context, cached, parameters));
      gate.before(
          GatedCall.on(
              context.gated(), type(cached.plan().control()), List.of(statement), callSite));
    }
  }

  /**
   * The values of keys that it compares. Where versions are known by value, the plan does not have
   * them, since the analysis compares the values of rows.
   */
  private static List<KeyValues> keys(
      ExecutionContext context, CachedPlan cached, PinnedValues parameters) {
    List<KeyValues> planned = context.keyValues(cached, parameters);
    if (!planned.isEmpty() || context.mayStoreOthers(cached)) {
      return planned;
    }
    try {
      ComparedKey key =
          RewritePlanner.comparedKey(
              cached.plan().original(), context.sql(), context.state().catalog());
      return new ComparedKeyHasher(key).of(parameters);
    } catch (RuntimeException e) {
      context.fault(e);
      return List.of();
    }
  }

  /** A batch is about to be sent, whose items may have any keys. */
  static void beforeBatch(ExecutionContext context, List<CachedPlan> plans) {
    Gate gate = Gates.installed();
    if (gate == null || plans.isEmpty()) {
      return;
    }
    Type type = Type.STATEMENT;
    for (CachedPlan cached : plans) {
      type = later(type, type(cached.plan().control()));
    }
    List<Statement> statements =
        plans.stream().distinct().map(cached -> statement(context, cached, List.of())).toList();
    gate.before(GatedCall.on(context.gated(), type, statements, plans.get(0).place().usual()));
  }

  /**
   * A row is about to be changed through a result set, of a table that is not known here.
   *
   * @param call the method of the result set
   */
  public static void beforeRow(ExecutionContext context, String call) {
    Gate gate = Gates.installed();
    if (gate != null) {
      Statement statement = new Statement(StatementKind.OTHER, call, "", List.of(), call, Set.of());
      gate.before(GatedCall.on(context.gated(), Type.STATEMENT, List.of(statement), ""));
    }
  }

  private static Statement statement(
      ExecutionContext context, CachedPlan cached, List<KeyValues> keys) {
    CalledNames names = CalledNames.of(cached.plan().original(), context.sql());
    return new Statement(
        cached.kind(), cached.shownSql(), cached.columns(), keys, names.verb(), names.functions());
  }

  /** The more important one. */
  private static Type later(Type one, Type other) {
    return one == Type.COMMIT || other == Type.STATEMENT ? one : other;
  }

  private static Type type(TransactionControl control) {
    if (control instanceof TransactionControl.Several several) {
      Type type = Type.STATEMENT;
      for (TransactionControl part : several.parts()) {
        type = later(type, type(part));
      }
      return type;
    }
    boolean commits =
        control instanceof TransactionControl.Commit
            || control instanceof TransactionControl.ImplicitCommit
            || control instanceof TransactionControl.Begin
            || control instanceof TransactionControl.SetAutocommit
            || control instanceof TransactionControl.Prepare
            || control instanceof TransactionControl.BranchOutcome;
    return commits
        ? Type.COMMIT
        : control instanceof TransactionControl.Rollback ? Type.ROLLBACK : Type.STATEMENT;
  }
}
