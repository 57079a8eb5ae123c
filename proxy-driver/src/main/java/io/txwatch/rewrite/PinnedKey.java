package io.txwatch.rewrite;

import io.txwatch.dialect.DialectSql;
import io.txwatch.plan.Catalog;
import io.txwatch.plan.KeyColumn;
import io.txwatch.sql.syntax.Clause;
import io.txwatch.sql.syntax.Identifiers;
import io.txwatch.sql.syntax.Literals;
import io.txwatch.sql.syntax.QueryBody;
import io.txwatch.sql.syntax.Source;
import io.txwatch.sql.syntax.Statement;
import io.txwatch.sql.syntax.Tokens;
import io.txwatch.sql.syntax.UuidText;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The unique key by which a statement of one table chooses one row at most: its WHERE is a
 * conjunction that compares each column of the key by which reports name rows with a constant or a
 * parameter. In doubt there is none: where the comparison may convert the column, two rows with
 * different keys may match.
 *
 * @param table the table
 * @param columns the columns of the key, in lower case
 */
record PinnedKey(Catalog.Table table, List<String> columns) {

  static Optional<PinnedKey> of(
      Statement statement, Tokens tokens, DialectSql sql, Catalog catalog) {
    Optional<Clause> where = where(statement);
    Optional<Catalog.Table> table =
        onlyTable(statement).flatMap(source -> catalog.find(source.name()));
    if (where.isEmpty() || table.isEmpty()) {
      return Optional.empty();
    }
    List<KeyColumn> key = table.get().traits().nameColumns();
    List<String> names = key.stream().map(KeyColumn::name).toList();
    boolean isPinned =
        !names.isEmpty()
            && table.get().hasDistinctNames()
            && comparedColumns(where.get(), tokens, sql, key).containsAll(names);
    return isPinned ? Optional.of(new PinnedKey(table.get(), names)) : Optional.empty();
  }

  /** The table that a statement names once, and nothing else besides it. */
  static Optional<Source.Table> onlyTable(Statement statement) {
    List<Source> sources = new ArrayList<>();
    statement.forEach(
        node -> {
          if (node instanceof Source source) {
            sources.add(source);
          }
        });
    return sources.size() == 1
            && sources.get(0) instanceof Source.Table table
            && !table.isCommon()
            && table.columnAliases() == 0
        ? Optional.of(table)
        : Optional.empty();
  }

  /** The condition on its rows. */
  static Optional<Clause> where(Statement statement) {
    if (statement instanceof Statement.Select select) {
      return select.query().body() instanceof QueryBody.Select one
          ? one.clause(Clause.Kind.WHERE)
          : Optional.empty();
    }
    return statement instanceof Statement.Update || statement instanceof Statement.Delete
        ? statement.where()
        : Optional.empty();
  }

  /** The columns that are compared with a constant as a key is. */
  private static Set<String> comparedColumns(
      Clause where, Tokens tokens, DialectSql sql, List<KeyColumn> key) {
    Set<String> columns = new HashSet<>();
    for (PinnedColumns.Pinned pin : PinnedColumns.of(where)) {
      String name = Identifiers.fold(pin.column().last());
      if (key.stream()
          .anyMatch(c -> c.name().equals(name) && isEqualOnce(c, tokens, pin.token(), sql))) {
        columns.add(name);
      }
    }
    return columns;
  }

  /** True if only one value of a column is equal to a token, whatever the session's settings. */
  private static boolean isEqualOnce(KeyColumn column, Tokens tokens, int token, DialectSql sql) {
    boolean isParameter = ParameterNumbers.isParameter(tokens, token);
    return switch (column.kind()) {
      case INTEGER -> isParameter || Literals.integer(tokens, token).isPresent();
      case NUMBER ->
          isParameter ? column.comparesExactly() : Literals.integer(tokens, token).isPresent();
      case UUID -> isParameter || Literals.text(tokens, token).filter(UuidText::is).isPresent();
      case TEXT, PADDED_TEXT ->
          sql.comparesTextAsKeyDoes(isParameter)
              && (isParameter || Literals.text(tokens, token).isPresent());
      case OTHER -> false;
    };
  }
}
