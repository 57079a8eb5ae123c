package io.txwatch.proof;

import io.txwatch.history.RecordedValue;
import io.txwatch.predict.ProofInstance;
import io.txwatch.predict.ProofInstance.Place;
import io.txwatch.predict.SampledStatement;
import io.txwatch.predict.TemplateAccess;
import io.txwatch.predict.TemplateAccess.Effect;
import io.txwatch.predict.ValueComparison;
import io.txwatch.predict.ValuePlace;
import io.txwatch.predict.ValuePlace.Use;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Changes copied rows back to what a transaction found, as far as its statements show that: those
 * that it inserted, or would have found, are removed, and those that it read have the values that
 * it read.
 */
final class FoundRows {

  /** Where rows are chosen that do not have the values that they are compared with. */
  private static final Pattern OTHER_CONDITION =
      Pattern.compile("(?i)\\b(or|not|in|any|some|exists|case|union)\\b|<>|!=");

  /** A query that returns columns as they are stored. */
  private static final Pattern PLAIN_QUERY =
      Pattern.compile(
          "(?is)\\s*select\\s+(?!.*\\b(as|case)\\b.*\\bfrom\\b)[\\w.,*\"`\\s]+?\\bfrom\\b(?<rest>.*)");

  private final List<TableCopy> tables;

  FoundRows(List<TableCopy> tables) {
    this.tables = tables;
  }

  /** Removes the rows that refer to rows that were removed: they were not there, either. */
  void removeOrphans() {
    boolean isRemoved = true;
    while (isRemoved) {
      isRemoved = false;
      for (TableCopy table : tables) {
        isRemoved |= table.removeOrphans(tables);
      }
    }
  }

  /** Takes back what a transaction did, its last statement first. */
  void restore(ProofInstance instance) {
    List<SampledStatement> statements = instance.sample().statements();
    for (int i = statements.size() - 1; i >= 0; i--) {
      SampledStatement statement = statements.get(i);
      List<TemplateAccess> accesses =
          instance.template().statements().get(statement.number() - 1).accesses();
      if (accesses.size() == 1) {
        Optional<TableCopy> table = table(accesses.get(0).table());
        if (table.isPresent()) {
          restore(table.get(), accesses.get(0), statement);
          if (accesses.get(0).effect() == Effect.NONE && statement.updateCount() >= 0) {
            Map<String, RecordedValue> before = new LinkedHashMap<>();
            statements.subList(0, i).stream()
                .filter(earlier -> isOfTable(instance, earlier, accesses.get(0).table()))
                .forEach(earlier -> before.putAll(values(table.get(), earlier, Use.COMPARED)));
            restoreChanged(table.get(), statement, before);
          }
        }
      } else if (statement.updateCount() < 0) {
        restoreJoined(statement);
      }
      if (statement.updateCount() < 0 && !accesses.isEmpty()) {
        Set<String> changed = changedBefore(instance, i);
        EqualityQuery.of(statement, tables)
            .ifPresent(
                query -> {
                  query.putBack();
                  query.removeOthers(changed);
                });
      }
    }
  }

  /** The tables of which earlier statements have changed or removed rows. */
  private Set<String> changedBefore(ProofInstance instance, int index) {
    Set<String> changed = new HashSet<>();
    for (SampledStatement earlier : instance.sample().statements().subList(0, index)) {
      for (TemplateAccess access : accesses(instance, earlier)) {
        if (access.effect() == Effect.DELETED
            || (access.effect() == Effect.NONE && earlier.updateCount() >= 0)) {
          table(access.table())
              .ifPresent(table -> changed.add(table.name().toLowerCase(Locale.ROOT)));
        }
      }
    }
    return changed;
  }

  /** Rows that a query of several tables has returned; an outer join's row of NULLs is none. */
  private void restoreJoined(SampledStatement query) {
    List<JoinedColumns> columns = JoinedColumns.of(String.join("?", query.text().parts()));
    if (columns.size() != query.columns().size()) {
      return;
    }
    for (List<RecordedValue> found : query.rows()) {
      Map<TableCopy, Map<String, RecordedValue>> rows = new LinkedHashMap<>();
      for (int i = 0; i < columns.size(); i++) {
        RecordedValue value = found.get(i);
        String column = columns.get(i).column();
        table(columns.get(i).table())
            .ifPresent(
                table ->
                    table
                        .column(column)
                        .ifPresent(
                            one ->
                                rows.computeIfAbsent(table, any -> new LinkedHashMap<>())
                                    .put(one, value)));
      }
      rows.forEach(
          (table, row) -> {
            if (table.hasKeyIn(row.keySet()) && !table.isKeyOfNulls(row)) {
              table.restore(row);
            }
          });
    }
  }

