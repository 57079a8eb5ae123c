package io.txwatch.sql.rewrite;

import io.txwatch.sql.Catalog;
import io.txwatch.sql.KeyedRow;
import io.txwatch.sql.KeyedRow.IntegerLiteral;
import io.txwatch.sql.KeyedRow.Parameter;
import io.txwatch.sql.KeyedRow.Role;
import io.txwatch.sql.KeyedRow.TextLiteral;
import io.txwatch.sql.KeyedRow.Value;
import io.txwatch.sql.RewritePlan.Returns;
import io.txwatch.sql.rewrite.Rewrite.Returned;
import io.txwatch.sql.semantics.AnalyzedStatement;
import io.txwatch.sql.semantics.FromNode.TableRef;
import io.txwatch.sql.semantics.SelectBlock;
import io.txwatch.sql.semantics.StatementShape;
import io.txwatch.sql.syntax.TokenKind;
import io.txwatch.sql.syntax.Tokens;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Finds the key that a statement's WHERE pins: a conjunction with {@code column = value} for each
 * column of a unique key. In doubt there is none.
 */
final class KeyedRows {

  private static final int MAX_DIGITS = 18;
  private static final Set<String> TEXTS = Set.of("char", "varchar");
  private static final Set<String> INTEGERS =
      Set.of("tinyint", "smallint", "mediumint", "int", "bigint");

  private final AnalyzedStatement statement;
  private final Tokens tokens;
  private final TableRef table;
  private final Catalog.Traits traits;
  private final Map<String, Value> pinned = new HashMap<>();
  private final int[] numbers;

  private KeyedRows(AnalyzedStatement statement, TableRef table, Catalog.Traits traits) {
    this.statement = statement;
    this.tokens = statement.tokens();
    this.table = table;
    this.traits = traits;
    this.numbers = ParameterNumbers.of(statement.tokens());
  }

  /**
   * What a statement that is alone in its text does with a row that it finds by a key.
   *
   * @param returned what it was made to return
   */
  static KeyedRow of(AnalyzedStatement statement, Returned returned) {
    StatementShape shape = statement.shape();
    if (statement.dialect().sql().returnsEveryWrite()) {
      return KeyedRow.NONE;
    }
    return switch (shape.kind) {
      case SELECT, LOCKING_SELECT -> read(statement, returned);
      case UPDATE -> update(statement, returned);
      case INSERT ->
          shape.target == null ? KeyedRow.ANY_MAY_MOVE : mayMove(statement, shape.target);
      default -> KeyedRow.ANY_MAY_MOVE;
    };
  }

  /** It may give the keys of its table to other rows. */
  private static KeyedRow mayMove(AnalyzedStatement statement, TableRef target) {
    return KeyedRow.without(Role.MAY_MOVE, statement.tables().display(target));
  }

  /** A query of the one row of a key. */
  private static KeyedRow read(AnalyzedStatement statement, Returned returned) {
    SelectBlock top = statement.shape().top();
    if (top == null
        || returned.how() != Returns.APPENDED_TO_RESULT
        || returned.tables().size() != 1
        || top.tables().size() != 1
        || !top.derived().isEmpty()
        || top.where < 0) {
      return KeyedRow.NONE;
    }
    return known(statement, top.tables().get(0))
        .flatMap(rows -> rows.pinned(Role.READS, top.where + 1, top.whereEnd))
        .orElse(KeyedRow.NONE);
  }

  private static KeyedRow update(AnalyzedStatement statement, Returned returned) {
    StatementShape shape = statement.shape();
    TableRef target = shape.target;
    if (target == null || shape.multiTable || shape.sources.size() != 1) {
      return KeyedRow.ANY_MAY_MOVE;
    }
    Optional<KeyedRows> rows = known(statement, target);
    if (rows.isEmpty() || rows.get().mayAssignKey()) {
      return mayMove(statement, target);
    }
    return returned.how() == Returns.NOTHING && shape.where >= 0
        ? rows.get().pinned(Role.WRITES, shape.where + 1, shape.whereEnd).orElse(KeyedRow.NONE)
        : KeyedRow.NONE;
  }

