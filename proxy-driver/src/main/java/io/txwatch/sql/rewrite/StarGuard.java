package io.txwatch.sql.rewrite;

import io.txwatch.history.GapReason;
import io.txwatch.history.StatementKind;
import io.txwatch.sql.dialect.DialectSql;
import io.txwatch.sql.dialect.Syntax;
import io.txwatch.sql.rewrite.Rewrite.Flag;
import io.txwatch.sql.semantics.AnalyzedStatement;
import io.txwatch.sql.semantics.NotUnderstood;
import io.txwatch.sql.semantics.SelectBlock;
import io.txwatch.sql.semantics.SelectBlock.Role;
import io.txwatch.sql.semantics.SelectBlock.Star;
import io.txwatch.sql.semantics.StatementShape;
import io.txwatch.sql.semantics.Tables;
import io.txwatch.sql.syntax.Identifiers;
import io.txwatch.sql.syntax.Source;
import io.txwatch.sql.syntax.Span;
import io.txwatch.sql.syntax.TokenKind;
import io.txwatch.sql.syntax.Tokens;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;

/**
 * Keeps visible auxiliary columns (PostgreSQL, SQLite) from changing what a statement means,
 * whether or not it carries anything of ours (hazards 1, 5, 8, 10, 11, 16).
 *
 * <p>A star whose columns are somebody's operand (in a subquery, under DISTINCT, in a set
 * operation, as an INSERT's source) is written out from the catalog. The star of the one top-level
 * block stays, and its hidden columns are left to the wrapper: so the application sees a column
 * that was added behind the catalog's back. NATURAL JOIN would join on the auxiliary columns: it
 * becomes USING.
 */
final class StarGuard {

  private final AnalyzedStatement statement;
  private final Tokens tokens;
  private final Tables tables;
  private final DialectSql sql;

  private StarGuard(AnalyzedStatement statement) {
    this.statement = statement;
    this.tokens = statement.tokens();
    this.tables = statement.tables();
    this.sql = statement.dialect().sql();
  }

  /** What keeps the columns of a statement's tables out of it. */
  static Rewrite protect(AnalyzedStatement statement) {
    StarGuard guard = new StarGuard(statement);
    Rewrite hidden =
        statement.dialect().grammar().has(Syntax.IN_TABLE) ? guard.tablesInLists() : Rewrite.NONE;
    if (statement.shape().tables.stream().anyMatch(statement.tables()::hasAuxiliary)) {
      hidden = hidden.and(guard.run());
    }
    return guard.sql.labelsByText() ? hidden.and(guard.keepLabels(hidden.edits())) : hidden;
  }

  /** SQLite's {@code x IN t}, which is {@code x IN (SELECT * FROM t)}. */
  private Rewrite tablesInLists() {
    Rewrite hidden = Rewrite.NONE;
    for (int i = statement.shape().from; i < statement.shape().to; i++) {
      int end = inList(i);
      if (end >= 0) {
        hidden = hidden.and(tableInList(i + 1, end));
      }
    }
    return hidden;
  }

  private Rewrite tableInList(int from, int end) {
    List<String> name = new ArrayList<>();
    for (int k = from; k < end; k += 2) {
      name.add(tokens.text(k));
    }
    Source.Table table = Source.Table.named(new Span(from, end), name);
    if (!tables.showsAuxiliary(table)) {
      return Rewrite.NONE;
    }
    Rewrite unseen = Rewrite.unseen(GapReason.SHAPE, "IN with a table's name");
    if (name.size() == 1 && statement.shape().ctes.contains(Identifiers.fold(name.get(0)))) {
      // Whether it is in the CTE's scope is for the DBMS to decide.
      return unseen.and(Rewrite.flagged(Flag.EXPOSED));
    }
    try {
      String columns = String.join(", ", columns(table));
      String query = "(select %s from %s)".formatted(columns, String.join(".", name));
      return unseen.and(replace(from, end, query));
    } catch (NotUnderstood e) {
      return unseen.and(Rewrite.flagged(Flag.EXPOSED));
    }
  }

  private Rewrite replace(int from, int to, String text) {
    return Rewrite.of(Edits.replace(tokens, from, to, text));
  }

