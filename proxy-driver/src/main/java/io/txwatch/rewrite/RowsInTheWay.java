package io.txwatch.rewrite;

import io.txwatch.plan.Catalog;
import io.txwatch.sql.syntax.Expression;
import io.txwatch.sql.syntax.Span;
import io.txwatch.sql.syntax.Statement;
import io.txwatch.sql.syntax.TokenKind;
import io.txwatch.statement.AnalyzedStatement;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * The rows that a REPLACE of VALUES takes away: those with a key of a row that it inserts. Found by
 * every unique key of the table:
 *
 * <pre>
 *   REPLACE INTO t (a, b) VALUES (1, ?)    where ("a" = 1) or ("b" = ?)
 * </pre>
 */
final class RowsInTheWay {

  /** Rows whose keys are looked up. */
  private static final int MAX_ROWS = 50;

  private final AnalyzedStatement statement;
  private final Statement.Insert insert;
  private final Catalog.Table table;
  private final int[] numbers;
  private final List<String> conditions = new ArrayList<>();
  private final List<Integer> parameters = new ArrayList<>();

  private RowsInTheWay(AnalyzedStatement statement, Statement.Insert insert) {
    this.statement = statement;
    this.insert = insert;
    this.table = statement.tables().find(insert.target()).orElseThrow();
    this.numbers = ParameterNumbers.of(statement.tokens());
  }

  /** Those of a statement, as far as its text shows. */
  static RowsInTheWay of(AnalyzedStatement statement, Statement.Insert insert) {
    RowsInTheWay found = new RowsInTheWay(statement, insert);
    List<Expression.Tuple> rows = insert.tuples();
    List<List<String>> keys = found.table.traits().keys();
    if (keys.isEmpty() || rows.isEmpty() || rows.size() > MAX_ROWS) {
      return found;
    }
    List<String> columns = found.columns();
    for (Expression.Tuple row : rows) {
      List<Integer> values = values(row);
      keys.forEach(key -> found.add(key, columns, values));
    }
    return found;
  }

  /** A condition that is true of them and of no other row; empty if none is known. */
  String condition() {
    return String.join(" or ", conditions);
  }

  /** The numbers of the statement's parameters that the condition takes, in their order. */
  List<Integer> parameters() {
    return parameters;
  }

  private void add(List<String> key, List<String> columns, List<Integer> values) {
    List<Integer> given =
        key.stream()
            .map(columns::indexOf)
            .map(at -> at >= 0 && at < values.size() ? values.get(at) : -1)
            .toList();
    if (!given.stream().allMatch(this::isPlain)) {
      return;
    }
    conditions.add(
        IntStream.range(0, key.size())
            .mapToObj(i -> equal(key.get(i), given.get(i)))
            .collect(Collectors.joining(" and ", "(", ")")));
  }

  private String equal(String column, int value) {
    boolean parameter = numbers[value] > 0;
    if (parameter) {
      parameters.add(numbers[value]);
    }
    return Auxiliary.quote(statement.dialect(), column)
        + " = "
        + (parameter ? "?" : statement.tokens().text(value));
  }

  /** The columns that VALUES gives, in lower case. */
  private List<String> columns() {
    if (insert.columns().isEmpty()) {
      return table.columns().stream().map(name -> name.toLowerCase(Locale.ROOT)).toList();
    }
    Span list = insert.columns().get();
    return IntStream.range(list.from() + 1, list.to() - 1)
        .filter(i -> statement.tokens().isName(i) && !statement.tokens().is(i + 1, TokenKind.DOT))
        .mapToObj(statement.tokens()::folded)
        .toList();
  }

  /** The values of a row: the token of each that is one, -1 for others. */
  private static List<Integer> values(Expression.Tuple row) {
    return row.items().stream()
        .map(Expression::span)
        .map(value -> value.to() == value.from() + 1 ? value.from() : -1)
        .toList();
  }

  private boolean isPlain(int value) {
    return value >= 0
        && (statement.tokens().is(value, TokenKind.NUMBER)
            || statement.tokens().is(value, TokenKind.STRING)
            || statement.tokens().is(value, TokenKind.PARAMETER));
  }
}
