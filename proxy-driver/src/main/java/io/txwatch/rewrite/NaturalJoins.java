package io.txwatch.rewrite;

import io.txwatch.plan.Catalog;
import io.txwatch.sql.syntax.Node;
import io.txwatch.sql.syntax.Source;
import io.txwatch.sql.syntax.Tokens;
import io.txwatch.statement.AnalyzedStatement;
import io.txwatch.statement.Tables;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * NATURAL JOIN on H2, which compares invisible columns, too, so that of two prepared tables no rows
 * would be equal. Between two tables it becomes a join by the application's columns of one name.
 */
final class NaturalJoins {

  private NaturalJoins() {}

  /** Why a statement is sent as it is. */
  static final String REASON = "NATURAL JOIN of prepared tables, which finds nothing";

  /** What is changed; empty if one joins something else than two tables. */
  static Optional<Edits> of(AnalyzedStatement statement) {
    Edits edits = Edits.NONE;
    if (statement.sql().joinsInvisibleColumns()) {
      for (Source.Join join : joins(statement.tokens(), statement.tree(), new ArrayList<>())) {
        if (hasAuxiliary(statement.tables(), join.left())
            && hasAuxiliary(statement.tables(), join.right())) {
          List<String> left = columns(statement, join.left());
          List<String> right = columns(statement, join.right());
          if (left.isEmpty() || right.isEmpty()) {
            return Optional.empty();
          }
          edits = edits.and(of(statement, join, left.stream().filter(right::contains).toList()));
        }
      }
    }
    return Optional.of(edits);
  }

  /** H2 itself rejects NATURAL LEFT JOIN and the like. */
  private static List<Source.Join> joins(Tokens tokens, Node node, List<Source.Join> found) {
    if (node instanceof Source.Join join && tokens.areWords(join.natural(), "NATURAL", "JOIN")) {
      found.add(join);
    }
    node.children().forEach(part -> joins(tokens, part, found));
    return found;
  }

  private static boolean hasAuxiliary(Tables tables, Source source) {
    return Source.leaves(List.of(source), Source.Table.class).stream()
        .anyMatch(tables::hasAuxiliary);
  }

  private static Edits of(AnalyzedStatement statement, Source.Join join, List<String> names) {
    Tokens tokens = statement.tokens();
    int natural = join.natural();
    if (names.isEmpty()) {
      return Edits.replace(tokens, natural, natural + 1, "cross");
    }
    String using =
        names.stream()
            .map(name -> Auxiliary.quote(statement.sql(), name))
            .collect(Collectors.joining(", ", " using (", ")"));
    return Edits.replace(tokens, natural, natural + 1, "")
        .and(Edits.after(tokens, join.right().span().to() - 1, using));
  }

  /** The application's columns of a table; empty if it is none. */
  private static List<String> columns(AnalyzedStatement statement, Source source) {
    return source instanceof Source.Table table && table.columnAliases() == 0
        ? statement.tables().find(table).map(Catalog.Table::columns).orElse(List.of())
        : List.of();
  }
}
