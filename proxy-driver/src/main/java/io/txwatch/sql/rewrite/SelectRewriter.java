package io.txwatch.sql.rewrite;

import io.txwatch.history.GapReason;
import io.txwatch.sql.RewritePlan.Returns;
import io.txwatch.sql.semantics.Aggregation;
import io.txwatch.sql.semantics.ScalarFunctions;
import io.txwatch.sql.semantics.SelectBlock;
import io.txwatch.sql.semantics.StatementShape;
import io.txwatch.sql.syntax.Source;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

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
    SelectBlock top = context.shape().top();
    if (!context.mayReturnRows()) {
      return new Columns(Rewrite.NONE, Optional.empty());
    }
    if (top == null) {
      Optional<String> obstacle = Carriers.obstacleToUnionAll(context.statement());
      return obstacle.isEmpty()
          ? new Columns(Carriers.unionAll(context), obstacle)
          : new Columns(Rewrite.NONE, obstacle);
    }
    Optional<String> obstacle = Aggregation.obstacle(context.statement(), top);
    if (obstacle.isEmpty()) {
      return new Columns(appended(context, top), obstacle);
    }
    Optional<String> hidden = HiddenAggregates.obstacle(context, top);
    return hidden.isEmpty()
        ? new Columns(HiddenAggregates.append(context, top), hidden)
        : new Columns(Rewrite.NONE, obstacle);
  }

  private static Rewrite appended(RewriteContext context, SelectBlock top) {
    Carriers.Pairs pairs = new Carriers(context).pairs(top);
    if (pairs.all().isEmpty()) {
      return pairs.rewrite();
    }
    String columns =
        pairs.all().stream().map(pair -> ", " + pair.hidden()).collect(Collectors.joining());
    return pairs
        .rewrite()
        .and(context.after(top.listTo - 1, columns))
        .and(Rewrite.returning(Returns.APPENDED_TO_RESULT, pairs.tables()));
  }

  /** What the statement touches besides the observed tables. */
  private static Rewrite unseen(
      RewriteContext context, Rewrite observed, Optional<String> obstacle) {
    SelectBlock top = context.shape().top();
    for (Source.Table table : context.shape().tables) {
      boolean view = context.tables().view(context.dialect(), table).isPresent();
      Optional<GapReason> reason = context.tables().reason(table);
      if (view && observed.observes(table)) {
        continue;
      }
      if (reason.isPresent()) {
        return Rewrite.unseen(reason.get(), context.tables().display(table));
      }
      if (!table.isCommon() && !observed.observes(table)) {
        String why =
            top == null || isOwn(top, table)
                ? obstacle.orElse("a query that must return nothing more")
                : "a subquery's rows are not seen: " + context.tables().display(table);
        return Rewrite.unseen(GapReason.SHAPE, why);
      }
    }
    return Rewrite.NONE;
  }

  private static boolean isOwn(@Nullable SelectBlock top, Source.Table table) {
    List<Source.Table> own = top == null ? List.of() : top.tables();
    return own.stream().anyMatch(t -> t.from() == table.from());
  }

  private static Rewrite unseenFunctions(RewriteContext context) {
    StatementShape shape = context.shape();
    boolean calls =
        shape.tables.isEmpty()
            && ScalarFunctions.mayAggregate(context.tokens(), shape.from, shape.to);
    return calls
        ? Rewrite.unseen(GapReason.OPAQUE, "calls a function that may touch rows")
        : Rewrite.NONE;
  }
}
