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
import java.util.Optional;
import java.util.Set;

/**
 * The items in the select lists of derived tables and CTEs that no query around them uses: the
 * statement's result does not depend on them, so their columns are not read.
 *
 * <p>Queries are visited from the outside to the inside, and a CTE after all its readers, so that
 * what an unused item mentions is not taken for used. An item is used in case of doubt: if the
 * query around it has its name without a qualifier; with a star, NATURAL or a list of column names.
 * Where the list decides which rows there are (DISTINCT, UNION, GROUP BY, LIMIT), an item that
 * nothing else uses is {@linkplain #isDoubtful doubtful}, and so is what only such items use.
 */
final class UnusedItems {

  private static final String ALL = "UNION ALL";

  private final Set<Item> doubtful = Collections.newSetFromMap(new IdentityHashMap<>());

  private final Set<Item> unused = Collections.newSetFromMap(new IdentityHashMap<>());

  /** What the readers of each CTE mention, by its name. */
  private final Map<String, Mentions> ofCommonTables = new HashMap<>();

  private UnusedItems() {}

  /** Those of a statement; items are compared by identity. */
  static UnusedItems of(Statement statement) {
    UnusedItems items = new UnusedItems();
    if (statement instanceof Statement.Select select) {
      items.query(select.query(), Mentions.everything().byName());
    }
    return items;
  }

  /** True if nothing depends on an item. */
  boolean isUnused(Item item) {
    return unused.contains(item);
  }

  /** True if an item alone helps to find which rows are equal, or which are kept. */
  boolean isDoubtful(Item item) {
    return doubtful.contains(item);
  }

  /** Names of columns. */
  private static final class Names {
    private final Set<String> plain = new HashSet<>();

    /** Those behind a qualifier, by it. */
    private final Map<String, Set<String>> qualified = new HashMap<>();

    private boolean all;

    boolean has(Item item) {
      return all
          || item.alias()
              .map(Identifiers::fold)
              .map(plain::contains)
              .orElseGet(
                  () ->
                      !(item.value() instanceof Expression.Name name)
                          || plain.contains(Identifiers.fold(name.last())));
    }

    /** Adds those that may be columns of a source; without a name, any. */
    void addThoseOf(Optional<String> source, Names other) {
      all |= other.all;
      plain.addAll(other.plain);
      other.qualified.forEach(
          (qualifier, columns) -> {
            if (source.map(Identifiers::fold).map(qualifier::equals).orElse(true)) {
              plain.addAll(columns);
            }
          });
    }

    /** Adds every name in an expression, also those in its subqueries. */
    void addIn(Node node) {
      addOf(node);
      node.children().forEach(this::addIn);
    }

    /** As {@link #addIn}, but only the names whose value surely counts. */
    void addSurelyIn(Node node) {
      addOf(node);
      if (node instanceof Expression.Chain chain && ColumnUse.isDisjunction(chain)) {
        addCommon(chain.operands());
      } else if (node instanceof Expression.Case choice) {
        addFirst(choice.parts());
      } else if (node instanceof Expression.Call call && ColumnUse.isChoice(call)) {
        addFirst(call.parts());
      } else {
        node.children().forEach(this::addSurelyIn);
      }
    }

    private void addFirst(List<? extends Node> parts) {
      if (!parts.isEmpty()) {
        addSurelyIn(parts.get(0));
      }
    }

    /** Adds the names that each of some nodes has. */
    private void addCommon(List<? extends Node> nodes) {
      Names common = null;
      for (Node node : nodes) {
        Names of = new Names();
        of.addSurelyIn(node);
        if (common == null || common.all) {
          common = of;
        } else if (!of.all) {
          common.retain(of);
        }
      }
      if (common != null) {
        addAll(common);
      }
    }

    private void retain(Names other) {
      plain.retainAll(other.plain);
      qualified.forEach(
          (qualifier, columns) ->
              columns.retainAll(other.qualified.getOrDefault(qualifier, Set.of())));
    }

    private void addAll(Names other) {
      all |= other.all;
      plain.addAll(other.plain);
      other.qualified.forEach(
          (qualifier, columns) ->
              qualified.computeIfAbsent(qualifier, any -> new HashSet<>()).addAll(columns));
    }

    /** Adds what a node itself names. */
    private void addOf(Node node) {
      if (node instanceof Expression.Name name) {
        if (name.parts().size() == 2) {
          qualified
              .computeIfAbsent(Identifiers.fold(name.parts().get(0)), any -> new HashSet<>())
              .add(Identifiers.fold(name.last()));
        } else { // of more parts, each may be the column
          name.parts().forEach(part -> plain.add(Identifiers.fold(part)));
        }
      }
      all |= node instanceof Expression.Opaque;
      all |= node instanceof Expression.Star star && !star.qualifier().isEmpty();
      all |= node instanceof Source.Join join && join.natural() >= 0;
      if (node instanceof Source.Join join) {
        join.using().forEach(name -> plain.add(Identifiers.fold(name)));
      }
    }
  }

  /** How an item is used. */
  private enum Use {
    SURE,
    DOUBTFUL,
    NONE
  }

  /** How the items of a query are used by what is around it. */
  private interface Uses {
    Use of(int place, Item item);
  }

