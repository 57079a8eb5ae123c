package io.txwatch.bench.overhead;

import io.txwatch.bench.Machine;
import io.txwatch.bench.OptionNames;
import io.txwatch.bench.Output;
import io.txwatch.bench.UnusableOptionException;
import io.txwatch.capture.Pipeline;
import io.txwatch.dbms.Dbms;
import io.txwatch.dbms.UnsupportedDbmsException;
import io.txwatch.dbms.registry.DbmsRegistry;
import io.txwatch.history.Ids;
import io.txwatch.history.IsolationLevel;
import io.txwatch.jdbc.Watch;
import io.txwatch.proof.RacePrediction;
import io.txwatch.proof.RaceProof;
import io.txwatch.proof.RaceProof.Result;
import io.txwatch.schedule.CaseInterleaver;
import io.txwatch.servers.ServerKind;
import io.txwatch.settings.Setting;
import io.txwatch.settings.Settings;
import java.io.IOException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * {@code predicted-races}: what is predicted for a workload from one client, and what of it is
 * confirmed by execution, with the time of each candidate.
 */
@Command(
    name = "predicted-races",
    description = "Lists the races that are predicted from one client of a workload.",
    mixinStandardHelpOptions = true,
    showDefaultValues = true)
public final class PredictedRacesCommand implements Callable<Integer> {

  /** As in {@code txwatch predict}. */
  private static final int PREEMPTIONS = 3;

  private static final int EXECUTIONS = 200;

  private static @Nullable String operation;

  @Option(
      names = "--db",
      description = "postgresql, mariadb, mysql, h2",
      defaultValue = "postgresql")
  private String db = "postgresql";

  @Option(
      names = "--workload",
      description =
          "tpcc, kv-50, kv-95, smallbank, smallbank-materialize-wt, smallbank-promote-wt,"
              + " smallbank-materialize-bw, smallbank-promote-bw",
      defaultValue = "smallbank")
  private String workload = "smallbank";

  @Option(
      names = "--isolation",
      description = "READ_COMMITTED, REPEATABLE_READ, SERIALIZABLE, or RC, RR, SER",
      defaultValue = "RR")
  private String isolation = "RR";

  @Option(names = "--transactions", defaultValue = "100")
  private long transactions = 100;

  @Option(names = "--seed", defaultValue = "1")
  private long seed = 1;

  @Mixin private Output output = new Output();

  private final RacePrediction prediction = new RacePrediction();

  @Override
  public Integer call() throws IOException, SQLException, InterruptedException {
    IsolationLevel level =
        IsolationLevel.parse(isolation)
            .orElseThrow(() -> new UnusableOptionException("unknown level " + isolation));
    WorkloadKind kind = WorkloadKind.ofOption(workload);
    ServerKind server = OptionNames.serverKinds(List.of(db)).get(0);
    String url = Databases.create(server, kind.create(), Variant.RAW, seed, true);
    run(kind.create(), url, level);
    output.write(
        "## %s at %s, %s%n%n%s%n%n"
            .formatted(kind.title(), level, server.product(), Machine.describe()));
    prove(url, level);
    return 0;
  }

  private void run(Workload load, String url, IsolationLevel level) throws SQLException {
    Watch.nameTransactions(() -> operation);
    Pipeline pipeline = new Pipeline(Ids.random(), prediction);
    Workload.Client client = load.client(0, seed);
    try (Connection connection =
        Watch.connection(
            DriverManager.getConnection(url),
            url,
            "",
            () -> DriverManager.getConnection(url),
            Settings.of(Map.of(Setting.PREDICT, "on", Setting.LOG, "none")),
            pipeline)) {
      load.configure(connection);
      connection.setTransactionIsolation(AnomaliesCommand.jdbc(level));
      for (long i = 0; i < transactions; i++) {
        Workload.Transaction next = client.next();
        operation = next.getClass().getSimpleName().replace("TpcC", "");
        next.run(connection);
      }
    }
    pipeline.close();
  }

  private void prove(String url, IsolationLevel level)
      throws IOException, SQLException, InterruptedException {
    output.write("%d transactions of one client.%n%n".formatted(transactions));
    Map<Result, Integer> totals = new TreeMap<>();
    long began = System.nanoTime();
    Dbms dbms;
    try {
      dbms = DbmsRegistry.connect(url, DriverManager::getConnection);
    } catch (UnsupportedDbmsException e) {
      throw new UnusableOptionException("nothing can be proven on " + db);
    }
    try (Connection source = DriverManager.getConnection(url)) {
      long[] before = {began};
      List<String> lines = new ArrayList<>();
      prediction.prove(
          dbms,
          source,
          new CaseInterleaver(dbms, PREEMPTIONS, EXECUTIONS),
          level,
          proof -> {
            long now = System.nanoTime();
            totals.merge(proof.result(), 1, Integer::sum);
            lines.add(text(proof, (now - before[0]) / 1e9));
            before[0] = now;
          });
      for (String line : lines) {
        output.write(line);
      }
      output.write(
          "%d candidates, %s, in %.0f s.%n"
              .formatted(lines.size(), totals, (System.nanoTime() - began) / 1e9));
    }
  }

  private static String text(RaceProof proof, double seconds) {
    StringBuilder text = new StringBuilder();
    text.append(
        "- %s: %s%n  %s; %d orders, %.1f s%n"
            .formatted(
                proof.candidate(), proof.result(), proof.reason(), proof.executions(), seconds));
    proof.schedule().forEach(line -> text.append("    ").append(line).append('\n'));
    proof.assumptions().forEach(line -> text.append("  assumed: ").append(line).append('\n'));
    return text.toString();
  }
}
