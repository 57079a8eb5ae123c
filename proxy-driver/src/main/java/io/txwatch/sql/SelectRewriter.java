package io.txwatch.sql;

import io.txwatch.history.GapReason;
import io.txwatch.sql.FromNode.TableRef;
import io.txwatch.sql.RewritePlanner.Level;
import io.txwatch.sql.syntax.Identifiers;
import io.txwatch.sql.syntax.Tokens;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
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

  static void rewrite(Draft draft) {
    SelectBlock top = draft.shape.top();
    Set<Integer> observed = new HashSet<>();
    Optional<String> obstacle = Optional.empty();
    if (draft.mayReturnRows) {
      obstacle = top == null ? Carriers.unionAll(draft, observed) : carried(draft, top, observed);
    }
    Set<Integer> again = CarriedReads.add(draft, observed);
    if (draft.extent.level().includes(Level.ITEMS)) {
      observed.removeAll(again);
      SideReads.add(draft, observed);
      observed.addAll(again);
    }
    noteUnseen(draft, top, observed, obstacle);
    if (draft.shape.tables.isEmpty()) {
      Tokens tokens = draft.tokens;
      if (ScalarFunctions.mayAggregate(tokens, draft.shape.from, draft.shape.to)) {
        draft.unseen(GapReason.OPAQUE, "calls a function that may touch rows");
      }
    }
  }

  /** Lets the one block that the application sees carry what it can; says why if that is naught. */
  private static Optional<String> carried(Draft draft, SelectBlock top, Set<Integer> observed) {
    Optional<String> obstacle = obstacle(draft, top);
    if (obstacle.isEmpty()) {
      append(draft, top, observed);
      return obstacle;
    }
    Optional<String> hidden = HiddenAggregates.obstacle(draft, top);
    if (hidden.isEmpty()) {
      HiddenAggregates.append(draft, top);
      for (TableRef table : top.tables()) {
        if (draft.tables.view(draft.dialect, table).isEmpty()) {
          observed.add(table.from());
        }
      }
      return hidden;
    }
    return obstacle;
  }

  private static void append(Draft draft, SelectBlock top, Set<Integer> observed) {
    StringBuilder columns = new StringBuilder();
    for (Carriers.Pair pair : new Carriers(draft, observed).pairs(top)) {
      columns.append(", ").append(pair.hidden());
      draft.appended.add(pair.table());
    }
    if (!draft.appended.isEmpty()) {
      draft.splices.after(top.listTo - 1, columns.toString());
      draft.returns = RewritePlan.Returns.APPENDED_TO_RESULT;
    }
  }

  /** What the statement touches besides the observed tables. */
  private static void noteUnseen(
      Draft draft, @Nullable SelectBlock top, Set<Integer> observed, Optional<String> obstacle) {
    List<TableRef> seen = top == null ? List.of() : top.tables();
    for (TableRef table : draft.shape.tables) {
      Optional<GapReason> reason = draft.tables.reason(table);
      boolean view = draft.tables.view(draft.dialect, table).isPresent();
      if (view && observed.contains(table.from())) {
        continue;
      }
      if (reason.isPresent()) {
        draft.unseen(reason.get(), draft.tables.display(table));
      } else if (!table.isCte() && !observed.contains(table.from())) {
        boolean own = seen.stream().anyMatch(t -> t.from() == table.from());
        String why =
            own || top == null
                ? obstacle.orElse("a query that must return nothing more")
                : "a subquery's rows are not seen: " + draft.tables.display(table);
        draft.unseen(GapReason.SHAPE, why);
      }
    }
  }

  /** Why nothing can be appended to a block without changing what it means. */
  static Optional<String> obstacle(Draft draft, SelectBlock block) {
    if (block.distinct) {
      return Optional.of("DISTINCT");
    }
    if (block.groupBy >= 0) {
      return Optional.of("GROUP BY");
    }
    if (block.having >= 0) {
      return Optional.of("HAVING");
    }
    if (block.into >= 0) {
      return Optional.of("SELECT INTO");
    }
    if (block.listTo <= block.listFrom) {
      return Optional.of("an empty select list");
    }
    if (mayAggregate(draft, block.listFrom, block.listTo)
        || (block.orderBy >= 0 && mayAggregate(draft, block.orderBy, block.orderByEnd))) {
      return Optional.of("an aggregate, or a function that may be one");
    }
    return namesTwice(block)
        ? Optional.of("two sources of rows with the same name")
        : Optional.empty();
  }

  /** True if a stretch of a block may hold an aggregate over the block's own rows. */
  static boolean mayAggregate(Draft draft, int from, int to) {
    return ScalarFunctions.mayAggregate(
        draft.tokens, from, to, open -> Names.aggregatesInside(draft, from, to, open));
  }

  /** True if two sources in FROM have one name, so that a qualified column may be either's. */
  static boolean namesTwice(SelectBlock block) {
    List<String> names = new ArrayList<>();
    block.tables().forEach(t -> names.add(Identifiers.fold(t.exposedName())));
    block.derived().forEach(d -> d.alias().ifPresent(a -> names.add(Identifiers.fold(a))));
    Set<String> distinct = new HashSet<>(names);
    return distinct.size() < names.size();
  }
}