  private static boolean isOfTable(
      ProofInstance instance, SampledStatement statement, String table) {
    List<TemplateAccess> accesses =
        instance.template().statements().get(statement.number() - 1).accesses();
    return accesses.size() == 1
        && accesses.get(0).table().equals(table)
        && statement.updateCount() < 0
        && isConjunction(statement);
  }

  /**
   * A row whose column is changed had, before, the value that the transaction has searched for:
   * {@code SELECT count(*) FROM doctor WHERE on_call = 1}, {@code UPDATE doctor SET on_call = 0}.
   */
  private static void restoreChanged(
      TableCopy table, SampledStatement update, Map<String, RecordedValue> before) {
    Map<String, RecordedValue> row = new LinkedHashMap<>();
    values(table, update, Use.ASSIGNED)
        .forEach(
            (column, assigned) -> {
              RecordedValue searched = before.get(column);
              if (searched != null && !ValueComparison.areEqual(searched, assigned)) {
                row.put(column, searched);
              }
            });
    if (!row.isEmpty()) {
      row.putAll(values(table, update, Use.COMPARED));
      table.restore(row);
    }
  }

  /**
   * Gives columns that a transaction assigns without having read them another value than the
   * assigned one, which the row may have from the transaction itself. It is the one that all
   * statements that read the column have found; or, if none reads it, another row's. If they have
   * found several, the row is left alone: an application may do something else with another one.
   *
   * @return what was done, a sentence each
   */
  List<String> differFromAssigned(List<ProofInstance> instances) {
    List<String> done = new ArrayList<>();
    for (int t = 0; t < instances.size(); t++) {
      List<SampledStatement> statements = instances.get(t).sample().statements();
      for (int i = 0; i < statements.size(); i++) {
        List<TemplateAccess> accesses = accesses(instances.get(t), statements.get(i));
        if (accesses.size() == 1
            && accesses.get(0).effect() == Effect.NONE
            && isConjunction(statements.get(i))) {
          Optional<TableCopy> table = table(accesses.get(0).table());
          if (table.isPresent() && isUnchanged(table.get(), instances.get(t), i)) {
            differFromAssigned(table.get(), accesses.get(0).table(), instances, t, i, done);
          }
        }
      }
    }
    return done;
  }

  private void differFromAssigned(
      TableCopy table,
      String name,
      List<ProofInstance> instances,
      int t,
      int statement,
      List<String> done) {
    Map<String, RecordedValue> key = values(table, instances.get(t), statement, Use.COMPARED);
    values(table, instances.get(t), statement, Use.ASSIGNED)
        .forEach(
            (column, assigned) -> {
              Optional<List<RecordedValue>> known = found(instances, name, column);
              if (known.isEmpty()) {
                return;
              }
              List<RecordedValue> before = known.get();
              if (!before.stream().allMatch(value -> isSame(value, before.get(0)))) {
                return;
              }
              List<RecordedValue> others = before.isEmpty() ? table.values(column) : before;
              if (table.differ(key, column, assigned, others) && !key.containsKey(column)) {
                String note =
                    "the row whose "
                        + column
                        + " T"
                        + (t + 1)
                        + " assigns has another row's value before, as its own was not recorded";
                if (!done.contains(note)) {
                  done.add(note);
                }
              }
            });
  }

  private static boolean isSame(RecordedValue one, RecordedValue other) {
    return one.equals(other) || ValueComparison.areEqual(one, other);
  }

