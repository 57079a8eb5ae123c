package io.txwatch.rewrite;

import io.txwatch.dialect.DialectSql;
import io.txwatch.plan.RewritePlan.Returns;
import io.txwatch.rewrite.Rewrite.Flag;
import io.txwatch.sql.semantics.Block;
import io.txwatch.sql.semantics.Block.Role;
import io.txwatch.sql.semantics.StatementParts;
import io.txwatch.sql.syntax.Clause.Kind;
import io.txwatch.sql.syntax.Expression;
import io.txwatch.sql.syntax.Identifiers;
import io.txwatch.sql.syntax.Source;
import io.txwatch.statement.Aggregation;
import io.txwatch.statement.AnalyzedStatement;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Which columns identify a block's rows: those of its own tables, and through the alias of a
 * derived table or CTE those of the tables within, which the inner block then exposes under a name
 * of ours (hazard 10). Only a plain block exposes: no DISTINCT, no grouping, no set operation; and
 * a CTE only if it is read once.
 */
final class Carriers {

  /**
   * A table's two columns as a block names them.
   *
   * @param table the name that histories show
   */
  record Pair(String rid, String wl, String table) {

    /** Both under names that are hidden from the application. */
    String hidden() {
      return named(rid, Auxiliary.RID) + ", " + named(wl, Auxiliary.WL);
    }

    private static String named(String expression, String name) {
      boolean isNamed = expression.matches("[^\\s(]*" + name + "\\d*");
      return isNamed ? expression : expression + " as " + name;
    }
  }

  /**
   * The columns of a block's sources.
   *
   * @param all in the order of FROM
   * @param rewrite what makes the blocks within expose them
   */
  record Pairs(List<Pair> all, Rewrite rewrite) {
    static final Pairs NONE = new Pairs(List.of(), Rewrite.NONE);

    Pairs and(Pairs then) {
      return new Pairs(
          Stream.concat(all.stream(), then.all.stream()).toList(), rewrite.and(then.rewrite));
    }

    /** The names of their tables. */
    List<String> tables() {
      return all.stream().map(Pair::table).toList();
    }
  }

  private final RewriteContext context;
  private final AnalyzedStatement statement;

  /** How many tables blocks expose so far: it makes the names that they do it by unique. */
  private int exposed;

  /** For one statement. */
  Carriers(RewriteContext context) {
    this.context = context;
    this.statement = context.statement();
  }

  /** The columns of a block's sources; what is within is made to expose them. */
  Pairs pairs(Block block) {
    Pairs pairs = Pairs.NONE;
    for (Source node : block.sources()) {
      pairs = pairs.and(pairs(block, node));
    }
    return pairs;
  }

  private Pairs pairs(Block block, Source node) {
    if (node instanceof Source.Join join) {
      return pairs(block, join.left()).and(pairs(block, join.right()));
    }
    if (node instanceof Source.Nested nested) {
      return pairs(block, nested.source());
    }
    if (node instanceof Source.Table table && table.isCommon()) {
      return cte(table).map(inner -> exposed(block, table.exposedName(), inner)).orElse(Pairs.NONE);
    }
    if (node instanceof Source.Table table) {
      return statement.tables().view(statement.sql(), table).isEmpty()
          ? ofTable(block, table)
          : Pairs.NONE;
    }
    Optional<Block> inner = statement.parts().blockOf(node);
    return node.exposed().isPresent() && inner.isPresent()
        ? exposed(block, node.exposed().get(), inner.get())
        : Pairs.NONE;
  }

  private Pairs ofTable(Block block, Source.Table table) {
    Rewrite observed = Rewrite.observing(table);
    if (!statement.tables().isPrepared(table)) {
      return new Pairs(List.of(), observed);
    }
    // A word less for the DBMS's parser, where it is clear whose columns they are.
    List<Source> sources = block.sources();
    boolean single = sources.size() == 1 && sources.get(0).unwrapped() == table;
    String of = single ? "" : table.exposedName() + ".";
    VersionSource versions = VersionSource.of(statement.tables(), table);
    Pair pair = new Pair(versions.row(of), versions.version(of), statement.tables().display(table));
    return new Pairs(List.of(pair), observed);
  }

