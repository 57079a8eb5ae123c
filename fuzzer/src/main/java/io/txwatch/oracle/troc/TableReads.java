package io.txwatch.oracle.troc;

import io.txwatch.oracle.ForeignKeyGraph;
import io.txwatch.oracle.NamedTables;
import io.txwatch.oracle.SqlLists;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The tables that a statement reads; which ones exactly is for H2: those of its queries, the
 * written one if a value or the condition names a column of it ({@code
 * Prepared.collectDependencies}), and those whose foreign keys refer to one of them ({@code
 * SessionLocal.startStatementWithinTransaction}).
 */
final class TableReads {

  private static final Pattern TARGET =
      Pattern.compile(
          "(?is)^\\s*(?:INSERT\\s+INTO|MERGE\\s+INTO|UPDATE|DELETE\\s+FROM)\\s+[\\w.\"`]+(.*)");
  private static final Pattern TRIGGER = Pattern.compile("(?i)^\\s*CREATE\\b.*\\bTRIGGER\\b");
  private static final Pattern USING = Pattern.compile("(?is)^\\s*MERGE\\b.*?\\bUSING\\b.*");
  private static final Pattern SET = Pattern.compile("(?is)^\\s*SET\\s(.*)");
  private static final Pattern ASSIGNED = Pattern.compile("(?s)^[\\w.\"`]+\\s*=(.*)");
  private static final Pattern QUERY = Pattern.compile("(?i)\\(\\s*SELECT\\b");
  private static final Pattern WORD = Pattern.compile("(?:(\\w+)\\.)?(\\w+)");

  /** What H2 may replace by a constant, with the columns in it. */
  private static final Pattern FOLDABLE =
      Pattern.compile("(?i)\\b(NULL|TRUE|FALSE|LIKE|IN|CASE|BETWEEN|AND|OR|NOT)\\b");

  private final ViewExecutor executor;
  private final NamedTables names;
  private final ForeignKeyGraph references;
  private final boolean hasTriggers;

  TableReads(ViewExecutor executor, List<String> setup) {
    this.executor = executor;
    this.names =
        new NamedTables(
            setup,
            executor.tables().stream().map(TableReads::plainName).collect(Collectors.toSet()));
    this.references = ForeignKeyGraph.of(setup);
    this.hasTriggers = setup.stream().anyMatch(sql -> TRIGGER.matcher(sql).find());
  }

  private static String plainName(String table) {
    return table.replaceAll("[\"`]", "").toLowerCase(Locale.ROOT);
  }

  /** The tables whose rows may affect a statement, on any DBMS. */
  Set<String> relevantTo(StatementForm form) {
    if (hasTriggers) {
      return executor.tables();
    }
    Set<String> relevant = new HashSet<>();
    for (String named : names.in(form.sql())) {
      relevant.add(named);
      relevant.addAll(references.relatedTables(named));
    }
    return relevant.stream()
        .flatMap(name -> executor.tableNamed(name).stream())
        .collect(Collectors.toSet());
  }

  /** False if a statement uses a table only to check or to follow foreign keys, or not at all. */
  boolean mayRead(StatementForm form, String table) {
    return hasTriggers || names.in(form.sql()).contains(plainName(table));
  }

  /** The tables that a statement reads. */
  Set<String> of(StatementForm form) {
    Set<String> read;
    Matcher target = TARGET.matcher(form.sql());
    if (!form.isWrite() || !target.matches()) {
      read = names.in(form.sql());
    } else {
      String rest = values(target.group(1));
      boolean readsTarget =
          choosesRows(form)
              ? namesColumnOf(form.table(), rest)
              : USING.matcher(form.sql()).matches();
      read = names.in(readsTarget ? form.sql() : rest);
    }
    return references.withChildren(read).stream()
        .flatMap(name -> executor.tableNamed(name).stream())
        .collect(Collectors.toSet());
  }

  /**
   * True if it depends on H2's optimizer which tables a statement reads: the written one, or those
   * of subqueries.
   */
  boolean isUncertain(StatementForm form) {
    return (choosesRows(form) || form.hasSubquery()) && FOLDABLE.matcher(form.sql()).find();
  }

  private static boolean choosesRows(StatementForm form) {
    return form.kind() == StatementForm.Kind.UPDATE || form.kind() == StatementForm.Kind.DELETE;
  }

  /** True if a query within a write reads the table that it writes. */
  boolean readsTargetInQuery(StatementForm form) {
    Matcher target = TARGET.matcher(form.sql());
    String name = plainName(form.table());
    return !target.matches()
        || names
            .in(target.group(1).replaceAll("(?i)\\b" + Pattern.quote(name) + "\\.", ""))
            .contains(name);
  }

  /** The values of an UPDATE and its condition, without the columns that it assigns. */
  private static String values(String rest) {
    Matcher set = SET.matcher(rest);
    if (!set.matches()) {
      return rest;
    }
    return SqlLists.split(set.group(1)).stream()
        .map(
            part -> {
              Matcher assigned = ASSIGNED.matcher(part);
              return assigned.matches() ? assigned.group(1) : part;
            })
        .collect(Collectors.joining(", "));
  }

  /**
   * True if a column of a table is named: outside of queries, or within one and qualified with the
   * table.
   */
  private boolean namesColumnOf(String name, String text) {
    Optional<String> table = executor.tableNamed(name);
    if (table.isEmpty()) {
      return false;
    }
    Set<String> words = new HashSet<>();
    Matcher word = WORD.matcher(text);
    while (word.find()) {
      if (word.group(1) != null && plainName(name).equalsIgnoreCase(word.group(1))) {
        words.add(word.group(2));
      }
    }
    word = WORD.matcher(withoutQueries(text));
    while (word.find()) {
      words.add(word.group(2));
    }
    return words.stream().anyMatch(column -> executor.columnIndex(table.get(), column) >= 0);
  }

  private static String withoutQueries(String text) {
    String rest = text;
    for (Matcher query = QUERY.matcher(rest); query.find(); query = QUERY.matcher(rest)) {
      String inner = SqlLists.beforeClosing(rest.substring(query.start() + 1));
      rest = rest.substring(0, query.start()) + rest.substring(query.start() + 1 + inner.length());
    }
    return rest;
  }
}
