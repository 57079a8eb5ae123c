package io.txwatch.cli;

import io.txwatch.dbms.Dbms;
import io.txwatch.dbms.UnsupportedDbmsException;
import io.txwatch.dbms.registry.DbmsRegistry;
import io.txwatch.history.IsolationLevel;
import io.txwatch.interleave.Interleaved.Verdict;
import io.txwatch.interleave.service.GateMessage;
import io.txwatch.schedule.ScheduleExecutor;
import io.txwatch.testcase.TestCase;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code interleave}: executes the sessions of cases, or requests to a service, in every order. */
@Command(
    name = "interleave",
    description = {
      "Executes the sessions of cases in every order, and finds those that race.",
      "Each session is one operation of an application. Two operations race if an order of their",
      "statements gives results or rows that no order of whole operations gives. At most levels",
      "the DBMS permits that: a race is a fault of the operations at their level.",
      "A case works in a schema, database or file of its own, which is dropped afterwards. But its",
      "SQL is executed as it is, with all privileges of the user: read a case before you run it.",
      "A database with tables is refused unless --allow-any-database is given.",
      "With --service, the operations are HTTP requests to a running service instead. It runs under",
      "the agent with txwatch.gate=PORT, and its rows are changed and restored again and again."
    },
    mixinStandardHelpOptions = true,
    versionProvider = TxWatchCommand.Version.class,
    sortOptions = false,
    footer = {
      "",
      "Examples:",
      "  txwatch interleave buy.txt --url jdbc:postgresql://localhost/test --isolation RC",
      "  txwatch interleave --json cases/*.txt --url jdbc:h2:mem:x --isolation SER",
      "  TXWATCH_TOKEN=… txwatch interleave --service http://localhost:8080 --request \\",
      "    'POST /orders {\"item\":1}' --request 'POST /orders {\"item\":1}'",
      "",
      "A case is a text file with one statement on each line:",
      "  I: CREATE TABLE t (v INT) {ENGINE}   sets up",
      "  T1: SELECT v FROM t              executed by session T1, in the order of its lines",
      "  F: SELECT * FROM t               a final state that is compared, besides the tables",
      "A session without BEGIN is one transaction.",
      "",
      "Exit codes: 0 no case races; 1 a case races; 2 bad usage or input; 3 DBMS, service or gate",
      "unreachable; 5 no case races, and one is undecided.",
      ""
    })
final class InterleaveCommand implements Callable<Integer> {

  @Spec private CommandSpec spec = CommandSpec.create();

  @Parameters(arity = "0..*", paramLabel = "CASE", description = "a case of two to five sessions")
  private List<Path> files = new ArrayList<>();

  @Option(
      names = "--url",
      paramLabel = "URL",
      description = "the database, such as jdbc:postgresql://localhost/test")
  private String url = "";

  @Mixin private DatabaseOptions database = new DatabaseOptions();

  @Mixin private CaseOptions caseOptions = new CaseOptions();

  @Mixin private InterleavingBounds bounds = new InterleavingBounds();

  @Mixin private ServiceOptions service = new ServiceOptions();

  @Mixin private JsonOption output = new JsonOption();

  @Override
  public Integer call() throws IOException, InterruptedException {
    bounds.require();
    if (service.isGiven()) {
      return interleaveRequests();
    }
    service.requireNone();
    if (files.isEmpty() || url.isEmpty()) {
      throw CommandException.badInput(
          "expected a CASE and --url, or --service and two --request: see txwatch interleave"
              + " --help");
    }
    List<TestCase> cases = new ArrayList<>();
    for (Path file : files) {
      cases.add(bounds.requireSessions(file, CaseInput.read(file)));
    }
    String real = Drivers.unwatched(url);
    CaseInput.requireNamedDatabase(real);
    Set<Verdict> verdicts = EnumSet.noneOf(Verdict.class);
    try (Connection keep = Drivers.connect(real, database)) {
      if (!caseOptions.allowAnyDatabase) {
        CaseInput.requireEmpty(keep, Drivers.shown(real));
      }
      Dbms dbms = DbmsRegistry.connect(real, Drivers.connector(database));
      bounds.requireSupport(dbms);
      EmptyDatabaseCheck.requireRights(dbms, Drivers.shown(real));
      for (int i = 0; i < cases.size(); i++) {
        verdicts.add(interleave(dbms, files.get(i), cases.get(i)));
      }
    } catch (UnsupportedDbmsException e) {
      throw CommandException.badInput(Objects.requireNonNull(e.getMessage()));
    } catch (SQLException e) {
      throw CommandException.unreachable(
          Drivers.shown(real) + ": " + ConnectFailure.message(real, e));
    }
    return exitCode(verdicts);
  }

  private static int exitCode(Set<Verdict> verdicts) {
    return verdicts.contains(Verdict.RACE)
        ? ExitCode.ANOMALIES
        : verdicts.contains(Verdict.UNDECIDED) ? ExitCode.UNDECIDED : ExitCode.CLEAN;
  }

  private int interleaveRequests() throws IOException, InterruptedException {
    if (!files.isEmpty()
        || !url.isEmpty()
        || caseOptions.isolation != null
        || caseOptions.allowAnyDatabase) {
      throw CommandException.badInput(
          "--service: the service determines database and level, so CASE, --url, --isolation and"
              + " --allow-any-database cannot be given");
    }
    ServiceInterleaving requests = service.interleaving();
    GateMessage.Found last = requests.run(bounds);
    requests.report(last, Console.of(spec), output.json);
    return exitCode(EnumSet.of(last.found().verdict()));
  }

  private Verdict interleave(Dbms dbms, Path file, TestCase given)
      throws SQLException, IOException, InterruptedException {
    TestCase testCase = CaseInput.atLevel(given, caseOptions.isolation);
    IsolationLevel level = CaseInput.level(dbms, file, testCase, caseOptions.isolation);
    try {
      InterleavedCase result = bounds.interleave(dbms, file, testCase, level);
      result.report(Console.of(spec), output.json);
      return result.found().verdict();
    } catch (ScheduleExecutor.SetupException e) {
      throw CommandException.badInput(file + ": " + e.getMessage());
    }
  }
}