  /** The columns of a block within, by which the outer block can name them. */
  private Pairs exposed(Block outer, String alias, Block inner) {
    if (!canExpose(outer, alias, inner)) {
      return Pairs.NONE;
    }
    Pairs within = pairs(inner);
    StringBuilder columns = new StringBuilder();
    List<Pair> named = new ArrayList<>();
    for (Pair pair : within.all) {
      String rid = Auxiliary.RID + ++exposed;
      String wl = Auxiliary.WL + exposed;
      columns.append(", %s as %s, %s as %s".formatted(pair.rid, rid, pair.wl, wl));
      named.add(new Pair(alias + "." + rid, alias + "." + wl, pair.table));
    }
    if (named.isEmpty()) {
      return within;
    }
    Rewrite exposing = within.rewrite.and(context.after(inner.list().to() - 1, columns.toString()));
    return new Pairs(
        named,
        outer.role() == Role.TOP && starShows(outer, alias)
            ? exposing.and(Rewrite.flagged(Flag.STAR_SHOWS_AUXILIARY))
            : exposing);
  }

  private boolean canExpose(Block outer, String alias, Block inner) {
    boolean plain =
        inner.alone() && !inner.has(Kind.LOCK) && Aggregation.obstacle(statement, inner).isEmpty();
    boolean renamed = statement.sql().renamesSortedTables();
    if (!plain || renamed || WholeRows.isReferenced(statement, alias)) {
      return false;
    }
    return !starShows(outer, alias)
        || (outer.role() == Role.TOP && !StarColumns.hasOrdinals(statement, outer));
  }

  private static boolean starShows(Block outer, String alias) {
    for (Expression.Star star : outer.stars()) {
      List<String> qualifier = star.qualifier();
      if (qualifier.isEmpty()
          || Identifiers.fold(qualifier.get(qualifier.size() - 1))
              .equals(Identifiers.fold(alias))) {
        return true;
      }
    }
    return false;
  }

  /** The block of a CTE that is read once. */
  private Optional<Block> cte(Source.Table reference) {
    String name = Identifiers.fold(reference.name().get(0));
    long references =
        statement.parts().references().stream()
            .filter(t -> t.isCommon() && Identifiers.fold(t.name().get(0)).equals(name))
            .count();
    return references == 1 && reference.columnAliases() == 0
        ? statement.parts().commonBlock(name)
        : Optional.empty();
  }

  /** Why a set operation at the top cannot return the columns of its branches; empty if it can. */
  static Optional<String> obstacleToUnionAll(AnalyzedStatement statement) {
    StatementParts parts = statement.parts();
    if (parts.deduplicates()) {
      return Optional.of("a set operation");
    }
    List<Block> branches = parts.blocks(Role.BRANCH);
    if (branches.isEmpty() || parts.hasOtherBranch()) {
      return Optional.of("a query that is not one plain block");
    }
    return branches.stream()
        .map(branch -> Aggregation.obstacle(statement, branch))
        .flatMap(Optional::stream)
        .findFirst()
        .map(why -> why + " in a set operation");
  }

  /**
   * UNION ALL at the top: every branch gets the columns of all branches, its own filled, the others
   * null (hazard 8). Nothing is compared there, so a further column changes no row.
   */
  static Rewrite unionAll(RewriteContext context) {
    List<Block> branches = context.parts().blocks(Role.BRANCH);
    Carriers carriers = new Carriers(context);
    List<Pairs> pairs = branches.stream().map(carriers::pairs).toList();
    Pairs all = pairs.stream().reduce(Pairs.NONE, Pairs::and);
    if (all.all.isEmpty()) {
      return all.rewrite;
    }
    Rewrite rewrite = all.rewrite;
    for (int i = 0; i < branches.size(); i++) {
      StringBuilder columns = new StringBuilder();
      for (int k = 0; k < branches.size(); k++) {
        for (Pair pair : pairs.get(k).all) {
          columns.append(i == k ? ", " + pair.hidden() : nulls(context.sql()));
        }
      }
      rewrite = rewrite.and(context.after(branches.get(i).list().to() - 1, columns.toString()));
    }
    return rewrite.and(Rewrite.returning(Returns.APPENDED_TO_RESULT, all.tables()));
  }

  private static String nulls(DialectSql sql) {
    return ", " + sql.nullColumns(Auxiliary.RID, Auxiliary.WL);
  }
}
