package io.txwatch.generator;

import io.txwatch.generator.GeneratedTable.Column;
import io.txwatch.pattern.AnomalyPattern;
import io.txwatch.pattern.PatternOperation;
import io.txwatch.pattern.PatternOperation.Type;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.StringJoiner;
import org.jspecify.annotations.Nullable;

/**
 * Generates transactions from an anomaly pattern (APTrans, section 3.3.2): selects a statement of
 * the right type for each operation, aligns its condition with the rows of the pattern's items, and
 * composes the statements in the pattern's order.
 *
 * <p>An item is a row, of the initial ones or of those that a transaction inserts. A condition that
 * selects the row may select others as well, and may be empty.
 */
final class PatternCaseGenerator {

  /** The errors that the data may cause in a write. */
  private static final Set<ExpectedError> WRITE_ERRORS = EnumSet.allOf(ExpectedError.class);

  private static final int EMPTY_CONDITION_PERCENT = 12;
  private static final int NEW_ROW_PERCENT = 25;

  private final StatementContext context;
  private final TableContents contents;
  private final JoinGenerator joins;
  private final RandomSource random;
  private final GeneratedDialect grammar;
  private final AnomalyPattern pattern;
  private final Map<String, Item> items = new LinkedHashMap<>();
  private final Map<String, Integer> kinds = new HashMap<>();
  private final List<SessionStatement> steps = new ArrayList<>();

  /** The sessions that have begun. */
  private final Set<Integer> begun = new HashSet<>();

  /**
   * A statement of a session.
   *
   * @param session the number of the session, from 1
   */
  record SessionStatement(int session, GeneratedStatement statement) {}

  /**
   * The row of an item.
   *
   * @param row the literals of its columns
   * @param isNew true if the first write inserts it
   * @param assigned the column that updates assign
   */
  private record Item(
      GeneratedTable table, Map<String, String> row, boolean isNew, Column assigned) {}

  PatternCaseGenerator(StatementContext context, TableContents contents, AnomalyPattern pattern) {
    this.context = context;
    this.contents = contents;
    this.joins = new JoinGenerator(context);
    this.random = context.random;
    this.grammar = context.grammar;
    this.pattern = pattern;
  }

  /** True if the tables have what the pattern needs. */
  static boolean isPossible(AnomalyPattern pattern, List<GeneratedTable> tables) {
    return !draws(pattern) || tables.stream().anyMatch(GeneratedTable::hasAutoIncrement);
  }

  private static boolean draws(AnomalyPattern pattern) {
    return pattern.operations().stream().anyMatch(operation -> operation.type() == Type.DRAW);
  }

  /** The number of statements of each kind. */
  Map<String, Integer> kinds() {
    return kinds;
  }

  /** The statements of the sessions, in the order of submission. */
  List<SessionStatement> statements() {
    if (random.percent(60)) { // as in Figure 3, both begin first
      begin(1);
      begin(2);
    }
    List<PatternOperation> operations = pattern.operations();
    for (int i = 0; i < operations.size(); i++) {
      add(operations.get(i), operations.subList(i + 1, operations.size()));
    }
    return steps;
  }

  private void add(PatternOperation operation, List<PatternOperation> later) {
    int session = operation.transaction();
    begin(session);
    switch (operation.type()) {
      case READ -> add(session, read(operation));
      case WRITE -> {
        if (!draws(pattern)) { // otherwise the INSERT that draws has written the row
          add(session, write(operation, later));
        }
      }
      case DRAW -> add(session, draw());
      case SNAPSHOT -> {
        if (!hasConsistentSnapshot(session)) {
          add(session, anyRead());
        }
      }
      case COMMIT -> add(session, GeneratedStatement.control("COMMIT"));
      case ABORT -> add(session, GeneratedStatement.control("ROLLBACK"));
    }
  }

