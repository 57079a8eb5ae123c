package io.txwatch.sql.rewrite;

import io.txwatch.history.GapReason;
import io.txwatch.sql.Catalog;
import io.txwatch.sql.dialect.Dialect;
import io.txwatch.sql.dialect.Grammar;
import io.txwatch.sql.dialect.Syntax;
import io.txwatch.sql.semantics.NotUnderstood;
import io.txwatch.sql.semantics.Tables;
import io.txwatch.sql.syntax.Identifiers;
import io.txwatch.sql.syntax.Source;
import io.txwatch.sql.syntax.Span;
import io.txwatch.sql.syntax.TokenKind;
import io.txwatch.sql.syntax.Tokens;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Hides visible auxiliary columns (SQLite) from a statement whose grammar is not understood. The
 * catalog suffices for it: in front of the statement stands, under each prepared table's own name,
 * a CTE of the application's columns alone.
 *
 * <pre>{@code
 * WITH a AS NOT MATERIALIZED (SELECT x, y FROM main.a) SELECT * FROM (a NATURAL JOIN b) AS q
 * }</pre>
 *
 * <p>The DBMS itself then resolves every reading of the name to the CTE, at any depth, and merges
 * the CTE into the query around it, as it does with a view. Only names that stand where a table can
 * stand are looked up. The tables that the statement writes are qualified, so that they stay
 * tables. Where the CTE would mean something else than the table (a row's id, a lock), the
 * statement is {@link NotUnderstood}.
 */
final class CatalogGuard {

  private final Tokens tokens;
  private final Dialect dialect;
  private final Grammar grammar;
  private final Tables tables;
  private final int from;
  private final int to;

  /** The first token of the query or write itself. */
  private int start;

  /** The tables to hide columns of, by the folded name that the CTE has. */
  private final Map<String, Catalog.Table> shadowed = new LinkedHashMap<>();

  /** Names by which tables are read, qualified. */
  private final List<Source.Table> qualified = new ArrayList<>();

  private final List<Source.Table> targets = new ArrayList<>();

  /** Names without a qualifier that mean tables without auxiliary columns. */
  private final Set<String> others = new HashSet<>();

  private final Set<String> ownCtes = new HashSet<>();
  private boolean mustHide;

  /** Why no CTE can be had; empty if one can. */
  private String obstacle = "";

  private CatalogGuard(Tokens tokens, Dialect dialect, Span range, Tables tables) {
    this.tokens = tokens;
    this.dialect = dialect;
    this.grammar = dialect.grammar();
    this.from = range.from();
    this.to = range.to();
    this.start = range.from();
    this.tables = tables;
  }

  /**
   * Protects a statement.
   *
   * @throws NotUnderstood if it may read auxiliary columns, and no CTE can hide them
   */
  static Edits protect(Tokens tokens, Dialect dialect, Span range, Tables tables)
      throws NotUnderstood {
    CatalogGuard guard = new CatalogGuard(tokens, dialect, range, tables);
    guard.start = guard.queryStart();
    if (guard.start < 0) {
      return Edits.NONE; // it reads no table by a query of its own
    }
    guard.read();
    Edits named = guard.nameInsertedColumns();
    return !guard.shadowed.isEmpty() && guard.mayShowColumns() ? named.and(guard.shadow()) : named;
  }

  /**
   * Protects a statement in front of which no CTE may stand: one of a trigger's body.
   *
   * @throws NotUnderstood if it may read auxiliary columns
   */
  static Edits protectWithoutCte(Tokens tokens, Dialect dialect, Span range, Tables tables)
      throws NotUnderstood {
    CatalogGuard guard = new CatalogGuard(tokens, dialect, range, tables);
    guard.read();
    Edits named = guard.nameInsertedColumns();
    if (!guard.shadowed.isEmpty() && guard.mayShowColumns()) {
      throw new NotUnderstood(GapReason.SHAPE, "a trigger's body");
    }
    return named;
  }

  /** The first token of the query or write itself; -1 if there is none that WITH may precede. */
  private int queryStart() {
    int i = from;
    if (tokens.isWord(i, "EXPLAIN")) {
      i += tokens.areWords(i + 1, "QUERY", "PLAN") ? 3 : 1;
    } else if (tokens.isWord(i, "CREATE")) {
      while (i < to && !(tokens.isWord(i, "AS") && beginsQuery(i + 1))) {
        i = tokens.next(i);
      }
      i++;
    }
    boolean writes =
        tokens.isAnyWord(i, "INSERT", "REPLACE", "UPDATE", "DELETE", "MERGE") && i < to;
    return writes || beginsQuery(i) ? i : -1;
  }

  private boolean beginsQuery(int from) {
    int i = from;
    while (tokens.isOpen(i)) {
      i++;
    }
    return i < to && tokens.isAnyWord(i, "SELECT", "WITH", "VALUES");
  }

  /** Looks up the names that stand where a table can stand. */
  private void read() {
    ownCtes();
    for (int i = start; i < to; i++) {
      int end = tokens.isName(i) && !tokens.is(i - 1, TokenKind.DOT) ? tokens.nameEnd(i) : i;
      if (end == i || end > to) {
        continue;
      }
      if (isTarget(i)) {
        targets.add(table(i, end));
      } else if (!tokens.isOpen(end) && isReadAt(i)) {
        reads(table(i, end));
      }
      i = end - 1;
    }
  }

  private Source.Table table(int from, int end) {
    List<String> name = new ArrayList<>();
    for (int i = from; i < end; i += 2) {
      name.add(tokens.text(i));
    }
    return Source.Table.named(new Span(from, end), name);
  }

  private static String folded(Source.Table table) {
    return Identifiers.fold(table.name().get(table.name().size() - 1));
  }

  private void reads(Source.Table table) {
    String name = folded(table);
    boolean plain = table.name().size() == 1;
    boolean shows = tables.showsAuxiliary(table);
    if (plain && ownCtes.contains(name)) {
      return;
    }
    Optional<Catalog.Table> found = tables.find(table);
    Catalog.Table before = shadowed.get(name);
    if (before != null && found.filter(before::equals).isEmpty()) {
      obstacle = "two tables of one name";
    }
    if (!shows) {
      if (plain && found.isPresent()) {
        others.add(name);
      }
      return;
    }
    Catalog.Table hidden = found.orElseThrow();
    if (others.contains(name) || (!plain && ownCtes.contains(name))) {
      obstacle = "two tables of one name";
    } else if (hidden.starColumns().isEmpty() || hidden.storedName().isEmpty()) {
      obstacle = "a table whose columns are not known";
    }
    shadowed.put(name, hidden);
    if (!plain) {
      qualified.add(table);
    }
    mustHide |= tokens.isWord(table.from() - 1, "IN");
  }

  /** True if a name at a token is that of a table that the statement writes. */
  private boolean isTarget(int i) {
    int before = i - 1;
    if (tokens.isWord(before, "INTO")) {
      return true;
    }
    if (tokens.isWord(before, "FROM")) {
      return tokens.isWord(before - 1, "DELETE");
    }
    int verb = tokens.isWord(before - 1, "OR") ? before - 2 : before;
    return tokens.isWord(verb, "UPDATE")
        && !tokens.isAnyWord(verb - 1, "FOR", "KEY", "DO", "ON")
        && !tokens.isAnyWord(i, "SET", "OR", "OF");
  }

  private boolean isReadAt(int i) {
    if (tokens.is(i - 1, TokenKind.COMMA)) {
      return isInSources(i - 1);
    }
    if (tokens.isOpen(i - 1)) {
      return beginsSource(i - 1);
    }
    return tokens.isAnyWord(i - 1, "FROM", "JOIN", "USING")
        || (grammar.has(Syntax.IN_TABLE) && tokens.isWord(i - 1, "IN"));
  }

  /** True if a parenthesis stands where a source of rows can stand. */
  private boolean beginsSource(int open) {
    int before = open - 1;
    if (tokens.isOpen(before)) {
      return beginsSource(before);
    }
    return tokens.isAnyWord(before, "FROM", "JOIN", "USING")
        || (tokens.is(before, TokenKind.COMMA) && isInSources(before));
  }

  /** True if a comma may separate two sources of rows: behind FROM or USING, before WHERE. */
  private boolean isInSources(int comma) {
    for (int i = comma - 1; i >= from; i--) {
      if (tokens.is(i, TokenKind.CLOSE)) {
        i = tokens.partner(i);
      } else if (tokens.is(i, TokenKind.OPEN)) {
        return tokens.isOpen(i) && beginsSource(i);
      } else if (!tokens.is(i - 1, TokenKind.DOT)) {
        if (tokens.isAnyWord(i, "FROM", "JOIN", "USING")) {
          return true;
        }
        if (tokens.isAnyWord(
            i, "SELECT", "WHERE", "BY", "SET", "VALUES", "RETURNING", "HAVING", "LIMIT")) {
          return false;
        }
      }
    }
    return false;
  }

  /** The names of the CTEs of the statement itself. */
  private void ownCtes() {
    if (!tokens.isWord(start, "WITH")) {
      return;
    }
    for (int i = start + 1; i < to; i = tokens.next(i)) {
      int as = tokens.isOpen(i + 1) ? tokens.partner(i + 1) + 1 : i + 1;
      if (tokens.isName(i)
          && tokens.isWord(as, "AS")
          && (tokens.isOpen(as + 1) || tokens.isAnyWord(as + 1, "NOT", "MATERIALIZED"))) {
        ownCtes.add(tokens.folded(i));
      } else if (tokens.isAnyWord(i, "SELECT", "VALUES", "INSERT", "REPLACE", "UPDATE", "DELETE")) {
        return;
      }
    }
  }

  /**
   * An INSERT without a column list names the application's columns: on SQLite the values must be
   * as many as the columns.
   */
  private Edits nameInsertedColumns() {
    Edits named = Edits.NONE;
    for (Source.Table target : targets) {
      int i = target.to();
      if (tokens.isWord(i, "AS")) {
        i += 2;
      }
      boolean inserts =
          tokens.isWord(target.from() - 1, "INTO")
              && !tokens.isOpen(i)
              && !tokens.isWord(i, "DEFAULT");
      if (inserts && tables.showsAuxiliary(target)) {
        List<String> columns = tables.find(target).orElseThrow().columns();
        if (!columns.isEmpty()) {
          named = named.and(Edits.after(tokens, i - 1, " (" + quoted(columns) + ")"));
        }
      }
    }
    return named;
  }

  private String quoted(List<String> names) {
    return String.join(", ", names.stream().map(n -> Auxiliary.quote(dialect, n)).toList());
  }

  /**
   * True if the tables' columns can be seen elsewhere than in the result of one plain query, where
   * the wrapper hides them.
   */
  private boolean mayShowColumns() {
    boolean shows = mustHide;
    for (int i = start; i < to; i++) {
      shows |= tokens.isWord(i, "NATURAL") && !tokens.is(i - 1, TokenKind.DOT);
      shows |= isStarItem(i) && !isInResult(i) && !isInExists(i);
    }
    return shows;
  }

  private boolean isStarItem(int i) {
    return tokens.isOperator(i, '*')
        && (tokens.is(i - 1, TokenKind.COMMA)
            || tokens.is(i - 1, TokenKind.DOT)
            || tokens.isAnyWord(i - 1, "SELECT", "DISTINCT", "ALL"));
  }

  /** True if a star stands in the list of the statement's one plain SELECT. */
  private boolean isInResult(int star) {
    if (start != from || !tokens.isWord(start, "SELECT")) {
      return false;
    }
    boolean plain = false;
    for (int i = start; i < to; i = tokens.next(i)) {
      plain |= i == star;
      boolean number = tokens.is(i, TokenKind.NUMBER);
      if (tokens.isAnyWord(i, "DISTINCT", "UNION", "INTERSECT", "EXCEPT", "GROUP", "INTO")
          || (number && (tokens.isWord(i - 1, "BY") || tokens.is(i - 1, TokenKind.COMMA)))
          || isJoinInParentheses(i)) {
        return false;
      }
    }
    return plain;
  }

  /** True for {@code a JOIN (b JOIN c)}, which shows the columns of c under other names. */
  private boolean isJoinInParentheses(int i) {
    return tokens.isOpen(i)
        && (tokens.isWord(i - 1, "JOIN") || tokens.is(i - 1, TokenKind.COMMA))
        && !beginsQuery(i);
  }

  /** True if a star stands in the list of a plain SELECT in EXISTS. */
  private boolean isInExists(int star) {
    int i = star;
    while (i > from && !tokens.is(i, TokenKind.OPEN)) {
      i = tokens.is(i, TokenKind.CLOSE) ? tokens.partner(i) - 1 : i - 1;
    }
    if (!tokens.isWord(i - 1, "EXISTS") || !tokens.isWord(i + 1, "SELECT")) {
      return false;
    }
    for (int k = i + 1; k < tokens.partner(i); k = tokens.next(k)) {
      if (tokens.isAnyWord(k, "UNION", "INTERSECT", "EXCEPT", "GROUP", "ORDER")) {
        return false;
      }
    }
    return true;
  }

  private Edits shadow() throws NotUnderstood {
    requireEquivalence();
    StringBuilder ctes = new StringBuilder();
    shadowed.forEach(
        (name, table) -> {
          List<String> stored = table.storedName();
          ctes.append(ctes.isEmpty() ? "" : ", ")
              .append(Auxiliary.quote(dialect, stored.get(1)))
              .append(" AS NOT MATERIALIZED (SELECT ")
              .append(quoted(table.starColumns()))
              .append(" FROM ")
              .append(quotedName(stored))
              .append(')');
        });
    return withCtes(ctes.toString()).and(unqualified()).and(qualifiedTargets());
  }

  private Edits withCtes(String ctes) {
    if (tokens.isWord(start, "WITH")) {
      int last = tokens.isWord(start + 1, "RECURSIVE") ? start + 1 : start;
      return Edits.after(tokens, last, " " + ctes + ",");
    }
    return Edits.before(tokens, start, "WITH " + ctes + " ");
  }

  private Edits qualifiedTargets() {
    Edits edits = Edits.NONE;
    for (Source.Table target : targets) {
      Catalog.Table table = shadowed.get(folded(target));
      if (table != null && target.name().size() == 1 && table.equals(find(target))) {
        String schema = Auxiliary.quote(dialect, table.storedName().get(0)) + ".";
        edits = edits.and(Edits.before(tokens, target.from(), schema));
      }
    }
    return edits;
  }

  private String quotedName(List<String> stored) {
    return Auxiliary.quote(dialect, stored.get(0)) + "." + Auxiliary.quote(dialect, stored.get(1));
  }

  private Catalog.@Nullable Table find(Source.Table table) {
    return tables.find(table).orElse(null);
  }

  /** Where a table is named with its schema, the schema goes, in front of its columns, too. */
  private Edits unqualified() {
    Edits edits = Edits.NONE;
    Set<List<String>> names = new HashSet<>();
    qualified.forEach(table -> names.add(table.name().stream().map(Identifiers::fold).toList()));
    Predicate<Source.Table> isTarget =
        name -> targets.stream().anyMatch(t -> t.from() == name.from());
    for (int i = start; i < to; i++) {
      int end = tokens.isName(i) && !tokens.is(i - 1, TokenKind.DOT) ? tokens.nameEnd(i) : i;
      boolean starred = end == i && tokens.isName(i) && tokens.is(i + 1, TokenKind.DOT);
      if (starred) {
        end = i + 1; // a.*, main.a.*
        while (tokens.is(end, TokenKind.DOT) && tokens.isName(end + 1)) {
          end += 2;
        }
      }
      Source.Table chain = table(i, Math.max(end, i));
      for (List<String> name : names) {
        int last = 2 * (name.size() - 1);
        boolean same =
            chain.name().size() >= name.size()
                && chain.name().subList(0, name.size()).stream()
                    .map(Identifiers::fold)
                    .toList()
                    .equals(name);
        if (same && !isTarget.test(chain) && !tokens.isOpen(end)) {
          edits = edits.and(Edits.replace(tokens, i, i + last, ""));
        }
      }
      i = Math.max(i, end - 1);
    }
    return edits;
  }

  /** Refuses what a table may have and a CTE may not. */
  private void requireEquivalence() throws NotUnderstood {
    if (!obstacle.isEmpty()) {
      throw new NotUnderstood(GapReason.SHAPE, obstacle);
    }
    Set<String> system = dialect.sql().systemColumns();
    for (int i = start; i < to; i++) {
      if (tokens.isName(i) && system.contains(tokens.folded(i)) && !isColumn(tokens.folded(i))) {
        throw new NotUnderstood(GapReason.SHAPE, "a row's " + tokens.folded(i));
      }
      boolean qualifying = tokens.is(i - 1, TokenKind.DOT) || tokens.isWord(i - 1, "AS");
      boolean indexed = tokens.isWord(i, "INDEXED") && !tokens.isWord(i - 1, "NOT");
      if (!qualifying && indexed) {
        throw new NotUnderstood(GapReason.SHAPE, tokens.text(i));
      }
    }
  }

  private boolean isColumn(String name) {
    return shadowed.values().stream()
        .allMatch(table -> table.starColumns().stream().anyMatch(name::equalsIgnoreCase));
  }
}
