package io.txwatch.rewrite;

import io.txwatch.history.StatementKind;
import io.txwatch.plan.Catalog;
import io.txwatch.plan.KeyColumn;
import io.txwatch.plan.KeyColumn.Kind;
import io.txwatch.plan.RowNaming;
import io.txwatch.plan.RowNaming.Literal;
import io.txwatch.plan.RowNaming.Parameter;
import io.txwatch.plan.RowNaming.Selected;
import io.txwatch.plan.RowNaming.Value;
import io.txwatch.plan.SystemColumnKey;
import io.txwatch.rewrite.PinnedColumns.Pinned;
import io.txwatch.rewrite.Rewrite.Returned;
import io.txwatch.sql.semantics.Block;
import io.txwatch.sql.semantics.StatementParts;
import io.txwatch.sql.syntax.Clause;
import io.txwatch.sql.syntax.Expression;
import io.txwatch.sql.syntax.Identifiers;
import io.txwatch.sql.syntax.Item;
import io.txwatch.sql.syntax.Literals;
import io.txwatch.sql.syntax.Source;
import io.txwatch.sql.syntax.TokenKind;
import io.txwatch.sql.syntax.Tokens;
import io.txwatch.sql.syntax.UuidText;
import io.txwatch.statement.AnalyzedStatement;
import io.txwatch.statement.StatementKinds;
import io.txwatch.statement.Tables;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Finds where a statement has the key of each row that it returns: in its own select list, or in a
 * condition that pins it. No column is added for that. In doubt a row has no name.
 */
final class RowNamingFinder {

  private final Tables tables;
  private final Tokens tokens;
  private final List<Source.Table> sources;
  private final List<Pinned> pinned;
  private final Map<List<String>, Selection> selected;
  private final int[] numbers;
  private final boolean convertsInPlace;

  /** The place of a column in the application's result. */
  private record Selection(int index, boolean isOfStar) {}

  private RowNamingFinder(
      AnalyzedStatement statement,
      List<Source.Table> sources,
      Optional<Clause> where,
      List<Item> items) {
    this.tables = statement.tables();
    this.tokens = statement.tokens();
    this.sources = sources;
    this.pinned = where.map(PinnedColumns::of).orElse(List.of());
    this.selected = selected(items);
    this.numbers = ParameterNumbers.of(tokens);
    this.convertsInPlace = statement.sql().driver().convertsValuesInPlace();
  }

  /**
   * What a statement that is alone in its text contributes to the names of rows.
   *
   * @param returned what it was made to return
   */
  static RowNaming.OfStatement of(AnalyzedStatement statement, Returned returned) {
    List<String> renamed = renamed(statement);
    List<RowNaming> namings =
        switch (returned.how()) {
          case APPENDED_TO_RESULT -> ofQuery(statement, returned);
          case WRITTEN_ROWS, WRITTEN_ROWS_APPENDED -> ofWrite(statement, returned);
          default -> List.of();
        };
    boolean names = namings.stream().anyMatch(naming -> !naming.values().isEmpty());
    return names || !renamed.isEmpty()
        ? new RowNaming.OfStatement(names ? namings : List.of(), renamed)
        : RowNaming.OfStatement.NONE;
  }

  private static List<RowNaming> ofQuery(AnalyzedStatement statement, Returned returned) {
    Optional<Block> top = statement.parts().top();
    if (top.isEmpty() || !top.get().others().isEmpty()) {
      return List.of();
    }
    Tables tables = statement.tables();
    List<Source.Table> all = top.get().tables();
    List<Source.Table> seen = all.stream().filter(tables::isPrepared).toList();
    return seen.stream().map(tables::display).toList().equals(returned.tables())
        ? new RowNamingFinder(
                statement, all, top.get().clause(Clause.Kind.WHERE), top.get().items())
            .of(seen)
        : List.of();
  }

  /** Of an UPDATE that leaves the key as it is, and of a DELETE. */
  private static List<RowNaming> ofWrite(AnalyzedStatement statement, Returned returned) {
    StatementParts parts = statement.parts();
    Optional<Source.Table> target = parts.tree().writtenTable();
    boolean joins =
        parts.sources().size() != 1
            || parts.tree().clauses().stream()
                .anyMatch(c -> c.kind() == Clause.Kind.FROM || c.kind() == Clause.Kind.USING);
    boolean finds =
        StatementKinds.of(parts) == StatementKind.UPDATE
            || StatementKinds.of(parts) == StatementKind.DELETE;
    if (target.isEmpty()
        || joins
        || !finds
        || returned.tables().size() != 1
        || mayAssign(statement, keyColumns(statement.tables(), target.get()))) {
      return List.of();
    }
    return new RowNamingFinder(statement, List.of(target.get()), parts.tree().where(), List.of())
        .of(List.of(target.get()));
  }

  private List<RowNaming> of(List<Source.Table> returned) {
    return returned.stream().map(this::of).toList();
  }

  private RowNaming of(Source.Table table) {
    List<Value> values = new ArrayList<>();
    for (KeyColumn column : keyColumns(tables, table)) {
      Value value = value(table, column);
      if (value == null) {
        return RowNaming.NONE;
      }
      values.add(value);
    }
    return values.isEmpty() ? RowNaming.NONE : new RowNaming(tables.display(table), values);
  }