  /**
   * What all statements that read a column have found in it.
   *
   * @return no values if none reads it; empty if that is not known of a statement: one with a
   *     condition, an expression, a join
   */
  private static Optional<List<RecordedValue>> found(
      List<ProofInstance> instances, String table, String column) {
    List<RecordedValue> values = new ArrayList<>();
    for (ProofInstance instance : instances) {
      for (int i = 0; i < instance.sample().statements().size(); i++) {
        List<TemplateAccess> accesses = accesses(instance, instance.sample().statements().get(i));
        if (accesses.stream().anyMatch(access -> reads(access, table, column))) {
          List<RecordedValue> found = accesses.size() == 1 ? found(instance, i, column) : List.of();
          if (found.isEmpty()) {
            return Optional.empty();
          }
          values.addAll(found);
        }
      }
    }
    return Optional.of(values);
  }

  private static List<RecordedValue> found(ProofInstance instance, int index, String column) {
    SampledStatement statement = instance.sample().statements().get(index);
    if (statement.updateCount() > 0) {
      List<RecordedValue> compared = new ArrayList<>();
      List<ValuePlace> places = statement.text().values();
      for (int k = 0; k < places.size() && isConjunction(statement); k++) {
        if (places.get(k).use() == Use.COMPARED
            && places.get(k).column().equalsIgnoreCase(column)) {
          compared.add(instance.value(new Place(index, k)));
        }
      }
      return compared;
    }
    int returned = indexOfPlain(statement, column);
    return returned < 0
        ? List.of()
        : statement.rows().stream().map(row -> row.get(returned)).toList();
  }

  private static boolean reads(TemplateAccess access, String table, String column) {
    return access.table().equals(table)
        && (access.read().all() || access.read().names().contains(folded(column)));
  }

  /** Where a query returns a column that it uses for nothing else; negative if it does not. */
  private static int indexOfPlain(SampledStatement statement, String column) {
    Matcher query = PLAIN_QUERY.matcher(String.join("?", statement.text().parts()));
    if (!statement.complete()
        || statement.updateCount() >= 0
        || !query.matches()
        || Pattern.compile("\\b" + Pattern.quote(folded(column)) + "\\b")
            .matcher(folded(query.group("rest")))
            .find()) {
      return -1;
    }
    List<String> columns = statement.columns().stream().map(FoundRows::folded).toList();
    return columns.indexOf(folded(column));
  }

  private static String folded(String name) {
    return name.toLowerCase(Locale.ROOT);
  }

  private static List<TemplateAccess> accesses(ProofInstance instance, SampledStatement statement) {
    return instance.template().statements().get(statement.number() - 1).accesses();
  }

  private static Map<String, RecordedValue> values(
      TableCopy table, ProofInstance instance, int statement, Use use) {
    Map<String, RecordedValue> values = new LinkedHashMap<>();
    List<ValuePlace> places = instance.sample().statements().get(statement).text().values();
    for (int k = 0; k < places.size(); k++) {
      if (places.get(k).use() == use) {
        RecordedValue value = instance.value(new Place(statement, k));
        table.column(places.get(k).column()).ifPresent(column -> values.put(column, value));
      }
    }
    return values;
  }

  /**
   * A write that would change nothing, as its row already has the values: it is not as it was
   * found.
   *
   * @return what it is, in words; empty if there is none
   */
  Optional<String> unchanged(List<ProofInstance> instances) {
    return first(instances, FoundRows::isUnchanged)
        .map(statement -> statement + " assigns what the row already has");
  }

  /** The same of a write of several rows: with others, an order might show a race. */
  Optional<String> allUnchanged(List<ProofInstance> instances) {
    return first(instances, FoundRows::areUnchanged)
        .map(statement -> statement + " assigns what its rows already have");
  }

  private interface Condition {
    boolean holds(TableCopy table, ProofInstance instance, int statement);
  }

  /** The first statement that changes rows of one table and meets a condition, in words. */
  private Optional<String> first(List<ProofInstance> instances, Condition condition) {
    for (int t = 0; t < instances.size(); t++) {
      ProofInstance instance = instances.get(t);
      List<SampledStatement> statements = instance.sample().statements();
      for (int i = 0; i < statements.size(); i++) {
        List<TemplateAccess> accesses = accesses(instance, statements.get(i));
        if (accesses.size() == 1 && accesses.get(0).effect() == Effect.NONE) {
          Optional<TableCopy> table = table(accesses.get(0).table());
          if (table.isPresent() && condition.holds(table.get(), instance, i)) {
            return Optional.of("statement " + (i + 1) + " of T" + (t + 1));
          }
        }
      }
    }
    return Optional.empty();
  }

