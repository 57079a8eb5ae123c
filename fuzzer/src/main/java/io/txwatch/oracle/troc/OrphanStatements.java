package io.txwatch.oracle.troc;

import io.txwatch.dbms.Dbms;
import io.txwatch.oracle.ForeignKeyGraph;
import io.txwatch.oracle.troc.ChangeHistory.View;
import io.txwatch.schedule.Sandbox;
import io.txwatch.schedule.ScheduleExecutor;
import io.txwatch.testcase.TestCase;
import java.sql.SQLException;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Executes statements on views that violate a foreign key, on tables without foreign keys: their
 * actions are not executed. The tables are set up for the first such statement.
 */
final class OrphanStatements implements AutoCloseable {

  private final Dbms dbms;
  private final TestCase testCase;
  private @Nullable Sandbox sandbox;
  private @Nullable ViewExecutor executor;

  OrphanStatements(Dbms dbms, TestCase testCase) {
    this.dbms = dbms;
    this.testCase = testCase;
  }

  /** The outcome of a query; empty if the view violates something else than a foreign key. */
  Optional<ViewExecutor.Outcome> query(String sql, View view) throws SQLException {
    return execute(tables -> tables.query(sql, view));
  }

  /** The outcome of a write to a table; empty if the view violates something else. */
  Optional<ViewExecutor.Outcome> write(String sql, View view, String table) throws SQLException {
    return execute(tables -> tables.write(sql, view, table));
  }

  /** The numbers of the rows that a query returns; empty if the view violates something else. */
  Optional<Set<Long>> numbers(String sql, View view) throws SQLException {
    return execute(tables -> tables.numbers(sql, view));
  }

  @FunctionalInterface
  private interface Execution<T> {
    T on(ViewExecutor tables) throws SQLException;
  }

  private <T> Optional<T> execute(Execution<T> execution) throws SQLException {
    TestCase without = ForeignKeyGraph.withoutForeignKeys(testCase);
    if (without.setup().equals(testCase.setup())) {
      return Optional.empty();
    }
    try {
      return Optional.of(execution.on(executor(without)));
    } catch (ViewExecutor.BrokenViewException | ScheduleExecutor.SetupException e) {
      return Optional.empty();
    }
  }

  private ViewExecutor executor(TestCase without)
      throws SQLException, ScheduleExecutor.SetupException {
    ViewExecutor open = executor;
    if (open == null) {
      Sandbox tables = new Sandbox(dbms);
      sandbox = tables;
      open = new ViewExecutor(dbms, tables, without);
      executor = open;
    }
    return open;
  }

  @Override
  public void close() throws SQLException {
    try (Sandbox tables = sandbox;
        ViewExecutor queries = executor) {
      // closes in reverse order
    }
  }
}
