package io.txwatch.schedule;

import io.txwatch.dbms.Dbms;
import io.txwatch.dbms.Dbms.Several;
import io.txwatch.dbms.Failure;
import io.txwatch.dbms.Purge;
import io.txwatch.dbms.Workspace;
import io.txwatch.schedule.ScheduleExecutor.SetupException;
import io.txwatch.testcase.TestCase;
import io.txwatch.testcase.TextPattern;
import io.txwatch.testcase.Words;
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
 * new ({@link Workspace#renewal}), for what a table held before can still lock (InnoDB's deleted
 * rows), and what they leave is kept as long as they work ({@link Workspace#keep}).
 */
final class Ground implements AutoCloseable {

  private static final TextPattern CHANGES_MORE_THAN_ROWS =
      TextPattern.of(
          "(?i)^\\s*(CREATE|ALTER|DROP|TRUNCATE|RENAME|SET|PRAGMA|CALL|DO|BEGIN\\s+\\w)\\b");

  private static final Words SETS_OFF_ACTIONS = Words.of("UPDATE", "DELETE", "REPLACE");

  private final Dbms dbms;
  private final Workspace workspace;

  /** Executes what sets up; autocommits. */
  private final Connection session;

  /** More than a statement writes before it fails. */
  private static final int VERSIONS_OF_A_FAILURE = 8;

  /** How many versions of rows the tables hold, or fewer. */
  private int versions;

  /** On its way since a case was left, if nothing has been done to the tables since. */
  private Optional<Purge> purge = Optional.empty();

  /** The definitions that the tables are of; empty if they are of no use any more. */
  private List<String> standing = List.of();

  /** The tables that stand: parents before children. */
  private List<String> tables = List.of();

  /** The set-up that was asked for last, whole and in its parts. */
  private List<String> whole = List.of();

  private Setup parts = Setup.of(whole);

  /** One in a workspace, with a session of its own. */
  Ground(Dbms dbms, Workspace workspace) throws SQLException {
    this(dbms, workspace, workspace.connect());
  }

  /** One whose session others use, too. */
  Ground(Dbms dbms, Workspace workspace, Connection session) {
    this.dbms = dbms;
    this.workspace = workspace;
    this.session = session;
  }

  /** How a session comes to its tables. */
  Optional<String> entering() {
    return workspace.entering();
  }

  /** True if the case's statements change nothing but rows. */
  static boolean isKeptBy(TestCase testCase) {
    return testCase.steps().stream().noneMatch(step -> CHANGES_MORE_THAN_ROWS.isIn(step.sql()));
  }

  /** The parts of a case's set-up, which a case and its serial runs share. */
  private Setup setup(TestCase testCase) {
    if (!whole.equals(testCase.setup())) {
      whole = testCase.setup();
      parts = Setup.of(whole);
    }
    return parts;
  }

  /**
   * The tables as the case's set-up leaves them, as good as new.
   *
   * @return true if they are new; false if they stood, and hold other rows now
   */
  boolean build(TestCase testCase) throws SQLException, SetupException {
    Setup setup = setup(testCase);
    if (isStanding(setup)) {
      try {
        List<String> statements = new ArrayList<>(renewal());
        statements.addAll(dbms.bundled(setup.contents().stream().map(dbms::spell).toList()));
        workspace.keep();
        execute(statements);
        return false;
      } catch (SetupException e) {
        // DuckDB: a key that was deleted can go on to count as referred to. SQLite: an INSERT that
        // names no columns has to give those a value that were added to watch it.
      }
    }
    define(setup.isRepeatable() ? setup.definitions() : testCase.setup(), setup);
    workspace.keep();
    if (setup.isRepeatable()) {
      execute(setup.contents());
    }
    return true;
  }

  private List<String> renewal() throws SQLException {
    if (purge.isPresent() && purge.get().isDone()) {
      purge = Optional.empty();
      versions = 0;
      return workspace.afterPurge(tables);
    }
    if (versions < workspace.harmlessVersions()) {
      return Workspace.emptying(tables);
    }
    versions = 0;
    return workspace.renewal(tables);
  }

  /**
   * The case is over, and read: what it has left is cleared away while others work, if it can.
   *
   * @param outcomes what came of its steps
   */
  void leave(TestCase testCase, List<StepOutcome> outcomes) {
    if (standing.isEmpty()) {
      return;
    }
    if (dbms.actionsBreakIndexes()
        && setup(testCase).hasActions()
        && outcomes.stream().anyMatch(Ground::mayHaveActedAfterWaiting)) {
      forget();
      return;
    }
    try {
      purge = workspace.purge(tables);
    } catch (SQLException e) {
      purge = Optional.empty(); // rows that refer to each other, say: the next case gets new tables
    }
  }

  /** Who makes way for another in a deadlock has let it wait, be it that nobody saw it. */
  private static boolean mayHaveActedAfterWaiting(StepOutcome outcome) {
    Failure failure = outcome.failure();
    return (outcome.blocked() && SETS_OFF_ACTIONS.areIn(outcome.step().sql()))
        || (failure != null && failure.kind() == Failure.Kind.DEADLOCK);
  }

  /** The tables as the case's set-up leaves them, for a session that is alone with them. */
  void restore(TestCase testCase) throws SQLException, SetupException {
    purge = Optional.empty();
    Setup setup = setup(testCase);
    if (!isStanding(setup)) {
      define(testCase.setup(), setup);
      return;
    }
    try {
      if (dbms.beginsBySql()) {
        List<String> statements = new ArrayList<>(List.of("BEGIN"));
        statements.addAll(refilling(setup));
        statements.add("COMMIT");
        execute(dbms.bundled(statements.stream().map(dbms::spell).toList()));
      } else {
        session.setAutoCommit(false);
        execute(refilling(setup));
        session.setAutoCommit(true);
      }
    } catch (SetupException e) {
      takeBack();
      define(testCase.setup(), setup);
    }
  }

  /** What {@link #restore} does, for the session itself to do; empty if it cannot. */
  List<Sent> restoring(TestCase testCase) {
    Setup setup = setup(testCase);
    if (!isStanding(setup) || dbms.several() != Several.ONE_BY_ONE) {
      return List.of();
    }
    purge = Optional.empty();
    List<String> statements = new ArrayList<>(List.of("BEGIN"));
    statements.addAll(refilling(setup));
    statements.add("COMMIT");
    return dbms.bundled(statements.stream().map(dbms::spell).toList()).stream()
        .map(sql -> new Sent(SerialRun.ADDED, sql))
        .toList();
  }

  private void takeBack() throws SQLException {
    if (dbms.beginsBySql()) {
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
  boolean define(TestCase testCase, Sandbox.Widening widening) throws SQLException, SetupException {
    Setup setup = setup(testCase);
    if (!setup.isRepeatable()) {
      return false;
    }
    if (!isStanding(setup)) {
      define(setup.definitions(), setup);
      for (String table : tables) {
        widening.widen(session, table);
      }
    }
    return true;
  }

  /** Empties the tables that stand, and fills them as the case does. */
  void refill(TestCase testCase) throws SetupException {
    purge = Optional.empty();
    execute(refilling(setup(testCase)));
  }

  /** The statements that do so. */
  List<String> refilling(TestCase testCase) {
    purge = Optional.empty();
    return refilling(setup(testCase)).stream().map(dbms::spell).toList();
  }

  private List<String> refilling(Setup setup) {
    List<String> statements = Workspace.emptying(tables);
    statements.addAll(setup.contents());
    return statements;
  }

  /** Counts the versions of rows that steps have left behind. */
  void note(List<StepOutcome> outcomes) {
    for (StepOutcome outcome : outcomes) {
      if (outcome.succeeded()) {
        versions += (int) Math.max(0, outcome.updateCount());
      } else if (outcome.status() == StepOutcome.Status.ERROR) {
        versions += VERSIONS_OF_A_FAILURE;
      }
    }
  }

  /** Steps have left versions of rows behind, nobody knows how many. */
  void noteUnknown() {
    versions = Integer.MAX_VALUE / 2;
  }

  private boolean isStanding(Setup setup) {
    return setup.isRepeatable() && !standing.isEmpty() && standing.equals(setup.definitions());
  }

  private void define(List<String> statements, Setup setup) throws SQLException, SetupException {
    forget();
    purge = Optional.empty();
    workspace.clear();
    versions = 0;
    for (String sql : statements) {
      executeOne(sql);
    }
    tables = setup.inOrder(workspace.tables());
    workspace.quieten(tables);
    // Of what the catalog does not show nobody can say that it is as good as new.
    standing = setup.isRepeatable() && !tables.isEmpty() ? setup.definitions() : List.of();
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
        statement.addBatch(dbms.spell(sql));
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
      if (!statement.execute(dbms.spell(sql))) {
        versions += Math.max(0, statement.getUpdateCount());
      }
    } catch (SQLException e) {
      throw new SetupException(sql, e);
    }
  }

  /** The tables are no longer what the set-up made them. */
  void forget() {
    standing = List.of();
  }

  /** The names of its tables, as statements spell them, those that refer to others after those. */
  List<String> inOrder(TestCase testCase) throws SQLException {
    return standing.isEmpty() ? setup(testCase).inOrder(workspace.tables()) : tables;
  }

  /** Ends the session that sets cases up. */
  @Override
  public void close() throws SQLException {
    session.close();
  }

  /** The names of its tables, as statements spell them, sorted; those that a case made, too. */
  List<String> tables() throws SQLException {
    return standing.isEmpty() ? workspace.tables() : tables.stream().sorted().toList();
  }
}
