package io.txwatch.cli;

import io.txwatch.dbms.Dbms;
import io.txwatch.dbms.UnsupportedDbmsException;
import io.txwatch.dbms.registry.DbmsRegistry;
import io.txwatch.history.Event;
import io.txwatch.history.HistoryParts;
import io.txwatch.history.HistoryReader;
import io.txwatch.history.IsolationLevel;
import io.txwatch.history.Product;
import io.txwatch.interleave.state.RefusedDatabaseException;
import io.txwatch.interleave.state.TestDatabases;
import io.txwatch.predict.LevelledCandidate;
import io.txwatch.predict.ObservedOperation;
import io.txwatch.predict.OperationTemplate;
import io.txwatch.predict.TemplateCollector;
import io.txwatch.proof.CertifiedLevel;
import io.txwatch.proof.LevelCertifier;
import io.txwatch.proof.RaceProof;
import io.txwatch.proof.RaceProof.Result;
import io.txwatch.proof.RaceProver;
import io.txwatch.proof.RecordedWrites;
import io.txwatch.schedule.CaseInterleaver;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code predict}: derives races that have not happened, and proves them by execution. */
@Command(
    name = "predict",
    description = {
      "Derives from histories which races could happen, and executes them.",
      "One client is enough: the operations of the application are derived from its transactions,",
      "and executed side by side in every order, on the tables of --url, copied to a schema of its",
      "own. The histories are recorded with txwatch.predict=on and contain the values of",
      "statements.",
      "Only what was executed is shown. What no order shows is counted."
    },
    mixinStandardHelpOptions = true,
    versionProvider = TxWatchCommand.Version.class,
    sortOptions = false,
    footer = {
      "",
      "Examples:",
      "  java -javaagent:txwatch.jar=history=shop.history,predict=on -jar shop.jar",
      "  txwatch predict shop.history --url jdbc:postgresql://localhost/shop",
      "  txwatch predict shop.history --url jdbc:h2:./shop --isolation RC,RR --out races",
      "  txwatch predict tests.history         (of H2 in memory)",
      "  txwatch predict shop.history --url jdbc:postgresql://localhost/shop --levels",
      "",
      "With --json, one object for each race that may happen, with --levels one for each",
      "operation, and a last one:",
      "  {\"type\":\"prediction\",\"result\":\"CONFIRMED|REFUTED|UNDECIDED\",\"phenomenon\":…,",
      "   \"cycleClass\":…,\"isolation\":…,\"dbms\":…,\"operations\":[…],\"keys\":[…],\"case\":…,",
      "   \"schedule\":[…],\"order\":[{\"session\":…,\"statement\":…}],\"assumptions\":[…],…}",
      "  {\"type\":\"level\",\"operation\":…,\"callSite\":…,\"level\":…,\"preventedBy\":[…],",
      "   \"allowedBy\":[…],\"restsOnExecutions\":b,\"levelWithoutExecutions\":…,\"tested\":N,",
      "   \"untested\":N,\"contradictedBy\":[…]}",
      "  {\"type\":\"predict\",\"operations\":N,\"candidates\":N,\"confirmed\":N,\"refuted\":N,",
      "   \"undecided\":N,\"sameOrder\":N,\"seconds\":x}",
      "A race that an order shows which is printed already is counted by sameOrder, and has a",
      "field sameOrderAs with the number of the race that the order is printed for.",
      "",
      "Exit codes: 0 no race is confirmed; 1 one is; 2 bad usage or input; 3 DBMS unreachable;",
      "5 none is confirmed, and one is undecided, or a level is contradicted.",
      ""
    })
final class PredictCommand implements Callable<Integer> {

  private static final int PREEMPTIONS = 3;
  private static final int EXECUTIONS = 200;

  @Spec private CommandSpec spec = CommandSpec.create();

  @Parameters(
      arity = "1..*",
      paramLabel = "FILE",
      description = "a history, recorded with txwatch.predict=on")
  private List<Path> files = new ArrayList<>();

  @Option(
      names = "--url",
      paramLabel = "URL",
      description =
          "the application's database, or one with the same tables, whose rows are read (default,"
              + " for H2: one in memory in which what the history has written is written again)")
  private String url = "";

  @Mixin private DatabaseOptions database = new DatabaseOptions();

  @Option(
      names = "--isolation",
      paramLabel = "LEVEL",
      split = ",",
      converter = IsolationLevelConverter.class,
      description =
          "the levels of all operations: "
              + IsolationLevelConverter.NAMES
              + " (default: those that each ran at)")
  private List<IsolationLevel> isolation = new ArrayList<>();

  @Option(
      names = "--levels",
      description =
          "also prints the weakest level at which each operation stays serializable, and tests it")
  private boolean levels;

  @Option(
      names = "--out",
      paramLabel = "DIR",
      description =
          "writes a case for each confirmed race, for interleave and replay, and"
              + " predictions.jsonl, for report --predictions")
  private @Nullable Path out;

