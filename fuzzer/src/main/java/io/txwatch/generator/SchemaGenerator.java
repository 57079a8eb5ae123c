package io.txwatch.generator;

import io.txwatch.generator.GeneratedTable.Column;
import io.txwatch.generator.GeneratedTable.ExclusionConstraint;
import io.txwatch.generator.GeneratedTable.ForeignKey;
import io.txwatch.testcase.StatementText;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.StringJoiner;

final class SchemaGenerator {

  private static final int MAX_COLUMNS = 5;

  private final RandomSource random;
  private final GeneratedDialect grammar;
  private final CaseKind caseKind;
  private final boolean requiresPrimaryKeys;
  private final Productions productions;

  SchemaGenerator(
      RandomSource random,
      GeneratedDialect grammar,
      CaseKind caseKind,
      boolean requiresPrimaryKeys) {
    this.requiresPrimaryKeys = requiresPrimaryKeys;
    this.random = random;
    this.grammar = grammar;
    this.caseKind = caseKind;
    this.productions = Productions.of(grammar);
  }

  /**
   * A schema.
   *
   * @param tables its tables, parents before children
   * @param definitions the statements that define it
   * @param productions the named choices made for it
   */
  record Schema(List<GeneratedTable> tables, List<String> definitions, Set<String> productions) {}

  Schema next() {
    List<GeneratedTable> tables = new ArrayList<>();
    List<String> definitions = new ArrayList<>();
    int count = caseKind.tables(random);
    for (int i = 0; i < count; i++) {
      tables.add(table("t" + i, tables, definitions));
    }
    return new Schema(tables, definitions, random.made());
  }

  private GeneratedTable table(
      String name, List<GeneratedTable> earlier, List<String> definitions) {
    Optional<Partitions> partitions =
        Partitions.areSupported(grammar) && random.percent("partitions", 10)
            ? Optional.of(Partitions.any(random, grammar))
            : Optional.empty();
    TableDraft draft =
        new TableDraft(name, partitions.isEmpty() && caseKind.hasAutoIncrement(random));
    int width = random.between(2, MAX_COLUMNS);
    draft.choosePrimaryKey(width);
    for (int i = 0; i < width; i++) {
      draft.addColumn(i, i == 0 || partitions.isEmpty());
    }
    Optional<ForeignKey> reference =
        partitions.isEmpty() || grammar.partitionsSupportForeignKeys()
            ? reference(earlier, draft.columns, draft.parts)
            : Optional.empty();
    compositeKey(draft, width, partitions.isPresent()).ifPresent(draft::addUniqueKey);
    boolean hasExtras = caseKind == CaseKind.STATEMENTS;
    if (hasExtras && partitions.isEmpty()) {
      productions.draw("computed", random).ifPresent(computed -> draft.parts.add("g0 " + computed));
    }
    draft.addPrimaryKey();
    Optional<ExclusionConstraint> exclusion =
        hasExtras && partitions.isEmpty() && productions.has("exclusion")
            ? exclusion(draft, reference)
            : Optional.empty();
    Optional<String> characteristics =
        reference.isPresent() ? productions.draw("foreign key", random) : Optional.empty();
    reference.ifPresent(
        key ->
            draft.parts.add(key.definition() + characteristics.map(text -> " " + text).orElse("")));
    definitions.add(draft.parts + partitions.map(Partitions::clause).orElse(""));
    partitions.ifPresent(some -> definitions.addAll(some.definitions(name)));
    definitions.addAll(draft.uniqueIndexes);
    indexes(draft, definitions);
    GeneratedTable table =
        new GeneratedTable(
            name,
            draft.columns,
            draft.keys,
            exclusion,
            reference,
            draft.hasAutoIncrement,
            partitions,
            hasExtras ? furtherDefinitions(draft, earlier, definitions) : false);
    return table;
  }

