package io.txwatch.oracle.txcheck;

import io.txwatch.oracle.ForeignKeyGraph;
import io.txwatch.oracle.NamedTables;
import io.txwatch.oracle.troc.TableKeys;
import io.txwatch.sql.syntax.Tokens;
import io.txwatch.testcase.SqlText;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The tables that a statement uses beyond those that it names: those of views, those that foreign
 * keys relate to the table that it writes, and those of triggers. All names are in lower case.
 */
final class SchemaLinks {

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
    this.hasTriggers =
        setup.stream()
            .map(SqlText::of)
            .filter(text -> text.startsWith("CREATE"))
            .anyMatch(text -> text.hasAny("TRIGGER", "FUNCTION", "PROCEDURE", "RULE"));
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

  /** True if an UPDATE assigns a column of a key or index, or compares one with a value. */
  boolean assignsKey(String sql, String target) {
    Set<String> placing = keys.placingColumns(target);
    Tokens tokens = SqlText.of(sql).tokens();
    for (int i = Math.max(0, SqlText.of(sql).indexOf(0, "SET")); i < tokens.count(); i++) {
      if (tokens.isName(i) && tokens.isOperator(i + 1, '=') && placing.contains(tokens.folded(i))) {
        return true;
      }
    }
    return false;
  }
}
