package io.txwatch.dbms.mariadb;

import io.txwatch.schedule.CaseExecution;
import io.txwatch.schedule.StepOutcome;
import io.txwatch.sql.semantics.IndexDefinition;
import io.txwatch.sql.semantics.TableDefinition;
import io.txwatch.sql.semantics.TableDefinition.Attribute;
import io.txwatch.sql.semantics.TableDefinition.Element;
import io.txwatch.sql.semantics.TableDefinition.Kind;
import io.txwatch.sql.syntax.Expression;
import io.txwatch.sql.syntax.Identifiers;
import io.txwatch.sql.syntax.QueryBody;
import io.txwatch.sql.syntax.Source;
import io.txwatch.sql.syntax.Statement;
import io.txwatch.sql.syntax.Tokens;
import io.txwatch.testcase.SqlText;
import io.txwatch.testcase.StatementText;
import io.txwatch.testcase.Step;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Rows with a NULL in a unique key that were rolled back while a search, an UPDATE or a locking
 * query, waited for them. InnoDB restores its position in the index, finds the previous row, whose
 * key is equal except for NULLs, and mistakes it for a row that it has not seen (MDEV-33802).
 */
final class RolledBackNullKeys {

  /**
   * A table with unique keys.
   *
   * @param columns all columns, in order
   * @param nullByDefault the columns that are NULL unless a value is given
   * @param keys the columns of unique keys that may be NULL
   */
  private record Table(List<String> columns, Set<String> nullByDefault, Set<String> keys) {}

  private final Map<String, Table> tables = new HashMap<>();

  private RolledBackNullKeys(List<String> setup) {
    setup.forEach(this::define);
  }

  /**
   * True if a search that returned at least two rows was blocked, and another session's row with a
   * NULL in a unique key of the table was rolled back before the search resumed.
   *
   * @param shown the search that the verdict names; empty if any search matches
   */
  static boolean matches(CaseExecution execution, Optional<Step> shown) {
    RolledBackNullKeys nulls = new RolledBackNullKeys(execution.testCase().setup());
    return execution.outcomes().stream()
        .filter(search -> shown.isEmpty() || search.step().equals(shown.get()))
        .filter(search -> search.succeeded() && search.blocked())
        .filter(search -> search.updateCount() > 1 || search.rows().size() > 1)
        .anyMatch(search -> nulls.areRolledBackDuring(search.step(), execution));
  }

  private boolean areRolledBackDuring(Step search, CaseExecution execution) {
    Set<String> searched = searched(SqlText.of(search.sql()));
    List<Integer> before = execution.order().subList(0, execution.order().indexOf(search.id()));
    return execution.outcomes().stream()
        .filter(StepOutcome::succeeded)
        .map(StepOutcome::step)
        .filter(write -> !write.session().equals(search.session()))
        .filter(write -> before.contains(write.id()) && writesNullKey(write.sql(), searched))
        .anyMatch(write -> isRolledBack(write, before, execution));
  }

  /** The tables in which an UPDATE or a locking query searches. */
  private static Set<String> searched(SqlText text) {
    Set<String> tables = new HashSet<>();
    if (text.startsWith("UPDATE")) {
      text.write().ifPresent(write -> tables.add(write.table()));
    } else if (text.tree() instanceof Statement.Select select
        && StatementText.locksRows(text.tokens().text())) {
      select
          .query()
          .first()
          .map(QueryBody.Select::from)
          .map(Source::tables)
          .orElse(List.of())
          .forEach(
              table -> tables.add(Identifiers.fold(table.name().get(table.name().size() - 1))));
    }
    return tables;
  }

  /**
   * True if a write was rolled back, with its transaction or to a savepoint, by the steps before
   * the search completed.
   */
  private static boolean isRolledBack(Step write, List<Integer> before, CaseExecution execution) {
    boolean wentBack =
        before.subList(before.indexOf(write.id()), before.size()).stream()
            .map(id -> execution.outcome(id).step())
            .anyMatch(
                step ->
                    step.session().equals(write.session())
                        && SqlText.of(step.sql()).rollsBackToSavepoint());
    return wentBack
        || execution.transactions().stream()
            .filter(transaction -> !transaction.committed())
            .filter(transaction -> transaction.steps().contains(write))
            .anyMatch(
                transaction ->
                    transaction.steps().stream().allMatch(step -> before.contains(step.id())));
  }

  /** True if, by its text, a write stores a NULL in a unique key of one of the tables. */
  private boolean writesNullKey(String sql, Set<String> names) {
    SqlText text = SqlText.of(sql);
    String name = text.write().map(SqlText.Write::table).orElse("");
    Table table = tables.get(name);
    if (table == null || !names.contains(name)) {
      return false;
    }
    if (text.tree() instanceof Statement.Insert insert
        && text.startsWith("INSERT")
        && insert.from() == Statement.RowsFrom.VALUES) {
      List<String> given = insert.columns().map(text::names).orElse(table.columns());
      return table.keys().stream()
              .anyMatch(key -> !given.contains(key) && table.nullByDefault().contains(key))
          || insert.tuples().stream()
              .anyMatch(row -> hasNullKey(given, row.items(), text, table.keys()));
    }
    return text.tree() instanceof Statement.Update update
        && update.assignments().stream()
            .anyMatch(
                assigned ->
                    isNull(text, assigned.value())
                        && assigned.targets().stream()
                            .anyMatch(
                                target -> table.keys().contains(Identifiers.fold(target.last()))));
  }

  private static boolean hasNullKey(
      List<String> columns, List<Expression> row, SqlText text, Set<String> keys) {
    for (int i = 0; i < Math.min(columns.size(), row.size()); i++) {
      if (keys.contains(columns.get(i)) && isNull(text, row.get(i))) {
        return true;
      }
    }
    return false;
  }

  private static boolean isNull(SqlText text, Expression value) {
    return text.text(value.span()).equalsIgnoreCase("NULL");
  }

  private void define(String sql) {
    Tokens tokens = SqlText.of(sql).tokens();
    TableDefinition.of(tokens).ifPresent(table -> tables.put(table.table(), table(tokens, table)));
    IndexDefinition.of(tokens)
        .filter(IndexDefinition::unique)
        .ifPresent(
            index -> {
              Table indexed = tables.get(index.table());
              if (indexed != null) {
                indexed.keys().addAll(index.columns());
              }
            });
  }

  private static Table table(Tokens tokens, TableDefinition definition) {
    Table table = new Table(new ArrayList<>(), new HashSet<>(), new HashSet<>());
    for (Element element : definition.elements()) {
      if (element.kind() == Kind.UNIQUE || element.is(Attribute.UNIQUE)) {
        table.keys().addAll(element.columns());
      }
      if (element.kind() == Kind.COLUMN) {
        table.columns().add(element.column());
        boolean hasValue =
            element.is(Attribute.DEFAULT)
                || element.is(Attribute.NOT_NULL)
                || tokens.hasAnyWord(element.span().from(), element.span().to(), "AUTOINC");
        if (!hasValue) {
          table.nullByDefault().add(element.column());
        }
      }
    }
    return table;
  }
}
