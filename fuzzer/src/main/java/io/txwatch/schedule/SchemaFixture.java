package io.txwatch.schedule;

import io.txwatch.dbms.Dbms;
import io.txwatch.dbms.Dbms.MultiStatement;
import io.txwatch.dbms.Failure;
import io.txwatch.dbms.Workspace;
import io.txwatch.schedule.ScheduleExecutor.SetupException;
import io.txwatch.testcase.SqlText;
import io.txwatch.testcase.StatementText;
import io.txwatch.testcase.TestCase;
import java.sql.BatchUpdateException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/**
 * The tables on which a case is executed. On a server, defining tables is the most expensive part
 * of a case, so tables are kept for the next case that has the same definitions.
 *
 * <p>A serial case deletes all rows of the tables. A concurrent case resets the tables ({@link
 * Workspace#resetStatements}), because deleted rows can still be locked (InnoDB), and delays the
 * purge of deleted rows until it is over ({@link Workspace#delayPurge}).
 */
final class SchemaFixture implements AutoCloseable {

  private final Dbms dbms;
  private final Workspace workspace;

  /** Executes the set-up; in autocommit mode. */
  private final Connection session;

  /** An upper bound of the row versions that a statement writes before it fails. */
  private static final int VERSIONS_PER_FAILURE = 8;

  /** An upper bound of the row versions in the tables. */
  private int versions;

  /** The definitions of the existing tables; empty if they cannot be reused. */
  private List<String> currentDefinitions = List.of();

  /** The existing tables, parents before children. */
  private List<String> tables = List.of();

  /** The last set-up, whole and in its parts. */
  private List<String> lastSetup = List.of();

  private Setup lastParts = Setup.of(lastSetup);

  /** Creates a fixture with a session of its own. */
  SchemaFixture(Dbms dbms, Workspace workspace) throws SQLException {
    this(dbms, workspace, workspace.connect());
  }

  /** Creates a fixture on a session that others use as well. */
  SchemaFixture(Dbms dbms, Workspace workspace, Connection session) {
    this.dbms = dbms;
    this.workspace = workspace;
    this.session = session;
  }

  /** True if the case's statements change nothing but rows. */
  static boolean changesOnlyRows(TestCase testCase) {
    return testCase.steps().stream()
        .noneMatch(step -> StatementText.changesMoreThanRows(step.sql()));
  }

  /** The parts of a case's set-up; a case and its serial runs have the same. */
  private Setup setup(TestCase testCase) {
    if (!lastSetup.equals(testCase.setup())) {
      lastSetup = testCase.setup();
      lastParts = Setup.of(lastSetup);
    }
    return lastParts;
  }

  /**
   * Sets up the case on tables that are as good as new.
   *
   * @return true if the tables are new; false if existing tables were refilled
   */
  boolean setUp(TestCase testCase) throws SQLException, SetupException {
    Setup setup = setup(testCase);
    if (isCurrent(setup)) {
      try {
        List<String> statements = new ArrayList<>(resetStatements(setup));
        statements.addAll(dbms.bundle(setup.contents().stream().map(dbms::renderSql).toList()));
        workspace.delayPurge();
        execute(statements);
        return false;
      } catch (SetupException e) {
        // DuckDB: a deleted key may still count as referenced. SQLite: an INSERT without a column
        // list needs values for the auxiliary columns.
      }
    }
    define(isReusable(setup) ? setup.definitions() : testCase.setup(), setup);
    workspace.delayPurge();
    if (isReusable(setup)) {
      execute(setup.contents());
    }
    return true;
  }

  private List<String> resetStatements(Setup setup) {
    if (versions < workspace.maxDeadVersions() && !setup.numbersRows()) {
      return Workspace.deleteAllStatements(tables);
    }
    versions = 0;
    return workspace.resetStatements(tables);
  }

  /**
   * Ends what {@link #setUp} began for a case that is over.
   *
   * @param outcomes the outcomes of its steps
   */
  void release(TestCase testCase, List<StepOutcome> outcomes) throws SQLException {
    workspace.resumePurge();
    if (dbms.cascadesMayCorruptIndexes()
        && setup(testCase).hasActions()
        && outcomes.stream().anyMatch(SchemaFixture::mayHaveCascadedAfterWait)) {
      invalidate();
    }
  }

  /** A deadlock victim has blocked another session, even if no poll has seen it. */
  private static boolean mayHaveCascadedAfterWait(StepOutcome outcome) {
    Failure failure = outcome.failure();
    return (outcome.blocked()
            && SqlText.of(outcome.step().sql()).hasAny("UPDATE", "DELETE", "REPLACE"))
        || (failure != null && failure.kind() == Failure.Kind.DEADLOCK);
  }

  /** Sets up the case for a session that has the tables to itself. */
  void restore(TestCase testCase) throws SQLException, SetupException {
    Setup setup = setup(testCase);
    if (!isCurrent(setup)) {
      define(testCase.setup(), setup);
      return;
    }
    try {
      if (dbms.hasTransactionStatements()) {
        execute(refillInTransaction(setup));
      } else {
        session.setAutoCommit(false);
        execute(refillStatements(setup));
        session.setAutoCommit(true);
      }
    } catch (SetupException e) {
      rollBack();
      define(testCase.setup(), setup);
    }
  }

  /**
   * The steps with which the session itself does what {@link #restore} does; empty if it cannot.
   */
  List<RenderedStep> restoreStatements(TestCase testCase) {
    Setup setup = setup(testCase);
    if (!isCurrent(setup) || dbms.multiStatement() != MultiStatement.ONE_BY_ONE) {
      return List.of();
    }
    return refillInTransaction(setup).stream()
        .map(sql -> new RenderedStep(SerialRun.INTERNAL, sql))
        .toList();
  }

