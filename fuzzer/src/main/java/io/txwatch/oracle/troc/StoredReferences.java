package io.txwatch.oracle.troc;

import io.txwatch.oracle.ForeignKeyGraph;
import io.txwatch.oracle.ForeignKeyGraph.ForeignKey;
import io.txwatch.oracle.troc.ChangeHistory.View;
import io.txwatch.testcase.TestCase;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Whether the foreign keys that a write stored refer to rows that exist. A DBMS checks them against
 * current rows, whichever rows the statement itself sees.
 */
final class StoredReferences {

  private final ForeignKeyGraph references;
  private final ViewExecutor tables;
  private final OrphanStatements orphans;

  /**
   * Creates a check.
   *
   * @param tables the tables of the case
   * @param orphans compares on tables without foreign keys, as the DBMS compares
   */
  StoredReferences(TestCase testCase, ViewExecutor tables, OrphanStatements orphans) {
    this.references = ForeignKeyGraph.of(testCase.setup());
    this.tables = tables;
    this.orphans = orphans;
  }

  /**
   * True if each of them has a row to refer to, or that is not known.
   *
   * @param before what the statement saw
   * @param result what it did to it
   * @param current the current rows of all tables, for the transaction
   */
  boolean exist(View before, ViewExecutor.Outcome result, View current) throws SQLException {
    for (String child : tables.tables()) {
      for (ForeignKey foreignKey : references.ofChild(child)) {
        Optional<String> parent = tables.tableNamed(foreignKey.parent());
        List<String> key =
            foreignKey.key().isEmpty()
                ? tables.keys().primaryKey(foreignKey.parent())
                : foreignKey.key();
        if (parent.isEmpty() || key.isEmpty() || key.size() != foreignKey.columns().size()) {
          continue;
        }
        TreeMap<Long, List<@Nullable Object>> stored = stored(child, foreignKey, before, result);
        // Its own new rows may be the parents of a table that refers to itself.
        if (!stored.isEmpty()
            && !parent.get().equals(child)
            && hasOrphan(
                child,
                parent.get(),
                foreignKey.columns(),
                key,
                stored,
                after(parent.get(), before, result, current),
                current)) {
          return false;
        }
      }
    }
    return true;
  }

  /** The rows that the write inserted, or gave another foreign key. */
  private TreeMap<Long, List<@Nullable Object>> stored(
      String child, ForeignKey foreignKey, View before, ViewExecutor.Outcome result) {
    TreeMap<Long, List<@Nullable Object>> stored = new TreeMap<>();
    List<Integer> columns =
        foreignKey.columns().stream().map(column -> tables.columnIndex(child, column)).toList();
    if (columns.contains(-1)) {
      return stored;
    }
    result
        .after()
        .getOrDefault(child, new TreeMap<>())
        .forEach(
            (number, row) -> {
              List<@Nullable Object> old = before.rows(child).get(number);
              if (old == null
                  || columns.stream().anyMatch(i -> !Objects.equals(old.get(i), row.get(i)))) {
                stored.put(number, row);
              }
            });
    long number = stored.isEmpty() ? 0 : stored.lastKey();
    for (List<@Nullable Object> row : result.inserted().getOrDefault(child, List.of())) {
      stored.put(++number, row);
    }
    return stored;
  }

  /** The current rows of a table with what the write did to them. */
  private static TreeMap<Long, List<@Nullable Object>> after(
      String table, View before, ViewExecutor.Outcome result, View current) {
    TreeMap<Long, List<@Nullable Object>> rows = new TreeMap<>(current.rows(table));
    TreeMap<Long, List<@Nullable Object>> after =
        result.after().getOrDefault(table, new TreeMap<>());
    before.rows(table).keySet().stream()
        .filter(number -> !after.containsKey(number))
        .forEach(rows::remove);
    after.forEach(
        (number, row) -> {
          if (!row.equals(before.rows(table).get(number))) {
            rows.put(number, row);
          }
        });
    long number = rows.isEmpty() ? 0 : rows.lastKey();
    for (List<@Nullable Object> row : result.inserted().getOrDefault(table, List.of())) {
      rows.put(++number, row);
    }
    return rows;
  }

  private boolean hasOrphan(
      String child,
      String parent,
      List<String> columns,
      List<String> key,
      TreeMap<Long, List<@Nullable Object>> stored,
      TreeMap<Long, List<@Nullable Object>> parents,
      View current)
      throws SQLException {
    StringBuilder where = new StringBuilder();
    StringBuilder match = new StringBuilder();
    for (int i = 0; i < columns.size(); i++) {
      where.append("txw_c.").append(columns.get(i)).append(" IS NOT NULL AND ");
      match
          .append(i == 0 ? "" : " AND ")
          .append("txw_p.")
          .append(key.get(i))
          .append(" = txw_c.")
          .append(columns.get(i));
    }
    Map<String, TreeMap<Long, List<@Nullable Object>>> rows = new HashMap<>(current.tables());
    rows.put(parent, parents);
    rows.put(child, stored);
    String sql =
        "SELECT 1 FROM %s txw_c WHERE %sNOT EXISTS (SELECT 1 FROM %s txw_p WHERE %s)"
            .formatted(child, where, parent, match);
    Optional<ViewExecutor.Outcome> found = orphans.query(sql, new View(rows));
    return found.isPresent() && found.get().error().isEmpty() && !found.get().rows().isEmpty();
  }
}