  /** The token after the table's name behind IN; -1 if there is none. */
  private int inList(int in) {
    if (!tokens.isWord(in, "IN") || !tokens.isName(in + 1)) {
      return -1;
    }
    int end = tokens.nameEnd(in + 1);
    return end > in + 1 && !tokens.isOpen(end) ? end : -1;
  }

  /** SQLite names a column without an alias by the text of its expression: by the one it had. */
  private Rewrite keepLabels(Edits edits) {
    Rewrite labels = Rewrite.NONE;
    if (edits.isEmpty()) {
      return labels;
    }
    for (SelectBlock block : statement.shape().blocks) {
      for (int k = 0; k < block.items; k++) {
        int from = block.itemStarts.get(k);
        int to = k + 1 < block.items ? block.itemStarts.get(k + 1) - 1 : block.listTo;
        if (block.stars.stream().noneMatch(star -> star.from() == from)) {
          labels = labels.and(keepLabel(edits, from, to));
        }
      }
    }
    if (statement.shape().returning >= 0) {
      for (Span item : tokens.items(statement.shape().returning + 1, statement.shape().to)) {
        labels = labels.and(keepLabel(edits, item.from(), item.to()));
      }
    }
    return labels;
  }

  private Rewrite keepLabel(Edits edits, int from, int to) {
    if (!edits.change(tokens, from, to) || mayHaveAlias(from, to)) {
      return Rewrite.NONE;
    }
    String text = tokens.text().substring(tokens.start(from), tokens.end(to - 1));
    String label = " AS \"" + text.replace("\"", "\"\"") + '"';
    return Rewrite.of(Edits.after(tokens, to - 1, label));
  }

  /** True if the last token of an item may be an alias. */
  private boolean mayHaveAlias(int from, int to) {
    int last = to - 1;
    for (int in = from; in < last; in++) {
      if (inList(in) == to) {
        return false;
      }
    }
    boolean operand =
        tokens.is(last, TokenKind.CLOSE)
            || tokens.is(last, TokenKind.NUMBER)
            || tokens.is(last, TokenKind.PARAMETER)
            || tokens.isAnyWord(last, "NULL", "END", "ISNULL", "NOTNULL");
    return !operand || tokens.isWord(last - 1, "AS");
  }

  private Rewrite run() {
    Rewrite hidden = Rewrite.NONE;
    for (SelectBlock block : statement.shape().blocks) {
      hidden = hidden.and(blockOrExposed(block));
    }
    for (Source node : statement.shape().sources) {
      try {
        hidden = hidden.and(natural(node));
      } catch (NotUnderstood e) {
        hidden = hidden.and(exposed(e));
      }
    }
    try {
      hidden = hidden.and(tableQueries());
    } catch (NotUnderstood e) {
      hidden = hidden.and(Rewrite.flagged(Flag.EXPOSED));
    }
    boolean returnsStar =
        statement.shape().returning >= 0
            && statement.shape().tables.stream().anyMatch(tables::showsAuxiliary)
            && starIn(statement.shape().returning + 1, statement.shape().to);
    return returnsStar ? hidden.and(Rewrite.flagged(Flag.STAR_SHOWS_AUXILIARY)) : hidden;
  }

  private static Rewrite exposed(NotUnderstood why) {
    return Rewrite.unseen(why.reason(), why.detail()).and(Rewrite.flagged(Flag.EXPOSED));
  }

  private Rewrite blockOrExposed(SelectBlock block) {
    Rewrite joins = Rewrite.NONE;
    try {
      for (Source node : block.from) {
        joins = joins.and(natural(node));
      }
      return joins.and(stars(block));
    } catch (NotUnderstood e) {
      boolean shows = block.role == Role.TOP || block.role == Role.BRANCH;
      Rewrite exposed = joins.and(exposed(e));
      return shows ? exposed.and(Rewrite.flagged(Flag.STAR_SHOWS_AUXILIARY)) : exposed;
    }
  }

