package io.txwatch.schedule;

import io.txwatch.dbms.Dbms;
import io.txwatch.dbms.Workspace;
import io.txwatch.schedule.ScheduleExecutor.SetupException;
import io.txwatch.testcase.TestCase;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.regex.Pattern;

/**
 * The tables of the case that is executed. To define tables is what a case costs most on a server,
 * so the tables of a case that was executed before are filled again where that does: for statements
 * one after another. Sessions side by side get new ones, for what a table held before can still
 * lock (InnoDB's deleted rows).
 */
final class Ground {

  private static final Pattern CONTENTS =
      Pattern.compile("(?i)^\\s*(INSERT|REPLACE|UPDATE|DELETE|MERGE)\\b");
  private static final Pattern COUNTS_ON =
      Pattern.compile(
          "(?i)\\{AUTOINC\\}|AUTO_?INCREMENT|\\b(BIG|SMALL)?SERIAL\\b|\\bIDENTITY\\b|SEQUENCE");
  private static final Pattern CHANGES_MORE_THAN_ROWS =
      Pattern.compile(
          "(?i)^\\s*(CREATE|ALTER|DROP|TRUNCATE|RENAME|SET|PRAGMA|CALL|DO|BEGIN\\s+\\w)\\b");

  private final Dbms dbms;
  private final Workspace workspace;

  /** The set-up that the tables are of; empty if they are of no use any more. */
  private List<String> standing = List.of();

  private List<String> tables = List.of();

  Ground(Dbms dbms, Workspace workspace) {
    this.dbms = dbms;
    this.workspace = workspace;
  }

  /** True if the case's statements change nothing but rows. */
  static boolean isKeptBy(TestCase testCase) {
    return testCase.steps().stream()
        .noneMatch(step -> CHANGES_MORE_THAN_ROWS.matcher(step.sql()).find());
  }

  /** New tables. */
  void build(Connection session, TestCase testCase) throws SQLException, SetupException {
    forget();
    workspace.clear();
    fill(session, testCase.setup());
    tables = workspace.tables();
    standing = isRepeatable(testCase.setup()) ? testCase.setup() : List.of();
  }

  /** The tables as the case's set-up leaves them, if need be new ones. */
  void restore(Connection session, TestCase testCase) throws SQLException, SetupException {
    if (standing.isEmpty() || !standing.equals(testCase.setup())) {
      build(session, testCase);
      return;
    }
    try {
      session.setAutoCommit(false);
      refill(session);
      session.commit();
      session.setAutoCommit(true);
    } catch (SQLException e) {
      session.rollback();
      session.setAutoCommit(true);
      build(session, testCase);
    }
  }

  private void refill(Connection session) throws SQLException {
    String text = String.join("\n", standing);
    List<String> children = new ArrayList<>(tables);
    children.sort(Comparator.comparingInt(table -> text.indexOf(table.replaceAll("[\"`]", ""))));
    Collections.reverse(children);
    try (Statement statement = session.createStatement()) {
      for (String table : children) {
        statement.execute("DELETE FROM " + table);
      }
      for (String sql : standing) {
        if (CONTENTS.matcher(sql).find()) {
          statement.execute(dbms.spell(sql));
        }
      }
    }
  }

  private void fill(Connection session, List<String> statements) throws SetupException {
    for (String sql : statements) {
      try (Statement statement = session.createStatement()) {
        statement.execute(dbms.spell(sql));
      } catch (SQLException e) {
        throw new SetupException(sql, e);
      }
    }
  }

  /** True if its rows can be written again without its tables being defined again. */
  private static boolean isRepeatable(List<String> setup) {
    boolean contents = false;
    for (String sql : setup) {
      boolean ofRows = CONTENTS.matcher(sql).find();
      if (COUNTS_ON.matcher(sql).find() || (contents && !ofRows)) {
        return false;
      }
      contents |= ofRows;
    }
    return true;
  }

  /** The tables are no longer what the set-up made them. */
  void forget() {
    standing = List.of();
  }

  /** The names of its tables, as statements spell them, sorted; those that a case made, too. */
  List<String> tables() throws SQLException {
    return standing.isEmpty() ? workspace.tables() : tables;
  }
}
