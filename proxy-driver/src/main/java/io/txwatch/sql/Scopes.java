package io.txwatch.sql;

import io.txwatch.history.StatementKind;
import io.txwatch.sql.FromNode.Derived;
import io.txwatch.sql.FromNode.TableRef;
import io.txwatch.sql.SelectBlock.Role;
import io.txwatch.sql.syntax.Identifiers;
import io.txwatch.sql.syntax.TokenKind;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Which block sees which (SQL:2016, 7.6 and 7.16): a subquery sees the sources of the blocks around
 * it, a derived table does not see its neighbours unless it is LATERAL, a CTE sees nothing outside.
 */
final class Scopes {

  private final Draft draft;
  private final Splices guarded;
  private final int[] numbers;

  /** An UPDATE or DELETE, as the block around its subqueries. */
  private final Optional<SelectBlock> written;

  Scopes(Draft draft) {
    this.draft = draft;
    Draft untouched =
        new Draft(
            draft.tokens,
            draft.dialect,
            draft.shape,
            draft.tables,
            draft.mayReturnRows,
            draft.extent);
    StarGuard.protect(untouched);
    for (TableRef table : draft.shape.tables) {
      draft.tables.view(draft.dialect, table).ifPresent(view -> readTable(untouched, table, view));
    }
    this.guarded = untouched.splices;
    this.numbers = guarded.numbers();
    this.written = draft.shape.written();
  }

  /** In the place of a view the query of its table, which has the auxiliary columns too. */
  private static void readTable(Draft copy, TableRef table, PlainView view) {
    int nameEnd = table.from() + 2 * table.name().size() - 1;
    String alias = table.alias().isPresent() ? "" : " " + table.exposedName();
    copy.splices.replace(table.from(), nameEnd, "(" + view.query() + ")" + alias);
  }

  /** True if what is copied of some blocks reads a view. */
  boolean readViews(List<SelectBlock> blocks) {
    return draft.shape.tables.stream()
        .filter(table -> draft.tables.view(draft.dialect, table).isPresent())
        .anyMatch(table -> blocks.stream().anyMatch(block -> copies(block, table.from())));
  }

  /** An UPDATE or DELETE, as the block around its subqueries. */
  Optional<SelectBlock> written() {
    return written;
  }

  /** The statement with its stars and NATURAL joins put right, and nothing else. */
  Splices guarded() {
    return guarded;
  }

  /** For each token the number of the parameter that it is, or 0. */
  int[] numbers() {
    return numbers;
  }

  /**
   * The blocks that a block must be joined with to be read outside of its place, outermost first:
   * none if it speaks of nothing but its own sources.
   *
   * @return empty if it is not known, or if reading it again could be noticed
   */
  Optional<List<SelectBlock>> joinedTo(SelectBlock block) {
    if (block.fromAt < 0 || SelectRewriter.namesTwice(block) || !isRepeatable(block)) {
      return Optional.empty();
    }
    List<SelectBlock> visible = visibleFrom(block.select);
    visible.remove(block);
    if (visible.isEmpty() && !seesStatement(block)) {
      return Optional.of(List.of());
    }
    List<SelectBlock> joined = new ArrayList<>(List.of(block));
    while (true) {
      Names names = new Names(draft, this, joined);
      int farthest = names.farthest(visible);
      if (farthest == Names.UNKNOWN) {
        return Optional.empty();
      }
      if (farthest < joined.size()) {
        return joined.size() == 1 || names.areUnique()
            ? Optional.of(outermostFirst(joined))
            : Optional.empty();
      }
      for (int i = joined.size() - 1; i < farthest; i++) {
        SelectBlock outer = visible.get(i);
        if (outer.fromAt < 0 || SelectRewriter.namesTwice(outer) || !isRepeatable(outer)) {
          return Optional.empty();
        }
        joined.add(outer);
      }
    }
  }

  private static List<SelectBlock> outermostFirst(List<SelectBlock> joined) {
    List<SelectBlock> outer = new ArrayList<>(joined.subList(1, joined.size()));
    java.util.Collections.reverse(outer);
    return outer;
  }

  /** True if the block's sources and condition can be evaluated once more unnoticed. */
  boolean isRepeatable(SelectBlock block) {
    return Repeatability.holds(draft, block.fromAt + 1, block.fromEnd)
        && (block.moreAt < 0 || Repeatability.holds(draft, block.moreAt + 1, block.moreEnd))
        && (block.where < 0 || Repeatability.holds(draft, block.where + 1, block.whereEnd));
  }

  /** True if what the block reads depends on when it is asked. */
  boolean asksForTime(SelectBlock block) {
    return Repeatability.asksForTime(draft, block.fromAt, block.fromEnd)
        || (block.moreAt >= 0 && Repeatability.asksForTime(draft, block.moreAt, block.moreEnd))
        || (block.where >= 0 && Repeatability.asksForTime(draft, block.where, block.whereEnd));
  }

