package io.txwatch.cli;

import com.fasterxml.jackson.core.JsonGenerator;
import io.txwatch.campaign.DbmsComparison;
import io.txwatch.dbms.Dbms;
import io.txwatch.dbms.UnsupportedDbmsException;
import io.txwatch.dbms.registry.DbmsRegistry;
import io.txwatch.history.IsolationLevel;
import io.txwatch.oracle.CaseExecutor;
import io.txwatch.oracle.Oracle;
import io.txwatch.oracle.OracleVerdict;
import io.txwatch.oracle.ServerCaseExecutor;
import io.txwatch.oracle.ServerCrashException;
import io.txwatch.oracle.known.FindingClass;
import io.txwatch.oracle.known.KnownBehaviour;
import io.txwatch.report.JsonReport;
import io.txwatch.schedule.CaseExecution;
import io.txwatch.schedule.CaseInterleaver;
import io.txwatch.schedule.ScheduleExecutor;
import io.txwatch.schedule.StepOutcome;
import io.txwatch.schedule.Values;
import io.txwatch.testcase.Step;
import io.txwatch.testcase.TestCase;
import java.io.IOException;
import java.io.PrintWriter;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code replay}: runs cases and prints their outcomes. */
@Command(
    name = "replay",
    description = {
      "Runs cases on a DBMS and prints the outcome of every statement.",
      "A case works in a schema, database or file of its own, which is dropped afterwards. But its",
      "SQL is executed as it is, with all privileges of the user: read a case before you run it.",
      "A database with tables is refused unless --allow-any-database is given."
    },
    mixinStandardHelpOptions = true,
    versionProvider = TxWatchCommand.Version.class,
    sortOptions = false,
    footer = {
      "",
      "Examples:",
      "  txwatch replay lost-update.txt --url jdbc:postgresql://localhost/test --isolation RC",
      "  txwatch replay cases/*.txt --url jdbc:mariadb://localhost/test --user root --isolation RR",
      "  txwatch replay --json --oracle writecheck case.txt --url jdbc:h2:mem:x --isolation SER",
      "",
      "A case is a text file with one statement on each line, in the order of submission:",
      "  # source: …                      a header",
      "  I: CREATE TABLE t (v INT) {ENGINE}   sets up",
      "  T1: BEGIN                        submitted by session T1",
      "  T1@a: SELECT v FROM t            the same, with its result labeled a",
      "  F: SELECT * FROM t               reads the final state (default: all tables)",
      "Troc's case files are read, too; their level is used unless --isolation is given.",
      ""
    })
final class ReplayCommand implements Callable<Integer> {

  private static final Duration MAX_WAIT = Duration.ofSeconds(30);

  /** Statements after which a lost connection is no fault of the DBMS. */
  private static final Pattern ENDS_SESSIONS =
      Pattern.compile("(?i)\\b(KILL|SHUTDOWN|PG_TERMINATE_BACKEND|ABORT_SESSION|\\w+_TIMEOUT)\\b");

  @Spec private CommandSpec spec = CommandSpec.create();

  @Parameters(arity = "1..*", paramLabel = "CASE", description = "a case")
  private List<Path> files = new ArrayList<>();

  @Option(
      names = "--url",
      required = true,
      paramLabel = "URL",
      description = "the database, such as jdbc:postgresql://localhost/test")
  private String url = "";

  @Mixin private DatabaseOptions database = new DatabaseOptions();

  @Mixin private CaseOptions caseOptions = new CaseOptions();

  @Option(
      names = "--oracle",
      split = ",",
      paramLabel = "all|none|" + OracleNames.ALL,
      defaultValue = "all",
      description = "the oracles that judge the execution (default: all)")
  private List<String> oracles = new ArrayList<>();

  @Mixin private GraphJudgeOption graph = new GraphJudgeOption();

  @Option(
      names = "--exhaustive",
      description =
          "also execute the sessions in every order, as interleave does, report whether they race,"
              + " which the exit code leaves out, and let the oracles judge each order")
  private boolean exhaustive;

  @Mixin private ComparisonOption comparison = new ComparisonOption();

  @Mixin private InterleavingBounds bounds = new InterleavingBounds();

  @Mixin private CommonOptions common = new CommonOptions();

