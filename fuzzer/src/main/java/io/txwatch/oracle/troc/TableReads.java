package io.txwatch.oracle.troc;

import io.txwatch.oracle.ForeignKeyGraph;
import io.txwatch.oracle.NamedTables;
import io.txwatch.sql.syntax.Span;
import io.txwatch.sql.syntax.TokenKind;
import io.txwatch.sql.syntax.Tokens;
import io.txwatch.testcase.SqlText;
import io.txwatch.testcase.StatementText;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The tables that a statement reads; which ones exactly is for H2: those of its queries, the
 * written one if a value or the condition names a column of it ({@code
 * Prepared.collectDependencies}), and those whose foreign keys refer to one of them ({@code
 * SessionLocal.startStatementWithinTransaction}).
 */
final class TableReads {

  private final ViewExecutor executor;
  private final NamedTables names;
  private final ForeignKeyGraph references;
  private final boolean hasTriggers;

  TableReads(ViewExecutor executor, List<String> setup) {
    this.executor = executor;
    this.names =
        new NamedTables(
            setup,
            executor.tables().stream().map(StatementText::unquoted).collect(Collectors.toSet()));
    this.references = ForeignKeyGraph.of(setup);
    this.hasTriggers = setup.stream().anyMatch(sql -> definesTrigger(SqlText.of(sql)));
  }

  private static boolean definesTrigger(SqlText text) {
    return text.startsWith("CREATE") && text.hasAny("TRIGGER");
  }

  /** The tables whose rows may affect a statement, on any DBMS. */
  Set<String> relevantTo(StatementForm form) {
    if (hasTriggers) {
      return executor.tables();
    }
    Set<String> relevant = new HashSet<>();
    for (String named : names.in(form.sql())) {
      relevant.add(named);
      relevant.addAll(references.relatedTables(named));
    }
    return relevant.stream()
        .flatMap(name -> executor.tableNamed(name).stream())
        .collect(Collectors.toSet());
  }

  /** False if a statement uses a table only to check or to follow foreign keys, or not at all. */
  boolean mayRead(StatementForm form, String table) {
    return hasTriggers || names.in(form.sql()).contains(StatementText.unquoted(table));
  }

  /** The tables that a statement reads. */
  Set<String> of(StatementForm form) {
    Set<String> read;
    Optional<String> behind = behindTarget(form);
    if (behind.isEmpty()) {
      read = names.in(form.sql());
    } else {
      String rest = values(behind.get());
      boolean readsTarget =
          choosesRows(form)
              ? namesColumnOf(form.table(), rest)
              : SqlText.of(form.sql()).startsWith("MERGE")
                  && SqlText.of(form.sql()).hasAny("USING");
      read = names.in(readsTarget ? form.sql() : rest);
    }
    return references.withChildren(read).stream()
        .flatMap(name -> executor.tableNamed(name).stream())
        .collect(Collectors.toSet());
  }

  /**
   * True if it depends on H2's optimizer, which may replace conditions by constants, which tables a
   * statement reads: the written one, or those of subqueries.
   */
  boolean isUncertain(StatementForm form) {
    return (choosesRows(form) || form.hasSubquery())
        && SqlText.of(form.sql())
            .hasAny("NULL", "TRUE", "FALSE", "LIKE", "IN", "CASE", "BETWEEN", "AND", "OR", "NOT");
  }

  private static boolean choosesRows(StatementForm form) {
    return form.kind() == StatementForm.Kind.UPDATE || form.kind() == StatementForm.Kind.DELETE;
  }

  /** True if a query within a write reads the table that it writes. */
  boolean readsTargetInQuery(StatementForm form) {
    String name = StatementText.unquoted(form.table());
    return behindTarget(form).map(behind -> namesTable(behind, name)).orElse(true);
  }

  /** True if a text names a table, other than as the qualifier of a column. */
  private boolean namesTable(String sql, String name) {
    Tokens tokens = SqlText.of(sql).tokens();
    for (int i = 0; i < tokens.count(); i++) {
      if (tokens.isName(i)
          && !tokens.is(i + 1, TokenKind.DOT)
          && names.in(tokens.text(i)).contains(name)) {
        return true;
      }
    }
    return false;
  }

  /** What follows the table that a write names first. */
  private static Optional<String> behindTarget(StatementForm form) {
    SqlText text = SqlText.of(form.sql());
    return text.write()
        .filter(write -> form.isWrite() && !write.is("REPLACE"))
        .map(write -> text.from(write.name().to()));
  }

  /** The values of an UPDATE and its condition, without the columns that it assigns. */
  private static String values(String rest) {
    SqlText text = SqlText.of(rest);
    Tokens tokens = text.tokens();
    if (!text.startsWith("SET")) {
      return rest;
    }
    return tokens.items(1, tokens.count()).stream()
        .map(
            item -> {
              int end = tokens.nameEnd(item.from());
              return text.text(tokens.isOperator(end, '=') ? new Span(end + 1, item.to()) : item);
            })
        .collect(Collectors.joining(", "));
  }

  /**
   * True if a column of a table is named: outside of queries, or within one and qualified with the
   * table.
   */
  private boolean namesColumnOf(String name, String text) {
    Optional<String> table = executor.tableNamed(name);
    if (table.isEmpty()) {
      return false;
    }
    Tokens tokens = SqlText.of(text).tokens();
    Set<String> words = new HashSet<>();
    for (int i = 0; i < tokens.count(); i++) {
      if (tokens.isName(i)
          && tokens.is(i + 1, TokenKind.DOT)
          && tokens.folded(i).equals(StatementText.unquoted(name))) {
        words.add(tokens.text(i + 2));
      }
    }
    int outside = 0;
    while (outside < tokens.count()) {
      if (tokens.isName(outside)) {
        words.add(tokens.text(outside));
      }
      boolean isQuery = tokens.isOpen(outside) && tokens.isWord(outside + 1, "SELECT");
      outside = isQuery ? tokens.next(outside) : outside + 1;
    }
    return words.stream().anyMatch(column -> executor.columnIndex(table.get(), column) >= 0);
  }
}
