package io.txwatch.sql;

import io.txwatch.history.GapReason;
import io.txwatch.sql.FromNode.TableRef;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * SELECT: {@code , alias.txw_rid, alias.txw_wl} for each prepared table at the end of the select
 * list (IsoRel, Table 1, rows 1, 2 and 5), where a further column changes nothing.
 */
final class SelectRewriter {

  private SelectRewriter() {}

  static void rewrite(Draft draft) {
    SelectBlock top = draft.shape.top();
    if (top != null && draft.mayReturnRows) {
      Optional<String> obstacle = obstacle(draft, top);
      if (obstacle.isEmpty()) {
        append(draft, top);
      } else if (!draft.shape.tables.isEmpty()) {
        draft.unseen(GapReason.SHAPE, obstacle.get());
      }
    } else if (!draft.shape.tables.isEmpty()) {
      draft.unseen(
          GapReason.SHAPE,
          draft.shape.setOperation ? "a set operation" : "a query that is not one plain block");
    }
    noteUnseen(draft, top);
    if (draft.shape.tables.isEmpty()) {
      Tokens tokens = draft.tokens;
      if (ScalarFunctions.mayAggregate(tokens, draft.shape.from, draft.shape.to)) {
        draft.unseen(GapReason.OPAQUE, "calls a function that may touch rows");
      }
    }
  }

  private static void append(Draft draft, SelectBlock top) {
    StringBuilder columns = new StringBuilder();
    for (TableRef table : top.tables()) {
      if (draft.tables.isPrepared(table)) {
        columns.append(", ").append(Auxiliary.pair(table.exposedName()));
        draft.appended.add(draft.tables.display(table));
      }
    }
    if (!draft.appended.isEmpty()) {
      draft.splices.after(top.listTo - 1, columns.toString());
      draft.returns = RewritePlan.Returns.APPENDED_TO_RESULT;
    }
  }

  /** What the statement touches besides the tables that were appended. */
  private static void noteUnseen(Draft draft, @Nullable SelectBlock top) {
    List<TableRef> appendable = top == null ? List.of() : top.tables();
    for (TableRef table : draft.shape.tables) {
      Optional<GapReason> reason = draft.tables.reason(table);
      if (reason.isPresent()) {
        draft.unseen(reason.get(), draft.tables.display(table));
      } else if (!table.isCte() && !containsIdentity(appendable, table)) {
        draft.unseen(
            GapReason.SHAPE, "a subquery's rows are not seen: " + draft.tables.display(table));
      }
    }
  }

  private static boolean containsIdentity(List<TableRef> tables, TableRef table) {
    return tables.stream().anyMatch(t -> t.from() == table.from());
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
    if (ScalarFunctions.mayAggregate(draft.tokens, block.listFrom, block.listTo)
        || (block.orderBy >= 0
            && ScalarFunctions.mayAggregate(draft.tokens, block.orderBy, block.orderByEnd))) {
      return Optional.of("an aggregate, or a function that may be one");
    }
    return namesTwice(block)
        ? Optional.of("two sources of rows with the same name")
        : Optional.empty();
  }

  private static boolean namesTwice(SelectBlock block) {
    List<String> names = new ArrayList<>();
    block.tables().forEach(t -> names.add(QueryScanner.fold(t.exposedName())));
    block.derived().forEach(d -> d.alias().ifPresent(a -> names.add(QueryScanner.fold(a))));
    Set<String> distinct = new HashSet<>(names);
    return distinct.size() < names.size();
  }
}