  private void add(int session, GeneratedStatement statement) {
    steps.add(new SessionStatement(session, statement));
    if (!statement.kind().isEmpty()) {
      kinds.merge(statement.kind(), 1, Integer::sum);
    }
  }

  private void begin(int session) {
    if (begun.add(session)) {
      add(session, GeneratedStatement.control(random.oneOf(grammar.begins())));
    }
  }

  private boolean hasConsistentSnapshot(int session) {
    return steps.stream()
        .anyMatch(
            step -> step.session() == session && step.statement().sql().contains("CONSISTENT"));
  }

  private Item item(PatternOperation operation) {
    Item known = items.get(operation.item());
    if (known == null) {
      boolean isNew = operation.type() == Type.WRITE && random.percent(NEW_ROW_PERCENT);
      known = draws(pattern) ? drawnRow() : isNew ? newRow() : existingRow();
      items.put(operation.item(), known);
    }
    return known;
  }

  /** A row of the initial ones, most often one of the last. */
  private Item existingRow() {
    for (int attempt = 0; ; attempt++) {
      GeneratedTable table = context.randomTable();
      List<Map<String, String>> rows = contents.rowsOf(table);
      int index = Math.max(random.below(rows.size()), random.below(rows.size()));
      Map<String, String> row = rows.get(index);
      if (attempt > 10 || items.values().stream().noneMatch(item -> item.row().equals(row))) {
        return new Item(table, row, false, assignable(table));
      }
    }
  }

  private Item newRow() {
    GeneratedTable table = context.randomTable();
    Map<String, String> row = new LinkedHashMap<>();
    for (Column column : table.columns()) {
      row.put(
          column.name(),
          CaseLiterals.distinct(grammar, column.type(), TableContents.MAX_ROWS + items.size()));
    }
    table.reference().ifPresent(reference -> row.putAll(contents.randomParentKey(reference)));
    return new Item(table, row, true, assignable(table));
  }

  private Item drawnRow() {
    GeneratedTable table =
        random.oneOf(context.tables.stream().filter(GeneratedTable::hasAutoIncrement).toList());
    return new Item(table, Map.of(), true, assignable(table));
  }

  /** A column in no key; the last one if there is none. */
  private Column assignable(GeneratedTable table) {
    List<Column> plain =
        table.plainColumns().stream().filter(column -> !table.isForeignKey(column)).toList();
    return plain.isEmpty() ? table.columns().get(table.columns().size() - 1) : random.oneOf(plain);
  }

  // Reads.

  private GeneratedStatement read(PatternOperation operation) {
    Item item = item(operation);
    if (random.percent(25)) {
      Optional<String> join = joins.join(item.table(), condition(item, "a."));
      if (join.isPresent()) {
        return new GeneratedStatement("join", join.get(), Set.of());
      }
    }
    String columns = random.percent(75) ? "*" : "c0, " + item.assigned().name();
    boolean locks = random.percent(12);
    return new GeneratedStatement(
        locks ? "locking select" : "select",
        "SELECT "
            + columns
            + " FROM "
            + item.table().name()
            + where(condition(item, ""))
            + (locks ? random.oneOf(grammar.locks()) : ""),
        Set.of());
  }

  private GeneratedStatement anyRead() {
    return new GeneratedStatement(
        "select", "SELECT * FROM " + context.randomTable().name(), Set.of());
  }

  private static String where(String condition) {
    return condition.isEmpty() ? "" : " WHERE " + condition;
  }

