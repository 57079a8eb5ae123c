package io.txwatch.statement;

import io.txwatch.sql.semantics.Block;
import io.txwatch.sql.semantics.Block.Role;
import io.txwatch.sql.semantics.ScalarFunctions;
import io.txwatch.sql.semantics.StatementParts;
import io.txwatch.sql.syntax.Clause.Kind;
import io.txwatch.sql.syntax.CommonTable;
import io.txwatch.sql.syntax.Identifiers;
import io.txwatch.sql.syntax.Source;
import io.txwatch.sql.syntax.Span;
import io.txwatch.sql.syntax.Statement;
import io.txwatch.sql.syntax.TokenKind;
import io.txwatch.sql.syntax.With;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Which block sees which (SQL:2016, 7.6 and 7.16): a subquery sees the sources of the blocks around
 * it, a derived table does not see its neighbours unless it is LATERAL, a CTE sees nothing outside.
 */
public final class Scopes {

  private final AnalyzedStatement statement;

  /** An UPDATE or DELETE, as the block around its subqueries. */
  private final Optional<Block> written;

  public Scopes(AnalyzedStatement statement) {
    this.statement = statement;
    this.written = statement.parts().written();
  }

  /** True if what is copied of some blocks reads a view. */
  public boolean readViews(List<Block> blocks) {
    return statement.parts().references().stream()
        .filter(table -> statement.tables().view(statement.sql(), table).isPresent())
        .anyMatch(table -> blocks.stream().anyMatch(block -> block.chooses(table.from())));
  }

  /** An UPDATE or DELETE, as the block around its subqueries. */
  public Optional<Block> written() {
    return written;
  }