  @Override
  public Integer call() throws IOException, InterruptedException {
    Console console = Console.of(spec);
    List<Oracle> judges = OracleNames.named(oracles, graph.judge);
    List<TestCase> cases = new ArrayList<>();
    bounds.require();
    for (Path file : files) {
      TestCase testCase = CaseInput.read(file);
      cases.add(exhaustive ? bounds.requireSessions(file, testCase) : testCase);
    }
    String real = Drivers.unwatched(url);
    CaseInput.requireNamedDatabase(real);
    int code = ExitCode.CLEAN;
    try (DatabaseComparisons comparisons = new DatabaseComparisons();
        Connection keep = Drivers.connect(real, database)) {
      if (!caseOptions.allowAnyDatabase) {
        CaseInput.requireEmpty(keep, Drivers.shown(real));
      }
      Dbms dbms = DbmsRegistry.connect(real, Drivers.connector(database));
      if (exhaustive) {
        bounds.requireSupport(dbms);
      }
      EmptyDatabaseCheck.requireRights(dbms, Drivers.shown(real))
          .ifPresent(note -> console.note("txwatch: " + note));
      comparisons.open(comparison.urls, database, console);
      for (int i = 0; i < cases.size(); i++) {
        TestCase testCase = CaseInput.atLevel(cases.get(i), caseOptions.isolation);
        IsolationLevel level = CaseInput.level(dbms, files.get(i), testCase, caseOptions.isolation);
        if (replay(console, dbms, files.get(i), testCase, level, judges, comparisons)) {
          code = ExitCode.ANOMALIES;
        }
      }
    } catch (UnsupportedDbmsException e) {
      throw CommandException.badInput(Objects.requireNonNull(e.getMessage()));
    } catch (SQLException e) {
      throw CommandException.unreachable(
          Drivers.shown(real) + ": " + ConnectFailure.message(real, e));
    }
    return code;
  }

  /** A verdict, and the known behaviour that explains it if it is a violation. */
  private record Judgement(OracleVerdict verdict, Optional<KnownBehaviour> known) {

    static Judgement of(OracleVerdict verdict, CaseExecution execution, CaseExecutor executor)
        throws SQLException, InterruptedException {
      return new Judgement(
          verdict,
          verdict.result() == OracleVerdict.Result.VIOLATION
              ? DbmsRegistry.knownBehaviour(executor, execution, verdict)
              : Optional.empty());
    }

    boolean isViolation() {
      return verdict.result() == OracleVerdict.Result.VIOLATION;
    }

    FindingClass findingClass() {
      return KnownBehaviour.classOf(known);
    }

    boolean isFault() {
      return isViolation() && findingClass().isFault();
    }
  }

  /** Replays a case; true if a verdict makes the command fail. */
  private boolean replay(
      Console console,
      Dbms dbms,
      Path file,
      TestCase testCase,
      IsolationLevel level,
      List<Oracle> judges,
      DatabaseComparisons comparisons)
      throws SQLException, IOException, InterruptedException {
    try (ServerCaseExecutor executor = new ServerCaseExecutor(dbms, MAX_WAIT)) {
      CaseExecution execution = executor.execute(testCase, level);
      List<Judgement> verdicts = judgements(execution, executor, judges);
      List<DbmsComparison> compared = comparisons.compare(testCase, execution);
      if (common.json()) {
        writeJson(console.out(), dbms, file, execution, verdicts, compared);
      }
      PrintWriter textOut = console.textOut(common.json());
      print(textOut, dbms, file, execution, verdicts);
      compared.stream()
          .flatMap(each -> each.sentences().stream())
          .forEach(line -> textOut.println("  " + Console.printable(line)));
      textOut.flush();
      if (exhaustive) {
        bounds.interleave(dbms, file, testCase, level).report(console, common.json());
        if (!judges.isEmpty()) {
          verdicts.addAll(judgeOrders(console, file, execution, executor, judges));
        }
      }
      return common.failOn != FailOn.NEVER && verdicts.stream().anyMatch(Judgement::isFault);
    } catch (ScheduleExecutor.SetupException e) {
      throw CommandException.badInput(file + ": " + e.getMessage());
    }
  }

  private static List<Judgement> judgements(
      CaseExecution execution, CaseExecutor executor, List<Oracle> judges)
      throws SQLException, ScheduleExecutor.SetupException, InterruptedException {
    List<Judgement> verdicts = new ArrayList<>();
    try {
      ServerCrashException.throwIfLost(execution);
      for (Oracle judge : judges) {
        verdicts.add(Judgement.of(judge.judge(execution, executor), execution, executor));
      }
    } catch (ServerCrashException e) {
      verdicts.add(new Judgement(crash(execution.testCase(), e), Optional.empty()));
    }
    return verdicts;
  }

  /** What a campaign reports as {@code crash}. */
  private static OracleVerdict crash(TestCase testCase, ServerCrashException crash) {
    boolean isIntended =
        Stream.concat(testCase.setup().stream(), testCase.steps().stream().map(Step::sql))
            .anyMatch(sql -> ENDS_SESSIONS.matcher(sql).find());
    return new OracleVerdict(
        "crash",
        isIntended ? OracleVerdict.Result.UNSUPPORTED : OracleVerdict.Result.VIOLATION,
        (isIntended ? "a statement of the case ends sessions: " : "")
            + "the server closed the connection: "
            + crash.getMessage());
  }

