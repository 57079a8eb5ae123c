package io.txwatch.rewrite;

import io.txwatch.dialect.DialectSql;
import io.txwatch.history.AccessedColumns;
import io.txwatch.history.AccessedColumns.Columns;
import io.txwatch.history.AccessedColumns.OfTable;
import io.txwatch.plan.Catalog;
import io.txwatch.plan.KeyColumn;
import io.txwatch.sql.dialect.Dialect;
import io.txwatch.sql.semantics.ColumnUse;
import io.txwatch.sql.semantics.Schema;
import io.txwatch.sql.semantics.UsedColumns;
import io.txwatch.sql.syntax.Clause;
import io.txwatch.sql.syntax.Identifiers;
import io.txwatch.sql.syntax.Literals;
import io.txwatch.sql.syntax.Span;
import io.txwatch.sql.syntax.Statement;
import io.txwatch.sql.syntax.StatementParser;
import io.txwatch.sql.syntax.StatementSplitter;
import io.txwatch.sql.syntax.TokenKind;
import io.txwatch.sql.syntax.Tokens;
import io.txwatch.sql.syntax.UuidText;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** The columns that an SQL text reads, writes and compares, with the catalog's tables. */
final class StatementColumns {

  private StatementColumns() {}

  /** The statement of a text that is read in one way alone; empty if there are several. */
  static Optional<Statement> only(Tokens tokens, Dialect dialect) {
    if (tokens.isBroken() || tokens.hasBackslashBeforeQuote()) {
      return Optional.empty();
    }
    for (int i = 0; i < tokens.count(); i++) {
      if (tokens.is(i, TokenKind.EXECUTABLE_COMMENT)) {
        return Optional.empty();
      }
    }
    List<Span> statements = StatementSplitter.split(tokens, dialect);
    return statements.size() == 1
        ? Optional.of(StatementParser.parse(tokens, dialect, statements.get(0)))
        : Optional.empty();
  }

  /**
   * The columns of a statement that is alone in its text, which is read in one way alone.
   *
   * @return {@link AccessedColumns#UNKNOWN} if it was not understood
   */
  static AccessedColumns of(Statement statement, Tokens tokens, DialectSql sql, Catalog catalog) {
    AccessedColumns used =
        ColumnUse.of(statement, name -> catalog.find(name).flatMap(StatementColumns::relation))
            .map(StatementColumns::accessed)
            .orElse(AccessedColumns.UNKNOWN);
    return tableOfOneRow(statement, tokens, sql, catalog)
        .map(table -> withKey(used, table))
        .orElse(used);
  }

  private static AccessedColumns accessed(List<UsedColumns> tables) {
    return new AccessedColumns(
        tables.stream()
            .map(
                one ->
                    new OfTable(
                        one.table(),
                        columns(one.read()),
                        columns(one.predicate()),
                        columns(one.written()),
                        Columns.NONE,
                        columns(one.some())))
            .toList());
  }

  private static Columns columns(UsedColumns.Columns used) {
    return used.all() ? Columns.ALL : Columns.of(used.names());
  }

  private static AccessedColumns withKey(AccessedColumns used, Catalog.Table table) {
    Columns key = Columns.of(table.traits().nameColumns().stream().map(KeyColumn::name).toList());
    return new AccessedColumns(
        used.tables().stream()
            .map(
                one ->
                    one.table().equals(table.name())
                        ? new OfTable(
                            one.table(),
                            one.read(),
                            one.predicate(),
                            one.written(),
                            key,
                            one.some())
                        : one)
            .toList());
  }

  /**
   * The table of which a statement chooses one row at most: its WHERE is a conjunction that
   * compares each column of the key by which reports name rows with a constant or a parameter. In
   * doubt there is none: where the comparison may convert the column, two rows with different keys
   * may match.
   */
  private static Optional<Catalog.Table> tableOfOneRow(
      Statement statement, Tokens tokens, DialectSql sql, Catalog catalog) {
    Optional<Clause> where = ComparedKeyFinder.where(statement);
    return where.isEmpty()
        ? Optional.empty()
        : ComparedKeyFinder.onlyTable(statement)
            .flatMap(source -> catalog.find(source.name()))
            .filter(table -> choosesOneRow(table, where.get(), tokens, sql));
  }

  private static boolean choosesOneRow(
      Catalog.Table table, Clause where, Tokens tokens, DialectSql sql) {
    List<PinnedColumns.Pinned> pins = PinnedColumns.of(where);
    List<KeyColumn> key = table.traits().nameColumns();
    return !key.isEmpty()
        && table.hasDistinctNames()
        && key.stream()
            .allMatch(
                column ->
                    pins.stream()
                        .filter(pin -> Identifiers.fold(pin.column().last()).equals(column.name()))
                        .anyMatch(pin -> isEqualOnce(column, tokens, pin.token(), sql)));
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

  private static Optional<Schema.Relation> relation(Catalog.Table table) {
    Set<String> columns = new HashSet<>(folded(table.starColumns()));
    Set<String> changing = new HashSet<>(columns);
    Set<String> given = folded(table.columns());
    changing.removeAll(given); // generated ones
    columns.addAll(given);
    changing.addAll(table.traits().beforeUpdate() ? columns : table.traits().changing());
    boolean known =
        table.status() != Catalog.Status.NOT_A_BASE_TABLE
            && table.status() != Catalog.Status.LOOKUP_FAILED
            && !columns.isEmpty();
    return known
        ? Optional.of(
            new Schema.Relation(table.name(), columns, changing, table.traits().identity()))
        : Optional.empty();
  }

  private static Set<String> folded(List<String> names) {
    return names.stream()
        .map(name -> name.toLowerCase(Locale.ROOT))
        .collect(Collectors.toUnmodifiableSet());
  }
}
