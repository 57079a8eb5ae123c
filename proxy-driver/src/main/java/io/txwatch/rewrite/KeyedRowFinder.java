package io.txwatch.rewrite;

import io.txwatch.history.StatementKind;
import io.txwatch.plan.Catalog;
import io.txwatch.plan.KeyedRow;
import io.txwatch.plan.KeyedRow.IntegerLiteral;
import io.txwatch.plan.KeyedRow.Parameter;
import io.txwatch.plan.KeyedRow.Role;
import io.txwatch.plan.KeyedRow.TextLiteral;
import io.txwatch.plan.KeyedRow.Value;
import io.txwatch.plan.RewritePlan.Returns;
import io.txwatch.rewrite.Rewrite.Returned;
import io.txwatch.sql.semantics.Block;
import io.txwatch.sql.semantics.StatementParts;
import io.txwatch.sql.syntax.Clause;
import io.txwatch.sql.syntax.Identifiers;
import io.txwatch.sql.syntax.Literals;
import io.txwatch.sql.syntax.Source;
import io.txwatch.sql.syntax.TokenKind;
import io.txwatch.sql.syntax.Tokens;
import io.txwatch.statement.AnalyzedStatement;
import io.txwatch.statement.StatementKinds;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Finds the key that a statement's WHERE pins: a conjunction with {@code column = value} for each
 * column of a unique key. In doubt there is none.
 */
final class KeyedRowFinder {

  private static final Set<String> TEXTS = Set.of("char", "varchar");
  private static final Set<String> INTEGERS =
      Set.of("tinyint", "smallint", "mediumint", "int", "bigint");

  private final AnalyzedStatement statement;
  private final Tokens tokens;
  private final Source.Table table;
  private final Catalog.Traits traits;
  private final List<List<String>> keys;

  /** True if the only key is an integer that is the id of its row. */
  private final boolean isId;

  private final Map<String, Value> pinned = new HashMap<>();
  private final int[] numbers;

  private KeyedRowFinder(AnalyzedStatement statement, Source.Table table, Catalog.Table found) {
    this.statement = statement;
    this.tokens = statement.tokens();
    this.table = table;
    this.traits = found.traits();
    this.isId = statement.sql().returnsEveryWrite();
    this.keys = isId ? found.integerId().map(List::of).stream().toList() : traits.keys();
    this.numbers = ParameterNumbers.of(statement.tokens());
  }

  /**
   * What a statement that is alone in its text does with a row that it finds by a key.
   *
   * @param returned what it was made to return
   */
  static KeyedRow of(AnalyzedStatement statement, Returned returned) {
    StatementParts parts = statement.parts();
    if (statement.sql().returnsEveryWrite()) {
      return StatementKinds.of(parts) == StatementKind.UPDATE
          ? ofUnreturned(statement, returned)
          : KeyedRow.NONE;
    }
    return switch (StatementKinds.of(parts)) {
      case SELECT, LOCKING_SELECT -> read(statement, returned);
      case UPDATE -> update(statement, returned);
      case INSERT -> mayMove(statement, parts.tree().writtenTable().orElseThrow());
      default -> KeyedRow.ANY_MAY_MOVE;
    };
  }

  /**
   * Where writes return their rows, an item of a batch does not. Its row is known nevertheless if
   * the key is the id of the row.
   */
  private static KeyedRow ofUnreturned(AnalyzedStatement statement, Returned returned) {
    KeyedRow row = update(statement, returned);
    return row.writes() ? row : KeyedRow.NONE;
  }

  /** It may give the keys of its table to other rows. */
  private static KeyedRow mayMove(AnalyzedStatement statement, Source.Table target) {
    return KeyedRow.without(Role.MAY_MOVE, statement.tables().display(target));
  }