  /** The names in a part of a statement: all, and those that its result surely depends on. */
  private static final class Mentions {
    private final Names any = new Names();
    private final Names sure = new Names();

    static Mentions everything() {
      Mentions mentions = new Mentions();
      mentions.addAll();
      return mentions;
    }

    void addAll() {
      any.all = true;
      sure.all = true;
    }

    void addIn(Node node) {
      any.addIn(node);
      sure.addSurelyIn(node);
    }

    /** What of it may be columns of a source. */
    Mentions of(Optional<String> source) {
      Mentions some = new Mentions();
      some.addThoseOf(source, this);
      return some;
    }

    void addThoseOf(Optional<String> source, Mentions other) {
      any.addThoseOf(source, other.any);
      sure.addThoseOf(source, other.sure);
    }

    Uses byName() {
      return (place, item) -> sure.has(item) ? Use.SURE : any.has(item) ? Use.DOUBTFUL : Use.NONE;
    }
  }

  private void query(Query query, Uses around) {
    body(query.body(), query.tail(), around, false);
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
        query(select.query(), (isKnown ? readers : Mentions.everything()).byName());
      }
    }
  }

  /**
   * Visits a query's body.
   *
   * @param comparesRows true if all items decide which rows are kept
   */
  private void body(QueryBody body, List<Clause> tail, Uses around, boolean comparesRows) {
    if (body instanceof QueryBody.Select select) {
      select(select, tail, around, comparesRows || ColumnUse.listDecides(select, tail));
    } else if (body instanceof QueryBody.SetOperation operation) {
      boolean keepsAll = operation.operators().stream().allMatch(ALL::equals);
      Uses byPlace = tail.isEmpty() ? byPlace(operation, around) : Mentions.everything().byName();
      for (QueryBody branch : operation.branches()) {
        body(branch, List.of(), byPlace, comparesRows || !keepsAll);
      }
      tail.forEach(this::subqueries);
    } else if (body instanceof QueryBody.Nested nested) {
      query(nested.query(), tail.isEmpty() ? around : Mentions.everything().byName());
      tail.forEach(this::subqueries);
    } else if (body instanceof QueryBody.TableQuery table) {
      reads(table.table(), Mentions.everything());
    } else {
      subqueries(body);
    }
  }

  /** The columns of a set operation have the names that its first branch gives them. */
  private static Uses byPlace(QueryBody.SetOperation operation, Uses around) {
    List<Item> named =
        operation.branches().get(0) instanceof QueryBody.Select first ? first.items() : List.of();
    boolean isKnown =
        operation.branches().stream()
            .allMatch(
                branch ->
                    branch instanceof QueryBody.Select select
                        && select.items().size() == named.size()
                        && Item.stars(select.items()).isEmpty());
    return isKnown
        ? (place, item) -> around.of(place, named.get(place))
        : Mentions.everything().byName();
  }

  private void select(QueryBody.Select select, List<Clause> tail, Uses around, boolean decides) {
    Mentions mentions = new Mentions();
    for (int i = 0; i < select.items().size(); i++) {
      Item item = select.items().get(i);
      Use use = around.of(i, item);
      if (use == Use.NONE && !decides) {
        unused.add(item);
        continue;
      }
      if (use == Use.SURE) {
        mentions.sure.addSurelyIn(item);
        mentions.sure.all |= item.value() instanceof Expression.Star;
      } else {
        doubtful.add(item);
      }
      mentions.any.addIn(item);
      mentions.any.all |= item.value() instanceof Expression.Star;
      subqueries(item);
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

  /** Adds what the conditions of joins and the sources that see others mention. */
  private static void mentionedBy(Source source, Mentions mentions) {
    if (source instanceof Source.Join join) {
      if (join.natural() >= 0) {
        mentions.addAll();
      }
      for (String name : join.using()) {
        mentions.any.plain.add(Identifiers.fold(name));
        mentions.sure.plain.add(Identifiers.fold(name));
      }
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
      boolean isKnown = !derived.renamed() && !isRow(derived.alias(), mentions);
      query(
          derived.query(),
          (isKnown ? mentions.of(derived.alias()) : Mentions.everything()).byName());
    } else if (source instanceof Source.Table table) {
      if (table.isCommon()) {
        Optional<String> name = Optional.of(table.exposedName());
        boolean isKnown = table.columnAliases() == 0 && !isRow(name, mentions);
        ofCommonTables
            .computeIfAbsent(Identifiers.fold(table.name().get(0)), any -> new Mentions())
            .addThoseOf(name, isKnown ? mentions : Mentions.everything());
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

  /** Whether a source's name stands alone somewhere, as a value that has all its columns. */
  private static boolean isRow(Optional<String> source, Mentions mentions) {
    return source.map(Identifiers::fold).filter(mentions.any.plain::contains).isPresent();
  }

  /** Visits the subqueries of an expression, whose items are all used. */
  private void subqueries(Node node) {
    if (node instanceof Query query) {
      query(query, Mentions.everything().byName());
    } else if (node instanceof Source source) {
      reads(source, Mentions.everything());
    } else {
      node.children().forEach(this::subqueries);
    }
  }
}
