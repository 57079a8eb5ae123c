package io.txwatch.bench.overhead;

import io.txwatch.analyzer.InProcessResults;
import io.txwatch.anomaly.Anomaly;
import io.txwatch.bench.Machine;
import io.txwatch.bench.OptionNames;
import io.txwatch.bench.Output;
import io.txwatch.bench.UnusableOptionException;
import io.txwatch.history.AnalysisQueues;
import io.txwatch.history.IsolationLevel;
import io.txwatch.jdbc.Watch;
import io.txwatch.report.AnomalyGroups.Group;
import io.txwatch.report.Explanation;
import io.txwatch.servers.ServerKind;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * {@code anomalies}: the kinds of anomalies of a workload at a level, for people who decide whether
 * each is true: how often, between which operations, through which columns, with one explanation.
 */
@Command(
    name = "anomalies",
    description =
        "Lists the kinds of anomalies that are found in a workload, with an example of each.",
    mixinStandardHelpOptions = true,
    showDefaultValues = true)
public final class AnomaliesCommand implements Callable<Integer> {

  private static final Duration MAX_ANALYSIS = Duration.ofMinutes(2);
  private static final ThreadLocal<@Nullable String> OPERATION = new ThreadLocal<>();

  @Option(
      names = "--db",
      description = "postgresql, mariadb, mysql, h2",
      defaultValue = "postgresql")
  private String db = "postgresql";

  @Option(
      names = "--workload",
      description = "tpcc, kv-50, kv-95, sibench, smallbank",
      defaultValue = "tpcc")
  private String workload = "tpcc";

  @Option(
      names = "--variant",
      description = "a watched variant with the analyzer in the application; raw: no anomalies",
      defaultValue = "inline")
  private String variant = "inline";

  @Option(
      names = "--isolation",
      description = "READ_COMMITTED, REPEATABLE_READ, SERIALIZABLE, or RC, RR, SER",
      defaultValue = "RC")
  private String isolation = "RC";

  @Option(names = "--transactions", description = "of all clients", defaultValue = "100000")
  private long transactions = 100_000;

  @Option(names = "--clients", defaultValue = "4")
  private int clients = 4;

  @Option(names = "--seed", defaultValue = "1")
  private long seed = 1;

  @Mixin private Output output = new Output();

  @Override
  public Integer call() throws IOException, SQLException, InterruptedException {
    IsolationLevel level =
        IsolationLevel.parse(isolation)
            .orElseThrow(() -> new UnusableOptionException("unknown level " + isolation));
    Variant watched = Variant.ofOption(variant);
    WorkloadKind kind = WorkloadKind.ofOption(workload);
    ServerKind server = OptionNames.serverKinds(List.of(db)).get(0);
    String url = Databases.create(server, kind.create(), watched, seed, true);
    Watch.nameTransactions(OPERATION::get);
    long started = System.nanoTime();
    long retries = run(kind.create(), watched, url, level);
    if (watched == Variant.RAW) {
      output.write("%d transactions, %d tried again.%n".formatted(transactions, retries));
      return 0;
    }
    boolean isComplete = AnalysisQueues.awaitDelivered(MAX_ANALYSIS);
    InProcessResults results = InProcessResults.all().get(0);
    output.write(
        "## %s at %s, %s%n%n%s%n%n"
            .formatted(kind.title(), level, server.product(), Machine.describe()));
    output.write(
        "%d transactions of %d clients in %d s, %d of them tried again; %s.%n%n"
            .formatted(
                transactions,
                clients,
                (System.nanoTime() - started) / 1_000_000_000,
                retries,
                watched.title()));
    output.write("Observed: " + results.coverage() + "\n\n");
    if (!isComplete || results.ungrouped() > 0) {
      output.write("Not all anomalies are listed.\n\n");
    }
    List<Group> found = new ArrayList<>(results.groups());
    found.sort(Comparator.comparingLong(Group::count).reversed());
    for (Group group : found) {
      output.write(text(group.first(), group.count()));
    }
    if (found.isEmpty()) {
      output.write("No anomalies.\n");
    }
    return 0;
  }

  private static String text(Anomaly anomaly, long count) {
    Map<Long, String> names = new HashMap<>();
    anomaly.transactions().forEach(each -> names.put(each.id(), each.name()));
    String cycle =
        anomaly.cycle().stream()
            .map(
                edge ->
                    "%s -%s%s-> %s (%s)"
                        .formatted(
                            names.get(edge.from()),
                            edge.kind().term(),
                            edge.evidence().possible() ? "?" : "",
                            names.get(edge.to()),
                            edge.table()))
            .collect(Collectors.joining(", "));
    return "### %d × %s, %s%n%n%s%n%n- %s%n%n"
        .formatted(
            count,
            anomaly.phenomenon(),
            anomaly.verdict(),
            cycle,
            String.join("\n- ", Explanation.of(anomaly)));
  }

  /** Runs the clients; gives the number of transactions that were tried again. */
  private long run(Workload load, Variant watched, String url, IsolationLevel level)
      throws SQLException, InterruptedException {
    AtomicLong left = new AtomicLong(transactions);
    ExecutorService threads = Executors.newFixedThreadPool(clients);
    try {
      List<Future<Long>> running = new ArrayList<>();
      for (int i = 0; i < clients; i++) {
        int number = i;
        running.add(threads.submit(() -> client(load, watched, url, level, number, left)));
      }
      long retries = 0;
      for (Future<Long> client : running) {
        retries += client.get();
      }
      return retries;
    } catch (ExecutionException e) {
      if (e.getCause() instanceof SQLException sql) {
        throw sql;
      }
      throw new IllegalStateException(e.getCause());
    } finally {
      threads.shutdownNow();
    }
  }

  private long client(
      Workload load, Variant watched, String url, IsolationLevel level, int number, AtomicLong left)
      throws SQLException {
    Workload.Client client = load.client(number, seed);
    long retries = 0;
    try (Connection connection = watched.open(url)) {
      load.configure(connection);
      connection.setTransactionIsolation(jdbc(level));
      while (left.getAndDecrement() > 0) {
        Workload.Transaction next = client.next();
        OPERATION.set(next.getClass().getSimpleName().replace("TpcC", ""));
        retries += ClosedLoopLoad.run(connection, next);
      }
    }
    return retries;
  }

  /** The level as {@link Connection#setTransactionIsolation} has it. */
  static int jdbc(IsolationLevel level) {
    return Objects.requireNonNull(
        Map.of(
                IsolationLevel.READ_UNCOMMITTED,
                Connection.TRANSACTION_READ_UNCOMMITTED,
                IsolationLevel.READ_COMMITTED,
                Connection.TRANSACTION_READ_COMMITTED,
                IsolationLevel.REPEATABLE_READ,
                Connection.TRANSACTION_REPEATABLE_READ,
                IsolationLevel.SERIALIZABLE,
                Connection.TRANSACTION_SERIALIZABLE)
            .get(level));
  }
}
