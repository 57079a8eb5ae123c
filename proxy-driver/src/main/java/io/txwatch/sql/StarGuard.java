package io.txwatch.sql;

import io.txwatch.history.GapReason;
import io.txwatch.history.StatementKind;
import io.txwatch.sql.FromNode.Join;
import io.txwatch.sql.FromNode.TableRef;
import io.txwatch.sql.SelectBlock.Role;
import io.txwatch.sql.SelectBlock.Star;
import io.txwatch.sql.dialect.Dialect;
import io.txwatch.sql.syntax.Identifiers;
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

  private final Draft draft;

  private StarGuard(Draft draft) {
    this.draft = draft;
  }

  static void protect(Draft draft) {
    StarGuard guard = new StarGuard(draft);
    if (draft.dialect == Dialect.SQLITE) {
      guard.tablesInLists();
    }
    if (draft.shape.tables.stream().anyMatch(draft.tables::hasAuxiliary)) {
      guard.run();
    }
    if (draft.dialect == Dialect.SQLITE && !draft.splices.isEmpty()) {
      guard.keepLabels();
    }
  }

  /** SQLite's {@code x IN t}, which is {@code x IN (SELECT * FROM t)}. */
  private void tablesInLists() {
    Tokens tokens = draft.tokens;
    for (int i = draft.shape.from; i < draft.shape.to; i++) {
      int end = inList(i);
      if (end < 0) {
        continue;
      }
      List<String> name = new ArrayList<>();
      for (int k = i + 1; k < end; k += 2) {
        name.add(tokens.text(k));
      }
      TableRef table = new TableRef(name, Optional.empty(), 0, false, i + 1, end);
      if (!draft.tables.showsAuxiliary(table)) {
        continue;
      }
      draft.unseen(GapReason.SHAPE, "IN with a table's name");
      if (name.size() == 1 && draft.shape.ctes.contains(Identifiers.fold(name.get(0)))) {
        draft.exposed = true; // whether it is in the CTE's scope is for the DBMS to say
        continue;
      }
      try {
        String query = "(select %s from %s)";
        String columns = String.join(", ", columns(table));
        draft.splices.replace(i + 1, end, query.formatted(columns, String.join(".", name)));
      } catch (NotUnderstood e) {
        draft.exposed = true;
      }
    }
  }

  /** The token after the table's name behind IN; -1 if there is none. */
  private int inList(int in) {
    if (!draft.tokens.isWord(in, "IN") || !draft.tokens.isName(in + 1)) {
      return -1;
    }
    int end = draft.tokens.nameEnd(in + 1);
    return end > in + 1 && !draft.tokens.isOpen(end) ? end : -1;
  }

  /** SQLite names a column without an alias by the text of its expression: by the one it had. */
  private void keepLabels() {
    for (SelectBlock block : draft.shape.blocks) {
      for (int k = 0; k < block.items; k++) {
        int from = block.itemStarts.get(k);
        int to = k + 1 < block.items ? block.itemStarts.get(k + 1) - 1 : block.listTo;
        if (block.stars.stream().noneMatch(star -> star.from() == from)) {
          keepLabel(from, to);
        }
      }
    }
    if (draft.shape.returning >= 0) {
      draft
          .tokens
          .items(draft.shape.returning + 1, draft.shape.to)
          .forEach(item -> keepLabel(item.from(), item.to()));
    }
  }

  private void keepLabel(int from, int to) {
    if (draft.splices.changes(from, to) && !mayHaveAlias(from, to)) {
      Tokens tokens = draft.tokens;
      String text = tokens.text().substring(tokens.start(from), tokens.end(to - 1));
      draft.splices.after(to - 1, " AS \"" + text.replace("\"", "\"\"") + '"');
    }
  }

  /** True if the last token of an item may be an alias. */
  private boolean mayHaveAlias(int from, int to) {
    Tokens tokens = draft.tokens;
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

  private void run() {
    for (SelectBlock block : draft.shape.blocks) {
      try {
        protect(block);
      } catch (NotUnderstood e) {
        draft.unseen(e.reason(), e.detail());
        draft.exposed = true;
        draft.starShowsAuxiliary |= block.role == Role.TOP || block.role == Role.BRANCH;
      }
    }
    for (FromNode node : draft.shape.sources) {
      try {
        natural(node);
      } catch (NotUnderstood e) {
        draft.unseen(e.reason(), e.detail());
        draft.exposed = true;
      }
    }
    try {
      tableQueries();
    } catch (NotUnderstood e) {
      draft.exposed = true;
    }
    if (draft.shape.returning >= 0
        && draft.shape.tables.stream().anyMatch(draft.tables::showsAuxiliary)) {
      draft.starShowsAuxiliary |= starIn(draft.shape.returning + 1, draft.shape.to);
    }
  }

  /**
   * Writes out the stars of what a write inside WITH returns: they are columns of its CTE, which
   * the statement around it goes on with.
   */
  static void expandReturned(Draft draft) throws NotUnderstood {
    if (draft.shape.inner && draft.starShowsAuxiliary) {
      new StarGuard(draft).expandReturned();
      draft.starShowsAuxiliary = false;
    }
  }

  private void expandReturned() throws NotUnderstood {
    StatementShape shape = draft.shape;
    for (int i = shape.returning + 1; i < shape.to; i = draft.tokens.next(i)) {
      if (isStar(i, shape.returning + 1)) {
        List<String> columns = new ArrayList<>();
        for (Column column : returnedBy(shape, i)) {
          columns.add(column.sql);
        }
        draft.splices.replace(itemStart(i), i + 1, String.join(", ", columns));
      }
    }
  }

  /** The first token of a star with its qualifier. */
  private int itemStart(int star) {
    int from = star;
    while (draft.tokens.is(from - 1, TokenKind.DOT)) {
      from -= 2;
    }
    return from;
  }

  /** The columns that a star in a write's RETURNING shows. */
  private List<Column> returnedBy(StatementShape write, int star) throws NotUnderstood {
    if (write.kind == StatementKind.MERGE || write.target == null) {
      throw new NotUnderstood(GapReason.SHAPE, "a star of what " + write.kind + " returns");
    }
    List<String> qualifier =
        itemStart(star) == star ? List.of() : List.of(draft.tokens.text(star - 2));
    List<FromNode> sources = write.sources.isEmpty() ? List.of(write.target) : write.sources;
    return starOutput(sources, qualifier);
  }

  /** A star that is a whole item, and no operator. */
  private boolean starIn(int from, int to) {
    for (int i = from; i < to; i = draft.tokens.next(i)) {
      if (isStar(i, from)) {
        return true;
      }
    }
    return false;
  }

  private boolean isStar(int i, int listFrom) {
    return draft.tokens.isOperator(i, '*')
        && (i == listFrom
            || draft.tokens.is(i - 1, TokenKind.COMMA)
            || draft.tokens.is(i - 1, TokenKind.DOT));
  }

  private void protect(SelectBlock block) throws NotUnderstood {
    for (FromNode node : block.from) {
      natural(node);
    }
    boolean shown = false;
    for (Star star : block.stars) {
      shown |= shows(block, star);
    }
    if (!shown || block.role == Role.EXISTS) {
      return;
    }
    boolean plain = !block.distinct && block.groupBy < 0 && block.into < 0;
    if (block.role == Role.TOP && plain && !ordinals(block)) {
      draft.starShowsAuxiliary = true;
      return;
    }
    for (Star star : block.stars) {
      if (shows(block, star)) {
        draft.splices.replace(star.from(), star.to(), expansion(block, star));
      }
    }
  }

  private void tableQueries() throws NotUnderstood {
    for (int table : draft.shape.tableQueries) {
      TableRef ref =
          draft.shape.tables.stream().filter(t -> t.from() == table + 1).findFirst().orElseThrow();
      if (draft.tables.showsAuxiliary(ref)) {
        draft.splices.replace(
            table, table + 1, "select " + String.join(", ", columns(ref)) + " from");
      }
    }
  }

  private boolean shows(SelectBlock block, Star star) {
    return block.tables().stream()
        .anyMatch(t -> draft.tables.showsAuxiliary(t) && qualifies(star, t));
  }

  private static boolean qualifies(Star star, TableRef table) {
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
  static boolean hasOrdinals(Draft draft, SelectBlock block) {
    return new StarGuard(draft).ordinals(block);
  }

  private boolean ordinals(SelectBlock block) {
    return numberIn(block.orderBy, block.end) || numberIn(block.groupBy, block.end);
  }

  private boolean numberIn(int clause, int end) {
    for (int i = clause; i >= 0 && i < end; i = draft.tokens.next(i)) {
      boolean first = i == clause + 2 || draft.tokens.is(i - 1, TokenKind.COMMA);
      if (first && draft.tokens.is(i, TokenKind.NUMBER)) {
        return true;
      }
    }
    return false;
  }

  /** How many columns a block has; empty if a star over an unknown source hides it. */
  static OptionalInt width(Draft draft, SelectBlock block) throws NotUnderstood {
    StarGuard guard = new StarGuard(draft);
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
      TableRef table =
          block.tables().stream().filter(t -> qualifies(star, t)).findFirst().orElseThrow();
      return String.join(", ", qualified(table, String.join(".", star.qualifier())));
    }
    List<Column> columns = new ArrayList<>();
    for (FromNode node : block.from) {
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

  private List<Column> output(FromNode node) throws NotUnderstood {
    List<Column> out = new ArrayList<>();
    if (node instanceof TableRef table) {
      if (table.isCte() && table.columnAliases() == 0) {
        String cte = Identifiers.fold(table.name().get(0));
        StatementShape write = draft.shape.cteWrites.get(cte);
        return write == null
            ? derivedOutput(
                table.exposedName(), draft.shape.cteBlocks.getOrDefault(cte, Optional.empty()))
            : writeOutput(table.exposedName(), write);
      }
      if (!draft.tables.showsAuxiliary(table) && !known(table)) {
        return unknownOutput(table.exposedName());
      }
      if (table.columnAliases() > 0) {
        throw new NotUnderstood(GapReason.SHAPE, "a star over a table with renamed columns");
      }
      List<String> names = draft.tables.find(table).orElseThrow().starColumns();
      List<String> sql = qualified(table, table.exposedName());
      for (int i = 0; i < names.size(); i++) {
        String bare = Auxiliary.quote(draft.dialect, names.get(i));
        out.add(new Column(fold(names.get(i)), sql.get(i), bare));
      }
      return out;
    }
    if (node instanceof Join join) {
      return joinOutput(join);
    }
    FromNode.Derived derived = (FromNode.Derived) node;
    if (derived.alias().isEmpty()) {
      throw new NotUnderstood(GapReason.SHAPE, "a star over a source of rows without a name");
    }
    return derivedOutput(derived.alias().get(), derived.block());
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
    for (Span item : draft.tokens.items(write.returning + 1, write.to)) {
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
        draft.tokens.isName(last)
            && (last == from
                || draft.tokens.is(last - 1, TokenKind.DOT)
                || draft.tokens.isWord(last - 1, "AS"));
    String bare = draft.tokens.text(last);
    return named
        ? List.of(new Column(foldAsWritten(bare), exposedName + "." + bare, bare))
        : List.of();
  }

  private List<Column> starOutput(SelectBlock block, Star star) throws NotUnderstood {
    return starOutput(block.from, star.qualifier());
  }

  private List<Column> starOutput(List<FromNode> sources, List<String> qualifier)
      throws NotUnderstood {
    List<Column> columns = new ArrayList<>();
    for (FromNode node : sources) {
      if (qualifier.isEmpty()) {
        columns.addAll(output(node));
      } else {
        List<TableRef> tables = new ArrayList<>();
        node.collectTables(tables);
        for (TableRef table : tables) {
          if (qualifies(qualifier, table.exposedName())) {
            columns.addAll(output(table));
          }
        }
        List<FromNode.Derived> subqueries = new ArrayList<>();
        node.collectDerived(subqueries);
        for (FromNode.Derived subquery : subqueries) {
          if (subquery.alias().isPresent() && qualifies(qualifier, subquery.alias().get())) {
            columns.addAll(output(subquery));
          }
        }
      }
    }
    if (columns.isEmpty()) {
      throw new NotUnderstood(GapReason.SHAPE, "a star over a source of rows that is not in FROM");
    }
    return columns;
  }

  private boolean known(TableRef table) {
    return draft.tables.find(table).map(t -> !t.starColumns().isEmpty()).orElse(false);
  }

  /**
   * SQL:2016, 7.10: the merged columns first, then the rest of the left, then of the right. SQLite
   * leaves the merged ones at their place on the left.
   */
  private List<Column> joinOutput(Join join) throws NotUnderstood {
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
      if (draft.dialect == Dialect.SQLITE) {
        left.set(left.indexOf(of), one);
      } else {
        out.add(one);
      }
    }
    if (draft.dialect == Dialect.SQLITE) {
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
    return draft.dialect == Dialect.SQLITE ? Identifiers.fold('"' + stored + '"') : stored;
  }

  private String foldAsWritten(String name) {
    char first = name.charAt(0);
    boolean quoted = first == '"' || first == '`' || first == '[';
    return quoted && draft.dialect != Dialect.SQLITE
        ? Identifiers.unquote(name)
        : Identifiers.fold(name);
  }

  private List<String> qualified(TableRef table, String qualifier) throws NotUnderstood {
    List<String> qualified = new ArrayList<>();
    for (String column : columns(table)) {
      qualified.add(qualifier + "." + column);
    }
    return qualified;
  }

  private List<String> columns(TableRef table) throws NotUnderstood {
    List<String> quoted = new ArrayList<>();
    for (String name : draft.tables.find(table).orElseThrow().starColumns()) {
      quoted.add(Auxiliary.quote(draft.dialect, name));
    }
    if (quoted.isEmpty()) {
      throw new NotUnderstood(GapReason.SHAPE, "a table whose columns are not known");
    }
    return quoted;
  }

  /** NATURAL JOIN of two sides that both show the auxiliary columns (hazard 11). */
  private void natural(FromNode node) throws NotUnderstood {
    if (!(node instanceof Join join)) {
      return;
    }
    natural(join.left());
    natural(join.right());
    if (join.natural() < 0 || !hasAny(join.left()) || !hasAny(join.right())) {
      return;
    }
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
    if (draft.dialect == Dialect.H2 && join.operatorEnd() > join.natural() + 2) {
      throw new NotUnderstood("a join that H2 does not know");
    }
    draft.splices.replace(join.natural(), join.natural() + 1, "");
    String condition = using.isEmpty() ? " on 1 = 1" : " using (" + String.join(", ", using) + ")";
    draft.splices.after(join.end() - 1, condition);
  }

  private boolean hasAny(FromNode node) {
    List<TableRef> tables = new ArrayList<>();
    node.collectTables(tables);
    return tables.stream().anyMatch(draft.tables::hasAuxiliary);
  }
}
