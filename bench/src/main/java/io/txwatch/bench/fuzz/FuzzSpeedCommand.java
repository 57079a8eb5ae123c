package io.txwatch.bench.fuzz;

import io.txwatch.bench.Machine;
import io.txwatch.bench.MarkdownTable;
import io.txwatch.bench.OptionNames;
import io.txwatch.bench.Output;
import io.txwatch.campaign.Campaign;
import io.txwatch.campaign.Summary;
import io.txwatch.dbms.Dbms;
import io.txwatch.dbms.UnsupportedDbmsException;
import io.txwatch.dbms.registry.DbmsRegistry;
import io.txwatch.oracle.WriteCheck;
import io.txwatch.oracle.troc.Troc;
import io.txwatch.servers.ServerKind;
import io.txwatch.servers.TestServers;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code fuzz}: decided cases per second. */
@Command(
    name = "fuzz",
    description = "Measures the cases that WriteCheck and Troc decide per second.",
    mixinStandardHelpOptions = true,
    showDefaultValues = true)
public final class FuzzSpeedCommand implements Callable<Integer> {

  @Option(
      names = "--db",
      split = ",",
      description =
          "mariadb, postgresql, h2, sqlite, mysql (fetched by servers/mysql, or in TXWATCH_TEST_URLS)",
      defaultValue = "mariadb,postgresql,h2")
  private List<String> databases = List.of();

  @Option(names = "--workers", description = "cases at a time", defaultValue = "2")
  private int workers = 2;

  @Option(
      names = "--seconds",
      description = "duration on each server, after a warm-up",
      defaultValue = "60")
  private int seconds = 60;

  @Option(names = "--seed", description = "the seed of the cases", defaultValue = "1")
  private long seed = 1;

  @Mixin private Output output = new Output();

  @Override
  public Integer call()
      throws IOException, SQLException, InterruptedException, UnsupportedDbmsException {
    List<ServerKind> kinds = OptionNames.serverKinds(databases);
    output.write("## Fuzzing\n\n" + Machine.describe() + "\n\n");
    output.write(
        String.format(
            Locale.ROOT,
            "WriteCheck and Troc, all levels in turn, %d workers, %d s on each server, seed %d,"
                + " the servers' files in %s. A case is decided if an oracle reaches a verdict."
                + " Options of the JVM: %s.%n%n",
            workers,
            seconds,
            seed,
            System.getProperty("java.io.tmpdir"),
            ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
                .filter(option -> option.startsWith("-X"))
                .collect(Collectors.joining(" "))));
    MarkdownTable table =
        new MarkdownTable(
            "server",
            "decided a second",
            "cases",
            "undecided",
            "findings",
            "not known behaviour",
            "statements accepted");
    for (ServerKind kind : kinds) {
      table.row(measure(kind));
    }
    output.write(table + "\n");
    return 0;
  }

  private String[] measure(ServerKind kind)
      throws SQLException, InterruptedException, UnsupportedDbmsException {
    Dbms dbms = DbmsRegistry.connect(TestServers.freshDatabase(kind), DriverManager::getConnection);
    AtomicLong unknown = new AtomicLong();
    Campaign.Listener counting = finding -> unknown.addAndGet(finding.known().isPresent() ? 0 : 1);
    new Campaign(dbms, plan(dbms, seed + 1, Math.min(10, seconds)), found -> {}).run();
    Summary summary = new Campaign(dbms, plan(dbms, seed, seconds), counting).run();
    long decided =
        summary.cases().executed() - summary.cases().undecided() - summary.cases().unsupported();
    output.progress(dbms.describe() + ": " + summary);
    return new String[] {
      dbms.describe(),
      String.format(Locale.ROOT, "%.0f", decided / summary.seconds()),
      String.valueOf(summary.cases().executed()),
      String.format(
          Locale.ROOT, "%.1f %%", 100.0 * summary.cases().undecided() / summary.cases().executed()),
      String.valueOf(summary.findings().reported()),
      String.valueOf(unknown.get()),
      String.format(Locale.ROOT, "%.1f %%", 100 * summary.statements().accepted())
    };
  }

  private Campaign.Plan plan(Dbms dbms, long ofSeed, int forSeconds) {
    return new Campaign.Plan(
        ofSeed,
        dbms.levels(),
        List.of(new WriteCheck(), new Troc()),
        Long.MAX_VALUE,
        Duration.ofSeconds(forSeconds),
        Math.min(workers, dbms.maxWorkers()));
  }
}
