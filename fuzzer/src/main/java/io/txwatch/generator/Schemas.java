package io.txwatch.generator;

import io.txwatch.generator.Table.Column;
import io.txwatch.generator.Table.ForeignKey;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.StringJoiner;

/** Generates schemas. */
final class Schemas {

  private static final int MOST_COLUMNS = 5;

  private final Chance chance;
  private final Grammar grammar;
  private final Workload workload;

  Schemas(Chance chance, Grammar grammar, Workload workload) {
    this.chance = chance;
    this.grammar = grammar;
    this.workload = workload;
  }

  /**
   * A schema.
   *
   * @param tables its tables, parents before children
   * @param definitions the statements that define it
   */
  record Schema(List<Table> tables, List<String> definitions) {}

  Schema next() {
    List<Table> tables = new ArrayList<>();
    List<String> definitions = new ArrayList<>();
    int count = workload.tables(chance);
    for (int i = 0; i < count; i++) {
      tables.add(table("t" + i, tables, definitions));
    }
    return new Schema(tables, definitions);
  }

  private Table table(String name, List<Table> earlier, List<String> definitions) {
    Optional<Partitions> partitions =
        grammar.hasPartitions() && chance.in100(10)
            ? Optional.of(Partitions.any(chance, grammar))
            : Optional.empty();
    boolean counts = partitions.isEmpty() && chance.in100(1);
    int width = chance.between(2, MOST_COLUMNS);
    List<String> primaryKey = new ArrayList<>();
    if (counts || chance.in100(70)) {
      primaryKey.add("c0");
      if (!counts && width > 2 && chance.in100(20)) {
        primaryKey.add("c1");
      }
    }
    List<Column> columns = new ArrayList<>();
    List<List<String>> keys = new ArrayList<>();
    StringJoiner parts = new StringJoiner(", ", "CREATE TABLE " + name + " (", ") {ENGINE}");
    for (int i = 0; i < width; i++) {
      boolean mayBeUnique = i == 0 || partitions.isEmpty();
      parts.add(column(i, counts && i == 0, primaryKey, mayBeUnique, columns, keys));
    }
    Optional<ForeignKey> reference =
        partitions.isEmpty() || grammar.partitionsRefer()
            ? reference(earlier, columns, parts)
            : Optional.empty();
    compositeKey(columns, width, partitions.isPresent())
        .ifPresent(
            key -> {
              keys.add(key);
              parts.add("UNIQUE (" + String.join(", ", key) + ")");
            });
    if (!primaryKey.isEmpty()) {
      keys.add(primaryKey);
      if (!counts) { // its column's definition says it
        parts.add("PRIMARY KEY (" + String.join(", ", primaryKey) + ")");
      }
    }
    reference.ifPresent(key -> parts.add(key.definition()));
    definitions.add(parts + partitions.map(Partitions::clause).orElse(""));
    partitions.ifPresent(some -> definitions.addAll(some.definitions(name)));
    indexes(name, columns, definitions);
    return new Table(name, columns, keys, reference, counts, partitions);
  }

  /** Draws a column, and returns its definition. */
  private String column(
      int number,
      boolean counts,
      List<String> primaryKey,
      boolean mayBeUnique,
      List<Column> columns,
      List<List<String>> keys) {
    String name = "c" + number;
    SqlType type = number == 0 ? SqlType.INT : chance.oneOf(SqlType.values());
    if (counts) {
      columns.add(new Column(name, type, "INT", true, false));
      return name + " {AUTOINC}";
    }
    String declared = chance.oneOf(type.declared());
    boolean ofPrimaryKey = primaryKey.contains(name);
    boolean notNull = ofPrimaryKey || chance.in100(20);
    boolean checked = !ofPrimaryKey && type == SqlType.INT && chance.in100(10);
    String definition = name + " " + declared;
    if (!ofPrimaryKey && !checked && chance.in100(20)) {
      definition += " DEFAULT " + grammar.byDefault(Literals.any(chance, grammar, type));
    }
    definition += notNull ? " NOT NULL" : "";
    if (!ofPrimaryKey && mayBeUnique && chance.in100(12)) {
      definition += " UNIQUE";
      keys.add(List.of(name));
    }
    if (checked) {
      definition += " CHECK (" + name + chance.oneOf(" < 9", " >= 0", " < 1000") + ")";
    }
    columns.add(new Column(name, type, declared, notNull, checked));
    return definition;
  }

  /** Columns that refer to a key of an earlier table. */
  private Optional<ForeignKey> reference(
      List<Table> earlier, List<Column> columns, StringJoiner parts) {
    List<Table> parents =
        earlier.stream()
            .filter(table -> !table.keys().isEmpty())
            .filter(table -> table.partitions().isEmpty() || grammar.partitionsRefer())
            .toList();
    if (parents.isEmpty() || !workload.refers(chance)) {
      return Optional.empty();
    }
    Table parent = chance.oneOf(parents);
    List<String> key = chance.oneOf(parent.keys());
    List<Column> referredTo = key.stream().map(parent::column).toList();
    boolean notNull = chance.in100(20) && referredTo.stream().allMatch(Column::notNull);
    List<String> referring = new ArrayList<>();
    for (Column referred : referredTo) {
      String name = "c" + columns.size();
      referring.add(name);
      columns.add(new Column(name, referred.type(), referred.declared(), notNull, false));
      parts.add(name + " " + referred.declared() + (notNull ? " NOT NULL" : ""));
    }
    return Optional.of(
        new ForeignKey(
            referring,
            parent,
            key,
            action(grammar.onDelete(), notNull),
            action(grammar.onUpdate(), notNull)));
  }

  private String action(List<String> actions, boolean notNull) {
    List<String> fitting =
        actions.stream().filter(action -> !notNull || !action.startsWith("SET")).toList();
    return fitting.isEmpty() || chance.in100(25) ? "" : chance.oneOf(fitting);
  }

  /** Two columns that are unique together; the first of them refers to no other table. */
  private Optional<List<String>> compositeKey(
      List<Column> columns, int width, boolean partitioned) {
    if (!chance.in100(15)) {
      return Optional.empty();
    }
    int first = partitioned ? 0 : chance.below(width);
    int second = (first + 1 + chance.below(columns.size() - 1)) % columns.size();
    return Optional.of(List.of(columns.get(first).name(), columns.get(second).name()));
  }

  private void indexes(String table, List<Column> columns, List<String> definitions) {
    for (int i = 1; i < columns.size(); i++) {
      if (chance.in100(25)) {
        String more = chance.in100(20) ? ", " + columns.get(chance.below(i)).name() : "";
        definitions.add(
            "CREATE INDEX i_" + table + "_" + i + " ON " + table + " (c" + i + more + ")");
      }
    }
  }
}
