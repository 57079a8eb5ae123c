package io.txwatch.rewrite;

import io.txwatch.sql.semantics.Block;
import io.txwatch.sql.semantics.NotUnderstood;
import io.txwatch.sql.semantics.StatementParts;
import io.txwatch.sql.syntax.Clause.Kind;
import io.txwatch.sql.syntax.Expression.Star;
import io.txwatch.sql.syntax.Identifiers;
import io.txwatch.sql.syntax.Item;
import io.txwatch.sql.syntax.Source;
import io.txwatch.sql.syntax.Span;
import io.txwatch.sql.syntax.Statement;
import io.txwatch.sql.syntax.TokenKind;
import io.txwatch.sql.syntax.Tokens;
import io.txwatch.statement.AnalyzedStatement;
import io.txwatch.statement.StatementKinds;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The columns that a star shows; {@link #UNKNOWN} for all those of an unknown source. */
final class StarColumns {

  /**
   * A column.
   *
   * @param name its name as compared
   * @param text its name as it stands in SQL
   */
  record Column(String name, String text) {}

  static final Column UNKNOWN = new Column("*", "*");

  private final AnalyzedStatement statement;
  private final Tokens tokens;

  private StarColumns(AnalyzedStatement statement) {
    this.statement = statement;
    this.tokens = statement.tokens();
  }

  /** True if a number in ORDER BY or GROUP BY counts the columns that a star shows. */
  static boolean hasOrdinals(AnalyzedStatement statement, Block block) {
    return Stream.of(Kind.ORDER_BY, Kind.GROUP_BY)
        .flatMap(kind -> block.clause(kind).stream())
        .anyMatch(clause -> numberIn(statement.tokens(), clause.span().from() + 2, block.end()));
  }

  private static boolean numberIn(Tokens tokens, int from, int end) {
    for (int i = from; i < end; i = tokens.next(i)) {
      boolean first = i == from || tokens.is(i - 1, TokenKind.COMMA);
      if (first && tokens.is(i, TokenKind.NUMBER)) {
        return true;
      }
    }
    return false;
  }

  /** How many columns a block has; empty if a star over an unknown source hides it. */
  static OptionalInt width(AnalyzedStatement statement, Block block) throws NotUnderstood {
    StarColumns shown = new StarColumns(statement);
    int width = block.items().size() - block.stars().size();
    for (Star star : block.stars()) {
      List<Column> columns = shown.of(block.sources(), star.qualifier());
      if (columns.contains(UNKNOWN)) {
        return OptionalInt.empty();
      }
      width += columns.size();
    }
    return OptionalInt.of(width);
  }

  /** The columns of a table, a query, or a function in FROM. */
  static List<Column> of(AnalyzedStatement statement, Source leaf) throws NotUnderstood {
    return new StarColumns(statement).of(leaf);
  }

  private List<Column> of(List<Source> sources, List<String> qualifier) throws NotUnderstood {
    List<Column> columns = new ArrayList<>();
    for (Source node : sources) {
      if (qualifier.isEmpty()) {
        columns.addAll(of(node));
      } else {
        for (Source leaf : Source.leaves(List.of(node), Source.class)) {
          if (leaf.exposed().filter(name -> qualifies(qualifier, name)).isPresent()) {
            columns.addAll(of(leaf));
          }
        }
      }
    }
    if (columns.isEmpty()) {
      throw new NotUnderstood(
          NotUnderstood.Reason.SHAPE, "a star over a source of rows that is not in FROM");
    }
    return columns;
  }

  private static boolean qualifies(List<String> qualifier, String exposedName) {
    String last = qualifier.get(qualifier.size() - 1);
    return Identifiers.fold(last).equals(Identifiers.fold(exposedName));
  }

  private List<Column> of(Source node) throws NotUnderstood {
    if (node instanceof Source.Table table) {
      return ofTable(table);
    }
    if (node instanceof Source.Join join) {
      return ofJoin(join);
    }
    if (node instanceof Source.Nested nested) {
      return of(nested.source());
    }
    if (node.exposed().isEmpty()) {
      throw new NotUnderstood(
          NotUnderstood.Reason.SHAPE, "a star over a source of rows without a name");
    }
    return ofQuery(statement.parts().blockOf(node));
  }

  private List<Column> ofTable(Source.Table table) throws NotUnderstood {
    if (table.isCommon() && table.columnAliases() == 0) {
      String cte = Identifiers.fold(table.name().get(0));
      Optional<StatementParts> write = statement.parts().commonWrite(cte);
      return write.isPresent() ? ofWrite(write.get()) : ofQuery(statement.parts().commonBlock(cte));
    }
    List<Column> columns =
        statement.tables().find(table).map(t -> t.starColumns()).orElse(List.of()).stream()
            .map(name -> new Column(name, Auxiliary.quote(statement.dialect(), name)))
            .toList();
    if (columns.isEmpty()) {
      return List.of(UNKNOWN);
    }
    if (table.columnAliases() > 0) {
      throw new NotUnderstood(
          NotUnderstood.Reason.SHAPE, "a star over a table with renamed columns");
    }
    return columns;
  }

  /** The columns of a subquery, as far as they have names of their own. */
  private List<Column> ofQuery(Optional<Block> query) throws NotUnderstood {
    return query.isEmpty()
        ? List.of(UNKNOWN)
        : named(query.get().items(), star -> of(query.get().sources(), star.qualifier()));
  }

  /** The columns of a common table that is a write: those of its RETURNING. */
  private List<Column> ofWrite(StatementParts write) throws NotUnderstood {
    List<Item> returned =
        write.tree().returning().map(Statement.Returning::items).orElse(List.of());
    return named(returned, star -> returnedBy(write, star));
  }

  private List<Column> returnedBy(StatementParts write, Star star) throws NotUnderstood {
    Optional<Source.Table> target = write.tree().writtenTable();
    if (write.tree() instanceof Statement.Merge || target.isEmpty()) {
      throw new NotUnderstood(
          NotUnderstood.Reason.SHAPE, "a star of what " + StatementKinds.of(write) + " returns");
    }
    List<Source> sources = write.sources();
    return of(sources.isEmpty() ? List.of(target.get()) : sources, star.qualifier());
  }

  /** The columns that a star shows. */
  private interface Expansion {
    List<Column> of(Star star) throws NotUnderstood;
  }

  private List<Column> named(List<Item> items, Expansion stars) throws NotUnderstood {
    List<Column> columns = new ArrayList<>();
    for (Item item : items) {
      if (item.star().isPresent()) {
        columns.addAll(stars.of(item.star().get()));
      } else {
        columns.add(name(item.span()).orElse(UNKNOWN));
      }
    }
    return columns.isEmpty() || columns.contains(UNKNOWN) ? List.of(UNKNOWN) : columns;
  }

  /** The name of the column that an item of a list makes; empty if it has none of its own. */
  private Optional<Column> name(Span item) {
    int last = item.to() - 1;
    boolean named =
        tokens.isName(last)
            && (last == item.from()
                || tokens.is(last - 1, TokenKind.DOT)
                || tokens.isWord(last - 1, "AS"));
    return named ? Optional.of(column(tokens.text(last))) : Optional.empty();
  }

  /** SQL:2016, 7.10: a merged column is shown once. */
  private List<Column> ofJoin(Source.Join join) throws NotUnderstood {
    List<Column> left = of(join.left());
    List<Column> right = of(join.right());
    List<Column> all = new ArrayList<>(left);
    if (join.natural() < 0 && join.using().isEmpty()) {
      all.addAll(right);
      return all;
    }
    if (left.contains(UNKNOWN) || right.contains(UNKNOWN)) {
      throw new NotUnderstood(
          NotUnderstood.Reason.SHAPE, "a star over merged columns of an unknown source");
    }
    Set<String> names = names(left);
    Set<String> merged = new LinkedHashSet<>();
    if (join.natural() >= 0) {
      merged.addAll(names);
      merged.retainAll(names(right));
    } else {
      join.using().forEach(name -> merged.add(column(name).name()));
    }
    if (!names.containsAll(merged)) {
      throw new NotUnderstood(
          NotUnderstood.Reason.SHAPE, "USING names a column that the catalog lacks");
    }
    right.stream().filter(column -> !merged.contains(column.name())).forEach(all::add);
    return all;
  }

  private static Set<String> names(List<Column> columns) {
    return columns.stream().map(Column::name).collect(Collectors.toCollection(LinkedHashSet::new));
  }

  private static Column column(String text) {
    char first = text.charAt(0);
    boolean quoted = first == '"' || first == '`' || first == '[';
    return new Column(quoted ? Identifiers.unquote(text) : Identifiers.fold(text), text);
  }
}
