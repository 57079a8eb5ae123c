package io.txwatch.rewrite;

import io.txwatch.dialect.DialectSql;
import io.txwatch.rewrite.StarColumns.Column;
import io.txwatch.sql.semantics.Block;
import io.txwatch.sql.semantics.Block.Role;
import io.txwatch.sql.semantics.NotUnderstood;
import io.txwatch.sql.syntax.Expression;
import io.txwatch.sql.syntax.Identifiers;
import io.txwatch.sql.syntax.Item;
import io.txwatch.sql.syntax.Source;
import io.txwatch.sql.syntax.Span;
import io.txwatch.sql.syntax.Statement;
import io.txwatch.sql.syntax.TokenKind;
import io.txwatch.sql.syntax.Tokens;
import io.txwatch.statement.AnalyzedStatement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * NATURAL JOIN as H2 reads it, written so that it joins on the application's columns alone: H2
 * compares invisible columns, too, so that of two prepared tables no rows would be equal.
 *
 * <p>NATURAL compares a table with the one that stands before it, USING with the first of the
 * chain. Where these are the same, NATURAL becomes USING. Else it becomes ON, which merges no
 * columns: then an unqualified star has to be written out ({@link #star}). Other names do not
 * depend on the difference: on H2 the name of a merged column is ambiguous without its table, too.
 * Where that cannot be done, the statement is refused.
 */
final class JoinsByName {

  private final AnalyzedStatement statement;
  private final Source node;
  private final List<Source.Join> joins;

  private JoinsByName(AnalyzedStatement statement, Source node) {
    this.statement = statement;
    this.node = node;
    List<Source.Join> all = joins(node);
    this.joins = all.stream().allMatch(JoinsByName::isKnown) ? all : List.of();
  }

  /**
   * What NATURAL joins need, whatever else is done to a text.
   *
   * @param edits what has to be put into it
   * @param refused why the text must not be sent at all: empty almost always
   */
  record Found(Edits edits, Optional<String> refused) {

    static final Found NONE = new Found(Edits.NONE, Optional.empty());

    Found and(Found other) {
      return new Found(edits.and(other.edits), refused.or(() -> other.refused));
    }
  }

  /** What has to be put into a statement that is not refused. */
  static Edits of(AnalyzedStatement statement) {
    return DialectSql.of(statement.dialect()).joinsInvisibleColumns()
        ? ofStatement(statement, new HashSet<>())
        : Edits.NONE;
  }

  /** What a statement of any kind needs, and the queries in it. */
  static Found of(ParsedStatement parsed) {
    Tokens tokens = parsed.tokens();
    Span range = parsed.range();
    Set<Integer> naturals = naturals(tokens, range);
    if (naturals.isEmpty() || !DialectSql.of(parsed.dialect()).joinsInvisibleColumns()) {
      return Found.NONE;
    }
    Edits edits = Edits.NONE;
    if (parsed.analyzed().isPresent()) {
      edits = ofStatement(parsed.analyzed().get(), naturals);
    } else {
      for (int i = range.from(); i < range.to(); i++) {
        if (tokens.isAnyWord(i, "SELECT", "WITH")) {
          Span query = new Span(i, queryEnd(tokens, i, range.to()));
          try {
            AnalyzedStatement analyzed =
                AnalyzedStatement.ofQuery(tokens, parsed.dialect(), query, parsed.tables());
            edits = edits.and(ofStatement(analyzed, naturals));
            i = query.to();
          } catch (NotUnderstood e) {
            // There may be a query within it.
          }
        }
      }
    }
    boolean refused = !naturals.isEmpty() && namesPrepared(parsed);
    return new Found(
        edits, refused ? Optional.of("NATURAL JOIN of prepared tables") : Optional.empty());
  }

  /** CREATE TABLE … AS … WITH NO DATA. */
  private static int queryEnd(Tokens tokens, int from, int to) {
    int end = from + 1;
    while (end < to
        && !tokens.is(end, TokenKind.CLOSE)
        && !(tokens.isWord(end, "WITH") && tokens.isAnyWord(end + 1, "DATA", "NO"))) {
      end = tokens.next(end);
    }
    return end;
  }

  /** Where NATURAL JOIN stands: H2 rejects NATURAL LEFT JOIN and the like. */
  private static Set<Integer> naturals(Tokens tokens, Span range) {
    Set<Integer> naturals = new HashSet<>();
    for (int i = range.from(); i < range.to(); i++) {
      if (tokens.isWord(i, "NATURAL")
          && tokens.isWord(i + 1, "JOIN")
          && !tokens.is(i - 1, TokenKind.DOT)) {
        naturals.add(i);
      }
    }
    return naturals;
  }

  /** True if any name may be that of a table with auxiliary columns. */
  private static boolean namesPrepared(ParsedStatement parsed) {
    Tokens tokens = parsed.tokens();
    for (int i = parsed.range().from(); i < parsed.range().to(); i++) {
      if (tokens.isName(i)
          && parsed
              .tables()
              .hasAuxiliary(Source.Table.named(new Span(i, i + 1), List.of(tokens.text(i))))) {
        return true;
      }
    }
    return false;
  }

  /**
   * What has to be put into a statement.
   *
   * @param naturals those of the text; what is dealt with is removed
   */
  private static Edits ofStatement(AnalyzedStatement statement, Set<Integer> naturals) {
    Edits edits = Edits.NONE;
    for (Block block : statement.parts().blocks()) {
      edits = edits.and(ofBlock(statement, block, naturals));
    }
    // Of the writes, H2 knows joins in MERGE alone: its message for another quotes the text.
    boolean isMerge = statement.parts().tree() instanceof Statement.Merge;
    for (Source node : statement.parts().sources()) {
      JoinsByName source = new JoinsByName(statement, node);
      try {
        edits = isMerge ? edits.and(source.edits()) : edits;
        source.remove(naturals);
      } catch (NotUnderstood e) {
        // Its NATURAL stays.
      }
    }
    return edits;
  }

  private static Edits ofBlock(AnalyzedStatement statement, Block block, Set<Integer> naturals) {
    List<JoinsByName> sources =
        block.sources().stream().map(node -> new JoinsByName(statement, node)).toList();
    try {
      Edits edits = Edits.NONE;
      for (JoinsByName source : sources) {
        edits = edits.and(source.edits());
      }
      if (block.role() != Role.EXISTS && sources.stream().anyMatch(JoinsByName::isStarLost)) {
        edits = edits.and(stars(statement.tokens(), block, sources));
      }
      sources.forEach(source -> source.remove(naturals));
      return edits;
    } catch (NotUnderstood e) {
      return Edits.NONE; // its NATURAL stays
    }
  }

  private void remove(Set<Integer> naturals) {
    joins(node).forEach(join -> naturals.remove(join.natural()));
  }

  private static Edits stars(Tokens tokens, Block block, List<JoinsByName> sources)
      throws NotUnderstood {
    Edits edits = Edits.NONE;
    for (Item item : block.items()) {
      if (item.value() instanceof Expression.Operation part && part.operator().equals("EXCEPT")) {
        throw new NotUnderstood(NotUnderstood.Reason.SHAPE, "a star without some of its columns");
      }
      if (item.star().filter(star -> star.qualifier().isEmpty()).isPresent()) {
        List<String> columns = new ArrayList<>();
        for (JoinsByName source : sources) {
          columns.addAll(source.star());
        }
        String list = String.join(", ", columns);
        edits = edits.and(Edits.replace(tokens, item.span().from(), item.span().to(), list));
      }
    }
    return edits;
  }

  /** False for NATURAL LEFT JOIN and the like, which H2 rejects: its message quotes the text. */
  private static boolean isKnown(Source.Join join) {
    return join.natural() < 0 || join.operator().to() == join.natural() + 2;
  }

  /** What replaces each NATURAL that would join on auxiliary columns. */
  private Edits edits() throws NotUnderstood {
    Edits edits = Edits.NONE;
    for (Source.Join join : joins) {
      if (joinsAuxiliary(join)) {
        int natural = join.natural();
        edits =
            edits
                .and(Edits.replace(statement.tokens(), natural, natural + 1, ""))
                .and(Edits.after(statement.tokens(), join.to() - 1, condition(join)));
      }
    }
    return edits;
  }

  /** True if the edits make a star show columns that were merged. */
  private boolean isStarLost() {
    return joins.stream().anyMatch(join -> joinsAuxiliary(join) && !startsChain(join));
  }

  /** The columns that a star shows of the source, as H2 orders them. */
  private List<String> star() throws NotUnderstood {
    Map<Source, Map<String, String>> merged = new HashMap<>();
    Map<Source, Set<String>> omitted = new HashMap<>();
    for (Source.Join join : joins) {
      Source left = compared(join);
      Source right = first(join.right());
      for (String name : names(join)) {
        Source shown = isRight(join) ? right : left;
        merged
            .computeIfAbsent(left, any -> new LinkedHashMap<>())
            .put(name, sql(shown, column(shown, name)));
        omitted.computeIfAbsent(right, any -> new HashSet<>()).add(name);
      }
    }
    List<String> shown = new ArrayList<>();
    for (Source leaf : Source.leaves(List.of(node), Source.class)) {
      Set<String> elsewhere = omitted.getOrDefault(leaf, Set.of());
      Map<String, String> first = merged.getOrDefault(leaf, Map.of());
      first.forEach(
          (name, sql) -> {
            if (!elsewhere.contains(name)) {
              shown.add(sql);
            }
          });
      if (first.isEmpty() && elsewhere.isEmpty() && leaf.exposed().isPresent()) {
        shown.add(leaf.exposed().get() + ".*");
        continue;
      }
      for (Column column : columns(leaf)) {
        if (!first.containsKey(column.name()) && !elsewhere.contains(column.name())) {
          shown.add(sql(leaf, column));
        }
      }
    }
    return shown;
  }

  /** The joins in a source, inner ones first. */
  private static List<Source.Join> joins(Source source) {
    List<Source.Join> joins = new ArrayList<>();
    if (source.unwrapped() instanceof Source.Join join) {
      joins.addAll(joins(join.left()));
      joins.addAll(joins(join.right()));
      joins.add(join);
    }
    return joins;
  }

  private boolean joinsAuxiliary(Source.Join join) {
    return join.natural() >= 0 && hasAuxiliary(compared(join)) && hasAuxiliary(first(join.right()));
  }

  private boolean hasAuxiliary(Source leaf) {
    return leaf instanceof Source.Table table && statement.tables().hasAuxiliary(table);
  }

  private boolean startsChain(Source.Join join) {
    return compared(join).equals(first(join.left()));
  }

  private String condition(Source.Join join) throws NotUnderstood {
    List<String> names = names(join);
    if (names.isEmpty()) {
      return " on true";
    }
    List<String> texts = new ArrayList<>();
    boolean using = startsChain(join);
    for (String name : names) {
      Source left = compared(join);
      Source right = first(join.right());
      texts.add(
          using
              ? column(left, name).text()
              : sql(left, column(left, name)) + " = " + sql(right, column(right, name)));
    }
    return using
        ? " using (" + String.join(", ", texts) + ")"
        : " on " + String.join(" and ", texts);
  }

  /** The source whose columns the right one's are compared with. */
  private Source compared(Source.Join join) {
    Source left = join.left();
    return join.natural() >= 0 && left instanceof Source.Join before
        ? first(before.right())
        : first(left);
  }

  private boolean isRight(Source.Join join) {
    for (int i = join.operator().from(); i < join.operator().to(); i++) {
      if (statement.tokens().isWord(i, "RIGHT")) {
        return true;
      }
    }
    return false;
  }

  /** The table that H2 makes the first of a source: that of a RIGHT JOIN is the right one. */
  private Source first(Source source) {
    if (source.unwrapped() instanceof Source.Join join) {
      return first(isRight(join) ? join.right() : join.left());
    }
    return source.unwrapped();
  }

  private List<String> names(Source.Join join) throws NotUnderstood {
    if (join.natural() >= 0) {
      List<String> right = columns(first(join.right())).stream().map(Column::name).toList();
      return columns(compared(join)).stream().map(Column::name).filter(right::contains).toList();
    }
    List<String> names = new ArrayList<>();
    for (String written : join.using()) {
      String name = Identifiers.unquote(written);
      boolean exact = written.startsWith("\"");
      names.add(
          columns(compared(join)).stream()
              .map(Column::name)
              .filter(one -> exact ? one.equals(name) : one.equalsIgnoreCase(name))
              .findFirst()
              .orElseThrow(JoinsByName::lost));
    }
    return names;
  }

  private List<Column> columns(Source leaf) throws NotUnderstood {
    List<Column> columns = StarColumns.of(statement, leaf);
    if (columns.contains(StarColumns.UNKNOWN)) {
      throw new NotUnderstood(NotUnderstood.Reason.SHAPE, "NATURAL JOIN with unknown columns");
    }
    return columns;
  }

  private static String sql(Source leaf, Column column) {
    return leaf.exposed().map(name -> name + ".").orElse("") + column.text();
  }

  private Column column(Source leaf, String name) throws NotUnderstood {
    for (Column column : columns(leaf)) {
      if (column.name().equals(name)) {
        return column;
      }
    }
    throw lost();
  }

  private static NotUnderstood lost() {
    return new NotUnderstood(
        NotUnderstood.Reason.SHAPE, "USING names a column that the catalog lacks");
  }
}