  /**
   * Writes out the stars of what a write inside WITH returns: they are columns of its CTE, which
   * the statement around it goes on with.
   *
   * @param hidden what {@link #protect} did
   */
  static Rewrite expandReturned(AnalyzedStatement statement, Rewrite hidden) throws NotUnderstood {
    return statement.shape().inner && hidden.is(Flag.STAR_SHOWS_AUXILIARY)
        ? hidden.without(Flag.STAR_SHOWS_AUXILIARY).and(new StarGuard(statement).expandReturned())
        : hidden;
  }

  private Rewrite expandReturned() throws NotUnderstood {
    StatementShape shape = statement.shape();
    Rewrite expanded = Rewrite.NONE;
    for (int i = shape.returning + 1; i < shape.to; i = tokens.next(i)) {
      if (isStar(i, shape.returning + 1)) {
        List<String> columns = returnedBy(shape, i).stream().map(Column::sql).toList();
        expanded = expanded.and(replace(itemStart(i), i + 1, String.join(", ", columns)));
      }
    }
    return expanded;
  }

  /** The first token of a star with its qualifier. */
  private int itemStart(int star) {
    int from = star;
    while (tokens.is(from - 1, TokenKind.DOT)) {
      from -= 2;
    }
    return from;
  }

  /** The columns that a star in a write's RETURNING shows. */
  private List<Column> returnedBy(StatementShape write, int star) throws NotUnderstood {
    if (write.kind == StatementKind.MERGE || write.target == null) {
      throw new NotUnderstood(GapReason.SHAPE, "a star of what " + write.kind + " returns");
    }
    List<String> qualifier = itemStart(star) == star ? List.of() : List.of(tokens.text(star - 2));
    List<Source> sources = write.sources.isEmpty() ? List.of(write.target) : write.sources;
    return starOutput(sources, qualifier);
  }

  /** A star that is a whole item, and no operator. */
  private boolean starIn(int from, int to) {
    for (int i = from; i < to; i = tokens.next(i)) {
      if (isStar(i, from)) {
        return true;
      }
    }
    return false;
  }

  private boolean isStar(int i, int listFrom) {
    return tokens.isOperator(i, '*')
        && (i == listFrom || tokens.is(i - 1, TokenKind.COMMA) || tokens.is(i - 1, TokenKind.DOT));
  }

  private Rewrite stars(SelectBlock block) throws NotUnderstood {
    boolean shown = block.stars.stream().anyMatch(star -> shows(block, star));
    if (!shown || block.role == Role.EXISTS) {
      return Rewrite.NONE;
    }
    boolean plain = !block.distinct && block.groupBy < 0 && block.into < 0;
    if (block.role == Role.TOP && plain && !ordinals(block)) {
      return Rewrite.flagged(Flag.STAR_SHOWS_AUXILIARY);
    }
    Rewrite expanded = Rewrite.NONE;
    for (Star star : block.stars) {
      if (shows(block, star)) {
        expanded = expanded.and(replace(star.from(), star.to(), expansion(block, star)));
      }
    }
    return expanded;
  }

  private Rewrite tableQueries() throws NotUnderstood {
    Rewrite queries = Rewrite.NONE;
    for (int table : statement.shape().tableQueries) {
      Source.Table ref =
          statement.shape().tables.stream()
              .filter(t -> t.from() == table + 1)
              .findFirst()
              .orElseThrow();
      if (tables.showsAuxiliary(ref)) {
        String columns = String.join(", ", columns(ref));
        queries = queries.and(replace(table, table + 1, "select " + columns + " from"));
      }
    }
    return queries;
  }

  private boolean shows(SelectBlock block, Star star) {
    return block.tables().stream().anyMatch(t -> tables.showsAuxiliary(t) && qualifies(star, t));
  }

  private static boolean qualifies(Star star, Source.Table table) {
    if (star.qualifier().isEmpty()) {
      return true;
    }
    return qualifies(star.qualifier(), table.exposedName());
  }

  private static boolean qualifies(List<String> qualifier, String exposedName) {
    String last = qualifier.get(qualifier.size() - 1);
    return Identifiers.fold(last).equals(Identifiers.fold(exposedName));
  }

