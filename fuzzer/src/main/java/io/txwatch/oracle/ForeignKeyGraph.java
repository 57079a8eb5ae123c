package io.txwatch.oracle;

import io.txwatch.dbms.Failure;
import io.txwatch.schedule.CaseExecution;
import io.txwatch.schedule.StepOutcome;
import io.txwatch.sql.semantics.TableDefinition;
import io.txwatch.sql.semantics.TableDefinition.Reference;
import io.txwatch.sql.syntax.Span;
import io.txwatch.sql.syntax.Statement;
import io.txwatch.sql.syntax.TokenKind;
import io.txwatch.sql.syntax.Tokens;
import io.txwatch.testcase.SqlText;
import io.txwatch.testcase.StatementText;
import io.txwatch.testcase.TestCase;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** The foreign keys of a schema, parsed from its definitions. */
public final class ForeignKeyGraph {

  /**
   * A foreign key. Names are in lower case.
   *
   * @param columns those of the child; empty if they are unknown
   * @param key the parent's columns; empty if they are its primary key, without being named
   * @param cascades true if it has an action
   */
  public record ForeignKey(
      String child, List<String> columns, String parent, List<String> key, boolean cascades) {

    private ForeignKey(String child, List<String> columns, Reference reference) {
      this(child, columns, reference.table(), reference.columns(), reference.hasActions());
    }

    /** True if a statement may remove a key that children refer to. */
    private boolean mayRemoveKey(SqlText text) {
      return text.startsWith("REPLACE")
          || text.writes().stream().anyMatch(write -> write.is("DELETE"))
          || assigned(text).filter(columns -> assignsKey(columns)).isPresent();
    }

    private boolean assignsKey(Set<String> columns) {
      return key.isEmpty() || key.stream().anyMatch(columns::contains);
    }

    /** The columns that an UPDATE assigns. */
    private static Optional<Set<String>> assigned(SqlText text) {
      Set<String> columns = new HashSet<>();
      List<Statement.Update> updates = new ArrayList<>();
      text.tree()
          .forEach(
              node -> {
                if (node instanceof Statement.Update update) {
                  updates.add(update);
                  update.assignedColumns().ifPresent(columns::addAll);
                }
              });
      return updates.isEmpty() ? Optional.empty() : Optional.of(columns);
    }
  }

  private final List<ForeignKey> foreignKeys = new ArrayList<>();

  private ForeignKeyGraph() {}

  /** The same case without foreign keys. */
  public static TestCase withoutForeignKeys(TestCase testCase) {
    return testCase.withSetup(
        testCase.setup().stream()
            .map(SqlText::of)
            .map(text -> text.without(constraints(text.tokens())))
            .toList());
  }

  /** Where foreign keys are defined: elements of a list, and the references of columns. */
  private static List<Span> constraints(Tokens tokens) {
    List<Span> found = new ArrayList<>();
    for (Reference reference : TableDefinition.references(tokens)) {
      Optional<Span> element =
          TableDefinition.of(tokens).stream()
              .flatMap(table -> table.elements().stream())
              .filter(one -> one.kind() == TableDefinition.Kind.FOREIGN_KEY)
              .map(TableDefinition.Element::span)
              .filter(span -> span.contains(reference.span().from()))
              .filter(span -> tokens.is(span.from() - 1, TokenKind.COMMA))
              .map(span -> new Span(span.from() - 1, span.to()))
              .findFirst();
      found.add(element.orElse(reference.span()));
    }
    return found;
  }

  /** The columns that refer to others; empty if the statement is no CREATE TABLE. */
  private static List<String> referring(Tokens tokens, Reference reference) {
    return TableDefinition.of(tokens).stream()
        .flatMap(table -> table.elements().stream())
        .filter(element -> element.span().contains(reference.span().from()))
        .findFirst()
        .map(TableDefinition.Element::columns)
        .orElse(List.of());
  }

  /** The foreign keys of a table. */
  public List<ForeignKey> ofChild(String table) {
    return foreignKeys.stream()
        .filter(foreignKey -> foreignKey.child().equals(StatementText.unquoted(table)))
        .toList();
  }

  /** The foreign keys that a set-up defines. */
  public static ForeignKeyGraph of(List<String> setup) {
    ForeignKeyGraph references = new ForeignKeyGraph();
    for (String sql : setup) {
      Tokens tokens = SqlText.of(sql).tokens();
      Span name =
          tokens.areWords(0, "ALTER", "TABLE")
              ? new Span(2, tokens.nameEnd(2))
              : TableDefinition.definedTable(tokens);
      if (!name.isEmpty()) {
        String child = tokens.folded(name.to() - 1);
        TableDefinition.references(tokens)
            .forEach(
                reference ->
                    references.foreignKeys.add(
                        new ForeignKey(child, referring(tokens, reference), reference)));
      }
    }
    return references;
  }