  /** The statements that refill the existing tables for a session that has them to itself. */
  private List<String> refillInTransaction(Setup setup) {
    List<String> statements = new ArrayList<>();
    if (setup.numbersRows()) { // these are no statements for a transaction
      statements.addAll(resetStatements(setup));
      statements.add("BEGIN");
      statements.addAll(setup.contents());
    } else {
      statements.add("BEGIN");
      statements.addAll(refillStatements(setup));
    }
    statements.add("COMMIT");
    return dbms.bundle(statements.stream().map(dbms::renderSql).toList());
  }

  private void rollBack() throws SQLException {
    if (dbms.hasTransactionStatements()) {
      try (Statement statement = session.createStatement()) {
        statement.execute("ROLLBACK");
      } catch (SQLException e) {
        // The error has ended the transaction; any other fault appears in the statements that
        // follow.
      }
    } else {
      session.rollback();
      session.setAutoCommit(true);
    }
  }

  /**
   * Defines the case's tables and augments them, without filling them: they may hold rows of an
   * earlier case. Returns false if the case has further definitions after its first INSERT, or if
   * its tables number their rows: the numbers of rows that are inserted and rolled back are lost.
   */
  boolean define(TestCase testCase, Sandbox.TableAugmentation augmentation)
      throws SQLException, SetupException {
    Setup setup = setup(testCase);
    if (!setup.isRepeatable() || setup.numbersRows()) {
      return false;
    }
    if (!isCurrent(setup)) {
      define(setup.definitions(), setup);
      for (String table : tables) {
        augmentation.augment(session, table);
      }
    }
    return true;
  }

  /** Empties the existing tables and fills them as the case does. */
  void refill(TestCase testCase) throws SetupException {
    execute(refillStatements(setup(testCase)));
  }

  /** The statements of {@link #refill}. */
  List<String> refillStatements(TestCase testCase) {
    return refillStatements(setup(testCase)).stream().map(dbms::renderSql).toList();
  }

  private List<String> refillStatements(Setup setup) {
    List<String> statements = Workspace.deleteAllStatements(tables);
    statements.addAll(setup.contents());
    return statements;
  }

  /** Adds the row versions that these steps have left behind. */
  void countVersions(List<StepOutcome> outcomes) {
    for (StepOutcome outcome : outcomes) {
      if (outcome.succeeded()) {
        versions += (int) Math.max(0, outcome.updateCount());
      } else if (outcome.status() == StepOutcome.Status.ERROR) {
        versions += VERSIONS_PER_FAILURE;
      }
    }
  }

  /** Records that steps have left behind an unknown number of row versions. */
  void markVersionsUnknown() {
    versions = Integer.MAX_VALUE / 2;
  }

  private boolean isCurrent(Setup setup) {
    return isReusable(setup)
        && !currentDefinitions.isEmpty()
        && currentDefinitions.equals(setup.definitions());
  }

  private boolean isReusable(Setup setup) {
    return setup.isRepeatable() && (!setup.numbersRows() || workspace.resetRestartsNumbers());
  }

  private void define(List<String> statements, Setup setup) throws SQLException, SetupException {
    invalidate();
    workspace.clear();
    versions = 0;
    for (String sql : statements) {
      executeOne(sql);
    }
    tables = setup.parentsFirst(workspace.tables());
    workspace.disableMaintenance(tables);
    // A definition that the catalog does not show cannot be reset, so the tables are not reused.
    currentDefinitions = isReusable(setup) && !tables.isEmpty() ? setup.definitions() : List.of();
  }

  /** Executes statements in one round trip, if the driver can. */
  private void execute(List<String> statements) throws SetupException {
    if (statements.isEmpty()) {
      return;
    }
    if (statements.size() == 1) {
      executeOne(statements.get(0));
      return;
    }
    try (Statement statement = session.createStatement()) {
      for (String sql : statements) {
        statement.addBatch(dbms.renderSql(sql));
      }
      for (int count : statement.executeBatch()) {
        versions += Math.max(0, count);
      }
    } catch (BatchUpdateException e) {
      throw new SetupException(statements.get(failed(e, statements.size())), e);
    } catch (SQLException e) {
      throw new SetupException(String.join("; ", statements), e);
    }
  }

  /** The index of the failed statement of a batch: some drivers stop there, others continue. */
  private static int failed(BatchUpdateException error, int size) {
    int[] counts = error.getUpdateCounts();
    int failed = 0;
    while (failed < counts.length && counts[failed] != Statement.EXECUTE_FAILED) {
      failed++;
    }
    return Math.min(failed, size - 1);
  }

  private void executeOne(String sql) throws SetupException {
    try (Statement statement = session.createStatement()) {
      if (!statement.execute(dbms.renderSql(sql))) {
        versions += Math.max(0, statement.getUpdateCount());
      }
    } catch (SQLException e) {
      throw new SetupException(sql, e);
    }
  }

  /** Marks the tables as changed: they cannot be reused. */
  void invalidate() {
    currentDefinitions = List.of();
  }

  /** The names of its tables as statements spell them, parents before children. */
  List<String> parentsFirst(TestCase testCase) throws SQLException {
    return currentDefinitions.isEmpty() ? setup(testCase).parentsFirst(workspace.tables()) : tables;
  }

  /** Closes the session that executes the set-up. */
  @Override
  public void close() throws SQLException {
    session.close();
  }

  /**
   * The names of its tables as statements spell them, sorted, including tables that a case created.
   */
  List<String> tables() throws SQLException {
    return currentDefinitions.isEmpty() ? workspace.tables() : tables.stream().sorted().toList();
  }
}