  /** The columns of the key that rows of a table are named by; none if they have no name. */
  private static List<KeyColumn> keyColumns(Tables tables, Source.Table table) {
    Optional<Catalog.Table> found = tables.find(table);
    if (found.isEmpty() || table.columnAliases() > 0) {
      return List.of();
    }
    List<KeyColumn> key = found.get().traits().nameColumns();
    boolean isNamed = found.get().key().map(id -> isHashOf(id, key)).orElse(true);
    return isNamed && found.get().hasDistinctNames() ? key : List.of();
  }

  /** True if the row's id is a hash of the key. An integer is its own id, and its own name. */
  private static boolean isHashOf(SystemColumnKey id, List<KeyColumn> key) {
    return !id.isInteger()
        && id.columns().stream()
            .map(name -> name.toLowerCase(Locale.ROOT))
            .toList()
            .equals(key.stream().map(KeyColumn::name).toList());
  }

  // ---------------------------------------------------------------- keys that change

  /** The tables whose rows may have other keys, and the same ids, after the statement. */
  private static List<String> renamed(AnalyzedStatement statement) {
    if (statement.tree().updates().isEmpty()) {
      return List.of();
    }
    Tables tables = statement.tables();
    List<Source.Table> written = new ArrayList<>(statement.parts().references());
    statement.parts().tree().writtenTable().ifPresent(written::add);
    return written.stream()
        .filter(table -> mayAssign(statement, keyColumns(tables, table)))
        .filter(table -> tables.find(table).flatMap(Catalog.Table::key).isEmpty())
        .map(tables::display)
        .distinct()
        .toList();
  }

  private static boolean mayAssign(AnalyzedStatement statement, List<KeyColumn> key) {
    if (key.isEmpty()) {
      return false;
    }
    Optional<Set<String>> assigned = statement.tree().assignedColumns();
    return assigned.isEmpty() || key.stream().anyMatch(c -> assigned.get().contains(c.name()));
  }

  // ---------------------------------------------------------------- where a value is known from

  private @Nullable Value value(Source.Table table, KeyColumn column) {
    Selection selection = selected.get(List.of(qualifier(table), column.name()));
    if (selection != null) {
      return new Selected(column, selection.index, selection.isOfStar, convertsInPlace);
    }
    for (Pinned pin : pinned) {
      if (Identifiers.fold(pin.column().last()).equals(column.name())
          && qualifier(table).equals(qualifier(pin.column().parts()))) {
        Value value = value(pin.token(), column);
        if (value != null) {
          return value;
        }
      }
    }
    return null;
  }

  /** A table's name in the statement, folded; empty if it is the only one. */
  private String qualifier(Source.Table table) {
    return sources.size() == 1 ? "" : Identifiers.fold(table.exposedName());
  }

  /** What qualifies a column, folded; empty where it can be one of the only table alone. */
  private String qualifier(List<String> parts) {
    return sources.size() == 1 || parts.size() < 2
        ? ""
        : Identifiers.fold(parts.get(parts.size() - 2));
  }

  /** The columns of the tables in the select list, by qualifier and name. */
  private Map<List<String>, Selection> selected(List<Item> items) {
    Map<List<String>, Selection> found = new HashMap<>();
    int index = 1;
    boolean isOfStar = false;
    for (Item item : items) {
      if (item.value() instanceof Expression.Star) {
        Optional<List<String>> columns = starColumns();
        if (columns.isEmpty()) {
          return found; // what follows has no known place
        }
        isOfStar = true;
        for (String column : columns.get()) {
          found.putIfAbsent(
              List.of("", column.toLowerCase(Locale.ROOT)), new Selection(index++, true));
        }
        continue;
      }
      if (item.value() instanceof Expression.Name name) {
        found.putIfAbsent(
            List.of(qualifier(name.parts()), Identifiers.fold(name.last())),
            new Selection(index, isOfStar));
      }
      index++;
    }
    return found;
  }

  /** The columns behind the star of the only table; empty if they are not known for sure. */
  private Optional<List<String>> starColumns() {
    return sources.size() == 1
        ? tables.find(sources.get(0)).map(Catalog.Table::starColumns).filter(c -> !c.isEmpty())
        : Optional.empty();
  }

  /** The value of a column that is equal to a token; null if it may be another one. */
  private @Nullable Value value(int token, KeyColumn column) {
    boolean integer =
        column.kind() == Kind.INTEGER || (column.kind() == Kind.NUMBER && column.comparesExactly());
    boolean text = column.kind().isText() || column.kind() == Kind.UUID;
    if (!integer && !text) {
      return null;
    }
    if (tokens.is(token, TokenKind.PARAMETER)) {
      return new Parameter(column, numbers[token]);
    }
    if (integer) {
      OptionalLong number = Literals.integer(tokens, token);
      return number.isPresent() ? new Literal(column, Long.toString(number.getAsLong())) : null;
    }
    return Literals.text(tokens, token)
        .filter(
            inside -> UuidText.is(inside) || (column.comparesExactly() && column.kind().isText()))
        .map(inside -> new Literal(column, inside))
        .orElse(null);
  }
}