  @Option(
      names = "--time",
      paramLabel = "60s|10m|2h",
      converter = DurationConverter.class,
      description =
          "the most time for the orders of a candidate, and again for what prevents it (default:"
              + " 10s)")
  private Duration time = RaceProver.MAX_TIME;

  @Option(
      names = "--allow-any-database",
      description = "also use a database that does not look like one for tests")
  private boolean allowAnyDatabase;

  @Mixin private JsonOption output = new JsonOption();

  private final RecordedWrites writes = new RecordedWrites();
  private @Nullable Product product;

  @Override
  public Integer call() throws IOException, InterruptedException {
    long start = System.nanoTime();
    List<ObservedOperation> observed = read();
    String real = url.isEmpty() ? inMemory() : Drivers.unwatched(url);
    CaseInput.requireNamedDatabase(real);
    try (Connection source = Drivers.connect(real, database)) {
      if (url.isEmpty()) {
        fill(source);
      }
      if (!allowAnyDatabase) {
        TestDatabases.ofProcess().demand(Drivers.shown(real));
      }
      Dbms dbms = DbmsRegistry.connect(real, Drivers.connector(database));
      new InterleavingBounds().requireSupport(dbms);
      EmptyDatabaseCheck.requireRights(dbms, Drivers.shown(real));
      isolation.forEach(level -> DbmsLevels.require(dbms, level));
      List<OperationTemplate> operations =
          observed.stream().map(ObservedOperation::template).toList();
      PredictionOutput report =
          new PredictionOutput(Console.of(spec), output.json, dbms, operations.size(), out);
      RaceProver prover =
          new RaceProver(
              dbms,
              source,
              new CaseInterleaver(dbms, PREEMPTIONS, EXECUTIONS),
              observed,
              time,
              time);
      LevelCertifier certifier = new LevelCertifier(dbms, prover);
      for (LevelledCandidate candidate : candidates(operations, dbms)) {
        RaceProof proof = prover.prove(candidate.candidate(), candidate.levels());
        report.add(proof);
        certifier.add(proof);
      }
      boolean isContradicted = false;
      if (levels) {
        List<CertifiedLevel> certified = certifier.certify(operations);
        new LevelOutput(Console.of(spec), output.json, dbms).print(certified);
        isContradicted = certified.stream().anyMatch(CertifiedLevel::isContradicted);
      }
      report.end((System.nanoTime() - start) / 1e9);
      return report.count(Result.CONFIRMED) > 0
          ? ExitCode.ANOMALIES
          : report.count(Result.UNDECIDED) > 0 || isContradicted
              ? ExitCode.UNDECIDED
              : ExitCode.CLEAN;
    } catch (UnsupportedDbmsException | RefusedDatabaseException e) {
      throw CommandException.badInput(Objects.requireNonNull(e.getMessage()));
    } catch (SQLException e) {
      throw CommandException.unreachable(
          Drivers.shown(real) + ": " + ConnectFailure.message(real, e));
    }
  }

  private String inMemory() {
    return Optional.ofNullable(product)
        .flatMap(CommandDbms::inMemory)
        .orElseThrow(
            () ->
                CommandException.badInput(
                    "--url is needed: the operations are executed on the DBMS of the application"));
  }

  private void fill(Connection source) {
    try {
      writes.repeat(source);
    } catch (SQLException e) {
      throw CommandException.badInput(
          "--url is needed: what the history has written cannot be written again to an empty"
              + " database: "
              + e.getMessage());
    }
  }

  private void accept(Event event) {
    if (event instanceof Event.SessionOpened opened && product == null) {
      product = opened.database().product();
    }
    if (url.isEmpty()) {
      writes.accept(event);
    }
  }

  private List<ObservedOperation> read() throws IOException {
    TemplateCollector collector = new TemplateCollector();
    for (Path file : files) {
      if (HistoryParts.of(file).isEmpty()) {
        throw new NoSuchFileException(file.toString());
      }
      if (Files.isDirectory(file)) {
        throw CommandException.badInput(file + " is a directory, expected a file");
      }
      try (HistoryReader reader = HistoryReader.open(file)) {
        reader.forEach(
            event -> {
              collector.accept(event);
              accept(event);
            });
      }
    }
    List<ObservedOperation> operations = collector.operations();
    if (!operations.isEmpty() && operations.stream().allMatch(one -> one.samples().isEmpty())) {
      throw CommandException.badInput(
          files.get(0) + " contains no values of statements: record it with txwatch.predict=on");
    }
    return operations;
  }

  /** The worst phenomena first: an order that shows several is printed as the first one's. */
  private List<LevelledCandidate> candidates(List<OperationTemplate> operations, Dbms dbms) {
    Stream<LevelledCandidate> all =
        isolation.isEmpty()
            ? LevelledCandidate.asSeen(operations, dbms.database()).stream()
            : isolation.stream()
                .flatMap(
                    level -> LevelledCandidate.at(operations, dbms.database(), level).stream());
    return all.sorted(Comparator.comparing(one -> one.candidate().phenomenon())).toList();
  }
}
