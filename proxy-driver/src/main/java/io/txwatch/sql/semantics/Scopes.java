package io.txwatch.sql.semantics;

import io.txwatch.history.StatementKind;
import io.txwatch.sql.semantics.SelectBlock.Role;
import io.txwatch.sql.syntax.Identifiers;
import io.txwatch.sql.syntax.Source;
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
public final class Scopes {

  private final AnalyzedStatement statement;

  /** An UPDATE or DELETE, as the block around its subqueries. */
  private final Optional<SelectBlock> written;

  public Scopes(AnalyzedStatement statement) {
    this.statement = statement;
    this.written = statement.shape().written();
  }

  /** True if what is copied of some blocks reads a view. */
  public boolean readViews(List<SelectBlock> blocks) {
    return statement.shape().tables.stream()
        .filter(table -> statement.tables().view(statement.dialect(), table).isPresent())
        .anyMatch(table -> blocks.stream().anyMatch(block -> copies(block, table.from())));
  }

  /** An UPDATE or DELETE, as the block around its subqueries. */
  public Optional<SelectBlock> written() {
    return written;
  }

  /**
   * The blocks that a block must be joined with to be read outside of its place, outermost first:
   * none if it speaks of nothing but its own sources.
   *
   * @return empty if it is not known, or if reading it again could be noticed
   */
  public Optional<List<SelectBlock>> joinedTo(SelectBlock block) {
    if (block.fromAt < 0 || Aggregation.namesTwice(block) || !isRepeatable(block)) {
      return Optional.empty();
    }
    List<SelectBlock> visible = visibleFrom(block.select);
    visible.remove(block);
    if (visible.isEmpty() && !seesStatement(block)) {
      return Optional.of(List.of());
    }
    List<SelectBlock> joined = new ArrayList<>(List.of(block));
    while (true) {
      Names names = new Names(statement, this, joined);
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
        if (outer.fromAt < 0 || Aggregation.namesTwice(outer) || !isRepeatable(outer)) {
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
  public boolean isRepeatable(SelectBlock block) {
    return Repeatability.holds(statement, block.fromAt + 1, block.fromEnd)
        && (block.moreAt < 0 || Repeatability.holds(statement, block.moreAt + 1, block.moreEnd))
        && (block.where < 0 || Repeatability.holds(statement, block.where + 1, block.whereEnd));
  }

  /** True if what the block reads depends on when it is asked. */
  public boolean asksForTime(SelectBlock block) {
    return Repeatability.asksForTime(statement, block.fromAt, block.fromEnd)
        || (block.moreAt >= 0 && Repeatability.asksForTime(statement, block.moreAt, block.moreEnd))
        || (block.where >= 0 && Repeatability.asksForTime(statement, block.where, block.whereEnd));
  }

  /** The blocks whose sources a token can speak of, innermost first. */
  public List<SelectBlock> visibleFrom(int token) {
    List<SelectBlock> visible = new ArrayList<>();
    for (SelectBlock block : statement.shape().blocks) {
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
    return block.others().stream()
        .anyMatch(
            source ->
                source instanceof Source.Derived derived
                    && !derived.lateral()
                    && derived.span().contains(token));
  }

  /** True if the block may speak of what ON CONFLICT is about. */
  private boolean seesStatement(SelectBlock block) {
    boolean inserts =
        statement.shape().kind == StatementKind.INSERT
            || statement.shape().kind == StatementKind.REPLACE;
    return inserts && block.role != Role.SOURCE && block.select > statement.shape().verb;
  }

  /**
   * The token after the WITH that blocks need in front when they are read by themselves; the
   * statement's first token if they need none; empty if they need what cannot be copied.
   */
  public Optional<Integer> with(List<SelectBlock> blocks) {
    boolean needed = false;
    for (Source.Table table : statement.shape().tables) {
      needed |= table.isCommon() && blocks.stream().anyMatch(b -> copies(b, table.from()));
    }
    if (!needed) {
      return Optional.of(statement.shape().from);
    }
    if (!statement.shape().innerWrites.isEmpty()) {
      return Optional.empty(); // they would be carried out twice
    }
    for (int with : statement.shape().withs.keySet()) {
      if (with != statement.shape().from && blocks.stream().noneMatch(b -> copies(b, with))) {
        return Optional.empty();
      }
    }
    Integer end = statement.shape().withs.get(statement.shape().from);
    if (end == null) {
      return Optional.of(statement.shape().from);
    }
    return Repeatability.holds(statement, statement.shape().from, end)
        ? Optional.of(end)
        : Optional.empty();
  }

  /** True if a token stands in what is copied of a block. */
  public static boolean copies(SelectBlock block, int token) {
    return (token > block.fromAt && token < block.fromEnd)
        || (token > block.moreAt && token < block.moreEnd)
        || (block.where >= 0 && token > block.where && token < block.whereEnd);
  }

  /** True if the block is in a CTE that nobody reads. */
  public boolean isUnused(SelectBlock block) {
    for (StatementShape.Cte cte : statement.shape().cteBodies) {
      if (block.select >= cte.from() && block.select < cte.to()) {
        boolean read =
            statement.shape().tables.stream()
                .anyMatch(
                    t ->
                        t.isCommon()
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
  public boolean canCopyLimit(SelectBlock block) {
    if (!block.alone
        || block.limit < 0
        || block.distinct
        || block.groupBy >= 0
        || block.having >= 0
        || block.window >= 0
        || block.qualify >= 0
        || ScalarFunctions.mayAggregate(statement.tokens(), block.listFrom, block.listTo)
        || !Repeatability.holds(statement, block.limit, block.limitEnd)) {
      return false;
    }
    if (block.orderBy < 0) {
      return true;
    }
    Set<String> items = new HashSet<>();
    for (int i = block.listFrom; i < block.listTo; i++) {
      if (statement.tokens().isName(i)) {
        items.add(statement.tokens().folded(i));
      }
    }
    for (int i = block.orderBy + 2; i < block.orderByEnd; i++) {
      boolean first = i == block.orderBy + 2 || statement.tokens().is(i - 1, TokenKind.COMMA);
      if (first && !statement.tokens().isName(i)) {
        return false;
      }
      boolean bare = first && !statement.tokens().is(i + 1, TokenKind.DOT);
      if (bare && !isColumnOnly(block, statement.tokens().folded(i), items)) {
        return false;
      }
    }
    return Repeatability.holds(statement, block.orderBy, block.orderByEnd);
  }

  /** A column of a source, and not the name of something else in the select list. */
  private boolean isColumnOnly(SelectBlock block, String name, Set<String> items) {
    boolean column =
        block.tables().stream().anyMatch(t -> !t.isCommon() && Names.hasColumn(statement, t, name));
    return column && (!items.contains(name) || isPlainItem(block, name));
  }

  private boolean isPlainItem(SelectBlock block, String name) {
    for (int i = block.listFrom; i < block.listTo; i++) {
      if (statement.tokens().isName(i) && statement.tokens().folded(i).equals(name)) {
        boolean begins =
            block.itemStarts.contains(i) || statement.tokens().is(i - 1, TokenKind.DOT);
        boolean ends = i + 1 == block.listTo || statement.tokens().is(i + 1, TokenKind.COMMA);
        if (!begins || !ends) {
          return false;
        }
      }
    }
    return true;
  }
}