  /**
   * A condition that the item's row satisfies, whatever updates assign; empty for the whole table.
   *
   * @param qualifier what precedes each column
   */
  private String condition(Item item, String qualifier) {
    if (item.row().isEmpty() || random.percent(EMPTY_CONDITION_PERCENT)) {
      return "";
    }
    List<Column> stable =
        item.table().columns().stream().filter(column -> !column.equals(item.assigned())).toList();
    Column column =
        stable.isEmpty() || random.percent(70)
            ? item.table().columns().get(0)
            : random.oneOf(stable);
    String name = qualifier + column.name();
    @Nullable String value = item.row().get(column.name());
    if (value == null || value.equals("NULL")) {
      return "(" + name + " IS NULL)";
    }
    return switch (random.below(8)) {
      case 0 -> "(" + name + " IN (" + value + ", " + context.literals.of(column.type()) + "))";
      case 1 -> "(" + name + " >= " + value + ")";
      case 2 -> "(" + name + " <= " + value + ")";
      case 3 -> "(" + name + " BETWEEN " + value + " AND " + value + ")";
      default -> "(" + name + " = " + value + ")";
    };
  }

  // Writes.

  private GeneratedStatement write(PatternOperation operation, List<PatternOperation> later) {
    Item item = item(operation);
    if (item.isNew() && operation.version() == 1) {
      return new GeneratedStatement("insert", insert(item), WRITE_ERRORS);
    }
    boolean isLast = later.stream().noneMatch(next -> next.item().equals(operation.item()));
    if (isLast && random.percent(15) && !isReferredTo(item.table())) {
      return new GeneratedStatement(
          "delete",
          "DELETE FROM " + item.table().name() + where(condition(item, "")),
          WRITE_ERRORS);
    }
    return new GeneratedStatement(
        "update",
        "UPDATE "
            + item.table().name()
            + " SET "
            + item.assigned().name()
            + " = "
            + newValue(item)
            + where(condition(item, "")),
        WRITE_ERRORS);
  }

  private boolean isReferredTo(GeneratedTable table) {
    return context.tables.stream()
        .flatMap(other -> other.reference().stream())
        .anyMatch(reference -> reference.parent().equals(table));
  }

  private String newValue(Item item) {
    Column column = item.assigned();
    boolean isPlain =
        item.table().plainColumns().contains(column) && !item.table().isForeignKey(column);
    if (isPlain && column.type().isNumeric() && random.percent(40)) {
      return "(" + column.name() + random.oneOf(" + ", " - ") + random.between(1, 9) + ")";
    }
    return item.table().isForeignKey(column)
        ? Objects.requireNonNullElse(
            contents.randomParentKey(item.table().reference().orElseThrow()).get(column.name()),
            context.literals.of(column.type()))
        : context.literals.of(column.type());
  }

  private static String insert(Item item) {
    StringJoiner columns = new StringJoiner(", ", " (", ")");
    StringJoiner values = new StringJoiner(", ", " VALUES (", ")");
    for (Map.Entry<String, String> value : item.row().entrySet()) {
      columns.add(value.getKey());
      values.add(value.getValue());
    }
    return "INSERT INTO " + item.table().name() + columns + values;
  }

  /** An INSERT into the table of the drawn rows that leaves out the generated column. */
  private GeneratedStatement draw() {
    Item item =
        items.values().stream()
            .findFirst()
            .orElseGet(
                () -> {
                  Item drawn = drawnRow();
                  pattern.operations().stream()
                      .filter(operation -> operation.type() == Type.WRITE)
                      .forEach(operation -> items.put(operation.item(), drawn));
                  return drawn;
                });
    List<Column> columns = item.table().columns().subList(1, item.table().columns().size());
    StringJoiner rows = new StringJoiner(", ");
    for (int i = random.between(1, 2); i > 0; i--) {
      StringJoiner row = new StringJoiner(", ", "(", ")");
      Map<String, String> parent =
          item.table().reference().map(contents::randomParentKey).orElse(Map.of());
      for (Column column : columns) {
        row.add(
            Objects.requireNonNullElse(
                parent.get(column.name()), context.literals.of(column.type())));
      }
      rows.add(row.toString());
    }
    return new GeneratedStatement(
        "insert",
        "INSERT INTO "
            + item.table().name()
            + " ("
            + String.join(", ", columns.stream().map(Column::name).toList())
            + ") VALUES "
            + rows,
        WRITE_ERRORS);
  }
}
