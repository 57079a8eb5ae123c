package io.txwatch.oracle.txcheck;

import io.txwatch.oracle.ForeignKeyGraph;
import io.txwatch.oracle.NamedTables;
import io.txwatch.oracle.troc.TableKeys;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * The tables that a statement uses beyond those that it names: those of views, those that foreign
 * keys relate to the table that it writes, and those of triggers. All names are in lower case.
 */
final class SchemaLinks {

  private static final Pattern CODE =
      Pattern.compile("(?is)^\\s*CREATE\\s+.*?\\b(TRIGGER|FUNCTION|PROCEDURE|RULE)\\b");

  private final Set<String> tables;
  private final NamedTables names;
  private final ForeignKeyGraph foreignKeys;
  private final TableKeys keys;
  private final boolean hasTriggers;

  SchemaLinks(List<String> setup, Set<String> tables) {
    this.tables = tables;
    this.names = new NamedTables(setup, tables);
    this.foreignKeys = ForeignKeyGraph.of(setup);
    this.keys = TableKeys.of(setup);
    this.hasTriggers = setup.stream().anyMatch(sql -> CODE.matcher(sql).find());
  }

  /** The tables that a text names at any depth, itself or by a view. */
  Set<String> named(String sql) {
    return names.in(sql);
  }

  /**
   * The tables that a write to a table uses besides, to check foreign keys, by their actions, or by
   * triggers.
   */
  Set<String> related(String target) {
    if (hasTriggers) {
      return tables;
    }
    Set<String> related = new HashSet<>(foreignKeys.relatedTables(target));
    related.retainAll(tables);
    return related;
  }

  /** True if an UPDATE assigns a column of a key or index. */
  boolean assignsKey(String sql, String target) {
    int set = sql.toUpperCase(Locale.ROOT).indexOf("SET");
    return keys.placingColumns(target).stream()
        .anyMatch(
            column ->
                Pattern.compile("(?i)\\b" + Pattern.quote(column) + "\\b[\"`]?\\s*=")
                    .matcher(sql.substring(Math.max(0, set)))
                    .find());
  }
}
