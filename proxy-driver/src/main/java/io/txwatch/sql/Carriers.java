package io.txwatch.sql;

import io.txwatch.sql.FromNode.Derived;
import io.txwatch.sql.FromNode.Join;
import io.txwatch.sql.FromNode.TableRef;
import io.txwatch.sql.SelectBlock.Role;
import io.txwatch.sql.SelectBlock.Star;
import io.txwatch.sql.dialect.Dialect;
import io.txwatch.sql.syntax.Identifiers;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Which columns identify a block's rows: those of its own tables, and through the alias of a
 * derived table or CTE those of the tables within, which the inner block then exposes under a name
 * of ours (hazard 10). Only a plain block exposes: no DISTINCT, no grouping, no set operation; and
 * a CTE only if it is read once.
 */
final class Carriers {

  /**
   * A table's two columns as a block speaks of them.
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

  private final Draft draft;
  private final Set<Integer> observed;
  private int exposed;

  /**
   * For one statement.
   *
   * @param observed takes the tables that are observed, by their first tokens
   */
  Carriers(Draft draft, Set<Integer> observed) {
    this.draft = draft;
    this.observed = observed;
  }

  /** The columns of a block's sources, in the order of FROM; what is within is made to expose. */
  List<Pair> pairs(SelectBlock block) {
    List<Pair> pairs = new ArrayList<>();
    block.from.forEach(node -> collect(block, node, pairs));
    return pairs;
  }

  private void collect(SelectBlock block, FromNode node, List<Pair> into) {
    if (node instanceof Join join) {
      collect(block, join.left(), into);
      collect(block, join.right(), into);
    } else if (node instanceof TableRef table && table.isCte()) {
      cte(table).ifPresent(inner -> expose(block, table.exposedName(), inner, into));
    } else if (node instanceof TableRef table
        && draft.tables.view(draft.dialect, table).isEmpty()) {
      observed.add(table.from());
      if (draft.tables.isPrepared(table)) {
        // A word less for the DBMS's parser, where it is clear whose columns they are.
        String of =
            block.from.size() == 1 && block.from.get(0) == node ? "" : table.exposedName() + ".";
        VersionSource versions = draft.tables.versions(table);
        into.add(new Pair(versions.row(of), versions.version(of), draft.tables.display(table)));
      }
    } else if (node instanceof Derived derived && derived.alias().isPresent()) {
      derived.block().ifPresent(inner -> expose(block, derived.alias().get(), inner, into));
    }
  }

  private void expose(SelectBlock outer, String alias, SelectBlock inner, List<Pair> into) {
    if (!canExpose(outer, alias, inner)) {
      return;
    }
    StringBuilder columns = new StringBuilder();
    for (Pair pair : pairs(inner)) {
      String rid = Auxiliary.RID + ++exposed;
      String wl = Auxiliary.WL + exposed;
      columns.append(", %s as %s, %s as %s".formatted(pair.rid, rid, pair.wl, wl));
      into.add(new Pair(alias + "." + rid, alias + "." + wl, pair.table));
    }
    if (columns.length() > 0) {
      draft.splices.after(inner.listTo - 1, columns.toString());
      draft.starShowsAuxiliary |= outer.role == Role.TOP && starShows(outer, alias);
    }
  }

  private boolean canExpose(SelectBlock outer, String alias, SelectBlock inner) {
    boolean plain =
        inner.alone && !inner.locking && SelectRewriter.obstacle(draft, inner).isEmpty();
    // MariaDB may sort with the further columns in a temporary table, and then a column's metadata
    // name another table.
    boolean renamed = draft.dialect == Dialect.MARIADB;
    if (!plain || renamed || WholeRows.isSpokenOf(draft, alias)) {
      return false;
    }
    return !starShows(outer, alias)
        || (outer.role == Role.TOP && !StarGuard.hasOrdinals(draft, outer));
  }

  private static boolean starShows(SelectBlock outer, String alias) {
    for (Star star : outer.stars) {
      List<String> qualifier = star.qualifier();
      if (qualifier.isEmpty()
          || Identifiers.fold(qualifier.get(qualifier.size() - 1))
              .equals(Identifiers.fold(alias))) {
        return true;
      }
    }
    return false;
  }

  /** The block of a CTE that nobody else reads. */
  private Optional<SelectBlock> cte(TableRef reference) {
    String name = Identifiers.fold(reference.name().get(0));
    long bodies = draft.shape.cteBodies.stream().filter(c -> c.name().equals(name)).count();
    long references =
        draft.shape.tables.stream()
            .filter(t -> t.isCte() && Identifiers.fold(t.name().get(0)).equals(name))
            .count();
    return bodies == 1 && references == 1 && reference.columnAliases() == 0
        ? draft.shape.cteBlocks.getOrDefault(name, Optional.empty())
        : Optional.empty();
  }

  /**
   * UNION ALL at the top: every branch gets the columns of all branches, its own filled, the others
   * null (hazard 8). Nothing is compared there, so a further column changes no row.
   *
   * @return why not, if it cannot be
   */
  static Optional<String> unionAll(Draft draft, Set<Integer> observed) {
    StatementShape shape = draft.shape;
    if (shape.deduplicates) {
      return Optional.of("a set operation");
    }
    List<SelectBlock> branches = shape.blocks.stream().filter(b -> b.role == Role.BRANCH).toList();
    if (branches.isEmpty() || shape.otherBranch) {
      return Optional.of("a query that is not one plain block");
    }
    for (SelectBlock branch : branches) {
      Optional<String> obstacle = SelectRewriter.obstacle(draft, branch);
      if (obstacle.isPresent()) {
        return obstacle.map(why -> why + " in a set operation");
      }
    }
    Set<Integer> carried = new HashSet<>();
    Carriers carriers = new Carriers(draft, carried);
    List<List<Pair>> pairs = new ArrayList<>();
    branches.forEach(branch -> pairs.add(carriers.pairs(branch)));
    for (int i = 0; i < branches.size(); i++) {
      StringBuilder columns = new StringBuilder();
      for (int k = 0; k < branches.size(); k++) {
        for (Pair pair : pairs.get(k)) {
          columns.append(i == k ? ", " + pair.hidden() : nulls(draft.dialect));
        }
      }
      if (columns.length() > 0) {
        draft.splices.after(branches.get(i).listTo - 1, columns.toString());
      }
      pairs.get(i).forEach(pair -> draft.appended.add(pair.table));
    }
    observed.addAll(carried);
    if (!draft.appended.isEmpty()) {
      draft.returns = RewritePlan.Returns.APPENDED_TO_RESULT;
    }
    return Optional.empty();
  }

  private static String nulls(Dialect dialect) {
    return ", " + dialect.sql().nullColumns(Auxiliary.RID, Auxiliary.WL);
  }
}