  /**
   * The blocks that a block must be joined with to be read outside of its place, outermost first:
   * none if it refers to nothing but its own sources.
   *
   * @return empty if it is not known, or if reading it again could be noticed
   */
  public Optional<List<Block>> joinedTo(Block block) {
    if (!canBeJoined(block)) {
      return Optional.empty();
    }
    List<Block> visible = visibleFrom(block.start());
    visible.remove(block);
    if (visible.isEmpty() && !seesStatement(block)) {
      return Optional.of(List.of());
    }
    List<Block> joined = new ArrayList<>(List.of(block));
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
        Block outer = visible.get(i);
        if (!canBeJoined(outer)) {
          return Optional.empty();
        }
        joined.add(outer);
      }
    }
  }

  private static List<Block> outermostFirst(List<Block> joined) {
    List<Block> outer = new ArrayList<>(joined.subList(1, joined.size()));
    java.util.Collections.reverse(outer);
    return outer;
  }

  private boolean canBeJoined(Block block) {
    return !block.sources().isEmpty() && !Aggregation.namesTwice(block) && isRepeatable(block);
  }

  /** True if the block's sources and condition can be evaluated once more unnoticed. */
  public boolean isRepeatable(Block block) {
    return block.choosing().stream().allMatch(c -> Repeatability.holds(statement, c.content()));
  }

  /** True if what the block reads depends on the time at which it is evaluated. */
  public boolean dependsOnTime(Block block) {
    return block.choosing().stream()
        .anyMatch(c -> Repeatability.dependsOnTime(statement, c.span()));
  }

  /** The blocks whose sources a token can refer to, innermost first. */
  public List<Block> visibleFrom(int token) {
    List<Block> visible = new ArrayList<>();
    for (Block block : statement.parts().blocks()) {
      if (block.span().contains(token) && !isInDerived(block, token)) {
        visible.add(block);
      }
    }
    written
        .filter(block -> token > block.choosing().get(0).span().from())
        .filter(block -> !isInDerived(block, token))
        .ifPresent(visible::add);
    visible.sort(Comparator.comparingInt(Block::start).reversed());
    return visible;
  }

  private static boolean isInDerived(Block block, int token) {
    for (Source source : block.others()) {
      if (source instanceof Source.Derived derived
          && !derived.lateral()
          && derived.span().contains(token)) {
        return true;
      }
    }
    return false;
  }

  /** True if the block may refer to the row of ON CONFLICT. */
  private boolean seesStatement(Block block) {
    return statement.tree() instanceof Statement.Insert insert
        && block.role() != Role.SOURCE
        && block.start() > insert.verb();
  }

  /**
   * The WITH, from the statement's first token, that blocks need in front when they are read by
   * themselves; without a token if they need none; empty if they need what cannot be copied.
   */
  public Optional<Span> with(List<Block> blocks) {
    StatementParts parts = statement.parts();
    Span none = new Span(parts.from(), parts.from());
    boolean needed =
        parts.references().stream().anyMatch(t -> t.isCommon() && isChosen(blocks, t.from()));
    if (!needed) {
      return Optional.of(none);
    }
    if (!parts.innerWrites().isEmpty()) {
      return Optional.empty(); // they would be carried out twice
    }
    Span first = none;
    for (With with : parts.withs()) {
      if (with.span().from() == parts.from()) {
        first = with.span();
      } else if (!isChosen(blocks, with.span().from())) {
        return Optional.empty();
      }
    }
    return Repeatability.holds(statement, first) ? Optional.of(first) : Optional.empty();
  }

  private static boolean isChosen(List<Block> blocks, int token) {
    return blocks.stream().anyMatch(block -> block.chooses(token));
  }

  /** True if the block is in a common table that nothing reads. */
  public boolean isUnused(Block block) {
    return statement.parts().commonTables().stream()
        .anyMatch(table -> table.body().span().contains(block.start()) && !isRead(table));
  }

  private boolean isRead(CommonTable table) {
    String name = Identifiers.fold(table.name());
    return statement.parts().references().stream()
        .anyMatch(
            reference ->
                reference.isCommon()
                    && Identifiers.fold(reference.name().get(0)).equals(name)
                    && !table.body().span().contains(reference.from()));
  }

  /** True if ORDER BY and LIMIT mean the same behind another select list. */
  public boolean canCopyLimit(Block block) {
    Optional<Span> limit = block.span(Kind.LIMIT);
    if (!block.alone()
        || limit.isEmpty()
        || block.distinct()
        || Stream.of(Kind.GROUP_BY, Kind.HAVING, Kind.WINDOW, Kind.QUALIFY).anyMatch(block::has)
        || ScalarFunctions.mayAggregate(statement.tokens(), block.list().from(), block.list().to())
        || !Repeatability.holds(statement, limit.get())) {
      return false;
    }
    return block.clause(Kind.ORDER_BY).map(order -> canCopy(block, order.span())).orElse(true);
  }

  private boolean canCopy(Block block, Span orderBy) {
    Set<String> items = new HashSet<>();
    for (int i = block.list().from(); i < block.list().to(); i++) {
      if (statement.tokens().isName(i)) {
        items.add(statement.tokens().folded(i));
      }
    }
    for (int i = orderBy.from() + 2; i < orderBy.to(); i++) {
      boolean first = i == orderBy.from() + 2 || statement.tokens().is(i - 1, TokenKind.COMMA);
      if (first && !statement.tokens().isName(i)) {
        return false;
      }
      boolean bare = first && !statement.tokens().is(i + 1, TokenKind.DOT);
      if (bare && !isColumnOnly(block, statement.tokens().folded(i), items)) {
        return false;
      }
    }
    return Repeatability.holds(statement, orderBy);
  }

  /** A column of a source, and not the name of something else in the select list. */
  private boolean isColumnOnly(Block block, String name, Set<String> items) {
    boolean column =
        block.tables().stream().anyMatch(t -> !t.isCommon() && Names.hasColumn(statement, t, name));
    return column && (!items.contains(name) || isPlainItem(block, name));
  }

  private boolean isPlainItem(Block block, String name) {
    int end = block.list().to();
    for (int i = block.list().from(); i < end; i++) {
      int token = i;
      if (statement.tokens().isName(i) && statement.tokens().folded(i).equals(name)) {
        boolean begins =
            block.items().stream().anyMatch(item -> item.span().from() == token)
                || statement.tokens().is(i - 1, TokenKind.DOT);
        boolean ends = i + 1 == end || statement.tokens().is(i + 1, TokenKind.COMMA);
        if (!begins || !ends) {
          return false;
        }
      }
    }
    return true;
  }
}