  /** Adds views, triggers and indexes on expressions; true if there is a view. */
  private boolean furtherDefinitions(
      TableDraft draft, List<GeneratedTable> earlier, List<String> definitions) {
    boolean hasView = false;
    for (String production : productions.drawEach("definition", random)) {
      List<Column> plain =
          draft.columns.stream()
              .filter(column -> !column.hasCheck())
              .filter(column -> draft.keys.stream().noneMatch(k -> k.contains(column.name())))
              .filter(column -> column.type() != SqlType.INT) // it may refer to another table
              .toList();
      boolean isPossible =
          (!production.contains("{C}") || !plain.isEmpty())
              && (!production.contains("{O}") || !earlier.isEmpty());
      if (isPossible) {
        Column column = plain.isEmpty() ? draft.columns.get(0) : random.oneOf(plain);
        String text =
            production
                .replace("{T}", draft.name)
                .replace("{O}", earlier.isEmpty() ? "" : random.oneOf(earlier).name())
                .replace("{C}", column.name())
                .replace("{L}", CaseLiterals.any(random, grammar, column.type()));
        definitions.addAll(List.of(text.split(";;")));
        hasView |= text.startsWith("CREATE VIEW");
      }
    }
    return hasView;
  }

  /** A table while its columns and constraints are generated. */
  private final class TableDraft {
    private final boolean hasAutoIncrement;
    private final List<Column> columns = new ArrayList<>();
    private final List<List<String>> keys = new ArrayList<>();
    private final List<String> primaryKey = new ArrayList<>();

    /** The columns that cannot be in keys or indexes. */
    private final Set<String> special = new HashSet<>();

    private final List<String> uniqueIndexes = new ArrayList<>();
    private final String name;

    /** The parts of the definition: columns, then constraints. */
    private final StringJoiner parts;

    TableDraft(String name, boolean hasAutoIncrement) {
      this.name = name;
      this.hasAutoIncrement = hasAutoIncrement;
      this.parts = new StringJoiner(", ", "CREATE TABLE " + name + " (", ") {ENGINE}");
    }

    void choosePrimaryKey(int width) {
      boolean isDrawn = hasAutoIncrement || random.percent(70);
      if (requiresPrimaryKeys || isDrawn) {
        primaryKey.add("c0");
        if (!hasAutoIncrement && width > 2 && random.percent(20)) {
          primaryKey.add("c1");
        }
      }
    }

    void addColumn(int number, boolean mayBeUnique) {
      String name = "c" + number;
      SqlType type = number == 0 ? SqlType.INT : random.oneOf(SqlType.COMMON);
      if (hasAutoIncrement && number == 0) {
        columns.add(new Column(name, type, "INT", true, false));
        parts.add(name + " {AUTOINC}");
        return;
      }
      boolean mayBeSpecial = number > 0 && !primaryKey.contains(name);
      Optional<String> special =
          mayBeSpecial ? productions.draw("column", random) : Optional.empty();
      if (special.isPresent()) {
        addSpecialColumn(name, special.get());
        return;
      }
      String declared = random.oneOf(type.declared());
      boolean ofPrimaryKey = primaryKey.contains(name);
      boolean notNull = ofPrimaryKey || random.percent(20);
      boolean hasCheck = !ofPrimaryKey && type == SqlType.INT && random.percent("check", 10);
      String definition = name + " " + declared;
      if (!ofPrimaryKey && !hasCheck && random.percent(20)) {
        definition += " DEFAULT " + grammar.defaultLiteral(CaseLiterals.any(random, grammar, type));
      }
      definition += notNull ? " NOT NULL" : "";
      if (!ofPrimaryKey && mayBeUnique && random.percent("unique", 12)) {
        Optional<String> index = productions.draw("unique index", random);
        if (index.isPresent()) {
          uniqueIndexes.add(index.get().replace("{T}", this.name).replace("{C}", name));
        } else {
          definition += " UNIQUE";
        }
        keys.add(List.of(name));
      }
      if (hasCheck) {
        definition += " CHECK (" + name + random.oneOf(" < 9", " >= 0", " < 1000") + ")";
      }
      columns.add(new Column(name, type, declared, notNull, hasCheck));
      parts.add(definition);
    }

