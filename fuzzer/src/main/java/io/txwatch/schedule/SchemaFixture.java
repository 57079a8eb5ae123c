package io.txwatch.schedule;

import io.txwatch.dbms.Dbms;
import io.txwatch.dbms.Dbms.MultiStatement;
import io.txwatch.dbms.Failure;
import io.txwatch.dbms.Purge;
import io.txwatch.dbms.Workspace;
import io.txwatch.schedule.ScheduleExecutor.SetupException;
import io.txwatch.testcase.CachedPattern;
import io.txwatch.testcase.TestCase;
import io.txwatch.testcase.WordSet;
import java.sql.BatchUpdateException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The tables of the case that is executed. To define tables is what a case costs most on a server,
 * so those that stand are kept for the next case that defines the same.
 *
 * <p>Statements one after another get them emptied row by row. Sessions side by side get them as
 * new ({@link Workspace#resetStatements}), for what a table held before can still lock (InnoDB's
 * deleted rows), and what they leave is kept as long as they work ({@link Workspace#delayPurge}).
 */
final class SchemaFixture implements AutoCloseable {

  private static final CachedPattern CHANGES_MORE_THAN_ROWS =
      CachedPattern.of(
          "(?i)^\\s*(CREATE|ALTER|DROP|TRUNCATE|RENAME|SET|PRAGMA|CALL|DO|BEGIN\\s+\\w)\\b");

  private static final WordSet TRIGGERS_ACTIONS = WordSet.of("UPDATE", "DELETE", "REPLACE");

  private final Dbms dbms;
  private final Workspace workspace;

  /** Executes what sets up; autocommits. */
  private final Connection session;

  /** More than a statement writes before it fails. */
  private static final int VERSIONS_PER_FAILURE = 8;

  /** How many versions of rows the tables hold, or fewer. */
  private int versions;

  /** On its way since a case was left, if nothing has been done to the tables since. */
  private Optional<Purge> purge = Optional.empty();

  /** The definitions that the tables are of; empty if they are of no use any more. */
  private List<String> currentDefinitions = List.of();

  /** The tables that stand: parents before children. */
  private List<String> tables = List.of();

  /** The set-up that was asked for last, whole and in its parts. */
  private List<String> lastSetup = List.of();

  private Setup lastParts = Setup.of(lastSetup);

  /** One in a workspace, with a session of its own. */
  SchemaFixture(Dbms dbms, Workspace workspace) throws SQLException {
    this(dbms, workspace, workspace.connect());
  }

  /** One whose session others use, too. */
  SchemaFixture(Dbms dbms, Workspace workspace, Connection session) {
    this.dbms = dbms;
    this.workspace = workspace;
    this.session = session;
  }

  /** How a session comes to its tables. */
  Optional<String> switchStatement() {
    return workspace.switchStatement();
  }

  /** True if the case's statements change nothing but rows. */
  static boolean changesOnlyRows(TestCase testCase) {
    return testCase.steps().stream()
        .noneMatch(step -> CHANGES_MORE_THAN_ROWS.isFoundIn(step.sql()));
  }

  /** The parts of a case's set-up, which a case and its serial runs share. */
  private Setup setup(TestCase testCase) {
    if (!lastSetup.equals(testCase.setup())) {
      lastSetup = testCase.setup();
      lastParts = Setup.of(lastSetup);
    }
    return lastParts;
  }

  /**
   * The tables as the case's set-up leaves them, as good as new.
   *
   * @return true if they are new; false if they stood, and hold other rows now
   */
  boolean setUp(TestCase testCase) throws SQLException, SetupException {
    Setup setup = setup(testCase);
    if (isCurrent(setup)) {
      try {
        List<String> statements = new ArrayList<>(resetStatements());
        statements.addAll(dbms.bundle(setup.contents().stream().map(dbms::renderSql).toList()));
        workspace.delayPurge();
        execute(statements);
        return false;
      } catch (SetupException e) {
        // DuckDB: a key that was deleted can go on to count as referred to. SQLite: an INSERT that
        // names no columns has to give those a value that were added to watch it.
      }
    }
    define(setup.isRepeatable() ? setup.definitions() : testCase.setup(), setup);
    workspace.delayPurge();
    if (setup.isRepeatable()) {
      execute(setup.contents());
    }
    return true;
  }

  private List<String> resetStatements() throws SQLException {
    if (purge.isPresent() && purge.get().isDone()) {
      purge = Optional.empty();
      versions = 0;
      return workspace.afterPurgeStatements(tables);
    }
    if (versions < workspace.maxDeadVersions()) {
      return Workspace.deleteAllStatements(tables);
    }
    versions = 0;
    return workspace.resetStatements(tables);
  }

  /**
   * The case is over, and read: what it has left is cleared away while others work, if it can.
   *
   * @param outcomes what came of its steps
   */
  void release(TestCase testCase, List<StepOutcome> outcomes) {
    if (currentDefinitions.isEmpty()) {
      return;
    }
    if (dbms.cascadesMayCorruptIndexes()
        && setup(testCase).hasActions()
        && outcomes.stream().anyMatch(SchemaFixture::mayHaveCascadedAfterWait)) {
      invalidate();
      return;
    }
    try {
      purge = workspace.startPurge(tables);
    } catch (SQLException e) {
      purge = Optional.empty(); // rows that refer to each other, say: the next case gets new tables
    }
  }

  /** Who makes way for another in a deadlock has let it wait, be it that nobody saw it. */
  private static boolean mayHaveCascadedAfterWait(StepOutcome outcome) {
    Failure failure = outcome.failure();
    return (outcome.blocked() && TRIGGERS_ACTIONS.occurIn(outcome.step().sql()))
        || (failure != null && failure.kind() == Failure.Kind.DEADLOCK);
  }

  /** The tables as the case's set-up leaves them, for a session that is alone with them. */
  void restore(TestCase testCase) throws SQLException, SetupException {
    purge = Optional.empty();
    Setup setup = setup(testCase);
    if (!isCurrent(setup)) {
      define(testCase.setup(), setup);
      return;
    }
    try {
      if (dbms.hasTransactionStatements()) {
        List<String> statements = new ArrayList<>(List.of("BEGIN"));
        statements.addAll(refillStatements(setup));
        statements.add("COMMIT");
        execute(dbms.bundle(statements.stream().map(dbms::renderSql).toList()));
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

  /** What {@link #restore} does, for the session itself to do; empty if it cannot. */
  List<RenderedStep> restoreStatements(TestCase testCase) {
    Setup setup = setup(testCase);
    if (!isCurrent(setup) || dbms.multiStatement() != MultiStatement.ONE_BY_ONE) {
      return List.of();
    }
    purge = Optional.empty();
    List<String> statements = new ArrayList<>(List.of("BEGIN"));
    statements.addAll(refillStatements(setup));
    statements.add("COMMIT");
    return dbms.bundle(statements.stream().map(dbms::renderSql).toList()).stream()
        .map(sql -> new RenderedStep(SerialRun.INTERNAL, sql))
        .toList();
  }

  private void rollBack() throws SQLException {
    if (dbms.hasTransactionStatements()) {
      try (Statement statement = session.createStatement()) {
        statement.execute("ROLLBACK");
      } catch (SQLException e) {
        // The error has ended the transaction by itself; if more is wrong, what follows shows it.
      }
    } else {
      session.rollback();
      session.setAutoCommit(true);
    }
  }

  /**
   * The case's tables, widened and not filled: they may hold rows of an earlier case. False if the
   * case defines more after it has begun to fill.
   */
  boolean define(TestCase testCase, Sandbox.TableAugmentation augmentation)
      throws SQLException, SetupException {
    Setup setup = setup(testCase);
    if (!setup.isRepeatable()) {
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

  /** Empties the tables that stand, and fills them as the case does. */
  void refill(TestCase testCase) throws SetupException {
    purge = Optional.empty();
    execute(refillStatements(setup(testCase)));
  }

  /** The statements that do so. */
  List<String> refillStatements(TestCase testCase) {
    purge = Optional.empty();
    return refillStatements(setup(testCase)).stream().map(dbms::renderSql).toList();
  }

  private List<String> refillStatements(Setup setup) {
    List<String> statements = Workspace.deleteAllStatements(tables);
    statements.addAll(setup.contents());
    return statements;
  }

  /** Counts the versions of rows that steps have left behind. */
  void countVersions(List<StepOutcome> outcomes) {
    for (StepOutcome outcome : outcomes) {
      if (outcome.succeeded()) {
        versions += (int) Math.max(0, outcome.updateCount());
      } else if (outcome.status() == StepOutcome.Status.ERROR) {
        versions += VERSIONS_PER_FAILURE;
      }
    }
  }

  /** Steps have left versions of rows behind, nobody knows how many. */
  void markVersionsUnknown() {
    versions = Integer.MAX_VALUE / 2;
  }

  private boolean isCurrent(Setup setup) {
    return setup.isRepeatable()
        && !currentDefinitions.isEmpty()
        && currentDefinitions.equals(setup.definitions());
  }

  private void define(List<String> statements, Setup setup) throws SQLException, SetupException {
    invalidate();
    purge = Optional.empty();
    workspace.clear();
    versions = 0;
    for (String sql : statements) {
      executeOne(sql);
    }
    tables = setup.parentsFirst(workspace.tables());
    workspace.disableMaintenance(tables);
    // Of what the catalog does not show nobody can say that it is as good as new.
    currentDefinitions =
        setup.isRepeatable() && !tables.isEmpty() ? setup.definitions() : List.of();
  }

  /** Executes statements in one round trip, where the driver can. */
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

  /** Which of a batch's statements failed: some drivers end there, others go on. */
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

  /** The tables are no longer what the set-up made them. */
  void invalidate() {
    currentDefinitions = List.of();
  }

  /** The names of its tables, as statements spell them, those that refer to others after those. */
  List<String> parentsFirst(TestCase testCase) throws SQLException {
    return currentDefinitions.isEmpty() ? setup(testCase).parentsFirst(workspace.tables()) : tables;
  }

  /** Ends the session that sets cases up. */
  @Override
  public void close() throws SQLException {
    session.close();
  }

  /** The names of its tables, as statements spell them, sorted; those that a case made, too. */
  List<String> tables() throws SQLException {
    return currentDefinitions.isEmpty() ? workspace.tables() : tables.stream().sorted().toList();
  }
}
