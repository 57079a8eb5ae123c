package io.txwatch.sql.rewrite;

import io.txwatch.history.GapReason;
import io.txwatch.sql.rewrite.StarGuard.Column;
import io.txwatch.sql.semantics.AnalyzedStatement;
import io.txwatch.sql.semantics.NotUnderstood;
import io.txwatch.sql.syntax.Identifiers;
import io.txwatch.sql.syntax.Source;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * NATURAL JOIN as H2 reads it, written so that it joins on the application's columns alone.
 *
 * <p>NATURAL compares a table with the one that stands before it, USING with the first of the
 * chain. Where these are the same, NATURAL becomes USING. Else it becomes ON, which merges no
 * columns: then an unqualified star has to be written out ({@link #star}). Other names do not
 * depend on the difference: on H2 the name of a merged column is ambiguous without its table, too.
 */
final class JoinsByName {

  /** Gives the columns of a table, a query, or a function in FROM. */
  interface Output {
    List<Column> of(Source source) throws NotUnderstood;
  }

  private final AnalyzedStatement statement;
  private final Source node;
  private final Output output;
  private final List<Source.Join> joins;

  /**
   * Reads one source in a FROM list.
   *
   * @param output gives the columns of what it joins
   */
  JoinsByName(AnalyzedStatement statement, Source node, Output output) {
    this.statement = statement;
    this.node = node;
    this.output = output;
    List<Source.Join> all = joins(node);
    this.joins = all.stream().allMatch(JoinsByName::isKnown) ? all : List.of();
  }

  /** False for NATURAL LEFT JOIN and the like, which H2 rejects: its message quotes the text. */
  private static boolean isKnown(Source.Join join) {
    return join.natural() < 0 || join.operator().to() == join.natural() + 2;
  }

  /** What replaces each NATURAL that would join on auxiliary columns. */
  Edits edits() throws NotUnderstood {
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
  boolean isStarLost() {
    return joins.stream().anyMatch(join -> joinsAuxiliary(join) && !startsChain(join));
  }

  /** The columns that a star shows of the source, as H2 orders them. */
  List<String> star() throws NotUnderstood {
    Map<Source, Map<String, String>> merged = new HashMap<>();
    Map<Source, Set<String>> omitted = new HashMap<>();
    for (Source.Join join : joins) {
      Source left = compared(join);
      Source right = first(join.right());
      for (String name : names(join)) {
        Source shown = isRight(join) ? right : left;
        merged
            .computeIfAbsent(left, any -> new LinkedHashMap<>())
            .put(name, column(shown, name).sql());
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
      for (Column column : columns(leaf)) {
        if (!first.containsKey(column.name()) && !elsewhere.contains(column.name())) {
          shown.add(column.sql());
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
      return " on " + statement.dialect().sql().alwaysTrue();
    }
    List<String> texts = new ArrayList<>();
    boolean using = startsChain(join);
    for (String name : names) {
      Column left = column(compared(join), name);
      texts.add(using ? left.bare() : left.sql() + " = " + column(first(join.right()), name).sql());
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
      return StarGuard.common(columns(compared(join)), columns(first(join.right())));
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
    List<Column> columns = output.of(leaf);
    if (StarGuard.unknown(columns)) {
      throw new NotUnderstood(
          GapReason.SHAPE,
          "NATURAL JOIN would join on the auxiliary columns, and cannot be put right");
    }
    return columns;
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
    return new NotUnderstood(GapReason.SHAPE, "USING names a column that the catalog lacks");
  }
}
