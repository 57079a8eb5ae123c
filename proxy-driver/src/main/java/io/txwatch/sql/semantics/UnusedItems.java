package io.txwatch.sql.semantics;

import io.txwatch.sql.syntax.Clause;
import io.txwatch.sql.syntax.CommonTable;
import io.txwatch.sql.syntax.Expression;
import io.txwatch.sql.syntax.Identifiers;
import io.txwatch.sql.syntax.Item;
import io.txwatch.sql.syntax.Node;
import io.txwatch.sql.syntax.Query;
import io.txwatch.sql.syntax.QueryBody;
import io.txwatch.sql.syntax.Source;
import io.txwatch.sql.syntax.Statement;
import io.txwatch.sql.syntax.With;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The items in the select lists of derived tables and CTEs that no query around them uses: the
 * statement's result does not depend on them, so their columns are not read.
 *
 * <p>Queries are visited from the outside to the inside, and a CTE after all its readers, so that
 * what an unused item mentions is not taken for used. An item is used in case of doubt: whatever
 * its source, if anything in the query around it has its name; with a star, NATURAL or a list of
 * column names; where the list decides which rows there are (DISTINCT, UNION, GROUP BY, LIMIT).
 */
final class UnusedItems {

  private final Set<Item> unused = Collections.newSetFromMap(new IdentityHashMap<>());

  /** What the readers of each CTE mention, by its name. */
  private final Map<String, Mentions> ofCommonTables = new HashMap<>();

  private UnusedItems() {}

  /** The unused items of a statement, compared by identity. */
  static Set<Item> of(Statement statement) {
    UnusedItems items = new UnusedItems();
    if (statement instanceof Statement.Select select) {
      items.query(select.query(), Mentions.everything());
    }
    return items.unused;
  }

  /** The names in a part of a statement. */
  private static final class Mentions {
    private final Set<String> names = new HashSet<>();

    /** Names without a qualifier, which may be those of rows. */
    private final Set<String> unqualified = new HashSet<>();

    private boolean all;

    static Mentions everything() {
      Mentions mentions = new Mentions();
      mentions.all = true;
      return mentions;
    }

    boolean hasNone(String name) {
      return !all && !names.contains(name);
    }

    void addAll(Mentions other) {
      all |= other.all;
      names.addAll(other.names);
    }

    /** Adds every name in an expression, also those in its subqueries. */
    void addIn(Node node) {
      if (node instanceof Expression.Name name) {
        name.parts().forEach(part -> names.add(Identifiers.fold(part)));
        if (name.parts().size() == 1) {
          unqualified.add(Identifiers.fold(name.last()));
        }
      }
      all |= node instanceof Expression.Opaque;
      all |= node instanceof Expression.Star star && !star.qualifier().isEmpty();
      all |= node instanceof Source.Join join && join.natural() >= 0;
      if (node instanceof Source.Join join) {
        join.using().forEach(name -> names.add(Identifiers.fold(name)));
      }
      node.children().forEach(this::addIn);
    }
  }

  /**
   * Visits a query.
   *
   * @param around what the query around it mentions
   */
  private void query(Query query, Mentions around) {
    body(query.body(), query.tail(), around);
    if (query.with().isPresent()) {
      with(query.with().get());
    }
  }

  private void with(With with) {
    List<CommonTable> tables = with.tables();
    for (int i = tables.size() - 1; i >= 0; i--) {
      CommonTable table = tables.get(i);
      if (table.body() instanceof Statement.Select select) {
        Mentions readers =
            ofCommonTables.getOrDefault(Identifiers.fold(table.name()), new Mentions());
        boolean isKnown = !with.recursive() && !table.renamed();
        query(select.query(), isKnown ? readers : Mentions.everything());
      }
    }
  }

