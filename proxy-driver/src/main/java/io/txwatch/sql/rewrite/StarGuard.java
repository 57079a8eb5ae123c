package io.txwatch.sql.rewrite;

import io.txwatch.history.GapReason;
import io.txwatch.sql.dialect.DialectSql;
import io.txwatch.sql.dialect.Syntax;
import io.txwatch.sql.rewrite.Rewrite.Flag;
import io.txwatch.sql.semantics.AnalyzedStatement;
import io.txwatch.sql.semantics.Block;
import io.txwatch.sql.semantics.Block.Role;
import io.txwatch.sql.semantics.NotUnderstood;
import io.txwatch.sql.semantics.StatementParts;
import io.txwatch.sql.semantics.Tables;
import io.txwatch.sql.syntax.Clause.Kind;
import io.txwatch.sql.syntax.Expression;
import io.txwatch.sql.syntax.Expression.Star;
import io.txwatch.sql.syntax.Identifiers;
import io.txwatch.sql.syntax.Item;
import io.txwatch.sql.syntax.QueryBody;
import io.txwatch.sql.syntax.Source;
import io.txwatch.sql.syntax.Span;
import io.txwatch.sql.syntax.Statement;
import io.txwatch.sql.syntax.TokenKind;
import io.txwatch.sql.syntax.Tokens;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Keeps visible auxiliary columns (SQLite) from changing what a statement means, whether or not it
 * carries anything of ours (hazards 1, 5, 8, 10, 11, 16).
 *
 * <p>A star whose columns are an operand (in a subquery, under DISTINCT, in a set operation, as an
 * INSERT's source) is written out from the catalog. The star of the one top-level block stays, and
 * its hidden columns are left to the wrapper: so the application sees a column that was added
 * behind the catalog's back. NATURAL JOIN would join on the auxiliary columns: it becomes USING.
 * H2's has rules of its own ({@link JoinsByName}).
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
    if (statement.parts().references().stream().anyMatch(statement.tables()::hasAuxiliary)) {
      hidden = hidden.and(guard.run());
    }
    return guard.sql.labelsByText() ? hidden.and(guard.keepLabels(hidden.edits())) : hidden;
  }

  /** SQLite's {@code x IN t}, which is {@code x IN (SELECT * FROM t)}. */
  private Rewrite tablesInLists() {
    Rewrite hidden = Rewrite.NONE;
    for (int i = statement.parts().from(); i < statement.parts().to(); i++) {
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
    if (name.size() == 1 && statement.parts().declares(Identifiers.fold(name.get(0)))) {
      // Whether it is in the CTE's scope is for the DBMS to decide.
      return unseen.and(Rewrite.flagged(Flag.EXPOSED));
    }
    try {
      String columns = String.join(", ", columns(table));
      String query = "(select %s from %s)".formatted(columns, String.join(".", name));
      return unseen.and(replace(new Span(from, end), query));
    } catch (NotUnderstood e) {
      return unseen.and(Rewrite.flagged(Flag.EXPOSED));
    }
  }

  private Rewrite replace(Span at, String text) {
    return Rewrite.of(Edits.replace(tokens, at.from(), at.to(), text));
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
    for (Block block : statement.parts().blocks()) {
      for (Item item : block.items()) {
        if (item.star().isEmpty()) {
          labels = labels.and(keepLabel(edits, item.span()));
        }
      }
    }
    for (Item item : returned(statement.parts())) {
      labels = labels.and(keepLabel(edits, item.span()));
    }
    return labels;
  }

  private Rewrite keepLabel(Edits edits, Span item) {
    int from = item.from();
    int to = item.to();
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
    for (Block block : statement.parts().blocks()) {
      hidden = hidden.and(blockOrExposed(block));
    }
    for (Source node : statement.parts().sources()) {
      try {
        hidden =
            sql.joinsInvisibleColumns()
                ? hidden.and(joinsOfMerge(node))
                : hidden.and(natural(node));
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
        !Item.stars(returned(statement.parts())).isEmpty()
            && statement.parts().references().stream().anyMatch(tables::showsAuxiliary);
    return returnsStar ? hidden.and(Rewrite.flagged(Flag.STAR_SHOWS_AUXILIARY)) : hidden;
  }

  private static Rewrite exposed(NotUnderstood why) {
    return Rewrite.unseen(why.reason(), why.detail()).and(Rewrite.flagged(Flag.EXPOSED));
  }

  private Rewrite blockOrExposed(Block block) {
    Rewrite joins = Rewrite.NONE;
    try {
      if (sql.joinsInvisibleColumns()) {
        return joinsByName(block);
      }
      for (Source node : block.sources()) {
        joins = joins.and(natural(node));
      }
      return joins.and(stars(block));
    } catch (NotUnderstood e) {
      boolean shows = block.role() == Role.TOP || block.role() == Role.BRANCH;
      Rewrite exposed = joins.and(exposed(e));
      return shows ? exposed.and(Rewrite.flagged(Flag.STAR_SHOWS_AUXILIARY)) : exposed;
    }
  }

  /** Of the writes, H2 knows joins in MERGE alone: its message for another quotes the text. */
  private Rewrite joinsOfMerge(Source node) throws NotUnderstood {
    return statement.parts().tree() instanceof Statement.Merge
        ? Rewrite.of(new JoinsByName(statement, node, this::output).edits())
        : Rewrite.NONE;
  }

  /** NATURAL joins on H2, whose star does not show the auxiliary columns. */
  private Rewrite joinsByName(Block block) throws NotUnderstood {
    List<JoinsByName> sources =
        block.sources().stream()
            .map(node -> new JoinsByName(statement, node, this::output))
            .toList();
    Rewrite joins = Rewrite.NONE;
    for (JoinsByName source : sources) {
      joins = joins.and(Rewrite.of(source.edits()));
    }
    boolean isStarLost = sources.stream().anyMatch(JoinsByName::isStarLost);
    return isStarLost && block.role() != Role.EXISTS
        ? joins.and(mergedStars(block, sources))
        : joins;
  }

  private Rewrite mergedStars(Block block, List<JoinsByName> sources) throws NotUnderstood {
    Rewrite written = Rewrite.NONE;
    for (Item item : block.items()) {
      if (item.value() instanceof Expression.Operation part && part.operator().equals("EXCEPT")) {
        throw new NotUnderstood(GapReason.SHAPE, "a star without some of its columns");
      }
      if (item.star().filter(star -> star.qualifier().isEmpty()).isPresent()) {
        List<String> columns = new ArrayList<>();
        for (JoinsByName source : sources) {
          columns.addAll(source.star());
        }
        written = written.and(replace(item.span(), String.join(", ", columns)));
      }
    }
    return written;
  }

  /**
   * Writes out the stars of what a write inside WITH returns: they are columns of its CTE, which
   * the statement around it goes on with.
   *
   * @param hidden what {@link #protect} did
   */
  static Rewrite expandReturned(AnalyzedStatement statement, Rewrite hidden) throws NotUnderstood {
    return statement.parts().isInner() && hidden.is(Flag.STAR_SHOWS_AUXILIARY)
        ? hidden.without(Flag.STAR_SHOWS_AUXILIARY).and(new StarGuard(statement).expandReturned())
        : hidden;
  }

  private Rewrite expandReturned() throws NotUnderstood {
    Rewrite expanded = Rewrite.NONE;
    for (Star star : Item.stars(returned(statement.parts()))) {
      List<String> columns = returnedBy(statement.parts(), star).stream().map(Column::sql).toList();
      expanded = expanded.and(replace(star.span(), String.join(", ", columns)));
    }
    return expanded;
  }

  /** What a write returns. */
  private static List<Item> returned(StatementParts write) {
    return write.tree().returning().map(Statement.Returning::items).orElse(List.of());
  }

  /** The columns that a star in a write's RETURNING shows. */
  private List<Column> returnedBy(StatementParts write, Star star) throws NotUnderstood {
    Optional<Source.Table> target = write.tree().writtenTable();
    if (write.tree() instanceof Statement.Merge || target.isEmpty()) {
      throw new NotUnderstood(GapReason.SHAPE, "a star of what " + write.kind() + " returns");
    }
    List<Source> sources = write.sources();
    return starOutput(sources.isEmpty() ? List.of(target.get()) : sources, star.qualifier());
  }

  private Rewrite stars(Block block) throws NotUnderstood {
    boolean shown = block.stars().stream().anyMatch(star -> shows(block, star));
    if (!shown || block.role() == Role.EXISTS) {
      return Rewrite.NONE;
    }
    boolean plain = !block.distinct() && !block.has(Kind.GROUP_BY) && !block.has(Kind.INTO);
    if (block.sources().stream().anyMatch(this::hasQueryOfJoin)
        || block.sources().stream().skip(1).anyMatch(this::isQueryOfJoin)) {
      throw new NotUnderstood(GapReason.SHAPE, "a star over a join in parentheses behind another");
    }
    if (block.role() == Role.TOP && plain && !ordinals(block)) {
      return Rewrite.flagged(Flag.STAR_SHOWS_AUXILIARY);
    }
    Rewrite expanded = Rewrite.NONE;
    for (Star star : block.stars()) {
      if (shows(block, star)) {
        expanded = expanded.and(replace(star.span(), expansion(block, star)));
      }
    }
    return expanded;
  }

  /**
   * True for {@code a JOIN (b JOIN c)}: SQLite makes a query of what is in the parentheses, whose
   * star has an order of its own, and other names for the auxiliary columns of c.
   */
  private boolean hasQueryOfJoin(Source source) {
    return source.unwrapped() instanceof Source.Join join
        && (isQueryOfJoin(join.right()) || hasQueryOfJoin(join.left()));
  }

  private boolean isQueryOfJoin(Source source) {
    return source instanceof Source.Nested nested
        && nested.unwrapped() instanceof Source.Join
        && hasAny(nested);
  }

  private Rewrite tableQueries() throws NotUnderstood {
    Rewrite queries = Rewrite.NONE;
    for (QueryBody.TableQuery query : statement.parts().tableQueries()) {
      if (tables.showsAuxiliary(query.table())) {
        String columns = String.join(", ", columns(query.table()));
        int keyword = query.span().from();
        queries =
            queries.and(replace(new Span(keyword, keyword + 1), "select " + columns + " from"));
      }
    }
    return queries;
  }

  private boolean shows(Block block, Star star) {
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
  static boolean hasOrdinals(AnalyzedStatement statement, Block block) {
    return new StarGuard(statement).ordinals(block);
  }

  private boolean ordinals(Block block) {
    return Stream.of(Kind.ORDER_BY, Kind.GROUP_BY)
        .flatMap(kind -> block.clause(kind).stream())
        .anyMatch(clause -> numberIn(clause.span().from() + 2, block.end()));
  }

  private boolean numberIn(int from, int end) {
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
    StarGuard guard = new StarGuard(statement);
    int width = block.items().size() - block.stars().size();
    for (Star star : block.stars()) {
      List<Column> columns = guard.starOutput(block, star);
      if (unknown(columns)) {
        return OptionalInt.empty();
      }
      width += columns.size();
    }
    return OptionalInt.of(width);
  }

  private String expansion(Block block, Star star) throws NotUnderstood {
    if (!star.qualifier().isEmpty()) {
      Source.Table table =
          block.tables().stream().filter(t -> qualifies(star, t)).findFirst().orElseThrow();
      return String.join(", ", qualified(table, String.join(".", star.qualifier())));
    }
    List<Column> columns = new ArrayList<>();
    for (Source node : block.sources()) {
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
   * @param sql how to name it
   * @param bare its name alone
   */
  record Column(String name, String sql, String bare) {}

  private List<Column> output(Source node) throws NotUnderstood {
    List<Column> out = new ArrayList<>();
    if (node instanceof Source.Table table) {
      if (table.isCommon() && table.columnAliases() == 0) {
        String cte = Identifiers.fold(table.name().get(0));
        Optional<StatementParts> write = statement.parts().commonWrite(cte);
        return write.isPresent()
            ? writeOutput(table.exposedName(), write.get())
            : derivedOutput(table.exposedName(), statement.parts().commonBlock(cte));
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
    return derivedOutput(node.exposed().get(), statement.parts().blockOf(node));
  }

  private static List<Column> unknownOutput(String exposedName) {
    List<Column> out = new ArrayList<>();
    out.add(new Column("*", exposedName + ".*", ""));
    return out;
  }

  /** The columns of a subquery, as far as they have names of their own. */
  private List<Column> derivedOutput(String exposedName, Optional<Block> query)
      throws NotUnderstood {
    if (query.isEmpty()) {
      return unknownOutput(exposedName);
    }
    return named(exposedName, query.get().items(), star -> starOutput(query.get(), star));
  }

  /** The columns of a common table that is a write: those of its RETURNING. */
  private List<Column> writeOutput(String exposedName, StatementParts write) throws NotUnderstood {
    return named(exposedName, returned(write), star -> returnedBy(write, star));
  }

  /** The columns that a star shows. */
  private interface Expansion {
    List<Column> of(Star star) throws NotUnderstood;
  }

  private List<Column> named(String exposedName, List<Item> items, Expansion stars)
      throws NotUnderstood {
    List<Column> out = new ArrayList<>();
    for (Item item : items) {
      List<Column> shown =
          item.star().isPresent()
              ? under(exposedName, stars.of(item.star().get()))
              : item(exposedName, item.span());
      if (shown.isEmpty()) {
        return unknownOutput(exposedName);
      }
      out.addAll(shown);
    }
    return out.isEmpty() || unknown(out) ? unknownOutput(exposedName) : out;
  }

  /** Columns as they are named by what sees them under an alias. */
  private static List<Column> under(String exposedName, List<Column> columns) {
    return columns.stream()
        .map(c -> new Column(c.name, exposedName + "." + c.bare, c.bare))
        .toList();
  }

  /** The column that an item of a list makes; none if it has no name of its own. */
  private List<Column> item(String exposedName, Span item) {
    int last = item.to() - 1;
    boolean named =
        tokens.isName(last)
            && (last == item.from()
                || tokens.is(last - 1, TokenKind.DOT)
                || tokens.isWord(last - 1, "AS"));
    String bare = tokens.text(last);
    return named
        ? List.of(new Column(foldAsWritten(bare), exposedName + "." + bare, bare))
        : List.of();
  }

  private List<Column> starOutput(Block block, Star star) throws NotUnderstood {
    return starOutput(block.sources(), star.qualifier());
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

  static boolean unknown(List<Column> columns) {
    return columns.stream().anyMatch(c -> c.name.equals("*"));
  }

  static List<String> common(List<Column> left, List<Column> right) {
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
    String condition =
        using.isEmpty() ? " on " + sql.alwaysTrue() : " using (" + String.join(", ", using) + ")";
    return replace(new Span(join.natural(), join.natural() + 1), "")
        .and(Rewrite.of(Edits.after(tokens, join.to() - 1, condition)));
  }

  private boolean hasAny(Source node) {
    return Source.tables(List.of(node)).stream().anyMatch(tables::hasAuxiliary);
  }
}