  /** True if a number in ORDER BY or GROUP BY counts the columns that a star shows. */
  static boolean hasOrdinals(AnalyzedStatement statement, SelectBlock block) {
    return new StarGuard(statement).ordinals(block);
  }

  private boolean ordinals(SelectBlock block) {
    return numberIn(block.orderBy, block.end) || numberIn(block.groupBy, block.end);
  }

  private boolean numberIn(int clause, int end) {
    for (int i = clause; i >= 0 && i < end; i = tokens.next(i)) {
      boolean first = i == clause + 2 || tokens.is(i - 1, TokenKind.COMMA);
      if (first && tokens.is(i, TokenKind.NUMBER)) {
        return true;
      }
    }
    return false;
  }

  /** How many columns a block has; empty if a star over an unknown source hides it. */
  static OptionalInt width(AnalyzedStatement statement, SelectBlock block) throws NotUnderstood {
    StarGuard guard = new StarGuard(statement);
    int width = block.items - block.stars.size();
    for (Star star : block.stars) {
      List<Column> columns = guard.starOutput(block, star);
      if (unknown(columns)) {
        return OptionalInt.empty();
      }
      width += columns.size();
    }
    return OptionalInt.of(width);
  }

  private String expansion(SelectBlock block, Star star) throws NotUnderstood {
    if (!star.qualifier().isEmpty()) {
      Source.Table table =
          block.tables().stream().filter(t -> qualifies(star, t)).findFirst().orElseThrow();
      return String.join(", ", qualified(table, String.join(".", star.qualifier())));
    }
    List<Column> columns = new ArrayList<>();
    for (Source node : block.from) {
      columns.addAll(output(node));
    }
    for (Column column : columns) {
      boolean merged = column.sql.equals(column.bare);
      if (merged && columns.stream().filter(c -> c.name.equals(column.name)).count() > 1) {
        throw new NotUnderstood(GapReason.SHAPE, "a merged column whose name comes again");
      }
    }
    return String.join(", ", columns.stream().map(Column::sql).toList());
  }

  /**
   * A column that a star shows.
   *
   * @param name its name as compared; {@code *} for all those of an unknown source
   * @param sql how to speak of it
   * @param bare its name alone
   */
  private record Column(String name, String sql, String bare) {}

  private List<Column> output(Source node) throws NotUnderstood {
    List<Column> out = new ArrayList<>();
    if (node instanceof Source.Table table) {
      if (table.isCommon() && table.columnAliases() == 0) {
        String cte = Identifiers.fold(table.name().get(0));
        StatementShape write = statement.shape().cteWrites.get(cte);
        return write == null
            ? derivedOutput(
                table.exposedName(),
                statement.shape().cteBlocks.getOrDefault(cte, Optional.empty()))
            : writeOutput(table.exposedName(), write);
      }
      if (!tables.showsAuxiliary(table) && !known(table)) {
        return unknownOutput(table.exposedName());
      }
      if (table.columnAliases() > 0) {
        throw new NotUnderstood(GapReason.SHAPE, "a star over a table with renamed columns");
      }
      List<String> names = tables.find(table).orElseThrow().starColumns();
      List<String> sql = qualified(table, table.exposedName());
      for (int i = 0; i < names.size(); i++) {
        String bare = Auxiliary.quote(statement.dialect(), names.get(i));
        out.add(new Column(fold(names.get(i)), sql.get(i), bare));
      }
      return out;
    }
    if (node instanceof Source.Join join) {
      return joinOutput(join);
    }
    if (node instanceof Source.Nested nested) {
      return output(nested.source());
    }
    if (node.exposed().isEmpty()) {
      throw new NotUnderstood(GapReason.SHAPE, "a star over a source of rows without a name");
    }
    return derivedOutput(node.exposed().get(), statement.shape().blockOf(node));
  }

  private static List<Column> unknownOutput(String exposedName) {
    List<Column> out = new ArrayList<>();
    out.add(new Column("*", exposedName + ".*", ""));
    return out;
  }