  private void body(QueryBody body, List<Clause> tail, Mentions around) {
    if (body instanceof QueryBody.Select select) {
      select(select, tail, around);
    } else if (body instanceof QueryBody.SetOperation operation) {
      operation.branches().forEach(branch -> body(branch, List.of(), Mentions.everything()));
      tail.forEach(this::subqueries);
    } else if (body instanceof QueryBody.Nested nested) {
      query(nested.query(), tail.isEmpty() ? around : Mentions.everything());
      tail.forEach(this::subqueries);
    } else if (body instanceof QueryBody.TableQuery table) {
      reads(table.table(), Mentions.everything());
    } else {
      subqueries(body);
    }
  }

  private void select(QueryBody.Select select, List<Clause> tail, Mentions around) {
    Mentions mentions = new Mentions();
    boolean decides = ColumnUse.listDecides(select, tail);
    for (Item item : select.items()) {
      if (!decides && isUnused(item, around)) {
        unused.add(item);
      } else {
        mentions.all |= item.value() instanceof Expression.Star;
        mentions.addIn(item);
        subqueries(item);
      }
    }
    select.distinctOn().forEach(mentions::addIn);
    select.distinctOn().forEach(this::subqueries);
    for (Clause clause : select.clauses()) {
      if (clause.kind() != Clause.Kind.FROM) {
        mentions.addIn(clause);
        subqueries(clause);
      }
    }
    tail.forEach(mentions::addIn);
    tail.forEach(this::subqueries);
    select.from().forEach(source -> mentionedBy(source, mentions));
    select.from().forEach(source -> reads(source, mentions));
  }

  private static boolean isUnused(Item item, Mentions around) {
    return item.alias().isPresent()
        ? around.hasNone(Identifiers.fold(item.alias().get()))
        : item.value() instanceof Expression.Name name
            && around.hasNone(Identifiers.fold(name.last()));
  }

  /** Adds what the conditions of joins and the sources that see others mention. */
  private static void mentionedBy(Source source, Mentions mentions) {
    if (source instanceof Source.Join join) {
      mentions.all |= join.natural() >= 0;
      join.using().forEach(name -> mentions.names.add(Identifiers.fold(name)));
      join.conditions().forEach(mentions::addIn);
      mentionedBy(join.left(), mentions);
      mentionedBy(join.right(), mentions);
    } else if (source instanceof Source.Nested nested) {
      mentionedBy(nested.source(), mentions);
    } else if (!(source instanceof Source.Derived derived) || derived.lateral()) {
      source.children().forEach(mentions::addIn);
    }
  }

  /** Visits the queries that a source consists of. */
  private void reads(Source source, Mentions mentions) {
    if (source instanceof Source.Derived derived) {
      boolean isRow =
          derived.alias().map(Identifiers::fold).filter(mentions.unqualified::contains).isPresent();
      query(derived.query(), derived.renamed() || isRow ? Mentions.everything() : mentions);
    } else if (source instanceof Source.Table table) {
      if (table.isCommon()) {
        Mentions all =
            ofCommonTables.computeIfAbsent(
                Identifiers.fold(table.name().get(0)), name -> new Mentions());
        boolean isRow = mentions.unqualified.contains(Identifiers.fold(table.exposedName()));
        all.addAll(table.columnAliases() > 0 || isRow ? Mentions.everything() : mentions);
      }
    } else if (source instanceof Source.Join join) {
      join.conditions().forEach(this::subqueries);
      reads(join.left(), mentions);
      reads(join.right(), mentions);
    } else if (source instanceof Source.Nested nested) {
      reads(nested.source(), mentions);
    } else {
      source.children().forEach(this::subqueries);
    }
  }

  /** Visits the subqueries of an expression, whose items are all used. */
  private void subqueries(Node node) {
    if (node instanceof Query query) {
      query(query, Mentions.everything());
    } else if (node instanceof Source source) {
      reads(source, Mentions.everything());
    } else {
      node.children().forEach(this::subqueries);
    }
  }
}
