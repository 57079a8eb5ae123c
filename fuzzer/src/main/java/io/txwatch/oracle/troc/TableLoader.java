package io.txwatch.oracle.troc;

import io.txwatch.oracle.troc.ChangeHistory.View;
import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.Date;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.StringJoiner;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Loads views into tables and keeps track of their rows. */
final class TableLoader {

  /** Text with the same literal in every dialect. */
  private static final Pattern PLAIN = Pattern.compile("[A-Za-z0-9 _.,:-]*");

  private final Connection session;
  private final AugmentedTables tables;
  private final boolean hasLinkedTables;
  private final Map<String, TreeMap<Long, List<@Nullable Object>>> loaded = new HashMap<>();

  /**
   * Creates a loader for tables with unknown rows.
   *
   * @param hasLinkedTables true if rows of a table may refer to those of another one
   */
  TableLoader(Connection session, AugmentedTables tables, boolean hasLinkedTables) {
    this.session = session;
    this.tables = tables;
    this.hasLinkedTables = hasLinkedTables;
  }

  /** Marks the rows of all tables as unknown. */
  void invalidate() {
    loaded.clear();
  }

  /** Marks the rows of a table as unknown. */
  void invalidate(String table) {
    loaded.remove(table);
  }

  /** True if a table is known to have exactly these rows. */
  boolean holds(String table, TreeMap<Long, List<@Nullable Object>> rows) {
    return rows.equals(loaded.get(table));
  }

  /**
   * The steps that load a view.
   *
   * @param view the view
   * @param stale the tables with other rows, parents before children
   * @param statements the statements to execute first
   * @param bound the stale tables whose rows have to be inserted with bound parameters, after the
   *     statements
   */
  record Plan(View view, List<String> stale, List<String> statements, List<String> bound) {}

  /** Plans how to load a view. */
  Plan plan(View view) {
    List<String> stale = new ArrayList<>();
    for (String table : tables.names()) {
      if (!holds(table, view.rows(table))) {
        stale.add(table);
      }
    }
    if (hasLinkedTables && !stale.isEmpty()) {
      stale = new ArrayList<>(tables.names());
    }
    List<String> statements = new ArrayList<>();
    for (String table : stale) {
      statements.add(0, "DELETE FROM " + table);
    }
    List<String> bound = new ArrayList<>();
    for (String table : stale) {
      TreeMap<Long, List<@Nullable Object>> rows = view.rows(table);
      Optional<String> insert = insert(table, rows);
      if (bound.isEmpty() && insert.isPresent()) {
        statements.add(insert.get());
      } else if (!rows.isEmpty()) {
        bound.add(table);
      }
    }
    return new Plan(view, stale, statements, bound);
  }

  /** Executes a plan. */
  void execute(Plan plan) throws SQLException {
    if (!plan.statements().isEmpty()) {
      try (Statement statement = session.createStatement()) {
        for (String sql : plan.statements()) {
          statement.addBatch(sql);
        }
        statement.executeBatch();
      }
    }
    for (String table : plan.bound()) {
      insertBound(table, plan.view().rows(table));
    }
    markExecuted(plan);
  }

  /** Records that a plan has been executed. */
  void markExecuted(Plan plan) {
    plan.stale().forEach(table -> loaded.put(table, plan.view().rows(table)));
  }

  /** An INSERT of the rows; empty if there are none, or if a value has no simple literal. */
  private Optional<String> insert(String table, TreeMap<Long, List<@Nullable Object>> rows) {
    StringJoiner values = new StringJoiner(", ");
    for (Map.Entry<Long, List<@Nullable Object>> row : rows.entrySet()) {
      StringJoiner one = new StringJoiner(", ", "(", ")");
      for (Object value : row.getValue()) {
        if (value == null) {
          one.add("NULL");
        } else if (value instanceof String text && PLAIN.matcher(text).matches()) {
          one.add("'" + text + "'");
        } else if (isWhole(value)) {
          one.add(value.toString());
        } else if (value instanceof BigDecimal number) {
          one.add(number.toPlainString());
        } else if (value instanceof Double) {
          one.add(value.toString());
        } else if (value instanceof Date day) {
          one.add("DATE '" + day + "'");
        } else {
          return Optional.empty();
        }
      }
      values.add(one.add(row.getKey().toString()).toString());
    }
    return rows.isEmpty()
        ? Optional.empty()
        : Optional.of(tables.insert(table, rows.values()) + values);
  }

  private static boolean isWhole(Object value) {
    return value instanceof Integer
        || value instanceof Long
        || value instanceof Short
        || value instanceof Byte;
  }

  private void insertBound(String table, TreeMap<Long, List<@Nullable Object>> rows)
      throws SQLException {
    String one = "(" + "?, ".repeat(tables.layout(table).width()) + "?)";
    String sql =
        tables.insert(table, rows.values())
            + String.join(", ", Collections.nCopies(rows.size(), one));
    try (PreparedStatement statement = session.prepareStatement(sql)) {
      int parameter = 1;
      for (Map.Entry<Long, List<@Nullable Object>> row : rows.entrySet()) {
        for (Object value : row.getValue()) {
          statement.setObject(parameter++, value instanceof Bytes bytes ? bytes.array() : value);
        }
        statement.setLong(parameter++, row.getKey());
      }
      statement.execute();
    }
  }
}
