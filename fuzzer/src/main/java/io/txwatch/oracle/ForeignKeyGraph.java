package io.txwatch.oracle;

import io.txwatch.dbms.Failure;
import io.txwatch.schedule.CaseExecution;
import io.txwatch.schedule.StepOutcome;
import io.txwatch.testcase.StatementText;
import io.txwatch.testcase.TestCase;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The foreign keys of a schema, parsed from its definitions. */
public final class ForeignKeyGraph {

  private static final Pattern TABLE =
      Pattern.compile("(?is)^\\s*(?:CREATE|ALTER)\\s+TABLE\\s+([\\w\"`]+).*");
  private static final Pattern REFERS =
      Pattern.compile(
          "(?i)\\bREFERENCES\\s+([\\w\"`]+)\\s*(?:\\(([^)]*)\\))?"
              + "((?:\\s+ON\\s+(?:DELETE|UPDATE)\\s+"
              + "(?:CASCADE|RESTRICT|NO\\s+ACTION|SET\\s+\\w+))*)");
  private static final Pattern CONSTRAINT =
      Pattern.compile(
          "(?i),\\s*(?:CONSTRAINT\\s+[\\w\"`]+\\s+)?FOREIGN\\s+KEY\\s*\\([^)]*\\)\\s*"
              + REFERS.pattern());
  private static final Pattern ACTION = Pattern.compile("(?i)\\b(CASCADE|SET)\\b");
  private static final Pattern WRITTEN =
      Pattern.compile("(?i)\\b(?:INTO|UPDATE|DELETE\\s+FROM)\\s+([\\w\"`]+)");
  private static final Pattern DELETES =
      Pattern.compile("(?i)^\\s*REPLACE\\b|\\bDELETE\\s+FROM\\b");
  private static final Pattern UPSERT = Pattern.compile("(?i)\\bON\\s+DUPLICATE\\s+KEY\\b");
  private static final Pattern ASSIGNS =
      Pattern.compile("(?is)^\\s*(?:WITH\\b.*?\\b)?UPDATE\\b.*?\\bSET\\b(.*?)(\\bWHERE\\b.*)?");

  /**
   * A foreign key. Names are in lower case; {@code key} is empty if it is the parent's primary key,
   * without being named; {@code cascades} is true if it has an action.
   */
  private record ForeignKey(String child, String parent, List<String> key, boolean cascades) {

    /** True if a statement may remove a key that children refer to. */
    boolean mayRemoveKey(String sql) {
      Matcher assigns = ASSIGNS.matcher(sql);
      return DELETES.matcher(sql).find()
          || (assigns.matches()
              && (key.isEmpty()
                  || key.stream()
                      .anyMatch(
                          column ->
                              Pattern.compile("(?i)\\b" + Pattern.quote(column) + "\\s*=")
                                  .matcher(assigns.group(1))
                                  .find())));
    }
  }

  private final List<ForeignKey> foreignKeys = new ArrayList<>();

  private ForeignKeyGraph() {}

  /** The same case without foreign keys. */
  public static TestCase withoutForeignKeys(TestCase testCase) {
    return testCase.withSetup(
        testCase.setup().stream()
            .map(sql -> REFERS.matcher(CONSTRAINT.matcher(sql).replaceAll("")).replaceAll(""))
            .toList());
  }

  /** The foreign keys that a set-up defines. */
  public static ForeignKeyGraph of(List<String> setup) {
    ForeignKeyGraph references = new ForeignKeyGraph();
    for (String sql : setup) {
      Matcher defined = TABLE.matcher(sql);
      if (defined.matches()) {
        Matcher refers = REFERS.matcher(sql);
        while (refers.find()) {
          String key =
              refers.group(2) == null ? "" : StatementText.unquoted(refers.group(2)).strip();
          references.foreignKeys.add(
              new ForeignKey(
                  StatementText.unquoted(defined.group(1)),
                  StatementText.unquoted(refers.group(1)),
                  key.isEmpty() ? List.of() : List.of(key.split("\\s*,\\s*")),
                  ACTION.matcher(refers.group(3)).find()));
        }
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
                    .filter(parents -> foreignKey.mayRemoveKey(parents.step().sql()))
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
                    .filter(parents -> foreignKey.mayRemoveKey(parents.step().sql()))
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
    Matcher written = WRITTEN.matcher(sql);
    if (!written.find()) {
      return false;
    }
    String target = StatementText.unquoted(written.group(1));
    boolean assigns = UPSERT.matcher(sql).find();
    Set<String> changed = new HashSet<>();
    List<String> open = new ArrayList<>(List.of(target));
    while (!open.isEmpty()) {
      String parent = open.remove(0);
      for (ForeignKey foreignKey : foreignKeys) {
        boolean loses = assigns || !parent.equals(target) || foreignKey.mayRemoveKey(sql);
        if (foreignKey.cascades()
            && foreignKey.parent().equals(parent)
            && loses
            && changed.add(foreignKey.child())) {
          open.add(foreignKey.child());
        }
      }
    }
    String remainder = sql.substring(0, written.start()) + sql.substring(written.end());
    return changed.stream().anyMatch(table -> namesTable(remainder, table));
  }

  private static boolean namesTable(String sql, String table) {
    return Pattern.compile("(?i)\\b" + Pattern.quote(table) + "\\b").matcher(sql).find();
  }

  /** True if a statement of another session names the table. */
  private static boolean isNamedByAnotherSession(
      CaseExecution execution, String table, StepOutcome than) {
    return execution.outcomes().stream()
        .filter(outcome -> !outcome.step().session().equals(than.step().session()))
        .anyMatch(outcome -> namesTable(outcome.step().sql(), table));
  }

  private static List<StepOutcome> writes(CaseExecution execution, String table) {
    return execution.outcomes().stream()
        .filter(StepOutcome::succeeded)
        .filter(
            outcome -> {
              Matcher written = WRITTEN.matcher(outcome.step().sql());
              return written.find() && StatementText.unquoted(written.group(1)).equals(table);
            })
        .toList();
  }
}