  /** Whether each statement that found rows by their values has one to find. */
  boolean haveRowsOf(ProofInstance instance) {
    for (SampledStatement statement : instance.sample().statements()) {
      List<TemplateAccess> accesses =
          instance.template().statements().get(statement.number() - 1).accesses();
      boolean hasFound = !statement.rows().isEmpty() || statement.updateCount() > 0;
      if (accesses.size() == 1
          && accesses.get(0).effect() != Effect.INSERTED
          && hasFound
          && isConjunction(statement)) {
        Optional<TableCopy> table = table(accesses.get(0).table());
        if (table.isPresent()
            && !table.get().contains(Map.of(), values(table.get(), statement, Use.COMPARED))) {
          return false;
        }
      }
    }
    return true;
  }

  /** Whether the row whose key is compared has the assigned values. */
  private static boolean isUnchanged(TableCopy table, ProofInstance instance, int index) {
    Map<String, RecordedValue> key = values(table, instance, index, Use.COMPARED);
    Map<String, RecordedValue> assigned = values(table, instance, index, Use.ASSIGNED);
    return assignsValuesAlone(instance, index)
        && !assigned.isEmpty()
        && table.hasKeyIn(key.keySet())
        && table.contains(key, assigned);
  }

  /** Whether all rows that are chosen have them. */
  private static boolean areUnchanged(TableCopy table, ProofInstance instance, int index) {
    Map<String, RecordedValue> assigned = values(table, instance, index, Use.ASSIGNED);
    return assignsValuesAlone(instance, index)
        && !assigned.isEmpty()
        && isConjunction(instance.sample().statements().get(index))
        && table.allHave(values(table, instance, index, Use.COMPARED), assigned);
  }

  /** Whether a statement assigns no expression. */
  private static boolean assignsValuesAlone(ProofInstance instance, int index) {
    return instance.sample().statements().get(index).text().values().stream()
        .noneMatch(place -> place.use() == Use.OTHER);
  }

  private Optional<TableCopy> table(String name) {
    String plain = name.substring(name.lastIndexOf('.') + 1);
    return tables.stream().filter(one -> one.name().equalsIgnoreCase(plain)).findFirst();
  }

  private static void restore(TableCopy table, TemplateAccess access, SampledStatement statement) {
    if (access.effect() == Effect.INSERTED) {
      Map<String, RecordedValue> row = values(table, statement, Use.INSERTED);
      if (!statement.rows().isEmpty()) {
        row.putAll(returned(table, statement, 0)); // generated keys
      }
      if (!row.isEmpty()) {
        table.remove(row);
      }
    } else if (access.effect() == Effect.NONE && statement.updateCount() < 0) {
      Map<String, RecordedValue> compared = values(table, statement, Use.COMPARED);
      boolean isConjunction = isConjunction(statement);
      for (int i = 0; i < statement.rows().size(); i++) {
        Map<String, RecordedValue> row = returned(table, statement, i);
        if (isConjunction) {
          compared.forEach(row::putIfAbsent);
        }
        table.restore(row);
      }
    }
  }

  /** Whether each row that a query returns has the values that it compares. */
  static boolean isConjunction(SampledStatement statement) {
    return statement.text().parts().stream()
        .noneMatch(part -> OTHER_CONDITION.matcher(part).find());
  }

  private static Map<String, RecordedValue> values(
      TableCopy table, SampledStatement statement, Use use) {
    Map<String, RecordedValue> values = new LinkedHashMap<>();
    for (ValuePlace place : statement.text().values()) {
      if (place.use() == use) {
        table.column(place.column()).ifPresent(column -> values.put(column, place.value()));
      }
    }
    return values;
  }

  private static Map<String, RecordedValue> returned(
      TableCopy table, SampledStatement statement, int row) {
    Map<String, RecordedValue> values = new LinkedHashMap<>();
    for (int i = 0; i < statement.columns().size(); i++) {
      RecordedValue value = statement.rows().get(row).get(i);
      table.column(statement.columns().get(i)).ifPresent(column -> values.put(column, value));
    }
    return values;
  }
}