  /** True if writing one table may write another one, by a foreign key's action. */
  public boolean hasActions() {
    return foreignKeys.stream().anyMatch(ForeignKey::cascades);
  }

  /**
   * The tables that foreign keys relate to a table, directly or transitively, in lower case; the
   * table itself only if it refers to itself.
   */
  public Set<String> relatedTables(String table) {
    String own = StatementText.unquoted(table);
    Set<String> found = new HashSet<>(Set.of(own));
    boolean grows = true;
    while (grows) {
      grows = false;
      for (ForeignKey foreignKey : foreignKeys) {
        if (found.contains(foreignKey.child()) || found.contains(foreignKey.parent())) {
          grows |= found.add(foreignKey.child()) | found.add(foreignKey.parent());
        }
      }
    }
    if (foreignKeys.stream()
        .noneMatch(
            foreignKey -> foreignKey.child().equals(own) && foreignKey.parent().equals(own))) {
      found.remove(own);
    }
    return found;
  }

  /** Tables and those whose foreign keys refer to one of them, directly or transitively. */
  public Set<String> withChildren(Set<String> tables) {
    Set<String> found = new HashSet<>(tables);
    boolean grows = true;
    while (grows) {
      grows = false;
      for (ForeignKey foreignKey : foreignKeys) {
        grows |= found.contains(foreignKey.parent()) && found.add(foreignKey.child());
      }
    }
    return found;
  }

  /** True if one session removed keys of a parent table and another one wrote its child table. */
  public boolean hasParentChildConflict(CaseExecution execution) {
    return foreignKeys.stream()
        .anyMatch(
            foreignKey ->
                writes(execution, foreignKey.parent()).stream()
                    .filter(parents -> foreignKey.mayRemoveKey(SqlText.of(parents.step().sql())))
                    .anyMatch(
                        parents ->
                            writes(execution, foreignKey.child()).stream()
                                .anyMatch(
                                    children ->
                                        !children
                                            .step()
                                            .session()
                                            .equals(parents.step().session()))));
  }

  /**
   * True if an executed statement was blocked and removed keys of a parent table whose foreign key
   * has an action, while another session used the child table. A deadlock victim has blocked
   * another session, even if no poll has seen it.
   */
  public boolean hasBlockedCascade(CaseExecution execution) {
    boolean deadlock =
        execution.outcomes().stream()
            .map(StepOutcome::failure)
            .anyMatch(failure -> failure != null && failure.kind() == Failure.Kind.DEADLOCK);
    return foreignKeys.stream()
        .filter(ForeignKey::cascades)
        .anyMatch(
            foreignKey ->
                writes(execution, foreignKey.parent()).stream()
                    .filter(parents -> foreignKey.mayRemoveKey(SqlText.of(parents.step().sql())))
                    .filter(parents -> deadlock || parents.blocked())
                    .anyMatch(
                        parents ->
                            isNamedByAnotherSession(execution, foreignKey.child(), parents)));
  }

  /**
   * True if a statement removes keys of parents, the resulting actions write another table,
   * directly or transitively, and the statement names that table as well.
   */
  boolean cascadesIntoRead(String sql) {
    SqlText text = SqlText.of(sql);
    return text.writes().stream().anyMatch(write -> cascadesIntoRead(text, write));
  }

  private boolean cascadesIntoRead(SqlText text, SqlText.Write write) {
    String target = write.table();
    boolean assigns = text.has("ON", "DUPLICATE", "KEY");
    Set<String> changed = new HashSet<>();
    List<String> open = new ArrayList<>(List.of(target));
    while (!open.isEmpty()) {
      String parent = open.remove(0);
      for (ForeignKey foreignKey : foreignKeys) {
        boolean loses = assigns || !parent.equals(target) || foreignKey.mayRemoveKey(text);
        if (foreignKey.cascades()
            && foreignKey.parent().equals(parent)
            && loses
            && changed.add(foreignKey.child())) {
          open.add(foreignKey.child());
        }
      }
    }
    return changed.stream().anyMatch(table -> text.hasName(table, write.name()));
  }

  /** True if a statement of another session names the table. */
  private static boolean isNamedByAnotherSession(
      CaseExecution execution, String table, StepOutcome than) {
    return execution.outcomes().stream()
        .filter(outcome -> !outcome.step().session().equals(than.step().session()))
        .anyMatch(outcome -> SqlText.of(outcome.step().sql()).hasName(table));
  }

  private static List<StepOutcome> writes(CaseExecution execution, String table) {
    return execution.outcomes().stream()
        .filter(StepOutcome::succeeded)
        .filter(outcome -> SqlText.of(outcome.step().sql()).writes(table))
        .toList();
  }
}