  /** The columns of a subquery, as far as they have names of their own. */
  private List<Column> derivedOutput(String exposedName, Optional<SelectBlock> query)
      throws NotUnderstood {
    if (query.isEmpty()) {
      return unknownOutput(exposedName);
    }
    SelectBlock block = query.get();
    List<Column> out = new ArrayList<>();
    for (int k = 0; k < block.items; k++) {
      int from = block.itemStarts.get(k);
      int to = k + 1 < block.items ? block.itemStarts.get(k + 1) - 1 : block.listTo;
      Optional<Star> star = block.stars.stream().filter(s -> s.from() == from).findFirst();
      List<Column> shown =
          star.isPresent()
              ? under(exposedName, starOutput(block, star.get()))
              : item(exposedName, from, to);
      if (shown.isEmpty()) {
        return unknownOutput(exposedName);
      }
      out.addAll(shown);
    }
    return unknown(out) ? unknownOutput(exposedName) : out;
  }

  /** The columns of a CTE that is a write: those of its RETURNING. */
  private List<Column> writeOutput(String exposedName, StatementShape write) throws NotUnderstood {
    if (write.returning < 0) {
      return unknownOutput(exposedName);
    }
    List<Column> out = new ArrayList<>();
    for (Span item : tokens.items(write.returning + 1, write.to)) {
      List<Column> shown =
          isStar(item.to() - 1, item.from())
              ? under(exposedName, returnedBy(write, item.to() - 1))
              : item(exposedName, item.from(), item.to());
      if (shown.isEmpty()) {
        return unknownOutput(exposedName);
      }
      out.addAll(shown);
    }
    return out.isEmpty() || unknown(out) ? unknownOutput(exposedName) : out;
  }

  /** Columns as those speak of them who see them under a name. */
  private static List<Column> under(String exposedName, List<Column> columns) {
    return columns.stream()
        .map(c -> new Column(c.name, exposedName + "." + c.bare, c.bare))
        .toList();
  }

  /** The column that an item of a list makes; none if it has no name of its own. */
  private List<Column> item(String exposedName, int from, int to) {
    int last = to - 1;
    boolean named =
        tokens.isName(last)
            && (last == from
                || tokens.is(last - 1, TokenKind.DOT)
                || tokens.isWord(last - 1, "AS"));
    String bare = tokens.text(last);
    return named
        ? List.of(new Column(foldAsWritten(bare), exposedName + "." + bare, bare))
        : List.of();
  }

  private List<Column> starOutput(SelectBlock block, Star star) throws NotUnderstood {
    return starOutput(block.from, star.qualifier());
  }

  private List<Column> starOutput(List<Source> sources, List<String> qualifier)
      throws NotUnderstood {
    List<Column> columns = new ArrayList<>();
    for (Source node : sources) {
      if (qualifier.isEmpty()) {
        columns.addAll(output(node));
      } else {
        for (Source leaf : Source.leaves(List.of(node), Source.class)) {
          if (leaf.exposed().filter(name -> qualifies(qualifier, name)).isPresent()) {
            columns.addAll(output(leaf));
          }
        }
      }
    }
    if (columns.isEmpty()) {
      throw new NotUnderstood(GapReason.SHAPE, "a star over a source of rows that is not in FROM");
    }
    return columns;
  }

  private boolean known(Source.Table table) {
    return tables.find(table).map(t -> !t.starColumns().isEmpty()).orElse(false);
  }

  /**
   * SQL:2016, 7.10: the merged columns first, then the rest of the left, then of the right. SQLite
   * leaves the merged ones at their place on the left.
   */
  private List<Column> joinOutput(Source.Join join) throws NotUnderstood {
    List<Column> left = output(join.left());
    List<Column> right = output(join.right());
    if (join.natural() < 0 && join.using().isEmpty()) {
      left.addAll(right);
      return left;
    }
    Set<String> merged = new LinkedHashSet<>();
    if (join.natural() >= 0) {
      merged.addAll(common(left, right));
    } else {
      join.using().forEach(name -> merged.add(foldAsWritten(name)));
    }
    if (unknown(left) || unknown(right)) {
      throw new NotUnderstood(GapReason.SHAPE, "a star over merged columns of an unknown source");
    }
    List<Column> out = new ArrayList<>();
    for (String name : merged) {
      Column of =
          left.stream().filter(c -> c.name.equals(name)).findFirst().orElseThrow(this::lost);
      Column one = new Column(name, of.bare, of.bare);
      if (sql.keepsMergedColumnsInPlace()) {
        left.set(left.indexOf(of), one);
      } else {
        out.add(one);
      }
    }
    if (sql.keepsMergedColumnsInPlace()) {
      out.addAll(left);
      right.stream().filter(c -> !merged.contains(c.name)).forEach(out::add);
      return out;
    }
    left.stream().filter(c -> !merged.contains(c.name)).forEach(out::add);
    right.stream().filter(c -> !merged.contains(c.name)).forEach(out::add);
    return out;
  }

