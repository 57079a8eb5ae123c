package io.txwatch.rewrite;

import io.txwatch.history.GapReason;
import io.txwatch.plan.RewritePlan.Returns;
import io.txwatch.sql.semantics.Block;
import io.txwatch.sql.semantics.ScalarFunctions;
import io.txwatch.sql.semantics.StatementParts;
import io.txwatch.sql.syntax.Source;
import io.txwatch.statement.Aggregation;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * SELECT: {@code , alias.txw_rid, alias.txw_wl} (of a single table without its alias) for each
 * prepared table at the end of the select list (IsoRel, Table 1, rows 1, 2 and 5), where a further
 * column changes nothing; hidden aggregates where rows are grouped; for whatever is left reads that
 * the rows carry, and at level {@code items} side reads, also for what is lost where no row comes
 * back to carry it.
 */
final class SelectRewriter {

  private SelectRewriter() {}

  static Rewrite rewrite(RewriteContext context) {
    Columns own = ownColumns(context);
    CarriedReads.Columns carried = CarriedReads.ofQuery(context, own.rewrite);
    Rewrite observed = own.rewrite.and(carried.rewrite());
    if (context.readsBeside()) {
      Set<Integer> surely = new HashSet<>(observed.observed());
      surely.removeAll(carried.mayBeLost());
      observed = observed.and(SideReads.of(context, surely));
    }
    return observed.and(unseen(context, observed, own.obstacle)).and(unseenFunctions(context));
  }

  /**
   * What the statement's own result rows identify.
   *
   * @param obstacle why they do not identify the rows of the tables in FROM
   */
  private record Columns(Rewrite rewrite, Optional<String> obstacle) {}

  private static Columns ownColumns(RewriteContext context) {
    if (!context.mayReturnRows()) {
      return new Columns(Rewrite.NONE, Optional.empty());
    }
    if (context.parts().top().isEmpty()) {
      Optional<String> obstacle = Carriers.obstacleToUnionAll(context.statement());
      return obstacle.isEmpty()
          ? new Columns(Carriers.unionAll(context), obstacle)
          : new Columns(Rewrite.NONE, obstacle);
    }
    Block top = context.parts().top().get();
    Optional<String> obstacle = Aggregation.obstacle(context.statement(), top);
    if (obstacle.isEmpty()) {
      return new Columns(appended(context, top), obstacle);
    }
    Optional<String> hidden = HiddenAggregates.obstacle(context, top);
    return hidden.isEmpty()
        ? new Columns(HiddenAggregates.append(context, top), hidden)
        : new Columns(Rewrite.NONE, obstacle);
  }

  private static Rewrite appended(RewriteContext context, Block top) {
    Carriers.Pairs pairs = new Carriers(context).pairs(top);
    if (pairs.all().isEmpty()) {
      return pairs.rewrite();
    }
    String columns =
        pairs.all().stream().map(pair -> ", " + pair.hidden()).collect(Collectors.joining());
    return pairs
        .rewrite()
        .and(context.after(top.list().to() - 1, columns))
        .and(Rewrite.returning(Returns.APPENDED_TO_RESULT, pairs.tables()));
  }

  /** What the statement touches besides the observed tables. */
  private static Rewrite unseen(
      RewriteContext context, Rewrite observed, Optional<String> obstacle) {
    Optional<Block> top = context.parts().top();
    for (Source.Table table : context.parts().references()) {
      boolean view = context.tables().view(context.sql(), table).isPresent();
      Optional<GapReason> reason = context.tables().reason(table);
      if (view && observed.observes(table)) {
        continue;
      }
      if (reason.isPresent()) {
        return Rewrite.unseen(reason.get(), context.tables().display(table));
      }
      if (!table.isCommon() && !observed.observes(table)) {
        String why =
            top.isEmpty() || top.get().tables().contains(table)
                ? obstacle.orElse("a query that must return nothing more")
                : "a subquery's rows are not seen: " + context.tables().display(table);
        return Rewrite.unseen(GapReason.SHAPE, why);
      }
    }
    return Rewrite.NONE;
  }

  private static Rewrite unseenFunctions(RewriteContext context) {
    StatementParts parts = context.parts();
    boolean calls =
        parts.references().isEmpty()
            && ScalarFunctions.mayAggregate(context.tokens(), parts.from(), parts.to());
    return calls
        ? Rewrite.unseen(GapReason.OPAQUE, "calls a function that may touch rows")
        : Rewrite.NONE;
  }
}
