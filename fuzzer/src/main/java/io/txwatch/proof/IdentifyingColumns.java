package io.txwatch.proof;

import io.txwatch.history.RecordedValue;
import io.txwatch.predict.ProofInstance;
import io.txwatch.predict.ProofInstance.Place;
import io.txwatch.predict.SampledStatement;
import io.txwatch.predict.TemplateAccess;
import io.txwatch.predict.TemplateAccess.Effect;
import io.txwatch.predict.ValueComparison;
import io.txwatch.predict.ValueOrigin;
import io.txwatch.predict.ValueOrigin.Returned;
import io.txwatch.predict.ValuePlace;
import io.txwatch.predict.ValuePlace.Use;
import io.txwatch.schedule.IdentifiedRows;
import io.txwatch.schedule.IdentifiedRows.Argument;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Which columns of queries identify the rows that these return: those of primary keys; without any,
 * all that no operation of the candidate changes. What a query computes from a table of which only
 * some rows are copied has to be what it was, too: it may be a number of its rows.
 */
final class IdentifyingColumns {

  private static final Pattern FROM = Pattern.compile("(?i)\\bfrom\\b");

  private final List<TableCopy> tables;
  private final List<ProofInstance> instances;

  IdentifyingColumns(List<TableCopy> tables, List<ProofInstance> instances) {
    this.tables = tables;
    this.instances = instances;
  }

  /** The rows that each statement of an operation found. */
  List<IdentifiedRows> of(ProofInstance instance) {
    List<SampledStatement> statements = instance.sample().statements();
    Set<Integer> others = new HashSet<>();
    List<IdentifiedRows> all = new ArrayList<>();
    for (int i = 0; i < statements.size(); i++) {
      if (mayFindOthers(instance, i, others)) {
        others.add(i);
      }
      SampledStatement statement = statements.get(i);
      List<Integer> columns = new ArrayList<>(columns(instance, statement));
      List<Integer> computed = computedInPart(instance, statement);
      columns.addAll(computed);
      all.add(
          columns.isEmpty()
              ? IdentifiedRows.ANY
              : new IdentifiedRows(
                  columns,
                  statement.rows(),
                  statement.complete(),
                  others.contains(i) && computed.isEmpty(),
                  arguments(instance)));
    }
    return all;
  }

  private List<Integer> columns(ProofInstance instance, SampledStatement statement) {
    List<TableCopy> used = used(instance, statement);
    boolean isQuery = !statement.columns().isEmpty() && statement.updateCount() < 0;
    if (used.isEmpty() || !isQuery || (used.size() == 1 && isOfOneRow(used.get(0), statement))) {
      return List.of();
    }
    List<JoinedColumns> joined = JoinedColumns.of(String.join("?", statement.text().parts()));
    List<Integer> keys = new ArrayList<>();
    List<Integer> unchanged = new ArrayList<>();
    for (int i = 0; i < statement.columns().size(); i++) {
      boolean isJoined = used.size() > 1 && joined.size() == statement.columns().size();
      String name = isJoined ? joined.get(i).column() : statement.columns().get(i);
      List<TableCopy> owners = isJoined ? table(joined.get(i).table()).stream().toList() : used;
      if (owners.stream().anyMatch(table -> isKey(table, name))) {
        keys.add(i);
      } else if (owners.stream()
          .anyMatch(table -> table.column(name).isPresent() && !isChanged(table, name))) {
        unchanged.add(i);
      }
    }
    return keys.isEmpty() ? unchanged : keys;
  }

  /** The columns that a query computes, if rows are missing that it may use. */
  private List<Integer> computedInPart(ProofInstance instance, SampledStatement statement) {
    List<TableCopy> used = used(instance, statement);
    List<Integer> computed = new ArrayList<>();
    if (used.stream().anyMatch(TableCopy::isInPart) && statement.updateCount() < 0) {
      String selected = FROM.split(String.join("?", statement.text().parts()), 2)[0];
      boolean hasCall = selected.contains("(");
      for (int i = 0; i < statement.columns().size(); i++) {
        String name = statement.columns().get(i); // which a call may have been given, too
        if (hasCall || used.stream().noneMatch(table -> table.column(name).isPresent())) {
          computed.add(i);
        }
      }
    }
    return computed;
  }