  private NotUnderstood lost() {
    return new NotUnderstood(GapReason.SHAPE, "USING names a column that the catalog lacks");
  }

  private static boolean unknown(List<Column> columns) {
    return columns.stream().anyMatch(c -> c.name.equals("*"));
  }

  private static List<String> common(List<Column> left, List<Column> right) {
    List<String> common = new ArrayList<>();
    for (Column column : left) {
      if (!column.name.equals("*") && right.stream().anyMatch(c -> c.name.equals(column.name))) {
        common.add(column.name);
      }
    }
    return common;
  }

  private String fold(String stored) {
    return sql.foldsQuotedNames() ? Identifiers.fold('"' + stored + '"') : stored;
  }

  private String foldAsWritten(String name) {
    char first = name.charAt(0);
    boolean quoted = first == '"' || first == '`' || first == '[';
    return quoted && !sql.foldsQuotedNames() ? Identifiers.unquote(name) : Identifiers.fold(name);
  }

  private List<String> qualified(Source.Table table, String qualifier) throws NotUnderstood {
    List<String> qualified = new ArrayList<>();
    for (String column : columns(table)) {
      qualified.add(qualifier + "." + column);
    }
    return qualified;
  }

  private List<String> columns(Source.Table table) throws NotUnderstood {
    List<String> quoted = new ArrayList<>();
    for (String name : tables.find(table).orElseThrow().starColumns()) {
      quoted.add(Auxiliary.quote(statement.dialect(), name));
    }
    if (quoted.isEmpty()) {
      throw new NotUnderstood(GapReason.SHAPE, "a table whose columns are not known");
    }
    return quoted;
  }

  /** NATURAL JOIN of two sides that both show the auxiliary columns (hazard 11). */
  private Rewrite natural(Source node) throws NotUnderstood {
    if (node instanceof Source.Nested nested) {
      return natural(nested.source());
    }
    if (!(node instanceof Source.Join join)) {
      return Rewrite.NONE;
    }
    Rewrite within = natural(join.left()).and(natural(join.right()));
    return join.natural() >= 0 && hasAny(join.left()) && hasAny(join.right())
        ? within.and(usingInsteadOfNatural(join))
        : within;
  }

  private Rewrite usingInsteadOfNatural(Source.Join join) throws NotUnderstood {
    List<Column> left = output(join.left());
    List<Column> right = output(join.right());
    if (unknown(left) || unknown(right)) {
      throw new NotUnderstood(
          GapReason.SHAPE,
          "NATURAL JOIN would join on the auxiliary columns, and cannot be put right");
    }
    List<String> using = new ArrayList<>();
    for (String name : common(left, right)) {
      Column of = left.stream().filter(c -> c.name.equals(name)).findFirst().orElseThrow();
      using.add(of.bare);
    }
    if (join.operator().to() > join.natural() + 2
        && !statement.dialect().grammar().has(Syntax.NATURAL_OF_ANY_KIND)) {
      throw new NotUnderstood("a join that " + statement.dialect() + " does not know");
    }
    String condition = using.isEmpty() ? " on 1 = 1" : " using (" + String.join(", ", using) + ")";
    return replace(join.natural(), join.natural() + 1, "")
        .and(Rewrite.of(Edits.after(tokens, join.to() - 1, condition)));
  }

  private boolean hasAny(Source node) {
    return Source.tables(List.of(node)).stream().anyMatch(tables::hasAuxiliary);
  }
}
