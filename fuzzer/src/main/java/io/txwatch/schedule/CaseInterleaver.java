package io.txwatch.schedule;

import io.txwatch.capture.Pipeline;
import io.txwatch.dbms.Dbms;
import io.txwatch.dbms.Workspace;
import io.txwatch.history.BackgroundThreads;
import io.txwatch.history.Ids;
import io.txwatch.history.IsolationLevel;
import io.txwatch.interleave.Interleaved;
import io.txwatch.interleave.Interleaved.Verdict;
import io.txwatch.interleave.Interleaver;
import io.txwatch.interleave.Interruption;
import io.txwatch.interleave.explore.DivergedException;
import io.txwatch.interleave.explore.Explorer;
import io.txwatch.interleave.product.registry.InterleavedProducts;
import io.txwatch.interleave.run.GatedProgram;
import io.txwatch.interleave.run.HangException;
import io.txwatch.interleave.run.Operation;
import io.txwatch.interleave.wait.WaitMonitor;
import io.txwatch.jdbc.Watch;
import io.txwatch.schedule.ObservedPath.Strictness;
import io.txwatch.schedule.ScheduleExecutor.SetupException;
import io.txwatch.settings.Setting;
import io.txwatch.settings.Settings;
import io.txwatch.testcase.SqlText;
import io.txwatch.testcase.StatementText;
import io.txwatch.testcase.Step;
import io.txwatch.testcase.TestCase;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Executes the sessions of a case in every order of their statements that may matter, each session
 * as one operation of an {@link Interleaver}, in a workspace of its own. The order of the case's
 * lines counts only within a session.
 */
public final class CaseInterleaver {

  public static final int MIN_SESSIONS = 2;
  public static final int MAX_SESSIONS = Interleaver.MAX_OPERATIONS;

  private static final Duration MAX_WAIT = Duration.ofSeconds(30);

  private static final String HIDDEN_TABLES =
      "the set-up defines a rule, or a table after a function that its defaults may call, so that"
          + " statements use tables that they do not name and that no catalog lists for them";

  private final Dbms dbms;
  private final int maxPreemptions;
  private final int maxExecutions;
  private final long maxNanos;
  private final List<Interruption> first;
  private final Duration maxWait;

  /**
   * Interleaves on a DBMS.
   *
   * @param maxPreemptions how often a session may have to stop although it could go on
   * @param maxExecutions how many orders are executed at most
   */
  public CaseInterleaver(Dbms dbms, int maxPreemptions, int maxExecutions) {
    this(dbms, maxPreemptions, maxExecutions, Long.MAX_VALUE, List.of(), MAX_WAIT);
  }

  private CaseInterleaver(
      Dbms dbms,
      int maxPreemptions,
      int maxExecutions,
      long maxNanos,
      List<Interruption> first,
      Duration maxWait) {
    this.maxWait = maxWait;
    this.maxNanos = maxNanos;
    this.first = List.copyOf(first);
    this.dbms = dbms;
    this.maxPreemptions = maxPreemptions;
    this.maxExecutions = maxExecutions;
  }

  /** The same with another bound on how often a session has to stop. */
  public CaseInterleaver withPreemptions(int most) {
    return new CaseInterleaver(dbms, most, maxExecutions, maxNanos, first, maxWait);
  }

  /** The same with a bound on the time of a case: no other order is begun after it. */
  public CaseInterleaver within(Duration most) {
    return new CaseInterleaver(dbms, maxPreemptions, maxExecutions, most.toNanos(), first, maxWait);
  }

  /** The same with another bound on how many orders are executed. */
  public CaseInterleaver withExecutions(int most) {
    return new CaseInterleaver(
        dbms, maxPreemptions, Math.min(most, maxExecutions), maxNanos, first, maxWait);
  }

  /** The same that executes some orders before all others. */
  public CaseInterleaver first(List<Interruption> orders) {
    return new CaseInterleaver(dbms, maxPreemptions, maxExecutions, maxNanos, orders, maxWait);
  }

