package io.txwatch.bench.prepare;

import io.txwatch.bench.AccountTable;
import io.txwatch.bench.Machine;
import io.txwatch.bench.MarkdownTable;
import io.txwatch.bench.OptionNames;
import io.txwatch.bench.Output;
import io.txwatch.bench.ServerVersion;
import io.txwatch.prepare.Preparation;
import io.txwatch.prepare.PreparationPlan;
import io.txwatch.prepare.PreparationResult;
import io.txwatch.product.registry.Products;
import io.txwatch.servers.ServerKind;
import io.txwatch.servers.TestServers;
import java.io.IOException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code prepare}: the latency of an application's statements while its table is prepared. */
@Command(
    name = "prepare",
    description = "Measures the latency of statements while their table is prepared.",
    mixinStandardHelpOptions = true,
    showDefaultValues = true)
public final class PrepareLatencyCommand implements Callable<Integer> {

  private static final int CLIENTS = 2;
  private static final Duration LOCK_TIMEOUT = Duration.ofMillis(300);

  @Option(
      names = "--db",
      split = ",",
      description = "mysql (fetched by servers/mysql, or in TXWATCH_TEST_URLS), mariadb",
      defaultValue = "mysql,mariadb")
  private List<String> databases = List.of();

  @Option(names = "--rows", description = "rows of the table", defaultValue = "1000000")
  private int rows = 1_000_000;

  @Option(
      names = "--quiet-seconds",
      description = "how long the application runs alone first",
      defaultValue = "10")
  private int quietSeconds = 10;

  @Mixin private Output output = new Output();

  @Override
  public Integer call() throws IOException, SQLException, InterruptedException {
    output.write("## prepare under load\n\n" + Machine.describe() + "\n\n");
    output.write(
        String.format(
            Locale.ROOT,
            "A table of %,d rows, and %d clients in a closed loop that read and update rows by key"
                + " and insert new ones, in transactions and in autocommit mode. Milliseconds of single"
                + " statements, commits included.%n%n",
            rows,
            CLIENTS));
    for (ServerKind kind : OptionNames.serverKinds(databases)) {
      measure(kind);
    }
    output.write("Load average at the end: " + Machine.load() + "\n\n");
    return 0;
  }

  private void measure(ServerKind kind) throws IOException, SQLException, InterruptedException {
    String url = TestServers.freshDatabase(kind);
    MarkdownTable table =
        new MarkdownTable(
            "phase", "seconds", "statements", "median ms", "p99", "p99.9", "longest", "errors");
    try (Connection connection = DriverManager.getConnection(url)) {
      output.write("### " + ServerVersion.of(connection) + "\n\n");
      AccountTable.create(connection, rows, 100);
      output.progress(OptionNames.option(kind) + ": filled");
      try (TimedClients clients = new TimedClients(url, CLIENTS, rows)) {
        Thread.sleep(2_000L); // until its code is compiled
        clients.restartMeasurement();
        Thread.sleep(quietSeconds * 1_000L);
        table.row(clients.restartMeasurement().cells("the application alone"));
        change(connection, url, PreparationPlan.Action.PREPARE);
        table.row(clients.restartMeasurement().cells("prepare"));
        change(connection, url, PreparationPlan.Action.UNPREPARE);
        table.row(clients.restartMeasurement().cells("unprepare"));
      }
    }
    output.write(table + "\n");
  }

  private void change(Connection connection, String url, PreparationPlan.Action action)
      throws SQLException {
    Preparation preparation =
        Products.preparation(connection, url, LOCK_TIMEOUT)
            .retryingFor(Duration.ofSeconds(60), line -> output.progress("  " + line));
    PreparationPlan plan =
        action == PreparationPlan.Action.PREPARE
            ? preparation.planPrepare(List.of())
            : preparation.planUnprepare(List.of());
    output.progress(plan.describe());
    PreparationResult result = preparation.execute(plan);
    if (!result.complete()) {
      throw new SQLException("not done: " + result.failed());
    }
  }
}
