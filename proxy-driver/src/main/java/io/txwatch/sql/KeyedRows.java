package io.txwatch.sql;

import io.txwatch.sql.FromNode.TableRef;
import io.txwatch.sql.KeyedRow.IntegerLiteral;
import io.txwatch.sql.KeyedRow.Parameter;
import io.txwatch.sql.KeyedRow.Role;
import io.txwatch.sql.KeyedRow.TextLiteral;
import io.txwatch.sql.KeyedRow.Unsettled;
import io.txwatch.sql.KeyedRow.Value;
import io.txwatch.sql.RewritePlan.Returns;
import io.txwatch.sql.dialect.Dialect;
import io.txwatch.sql.syntax.Span;
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

  private static final int MOST_DIGITS = 18;
  private static final Set<String> TEXTS = Set.of("char", "varchar");
  private static final Set<String> INTEGERS =
      Set.of("tinyint", "smallint", "mediumint", "int", "bigint");
  private static final Set<String> POSTGRES_TEXTS = Set.of("character", "text");
  private static final Set<String> POSTGRES_INTEGERS = Set.of("smallint", "integer", "bigint");

  private final Draft draft;
  private final Tokens tokens;
  private final TableRef table;
  private final Catalog.Traits traits;
  private final Map<String, Value> pinned = new HashMap<>();
  private final int[] numbers;

  private KeyedRows(Draft draft, TableRef table, Catalog.Traits traits) {
    this.draft = draft;
    this.tokens = draft.tokens;
    this.table = table;
    this.traits = traits;
    this.numbers = new Splices(draft.tokens, draft.dialect).numbers();
  }

  /** What a statement that is alone in its text has to do with rows known by a key. */
  static KeyedRow of(Draft draft) {
    boolean marks =
        draft.shape.tables.stream().allMatch(t -> draft.tables.versions(t).marksWrites());
    return switch (draft.dialect) {
      case POSTGRESQL -> marks ? LockedRows.of(draft) : RewritePlan.withoutKeys(draft.shape.kind);
      case MYSQL, MARIADB -> LockedRows.ofInnoDb(draft, targetOf(draft));
      case H2, SQLITE -> targetOf(draft);
    };
  }

  /** The same as far as it shows which row an UPDATE finds, without locks. */
  static KeyedRow targetOf(Draft draft) {
    StatementShape shape = draft.shape;
    return switch (shape.kind) {
      case SELECT, LOCKING_SELECT -> read(draft);
      case UPDATE -> update(draft);
      case INSERT -> shape.target == null ? KeyedRow.ANY_MAY_MOVE : mayMove(draft, shape.target);
      default -> KeyedRow.ANY_MAY_MOVE;
    };
  }

  /** It may give the keys of its table to other rows. */
  static KeyedRow mayMove(Draft draft, TableRef target) {
    return KeyedRow.without(Role.MAY_MOVE, draft.tables.display(target), Unsettled.OF_TABLE);
  }

  /** A query of the one row of a key. */
  static KeyedRow read(Draft draft) {
    SelectBlock top = draft.shape.top();
    if (top == null
        || draft.returns != Returns.APPENDED_TO_RESULT
        || draft.appended.size() != 1
        || top.tables().size() != 1
        || !top.derived().isEmpty()
        || top.where < 0) {
      return KeyedRow.NONE;
    }
    return known(draft, top.tables().get(0))
        .flatMap(rows -> rows.pinned(Role.READS, top.where + 1, top.whereEnd))
        .orElse(KeyedRow.NONE);
  }

  private static KeyedRow update(Draft draft) {
    StatementShape shape = draft.shape;
    TableRef target = shape.target;
    if (target == null || shape.multiTable || shape.sources.size() != 1) {
      return KeyedRow.ANY_MAY_MOVE;
    }
    Optional<KeyedRows> rows = known(draft, target);
    if (rows.isEmpty() || rows.get().mayAssignKey()) {
      return mayMove(draft, target);
    }
    return draft.returns == Returns.NOTHING ? write(draft).orElse(KeyedRow.NONE) : KeyedRow.NONE;
  }

  /**
   * An UPDATE of the one row of a key that leaves all keys as they are; empty if it is not sure.
   */
  static Optional<KeyedRow> write(Draft draft) {
    StatementShape shape = draft.shape;
    return Optional.ofNullable(shape.target)
        .filter(target -> shape.where >= 0)
        .flatMap(target -> known(draft, target))
        .filter(rows -> !rows.mayAssignKey())
        .flatMap(rows -> rows.pinned(Role.WRITES, shape.where + 1, shape.whereEnd));
  }

  private static Optional<KeyedRows> known(Draft draft, TableRef table) {
    if (table.columnAliases() > 0 || !draft.tables.isPrepared(table)) {
      return Optional.empty();
    }
    return draft
        .tables
        .find(table)
        .map(Catalog.Table::traits)
        .filter(traits -> !traits.keys().isEmpty())
        .map(traits -> new KeyedRows(draft, table, traits));
  }

  /** True unless it is sure that the row keeps its keys. */
  private boolean mayAssignKey() {
    Set<String> inKeys = new HashSet<>();
    traits.keys().forEach(inKeys::addAll);
    return mayAssign(inKeys);
  }

  /** True unless it is sure that an UPDATE assigns no column that an index is over. */
  static boolean mayAssignIndexed(Draft draft, TableRef target) {
    Optional<KeyedRows> rows = known(draft, target);
    return rows.isEmpty() || rows.get().mayAssign(rows.get().traits.indexed());
  }

  private boolean mayAssign(Set<String> columns) {
    if (traits.beforeUpdate() || traits.changing().stream().anyMatch(columns::contains)) {
      return true;
    }
    for (Span assignment : tokens.items(draft.shape.set + 1, draft.shape.setEnd)) {
      int name = columnEnd(assignment.from()) - 1;
      if (name < assignment.from() || columns.contains(tokens.folded(name))) {
        return true;
      }
    }
    return false;
  }

  /** The first key of which every column is pinned by a condition. */
  private Optional<KeyedRow> pinned(Role role, int from, int to) {
    if (!conjuncts(from, to)) {
      return Optional.empty();
    }
    for (List<String> key : traits.keys()) {
      if (pinned.keySet().containsAll(key)) {
        List<Value> values = key.stream().map(pinned::get).toList();
        boolean certain = draft.dialect == Dialect.POSTGRESQL;
        return Optional.of(
            new KeyedRow(role, draft.tables.display(table), key, values, certain, Unsettled.NONE));
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
    boolean postgres = draft.dialect == Dialect.POSTGRESQL;
    String base = type.endsWith("[]") ? "" : type.replaceAll("[^a-z].*", "");
    boolean text = (postgres ? POSTGRES_TEXTS : TEXTS).contains(base);
    if (!text && !(postgres ? POSTGRES_INTEGERS : INTEGERS).contains(base)) {
      return null;
    }
    String written = tokens.text(token);
    if (tokens.is(token, TokenKind.PARAMETER)) {
      return new Parameter(numbers[token], text);
    }
    if (!text
        && tokens.is(token, TokenKind.NUMBER)
        && written.length() <= MOST_DIGITS
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