  /** The blocks whose sources a token can speak of, innermost first. */
  List<SelectBlock> visibleFrom(int token) {
    List<SelectBlock> visible = new ArrayList<>();
    for (SelectBlock block : draft.shape.blocks) {
      if (block.select <= token && token < block.end && !isInDerived(block, token)) {
        visible.add(block);
      }
    }
    written
        .filter(block -> token > block.fromAt && !isInDerived(block, token))
        .ifPresent(visible::add);
    visible.sort(Comparator.comparingInt((SelectBlock b) -> b.select).reversed());
    return visible;
  }

  private static boolean isInDerived(SelectBlock block, int token) {
    for (Derived derived : block.derived()) {
      if (token >= derived.from() && token < derived.to() && !derived.lateral()) {
        return true;
      }
    }
    return false;
  }

  /** True if the block may speak of what ON CONFLICT is about. */
  private boolean seesStatement(SelectBlock block) {
    boolean inserts =
        draft.shape.kind == StatementKind.INSERT || draft.shape.kind == StatementKind.REPLACE;
    return inserts && block.role != Role.SOURCE && block.select > draft.shape.verb;
  }

  /**
   * The token after the WITH that blocks need in front when they are read by themselves; the
   * statement's first token if they need none; empty if they need what cannot be copied.
   */
  Optional<Integer> with(List<SelectBlock> blocks) {
    boolean needed = false;
    for (TableRef table : draft.shape.tables) {
      needed |= table.isCte() && blocks.stream().anyMatch(b -> copies(b, table.from()));
    }
    if (!needed) {
      return Optional.of(draft.shape.from);
    }
    if (!draft.shape.innerWrites.isEmpty()) {
      return Optional.empty(); // they would be carried out twice
    }
    for (int with : draft.shape.withs.keySet()) {
      if (with != draft.shape.from && blocks.stream().noneMatch(b -> copies(b, with))) {
        return Optional.empty();
      }
    }
    Integer end = draft.shape.withs.get(draft.shape.from);
    if (end == null) {
      return Optional.of(draft.shape.from);
    }
    return Repeatability.holds(draft, draft.shape.from, end) ? Optional.of(end) : Optional.empty();
  }

  /** True if a token stands in what is copied of a block. */
  static boolean copies(SelectBlock block, int token) {
    return (token > block.fromAt && token < block.fromEnd)
        || (token > block.moreAt && token < block.moreEnd)
        || (block.where >= 0 && token > block.where && token < block.whereEnd);
  }

  /** True if the block is in a CTE that nobody reads. */
  boolean isUnused(SelectBlock block) {
    for (StatementShape.Cte cte : draft.shape.cteBodies) {
      if (block.select >= cte.from() && block.select < cte.to()) {
        boolean read =
            draft.shape.tables.stream()
                .anyMatch(
                    t ->
                        t.isCte()
                            && Identifiers.fold(t.name().get(0)).equals(cte.name())
                            && !(t.from() >= cte.from() && t.from() < cte.to()));
        if (!read) {
          return true;
        }
      }
    }
    return false;
  }

  /** True if ORDER BY and LIMIT mean the same behind another select list. */
  boolean canCopyLimit(SelectBlock block) {
    if (!block.alone
        || block.limit < 0
        || block.distinct
        || block.groupBy >= 0
        || block.having >= 0
        || block.window >= 0
        || block.qualify >= 0
        || ScalarFunctions.mayAggregate(draft.tokens, block.listFrom, block.listTo)
        || !Repeatability.holds(draft, block.limit, block.limitEnd)) {
      return false;
    }
    if (block.orderBy < 0) {
      return true;
    }
    Set<String> items = new HashSet<>();
    for (int i = block.listFrom; i < block.listTo; i++) {
      if (draft.tokens.isName(i)) {
        items.add(draft.tokens.folded(i));
      }
    }
    for (int i = block.orderBy + 2; i < block.orderByEnd; i++) {
      boolean first = i == block.orderBy + 2 || draft.tokens.is(i - 1, TokenKind.COMMA);
      if (first && !draft.tokens.isName(i)) {
        return false;
      }
      boolean bare = first && !draft.tokens.is(i + 1, TokenKind.DOT);
      if (bare && !isColumnOnly(block, draft.tokens.folded(i), items)) {
        return false;
      }
    }
    return Repeatability.holds(draft, block.orderBy, block.orderByEnd);
  }

  /** A column of a source, and not the name of something else in the select list. */
  private boolean isColumnOnly(SelectBlock block, String name, Set<String> items) {
    boolean column =
        block.tables().stream().anyMatch(t -> !t.isCte() && Names.hasColumn(draft, t, name));
    return column && (!items.contains(name) || isPlainItem(block, name));
  }

  private boolean isPlainItem(SelectBlock block, String name) {
    for (int i = block.listFrom; i < block.listTo; i++) {
      if (draft.tokens.isName(i) && draft.tokens.folded(i).equals(name)) {
        boolean begins = block.itemStarts.contains(i) || draft.tokens.is(i - 1, TokenKind.DOT);
        boolean ends = i + 1 == block.listTo || draft.tokens.is(i + 1, TokenKind.COMMA);
        if (!begins || !ends) {
          return false;
        }
      }
    }
    return true;
  }
}
