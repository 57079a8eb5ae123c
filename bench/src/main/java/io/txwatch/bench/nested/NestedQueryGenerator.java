package io.txwatch.bench.nested;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Generates random queries with nested blocks. */
final class NestedQueryGenerator {

  private static final int MAX_DEPTH = 3;

  private final Random random;
  private final boolean withVersions;

  /**
   * A generator.
   *
   * @param withVersions whether queries return the column with the version, too
   */
  NestedQueryGenerator(long seed, boolean withVersions) {
    random = new Random(seed);
    this.withVersions = withVersions;
  }

  /**
   * The next query on one table: half of them return the keys of their rows, as ORMs send them;
   * others a sum, or some columns.
   */
  NestedQuery nextOnOneTable() {
    NestedQuery.Source source = new NestedQuery.Source(table(), condition(random.nextInt(2)));
    List<Column> columns = new ArrayList<>(columns());
    int choice = random.nextInt(4);
    if (choice == 0) {
      return NestedQuery.of(new NestedQuery.Total(source));
    }
    if (choice > 1 && !columns.contains(Column.ID)) {
      columns.add(Column.ID);
    }
    return NestedQuery.of(new NestedQuery.Rows(source, columns));
  }

  /** The next query; at least one block stands within another. */
  NestedQuery next() {
    int depth = 1 + random.nextInt(MAX_DEPTH);
    NestedQuery.Source source = new NestedQuery.Source(block(depth), condition(depth));
    return NestedQuery.of(
        switch (random.nextInt(7)) {
          case 0 -> new NestedQuery.Total(source);
          case 1 -> new NestedQuery.Groups(source, random.nextInt(3));
          case 2 -> new NestedQuery.Greatest(source, relation(depth - 1));
          default -> new NestedQuery.Rows(source, columns());
        });
  }

  private List<Column> columns() {
    List<Column> chosen = new ArrayList<>();
    for (Column column : Column.values()) {
      if (random.nextInt(2) == 0 && (withVersions || column != Column.VER)) {
        chosen.add(column);
      }
    }
    return chosen.isEmpty() ? List.of(Column.ID, Column.N) : chosen;
  }

  private Relation relation(int depth) {
    return depth <= 0 || random.nextInt(4) == 0 ? table() : block(depth);
  }

  private Relation block(int depth) {
    Relation.Block block =
        switch (random.nextInt(8)) {
          case 0 -> new Relation.First(table(), condition(0), 1 + random.nextInt(4));
          case 1 ->
              new Relation.Union(relation(depth - 1), relation(depth - 1), random.nextBoolean());
          case 2 ->
              new Relation.Joined(
                  relation(depth - 1),
                  relation(depth - 1),
                  random.nextBoolean() ? Column.ID : Column.K);
          default -> new Relation.Filtered(relation(depth - 1), condition(depth - 1));
        };
    return random.nextInt(3) == 0 ? new Relation.Common(block) : block;
  }

  private Relation.Table table() {
    return new Relation.Table(AuditedTables.NAMES.get(random.nextInt(AuditedTables.NAMES.size())));
  }

  private Condition condition(int depth) {
    int choice = random.nextInt(depth > 0 ? 10 : 6);
    return switch (choice) {
      case 0 -> new Condition.Compare(Column.K, "=", random.nextInt(Column.VALUES_OF_K));
      case 1 -> new Condition.Compare(Column.K, "<>", random.nextInt(Column.VALUES_OF_K));
      case 2 ->
          new Condition.Compare(
              Column.ID, random.nextBoolean() ? "<" : ">=", 1 + random.nextInt(AuditedTables.ROWS));
      case 3 -> new Condition.Compare(Column.ID, "=", 1 + random.nextInt(AuditedTables.ROWS));
      case 4 -> new Condition.Even();
      case 5 ->
          new Condition.Both(
              new Condition.Compare(Column.K, "<", random.nextInt(Column.VALUES_OF_K)),
              condition(depth - 1),
              random.nextBoolean());
      case 6 ->
          new Condition.Exists(
              relation(depth - 1),
              random.nextBoolean() ? Column.ID : Column.K,
              random.nextInt(3) == 0);
      case 7, 8 ->
          new Condition.In(
              relation(depth - 1),
              random.nextBoolean() ? Column.ID : Column.K,
              random.nextInt(3) == 0);
      default -> new Condition.BelowGreatest(relation(depth - 1), Column.N);
    };
  }
}
