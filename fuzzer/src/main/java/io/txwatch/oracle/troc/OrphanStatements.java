package io.txwatch.oracle.troc;

import io.txwatch.dbms.Dbms;
import io.txwatch.oracle.ForeignKeyGraph;
import io.txwatch.oracle.SecondaryIndexes;
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
 * actions are not executed. A query is also executed on views that violate a unique key, on tables
 * without secondary indexes: it may see two versions of a row. The tables are set up for the first
 * such statement.
 */
final class OrphanStatements implements AutoCloseable {

  private final TestCase testCase;
  private final LooseTables unlinked;
  private final LooseTables unindexed;

  OrphanStatements(Dbms dbms, TestCase testCase) {
    this.testCase = testCase;
    this.unlinked = new LooseTables(dbms, ForeignKeyGraph.withoutForeignKeys(testCase));
    this.unindexed = new LooseTables(dbms, SecondaryIndexes.removedFrom(testCase));
  }

  /** The outcome of a query; empty if the view violates a primary key or another constraint. */
  Optional<ViewExecutor.Outcome> query(String sql, View view) throws SQLException {
    Optional<ViewExecutor.Outcome> outcome = execute(unlinked, tables -> tables.query(sql, view));
    return outcome.isPresent() ? outcome : execute(unindexed, tables -> tables.query(sql, view));
  }

  /** The outcome of a write to a table; empty if the view violates more than a foreign key. */
  Optional<ViewExecutor.Outcome> write(String sql, View view, String table) throws SQLException {
    return execute(unlinked, tables -> tables.write(sql, view, table));
  }

  /** The numbers of the rows that a query returns; empty as for a write. */
  Optional<Set<Long>> numbers(String sql, View view) throws SQLException {
    return execute(unlinked, tables -> tables.numbers(sql, view));
  }

  @FunctionalInterface
  private interface Execution<T> {
    T on(ViewExecutor tables) throws SQLException;
  }

  private <T> Optional<T> execute(LooseTables tables, Execution<T> execution) throws SQLException {
    if (tables.testCase.setup().equals(testCase.setup())) {
      return Optional.empty();
    }
    try {
      return Optional.of(execution.on(tables.executor()));
    } catch (ViewExecutor.BrokenViewException | ScheduleExecutor.SetupException e) {
      return Optional.empty();
    }
  }

  @Override
  public void close() throws SQLException {
    try (LooseTables one = unlinked;
        LooseTables other = unindexed) {
      // closes both
    }
  }

  /** The tables of a case with fewer constraints. */
  private static final class LooseTables implements AutoCloseable {
    private final Dbms dbms;
    private final TestCase testCase;
    private @Nullable Sandbox sandbox;
    private @Nullable ViewExecutor executor;

    private LooseTables(Dbms dbms, TestCase testCase) {
      this.dbms = dbms;
      this.testCase = testCase;
    }

    private ViewExecutor executor() throws SQLException, ScheduleExecutor.SetupException {
      ViewExecutor open = executor;
      if (open == null) {
        Sandbox tables = new Sandbox(dbms);
        sandbox = tables;
        open = new ViewExecutor(dbms, tables, testCase);
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
}