    /** A column outside of keys and indexes, of a type that few columns have. */
    private void addSpecialColumn(String name, String production) {
      int space = production.indexOf(' ');
      SqlType type = SqlType.valueOf(production.substring(0, space));
      String declared = production.substring(space + 1);
      boolean notNull = random.percent(20);
      columns.add(new Column(name, type, declared, notNull, false));
      special.add(name);
      parts.add(name + " " + declared + (notNull ? " NOT NULL" : ""));
    }

    void addUniqueKey(List<String> key) {
      keys.add(key);
      parts.add("UNIQUE (" + String.join(", ", key) + ")");
    }

    void addPrimaryKey() {
      if (!primaryKey.isEmpty()) {
        keys.add(primaryKey);
        if (!hasAutoIncrement) { // otherwise the column's definition has it
          parts.add("PRIMARY KEY (" + String.join(", ", primaryKey) + ")");
        }
      }
    }
  }

  /** Adds columns that refer to a key of an earlier table. */
  private Optional<ForeignKey> reference(
      List<GeneratedTable> earlier, List<Column> columns, StringJoiner parts) {
    List<GeneratedTable> parents =
        earlier.stream()
            .filter(table -> !table.keys().isEmpty())
            .filter(table -> table.partitions().isEmpty() || grammar.partitionsSupportForeignKeys())
            .toList();
    if (parents.isEmpty() || !caseKind.refersToParent(random)) {
      return Optional.empty();
    }
    GeneratedTable parent = random.oneOf(parents);
    List<String> key = random.oneOf(parent.keys());
    List<Column> referredTo = key.stream().map(parent::column).toList();
    boolean notNull = random.percent(20) && referredTo.stream().allMatch(Column::notNull);
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
    return fitting.isEmpty() || random.percent(25) || !caseKind.hasForeignKeyActions(grammar)
        ? ""
        : random.oneOf(fitting);
  }

  /** Two columns that are unique together; the first of them is in no foreign key. */
  private Optional<List<String>> compositeKey(TableDraft draft, int width, boolean partitioned) {
    if (!random.percent("composite key", 15)) {
      return Optional.empty();
    }
    List<Column> columns = draft.columns;
    int first = partitioned ? 0 : random.below(width);
    int second = (first + 1 + random.below(columns.size() - 1)) % columns.size();
    boolean isPossible =
        !draft.special.contains(columns.get(first).name())
            && !draft.special.contains(columns.get(second).name());
    return !isPossible
        ? Optional.empty()
        : Optional.of(List.of(columns.get(first).name(), columns.get(second).name()));
  }

  /** Sometimes adds an exclusion constraint of a column outside of keys. */
  private Optional<ExclusionConstraint> exclusion(
      TableDraft draft, Optional<ForeignKey> reference) {
    Optional<String> text = productions.draw("exclusion", random);
    boolean isOfNumbers = text.filter(some -> some.contains("{N}")).isPresent();
    List<Column> possible =
        draft.columns.stream()
            .filter(column -> !column.hasCheck() && !draft.special.contains(column.name()))
            .filter(column -> draft.keys.stream().noneMatch(k -> k.contains(column.name())))
            .filter(
                column -> reference.stream().noneMatch(k -> k.columns().contains(column.name())))
            .filter(column -> !isOfNumbers || column.type() == SqlType.INT)
            .toList();
    if (text.isEmpty() || possible.isEmpty()) {
      return Optional.empty();
    }
    String column = random.oneOf(possible).name();
    draft.parts.add(text.get().replace("{C}", column).replace("{N}", column));
    return Optional.of(
        new ExclusionConstraint(column, StatementText.defersConstraints(text.get())));
  }

  private void indexes(TableDraft draft, List<String> definitions) {
    List<Column> columns = draft.columns;
    String table = draft.name;
    for (int i = 1; i < columns.size(); i++) {
      if (random.percent("index", 25) && !draft.special.contains(columns.get(i).name())) {
        String second = columns.get(random.below(i)).name();
        String more = random.percent(20) && !draft.special.contains(second) ? ", " + second : "";
        definitions.add(
            "CREATE INDEX i_" + table + "_" + i + " ON " + table + " (c" + i + more + ")");
      }
    }
  }
}
