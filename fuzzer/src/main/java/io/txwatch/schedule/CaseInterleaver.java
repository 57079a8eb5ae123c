package io.txwatch.schedule;

import io.txwatch.capture.Pipeline;
import io.txwatch.dbms.Dbms;
import io.txwatch.dbms.Workspace;
import io.txwatch.history.Event;
import io.txwatch.history.EventSink;
import io.txwatch.history.Ids;
import io.txwatch.history.IsolationLevel;
import io.txwatch.interleave.Interleaved;
import io.txwatch.interleave.Interleaved.Verdict;
import io.txwatch.interleave.Interleaver;
import io.txwatch.interleave.product.registry.InterleavedProducts;
import io.txwatch.jdbc.Watch;
import io.txwatch.schedule.ScheduleExecutor.SetupException;
import io.txwatch.settings.Setting;
import io.txwatch.settings.Settings;
import io.txwatch.testcase.SqlText;
import io.txwatch.testcase.StatementText;
import io.txwatch.testcase.TestCase;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Executes the sessions of a case in every order of their statements that may matter, each session
 * as one operation of an {@link Interleaver}, in a workspace of its own. The order of the case's
 * lines counts only within a session.
 */
public final class CaseInterleaver {

  public static final int MIN_SESSIONS = 2;
  public static final int MAX_SESSIONS = 8;

  private static final Duration MAX_WAIT = Duration.ofSeconds(30);

  private static final String HIDDEN_TABLES =
      "the set-up defines a view, a trigger, a routine or a foreign key with an action, so that"
          + " statements use tables that they do not name";

  private static final EventSink DISCARD =
      new EventSink() {
        @Override
        public void accept(Event event) {}

        @Override
        public void close() {}
      };

  private final Dbms dbms;
  private final int maxPreemptions;
  private final int maxExecutions;

  /**
   * Interleaves on a DBMS.
   *
   * @param maxPreemptions how often a session may have to stop although it could go on
   * @param maxExecutions how many orders are executed at most
   */
  public CaseInterleaver(Dbms dbms, int maxPreemptions, int maxExecutions) {
    this.dbms = dbms;
    this.maxPreemptions = maxPreemptions;
    this.maxExecutions = maxExecutions;
  }

  /** True if sessions can be interleaved on a DBMS. */
  public static boolean supports(Dbms dbms) {
    return InterleavedProducts.find(dbms.database().product()).isPresent();
  }

  /**
   * Executes a case of {@value #MIN_SESSIONS} to {@value #MAX_SESSIONS} sessions.
   *
   * @param level the level of sessions without one of their own
   * @throws SetupException if the case cannot be set up
   * @throws SQLException if the DBMS cannot be reached
   */
  public Interleaved interleave(TestCase testCase, IsolationLevel level)
      throws SQLException, SetupException, InterruptedException {
    Optional<Interleaved> lasting =
        undecidedIf(
            testCase,
            sql ->
                StatementText.changesDefinitions(sql) || StatementText.locksTablesOfSession(sql));
    if (lasting.isPresent()) {
      return lasting.get();
    }
    Workspace workspace = dbms.newWorkspace();
    boolean isOver = false;
    try (Execution execution = new Execution(testCase, level, workspace)) {
      Interleaved found = execution.run();
      isOver = found.verdict() != Verdict.UNDECIDED;
      return found;
    } catch (RefillException e) {
      if (e.getCause() instanceof SetupException setup) {
        throw setup;
      }
      throw new SQLException("the tables cannot be filled again: " + e.getMessage(), e.getCause());
    } finally {
      if (isOver) {
        workspace.close();
      } else {
        workspace.abandon();
      }
    }
  }

  /** A verdict, if a session executes a statement whose effect stays when rows are restored. */
  private static Optional<Interleaved> undecidedIf(TestCase testCase, Predicate<String> lasts) {
    return testCase.steps().stream()
        .filter(step -> lasts.test(step.sql()))
        .findFirst()
        .map(
            step ->
                undecided(
                    step.session()
                        + " executes '"
                        + step.sql()
                        + "', which is not undone between two orders"));
  }

  private static Interleaved undecided(String reason) {
    return Interleaved.undecided(reason, 0, List.of());
  }

  /** The tables could not be filled again; the cause is why. */
  private static final class RefillException extends RuntimeException {
    private static final long serialVersionUID = 1;

    RefillException(Exception cause) {
      super(cause.getMessage(), cause);
    }
  }

  /** One case in its workspace. */
  private final class Execution implements AutoCloseable {

    private final TestCase testCase;
    private final IsolationLevel level;
    private final Workspace workspace;
    private final SchemaFixture fixture;
    private final List<CaseOperation> operations = new ArrayList<>();