  /** Replays a case in every order of its statements, and reports those with a violation. */
  private List<Judgement> judgeOrders(
      Console console, Path file, CaseExecution given, CaseExecutor executor, List<Oracle> judges)
      throws SQLException, ScheduleExecutor.SetupException, IOException, InterruptedException {
    Dbms dbms = executor.dbms();
    CaseInterleaver.Orders orders = bounds.orders(dbms, given.testCase(), given.level());
    Map<String, Integer> counts = new TreeMap<>();
    List<Judgement> all = new ArrayList<>();
    for (TestCase order : orders.cases()) {
      CaseExecution execution = executor.execute(order, given.level());
      List<Judgement> verdicts = judgements(execution, executor, judges);
      for (Judgement one : verdicts) {
        String result = one.verdict().result().name().toLowerCase(Locale.ROOT);
        counts.merge(one.verdict().oracle() + " " + result, 1, Integer::sum);
      }
      if (verdicts.stream().anyMatch(Judgement::isViolation)) {
        if (common.json()) {
          writeJson(console.out(), dbms, file, execution, verdicts, List.of());
        }
        print(console.textOut(common.json()), dbms, file, execution, verdicts);
      }
      all.addAll(verdicts);
    }
    PrintWriter out = console.textOut(common.json());
    out.println(
        "  "
            + orders.cases().size()
            + " orders judged"
            + (orders.incomplete().isEmpty() ? "" : ", not all: " + orders.incomplete()));
    counts.forEach((verdict, count) -> out.println("    " + verdict + ": " + count));
    out.flush();
    return all;
  }

  private static void print(
      PrintWriter out, Dbms dbms, Path file, CaseExecution execution, List<Judgement> verdicts) {
    out.println(file + " on " + dbms.describe() + " at " + execution.level());
    Console.printable(execution.toString()).lines().forEach(line -> out.println("  " + line));
    for (Judgement judgement : verdicts) {
      OracleVerdict verdict = judgement.verdict();
      out.println(
          "  "
              + verdict.oracle()
              + ": "
              + verdict.result().name().toLowerCase(Locale.ROOT)
              + ", "
              + Console.printable(verdict.reason()));
      if (judgement.isViolation()) {
        out.println(
            "    "
                + judgement.findingClass()
                + judgement.known().map(known -> ": " + known.id()).orElse(""));
        judgement.known().ifPresent(known -> out.println("    " + known.source()));
      }
    }
    out.flush();
  }

  private static void writeJson(
      PrintWriter out,
      Dbms dbms,
      Path file,
      CaseExecution execution,
      List<Judgement> verdicts,
      List<DbmsComparison> compared)
      throws IOException {
    try (JsonGenerator json = JsonReport.generator(out)) {
      json.writeStartObject();
      json.writeStringField("type", "replay");
      json.writeStringField("case", file.toString());
      json.writeStringField("dbms", dbms.describe());
      json.writeStringField("isolation", execution.level().name());
      json.writeArrayFieldStart("statements");
      for (StepOutcome outcome : execution.outcomes()) {
        write(json, outcome);
      }
      json.writeEndArray();
      json.writeArrayFieldStart("finalState");
      for (StepOutcome read : execution.finalReads()) {
        for (List<@Nullable Object> row : read.rows()) {
          write(json, row);
        }
      }
      json.writeEndArray();
      json.writeArrayFieldStart("verdicts");
      for (Judgement judgement : verdicts) {
        OracleVerdict verdict = judgement.verdict();
        json.writeStartObject();
        json.writeStringField("oracle", verdict.oracle());
        json.writeStringField("result", verdict.result().name().toLowerCase(Locale.ROOT));
        json.writeStringField("reason", verdict.reason());
        if (judgement.isViolation()) {
          json.writeStringField("class", judgement.findingClass().name());
          if (judgement.known().isPresent()) {
            json.writeStringField("knownBehaviour", judgement.known().get().id());
          } else {
            json.writeNullField("knownBehaviour");
          }
        }
        json.writeEndObject();
      }
      json.writeEndArray();
      DatabaseComparisons.writeJson(json, compared);
      json.writeEndObject();
    }
    out.println();
    out.flush();
  }

  private static void write(JsonGenerator json, StepOutcome outcome) throws IOException {
    json.writeStartObject();
    json.writeStringField("session", outcome.step().session());
    json.writeStringField("sql", outcome.step().sql());
    json.writeStringField("outcome", outcome.status().name().toLowerCase(Locale.ROOT));
    json.writeBooleanField("blocked", outcome.blocked());
    if (outcome.sqlState().isEmpty()) {
      json.writeNullField("sqlState");
    } else {
      json.writeStringField("sqlState", outcome.sqlState());
    }
    json.writeNumberField("vendorCode", outcome.vendorCode());
    if (!outcome.message().isEmpty()) {
      json.writeStringField("message", outcome.message());
    }
    if (outcome.updateCount() >= 0) {
      json.writeNumberField("updateCount", outcome.updateCount());
    }
    if (outcome.isQuery()) {
      json.writeArrayFieldStart("rows");
      for (List<@Nullable Object> row : outcome.rows()) {
        write(json, row);
      }
      json.writeEndArray();
    }
    json.writeEndObject();
  }

  private static void write(JsonGenerator json, List<@Nullable Object> row) throws IOException {
    json.writeStartArray();
    for (Object value : row) {
      if (value == null) {
        json.writeNull();
      } else if (value instanceof BigDecimal number) {
        json.writeNumber(number);
      } else if (value instanceof Boolean truth) {
        json.writeBoolean(truth);
      } else {
        json.writeString(Values.text(value));
      }
    }
    json.writeEndArray();
  }
}