  /** A query of the one row of a key. */
  private static KeyedRow read(AnalyzedStatement statement, Returned returned) {
    Optional<Block> top = statement.parts().top();
    Optional<Clause> where = top.flatMap(block -> block.clause(Clause.Kind.WHERE));
    if (where.isEmpty()
        || returned.how() != Returns.APPENDED_TO_RESULT
        || returned.tables().size() != 1
        || top.get().tables().size() != 1
        || !top.get().others().isEmpty()) {
      return KeyedRow.NONE;
    }
    return known(statement, top.get().tables().get(0))
        .flatMap(rows -> rows.pinned(Role.READS, where.get(), rows.keys))
        .orElse(KeyedRow.NONE);
  }

  private static KeyedRow update(AnalyzedStatement statement, Returned returned) {
    StatementParts parts = statement.parts();
    Optional<Source.Table> written = parts.tree().writtenTable();
    if (written.isEmpty() || parts.sources().size() != 1) {
      return KeyedRow.ANY_MAY_MOVE;
    }
    Source.Table target = written.get();
    Optional<KeyedRowFinder> rows = known(statement, target);
    if (rows.isEmpty()) {
      return mayMove(statement, target);
    }
    List<List<String>> kept = rows.get().keptKeys();
    boolean keepsAll = kept.size() == rows.get().keys.size();
    Optional<Clause> where = parts.tree().where();
    Optional<KeyedRow> found =
        returned.how() == Returns.NOTHING && where.isPresent()
            ? rows.get().pinned(keepsAll ? Role.WRITES : Role.WRITES_OTHER_KEYS, where.get(), kept)
            : Optional.empty();
    return found.orElseGet(() -> keepsAll ? KeyedRow.NONE : mayMove(statement, target));
  }

  private static Optional<KeyedRowFinder> known(AnalyzedStatement statement, Source.Table table) {
    if (table.columnAliases() > 0 || !statement.tables().isPrepared(table)) {
      return Optional.empty();
    }
    return statement
        .tables()
        .find(table)
        .map(found -> new KeyedRowFinder(statement, table, found))
        .filter(rows -> !rows.keys.isEmpty());
  }

  /** The keys that a row surely keeps. */
  private List<List<String>> keptKeys() {
    Optional<? extends Collection<String>> assigned = statement.tree().assignedColumns();
    if (traits.beforeUpdate() || assigned.isEmpty()) {
      return List.of();
    }
    Set<String> changed = new HashSet<>(assigned.get());
    changed.addAll(traits.changing());
    return keys.stream().filter(key -> key.stream().noneMatch(changed::contains)).toList();
  }

  /** The first of some keys of which every column is pinned by a condition. */
  private Optional<KeyedRow> pinned(Role role, Clause where, List<List<String>> wanted) {
    for (PinnedColumns.Pinned pin : PinnedColumns.of(where)) {
      String name = Identifiers.fold(pin.column().last());
      Value value =
          isId
              ? value(pin.token(), false)
              : typed(pin.token(), traits.types().getOrDefault(name, ""));
      if (value != null) {
        pinned.putIfAbsent(name, value);
      }
    }
    for (List<String> key : wanted) {
      if (pinned.keySet().containsAll(key)) {
        List<Value> values = key.stream().map(pinned::get).toList();
        return Optional.of(new KeyedRow(role, statement.tables().display(table), key, values));
      }
    }
    return Optional.empty();
  }

  private @Nullable Value typed(int token, String type) {
    String base = type.replaceAll("[^a-z].*", "");
    boolean text = TEXTS.contains(base);
    return text || INTEGERS.contains(base) ? value(token, text) : null;
  }

  private @Nullable Value value(int token, boolean text) {
    if (tokens.is(token, TokenKind.PARAMETER)) {
      return new Parameter(numbers[token], text);
    }
    if (text) {
      return Literals.text(tokens, token).map(TextLiteral::new).orElse(null);
    }
    OptionalLong integer = Literals.integer(tokens, token);
    return integer.isPresent() ? new IntegerLiteral(integer.getAsLong()) : null;
  }
}