    // Versions are not needed: sessions and rows are compared by their values.
    private final Settings settings =
        Settings.read(List.of())
            .with(Setting.INSTRUMENT, Setting.INSTRUMENT.defaultValue())
            .with(Setting.PREPARE, Setting.PREPARE.defaultValue())
            .with(Setting.VERSIONS, "statements")
            .with(Setting.REDACT, "false");

    private final Ids ids = Ids.random();

    /** Separates the driver's cached table metadata from that of other cases. */
    private final String catalogKey = "interleaved " + Ids.display(ids.next());

    private @Nullable Connection reader;

    Execution(TestCase testCase, IsolationLevel level, Workspace workspace) throws SQLException {
      this.testCase = testCase;
      this.level = level;
      this.workspace = workspace;
      this.fixture = new SchemaFixture(dbms, workspace);
    }

    Interleaved run() throws SQLException, SetupException, InterruptedException {
      fixture.setUp(testCase);
      Setup setup = Setup.of(testCase.setup());
      // Tables that number their rows keep counting: numbers that began at one again would be
      // compared, and depend on the order of statements that do not conflict otherwise.
      boolean isRefilled = setup.isRepeatable() && !setup.numbersRows();
      if (!isRefilled && usesHiddenTables(setup)) {
        return undecided(HIDDEN_TABLES);
      }
      if (!isRefilled) {
        Optional<Interleaved> lasting = undecidedIf(testCase, StatementText::changesMoreThanRows);
        if (lasting.isPresent()) {
          return lasting.get();
        }
      }
      Interleaver interleaver =
          new Interleaver()
              .anyDatabase()
              .preemptions(maxPreemptions)
              .executions(maxExecutions)
              .limit(MAX_WAIT);
      for (String session : testCase.sessions()) {
        CaseOperation operation = open(session);
        operations.add(operation);
        operation.setUp();
        interleaver.operation(session, operation);
      }
      if (isRefilled) {
        interleaver.reset(this::refill);
      }
      addFinalReads(interleaver);
      Interleaved found = interleaver.run();
      return found.verdict() == Verdict.SAFE && usesHiddenTables(setup)
          ? Interleaved.undecided(HIDDEN_TABLES, found.executions(), found.notes())
          : found;
    }

    private boolean usesHiddenTables(Setup setup) {
      return setup.hasActions()
          || testCase.setup().stream()
              .map(SqlText::of)
              .anyMatch(
                  sql ->
                      sql.startsWith("CREATE")
                          && sql.hasAny("VIEW", "TRIGGER", "FUNCTION", "PROCEDURE", "RULE"));
    }

    private CaseOperation open(String session) throws SQLException {
      Connection real = workspace.connect();
      Connection watched =
          Watch.connection(
              real,
              real.getMetaData().getURL(),
              catalogKey,
              workspace::connect,
              settings,
              new Pipeline(ids, DISCARD));
      List<RenderedStep> steps =
          testCase.steps().stream()
              .filter(step -> step.session().equals(session))
              .map(step -> new RenderedStep(step, dbms.renderSql(step.sql())))
              .toList();
      return new CaseOperation(dbms, watched, testCase, steps, testCase.levelOf(session, level));
    }

    /** Restores the state that the set-up has led to. */
    private void refill() {
      try {
        if (!SchemaFixture.changesOnlyRows(testCase)) {
          for (CaseOperation operation : operations) {
            operation.setUp();
          }
        }
        fixture.markVersionsUnknown();
        fixture.setUp(testCase);
      } catch (SQLException | SetupException e) {
        throw new RefillException(e);
      }
    }

    private void addFinalReads(Interleaver interleaver) {
      List<String> finals = testCase.finals();
      for (int i = 0; i < finals.size(); i++) {
        String sql = dbms.renderSql(finals.get(i));
        interleaver.finalRead(finals.size() == 1 ? "F" : "F" + (i + 1), () -> read(sql));
      }
    }

    private List<List<String>> read(String sql) throws SQLException {
      Connection open = reader;
      if (open == null) {
        open = workspace.connect();
        reader = open;
      }
      dbms.refreshSchema(open);
      try (Statement statement = open.createStatement();
          ResultSet result = statement.executeQuery(sql)) {
        return Values.rows(result).stream()
            .map(row -> row.stream().map(Values::text).toList())
            .toList();
      }
    }

    @Override
    public void close() throws SQLException {
      for (CaseOperation operation : operations) {
        operation.close();
      }
      Connection open = reader;
      if (open != null) {
        open.close();
      }
      workspace.resumePurge();
      fixture.close();
    }
  }
}