  private static Optional<KeyedRows> known(AnalyzedStatement statement, TableRef table) {
    if (table.columnAliases() > 0 || !statement.tables().isPrepared(table)) {
      return Optional.empty();
    }
    return statement
        .tables()
        .find(table)
        .map(Catalog.Table::traits)
        .filter(traits -> !traits.keys().isEmpty())
        .map(traits -> new KeyedRows(statement, table, traits));
  }

  /** True unless it is sure that the row keeps its keys. */
  private boolean mayAssignKey() {
    Set<String> inKeys = new HashSet<>();
    traits.keys().forEach(inKeys::addAll);
    if (traits.beforeUpdate() || traits.changing().stream().anyMatch(inKeys::contains)) {
      return true;
    }
    return statement
        .shape()
        .assignedColumns()
        .map(columns -> columns.stream().anyMatch(inKeys::contains))
        .orElse(true);
  }

  /** The first key of which every column is pinned by a condition. */
  private Optional<KeyedRow> pinned(Role role, int from, int to) {
    if (!conjuncts(from, to)) {
      return Optional.empty();
    }
    for (List<String> key : traits.keys()) {
      if (pinned.keySet().containsAll(key)) {
        List<Value> values = key.stream().map(pinned::get).toList();
        boolean isPrimary = key.equals(traits.keys().get(0));
        return Optional.of(
            new KeyedRow(role, statement.tables().display(table), key, values, isPrimary));
      }
    }
    return Optional.empty();
  }

  /** Notes what a condition pins; false if it is not sure to be a conjunction. */
  private boolean conjuncts(int from, int to) {
    if (tokens.isOpen(from) && tokens.partner(from) == to - 1) {
      return conjuncts(from + 1, to - 1);
    }
    for (int i = from; i < to; i = tokens.next(i)) {
      if (tokens.isAnyWord(i, "OR", "XOR", "BETWEEN", "CASE", "SELECT")
          || (tokens.is(i, TokenKind.OPERATOR) && "|&:".indexOf(tokens.charAt(i)) >= 0)) {
        return false;
      }
    }
    int start = from;
    for (int i = from; i <= to; i = i < to ? tokens.next(i) : i + 1) {
      if (i == to || tokens.isWord(i, "AND")) {
        if (tokens.isOpen(start) && tokens.partner(start) == i - 1) {
          conjuncts(start + 1, i - 1);
        } else {
          comparison(start, i);
        }
        start = i + 1;
      }
    }
    return true;
  }

  /** {@code column = value}, and nothing more. */
  private void comparison(int from, int to) {
    int equals = columnEnd(from);
    if (equals <= from || equals + 2 != to || !tokens.isOperator(equals, '=')) {
      return;
    }
    String column = tokens.folded(equals - 1);
    Value value = value(equals + 1, traits.types().getOrDefault(column, ""));
    if (value != null) {
      pinned.putIfAbsent(column, value);
    }
  }

  private @Nullable Value value(int token, String type) {
    String base = type.replaceAll("[^a-z].*", "");
    boolean text = TEXTS.contains(base);
    if (!text && !INTEGERS.contains(base)) {
      return null;
    }
    String written = tokens.text(token);
    if (tokens.is(token, TokenKind.PARAMETER)) {
      return new Parameter(numbers[token], text);
    }
    if (!text
        && tokens.is(token, TokenKind.NUMBER)
        && written.length() <= MAX_DIGITS
        && written.chars().allMatch(c -> c >= '0' && c <= '9')) {
      return new IntegerLiteral(Long.parseLong(written));
    }
    if (text && tokens.is(token, TokenKind.STRING) && written.length() >= 2) {
      String inside = written.substring(1, written.length() - 1);
      boolean plain = "'\"".indexOf(written.charAt(0)) >= 0;
      return plain && inside.chars().allMatch(c -> c >= ' ' && c < 127 && "'\"\\".indexOf(c) < 0)
          ? new TextLiteral(inside)
          : null;
    }
    return null;
  }

  /** The token after a column with its qualifiers; {@code from} if there is none. */
  private int columnEnd(int from) {
    if (!tokens.isName(from)) {
      return from;
    }
    int end = from + 1;
    while (tokens.is(end, TokenKind.DOT) && tokens.isName(end + 1)) {
      end += 2;
    }
    return end;
  }
}