  /** The same that executes some orders, and no others. */
  public CaseInterleaver only(List<Interruption> orders) {
    return new CaseInterleaver(dbms, maxPreemptions, orders.size(), maxNanos, orders, maxWait);
  }

  /** The same with another bound on the time of a statement. */
  CaseInterleaver waiting(Duration most) {
    return new CaseInterleaver(dbms, maxPreemptions, maxExecutions, maxNanos, first, most);
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
    return interleave(testCase, level, Map.of(), Strictness.COUNTS);
  }

  /**
   * Executes a case whose sessions repeat what was observed.
   *
   * @param paths how each session was observed
   * @throws ObservedPath.LeftException if a session leaves its path although it is alone
   */
  public Interleaved interleave(
      TestCase testCase,
      IsolationLevel level,
      Map<String, ObservedPath> paths,
      Strictness strictness)
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
    try (Execution execution =
        new Execution(testCase, level, workspace, Map.copyOf(paths), strictness)) {
      Interleaved found = execution.run();
      isOver = found.verdict() != Verdict.UNDECIDED;
      return found;
    } catch (TooLongException e) {
      return undecided(String.valueOf(e.getMessage()));
    } catch (UnreachableException e) {
      if (e.getCause() instanceof SetupException setup) {
        throw setup;
      }
      throw new SQLException("the orders cannot be executed: " + e.getMessage(), e.getCause());
    } finally {
      if (isOver) {
        workspace.close();
      } else {
        workspace.abandon();
      }
    }
  }

  /**
   * Orders of a case's steps.
   *
   * @param cases the case with its steps in each of them
   * @param incomplete why there may be more; empty if these are all within the bounds
   */
  public record Orders(List<TestCase> cases, String incomplete) {
    public Orders {
      cases = List.copyOf(cases);
    }
  }

  /**
   * The orders of a case's steps that may matter, found by executing them. Statements outside of
   * transactions are transactions of their own.
   *
   * @param level the level of sessions without one of their own
   * @throws SetupException if the case cannot be set up
   * @throws SQLException if the DBMS cannot be reached
   */
  public Orders orders(TestCase testCase, IsolationLevel level)
      throws SQLException, SetupException, InterruptedException {
    if (!SchemaFixture.changesOnlyRows(testCase) || !isRefilled(Setup.of(testCase.setup()))) {
      return new Orders(
          List.of(), "its sessions or its set-up do what is not undone between two orders");
    }
    Workspace workspace = dbms.newWorkspace();
    boolean isOver = false;
    try (Execution execution =
        new Execution(testCase, level, workspace, Map.of(), Strictness.COUNTS)) {
      Orders found = execution.orders();
      isOver = found.incomplete().isEmpty();
      return found;
    } catch (UnreachableException e) {
      throw new SQLException("the orders cannot be executed: " + e.getMessage(), e.getCause());
    } finally {
      if (isOver) {
        workspace.close();
      } else {
        workspace.abandon();
      }
    }
  }

  private static boolean isRefilled(Setup setup) {
    return setup.isRepeatable() && !setup.numbersRows();
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

  /** The tables could not be filled again, or waits not be read; the cause is why. */
  private static final class UnreachableException extends RuntimeException {
    private static final long serialVersionUID = 1;

    UnreachableException(Exception cause) {
      super(cause.getMessage(), cause);
    }
  }

  /** There was no time for another order, or a statement does not end. */
  private static final class TooLongException extends RuntimeException {
    private static final long serialVersionUID = 1;

    TooLongException(String message) {
      super(message);
    }
  }

  /** One case in its workspace. */
  private final class Execution implements AutoCloseable {

    private final TestCase testCase;
    private final IsolationLevel level;
    private final Workspace workspace;
    private final SchemaFixture fixture;
    private final Map<String, ObservedPath> paths;
    private final Strictness strictness;
    private final List<CaseOperation> operations = new ArrayList<>();
    private final CancellableSessions sessions;

    /** Analysed in this process, so that the phenomenon of a race is known; nothing is printed. */
    private final Settings settings =
        Settings.read(List.of())
            .with(Setting.INSTRUMENT, Setting.INSTRUMENT.defaultValue())
            .with(Setting.PREPARE, Setting.PREPARE.defaultValue())
            .with(Setting.VERSIONS, Setting.VERSIONS.defaultValue())
            .with(Setting.REDACT, "false")
            .with(Setting.ANALYZER, Setting.ANALYZER.defaultValue())
            .with(Setting.LOG, "none")
            .with(Setting.HISTORY, "")
            .with(Setting.REPORT, "")
            .with(Setting.HTTP, "");

    /** Separates the driver's cached table metadata from that of other cases. */
    private final String catalogKey = "interleaved " + Ids.display(Ids.random().next());

    private @Nullable Connection reader;
    private final long began = System.nanoTime();

    Execution(
        TestCase testCase,
        IsolationLevel level,
        Workspace workspace,
        Map<String, ObservedPath> paths,
        Strictness strictness)
        throws SQLException {
      this.paths = paths;
      this.strictness = strictness;
      this.testCase = testCase;
      this.level = level;
      this.workspace = workspace;
      this.fixture = new SchemaFixture(dbms, workspace);
      this.sessions = new CancellableSessions(dbms, workspace);
    }

    Interleaved run() throws SQLException, SetupException, InterruptedException {
      fixture.setUp(testCase);
      Setup setup = Setup.of(testCase.setup());
      // Tables that number their rows keep counting: numbers that began at one again would be
      // compared, and depend on the order of statements that do not conflict otherwise.
      boolean isRefilled = isRefilled(setup);
      if (usesHiddenTables()) {
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
              .repetitionsForName(0)
              .preemptions(maxPreemptions)
              .executions(maxExecutions)
              .first(first)
              .limit(maxWait)
              .cancel(() -> sessions.cancelWhile(this::isExecuting));
      for (String session : testCase.sessions()) {
        CaseOperation operation = open(session, true);
        operations.add(operation);
        operation.setUp();
        interleaver.operation(session, operation);
      }
      if (!paths.isEmpty()) {
        for (CaseOperation operation : operations) {
          within(
              operation.name(),
              () -> {
                operation.callAlone();
                return "";
              });
          refill();
        }
      }
      if (isRefilled) {
        interleaver.reset(this::refill);
      }
      addFinalReads(interleaver);
      return interleaver.run();
    }

    private boolean isExecuting() {
      return operations.stream().anyMatch(CaseOperation::isExecuting);
    }

    /** Calls on another thread, so that statements that do not end are cancelled. */
    private <T> T within(String name, Callable<T> call) throws SQLException, InterruptedException {
      FutureTask<T> task = new FutureTask<>(call);
      BackgroundThreads.create("txwatch-bounded", task).start();
      try {
        return task.get(maxWait.toMillis(), TimeUnit.MILLISECONDS);
      } catch (TimeoutException e) {
        sessions.cancelWhile(() -> !task.isDone());
        throw new TooLongException(name + " did not end within " + maxWait.toSeconds() + " s");
      } catch (ExecutionException e) {
        if (e.getCause() instanceof SQLException failure) {
          throw failure;
        } else if (e.getCause() instanceof RuntimeException failure) {
          throw failure;
        }
        throw new IllegalStateException(e.getCause());
      }
    }

    /** True if statements may use tables that {@link Interleaver} does not find. */
    private boolean usesHiddenTables() {
      boolean hasFunction = false;
      for (String statement : testCase.setup()) {
        SqlText sql = SqlText.of(statement);
        boolean creates = sql.startsWith("CREATE");
        if (creates && sql.hasAny("RULE")) {
          return true;
        }
        if (creates && sql.hasAny("FUNCTION") && !sql.hasAny("TRIGGER")) {
          hasFunction = true;
        } else if (hasFunction
            && (creates || sql.startsWith("ALTER"))
            && sql.hasAny("TABLE", "DOMAIN")) {
          return true;
        }
      }
      return false;
    }

    private CaseOperation open(String session, boolean isOneTransaction) throws SQLException {
      Connection real = sessions.add(workspace.connect());
      Connection watched =
          Watch.connection(
              real,
              real.getMetaData().getURL(),
              catalogKey,
              workspace::connect,
              settings,
              Pipeline.of(settings));
      List<RenderedStep> steps =
          testCase.steps().stream()
              .filter(step -> step.session().equals(session))
              .map(step -> new RenderedStep(step, dbms.renderSql(step.sql())))
              .toList();
      return new CaseOperation(
          dbms,
          watched,
          testCase,
          steps,
          testCase.levelOf(session, level),
          isOneTransaction,
          paths.get(session),
          strictness);
    }

    Orders orders() throws SQLException, SetupException, InterruptedException {
      fixture.setUp(testCase);
      Map<Long, CaseOperation> byNumber = new HashMap<>();
      List<Operation> named = new ArrayList<>();
      List<Step> order = new ArrayList<>();
      Set<List<Step>> orders = new LinkedHashSet<>();
      String incomplete = "";
      try (WaitMonitor monitor =
          InterleavedProducts.find(dbms.database().product())
              .orElseThrow()
              .monitor(workspace.connect())) {
        for (String session : testCase.sessions()) {
          CaseOperation operation = open(session, false);
          operations.add(operation);
          operation.setUp();
          byNumber.put(monitor.sessionId(operation.connection()), operation);
          named.add(new Operation(session, operation));
        }
        GatedProgram program =
            new GatedProgram(
                named,
                () -> {
                  refill();
                  order.clear();
                },
                () -> blocked(monitor),
                call -> {
                  CaseOperation operation = byNumber.get(call.connection().number());
                  if (operation != null) {
                    add(operation.begunSteps(), order);
                  }
                },
                maxWait,
                () -> sessions.cancelWhile(this::isExecuting));
        Explorer.End end =
            new Explorer(program, maxPreemptions, maxExecutions)
                .explore(
                    executed -> {
                      operations.forEach(operation -> add(operation.steps(), order));
                      orders.add(List.copyOf(order));
                      return true;
                    });
        if (end == Explorer.End.TOO_MANY) {
          incomplete = "there are more than " + maxExecutions;
        }
      } catch (HangException | DivergedException e) {
        incomplete = String.valueOf(e.getMessage());
      }
      return new Orders(orders.stream().map(testCase::withSteps).toList(), incomplete);
    }

    private static void add(List<Step> steps, List<Step> order) {
      steps.stream().filter(step -> !order.contains(step)).forEach(order::add);
    }

    private static Set<Long> blocked(WaitMonitor monitor) {
      try {
        return monitor.waitGraph().keySet();
      } catch (SQLException e) {
        throw new UnreachableException(e);
      }
    }

    /** Restores the state that the set-up has led to. */
    private void refill() {
      if (System.nanoTime() - began > maxNanos) {
        throw new TooLongException("its orders take too long");
      }
      try {
        if (!SchemaFixture.changesOnlyRows(testCase)) {
          for (CaseOperation operation : operations) {
            operation.setUp();
          }
        }
        fixture.markVersionsUnknown();
        fixture.setUp(testCase);
      } catch (SQLException | SetupException e) {
        throw new UnreachableException(e);
      }
    }

    private void addFinalReads(Interleaver interleaver) {
      List<String> finals = testCase.finals();
      for (int i = 0; i < finals.size(); i++) {
        String sql = dbms.renderSql(finals.get(i));
        interleaver.finalRead(
            finals.size() == 1 ? "F" : "F" + (i + 1),
            () -> within("'" + sql + "'", () -> read(sql)));
      }
    }

    private List<List<String>> read(String sql) throws SQLException {
      Connection open = reader;
      if (open == null) {
        open = sessions.add(workspace.connect());
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