  /** Whether a query chooses a row by its primary key: then it is found, or it is not. */
  private static boolean isOfOneRow(TableCopy table, SampledStatement statement) {
    Set<String> compared = new HashSet<>();
    for (ValuePlace place : statement.text().values()) {
      if (place.use() == Use.COMPARED) {
        table.column(place.column()).ifPresent(compared::add);
      }
    }
    return table.hasKeyIn(compared) && FoundRows.isConjunction(statement);
  }

  private static boolean isKey(TableCopy table, String name) {
    return table.column(name).filter(table::isOfKey).isPresent();
  }

  private boolean isChanged(TableCopy table, String name) {
    String folded = name.toLowerCase(Locale.ROOT);
    return instances.stream()
        .flatMap(instance -> instance.template().statements().stream())
        .flatMap(statement -> statement.accesses().stream())
        .anyMatch(
            access ->
                access.effect() == Effect.NONE
                    && table(access.table()).equals(Optional.of(table))
                    && (access.written().all() || access.written().names().contains(folded)));
  }

  /** Whether its arguments are others than observed, or computed from such ones. */
  private static boolean mayFindOthers(ProofInstance instance, int index, Set<Integer> others) {
    List<SampledStatement> statements = instance.sample().statements();
    SampledStatement statement = statements.get(index);
    for (int k = 0; k < statement.text().values().size(); k++) {
      Place place = new Place(index, k);
      Place root = instance.root(place);
      RecordedValue value = instance.value(place);
      if (!value.equals(instance.observed(place))
          && !ValueComparison.areEqual(value, instance.observed(place))) {
        return true;
      }
      if (origin(instance, root) instanceof Returned returned
          && (others.contains(returned.statement())
              || isGenerated(instance, statements.get(returned.statement())))) {
        return true;
      }
    }
    List<String> used = accesses(instance, statement).stream().map(TemplateAccess::table).toList();
    return statements.subList(0, index).stream()
        .flatMap(earlier -> accesses(instance, earlier).stream())
        .anyMatch(one -> one.effect() == Effect.INSERTED && used.contains(one.table()));
  }

  /** Whether what a statement returns is another key each time. */
  private static boolean isGenerated(ProofInstance instance, SampledStatement statement) {
    List<TemplateAccess> accesses = accesses(instance, statement);
    return accesses.isEmpty() || accesses.stream().anyMatch(one -> one.effect() == Effect.INSERTED);
  }

  /** The values that are not computed, and that rows are chosen by or inserted with. */
  private static List<Argument> arguments(ProofInstance instance) {
    List<Argument> arguments = new ArrayList<>();
    List<SampledStatement> statements = instance.sample().statements();
    for (int i = 0; i < statements.size(); i++) {
      List<ValuePlace> places = statements.get(i).text().values();
      for (int k = 0; k < places.size(); k++) {
        Place place = new Place(i, k);
        boolean isUsed = places.get(k).use() == Use.COMPARED || places.get(k).use() == Use.INSERTED;
        if (isUsed && !(origin(instance, instance.root(place)) instanceof Returned)) {
          arguments.add(new Argument(instance.observed(place), instance.value(place)));
        }
      }
    }
    return arguments;
  }

  private static ValueOrigin origin(ProofInstance instance, Place root) {
    return instance.origins().get(root.statement()).get(root.index());
  }

  private static List<TemplateAccess> accesses(ProofInstance instance, SampledStatement statement) {
    return instance.template().statements().get(statement.number() - 1).accesses();
  }

  /** The copies of the tables that a statement uses. */
  private List<TableCopy> used(ProofInstance instance, SampledStatement statement) {
    return accesses(instance, statement).stream()
        .flatMap(one -> table(one.table()).stream())
        .toList();
  }

  private Optional<TableCopy> table(String name) {
    String plain = name.substring(name.lastIndexOf('.') + 1);
    return tables.stream().filter(one -> one.name().equalsIgnoreCase(plain)).findFirst();
  }
}
