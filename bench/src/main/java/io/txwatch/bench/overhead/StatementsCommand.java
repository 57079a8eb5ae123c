package io.txwatch.bench.overhead;

import io.txwatch.bench.Machine;
import io.txwatch.bench.MarkdownTable;
import io.txwatch.bench.Output;
import io.txwatch.servers.ServerKind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * {@code statements}: the additional cost of each statement of a workload. All variants run in one
 * JVM, each with its own connection and database, and take turns after each transaction, in random
 * order: a disturbance of more than a millisecond affects all of them.
 */
@Command(
    name = "statements",
    description = "Measures the additional cost of each call, in turns of one transaction.",
    mixinStandardHelpOptions = true,
    showDefaultValues = true)
public final class StatementsCommand implements Callable<Integer> {

  /** The name of a whole transaction, from its first call to its last. */
  private static final String WHOLE = "a transaction";

  private static final int MAX_NAME_LENGTH = 72;

  @Mixin private BenchmarkOptions options = new BenchmarkOptions();

  @Option(
      names = "--transactions",
      description =
          "transactions of each variant, after half as many for warm-up; fewer than about 8000 of tpcc or 40000 of kv-50 measure a JVM that still compiles",
      defaultValue = "8000")
  private int transactions = 8_000;

  @Mixin private Output output = new Output();

  /** A variant with its own database. */
  private record ClientSlot(
      Variant variant,
      Connection connection,
      Connection timed,
      CallTimings timings,
      Workload.Client client) {

    void run() throws SQLException {
      Workload.Transaction transaction = client.next();
      long before = System.nanoTime();
      transaction.run(timed);
      timings.add(WHOLE, System.nanoTime() - before);
    }
  }

  @Override
  public Integer call() throws IOException, SQLException {
    List<Variant> chosen = options.variantsOr(Variant.RAW, Variant.RAW_AGAIN, Variant.INLINE);
    List<WorkloadKind> kinds = options.workloadsOr(WorkloadKind.TPCC);
    List<ServerKind> servers = options.databases();
    Placement placement = options.placement();
    output.write("## Call by call, microseconds\n\n");
    output.write(Machine.describe() + "\n\n");
    output.write(
        "One client for each variant, in turns, transaction by transaction. "
            + placement.describe()
            + " Means without the longest 2 %, of "
            + transactions
            + " transactions each.\n\n");
    for (ServerKind kind : servers) {
      for (WorkloadKind workload : kinds) {
        List<ClientSlot> slots = measure(kind, workload, chosen, placement);
        output.write("### " + workload.title() + " on " + OverheadCommand.describe(kind) + "\n\n");
        output.write(table(slots) + "\n");
        for (ClientSlot slot : slots) {
          slot.connection().close();
        }
      }
    }
    return 0;
  }

  private List<ClientSlot> measure(
      ServerKind kind, WorkloadKind workload, List<Variant> chosen, Placement placement)
      throws IOException, SQLException {
    Path directory = Files.createTempDirectory("txwatch-bench");
    List<String> urls = Databases.createEach(kind, workload, chosen, InterleavedRun.SEED, true);
    placement.placeServers();
    placement.placeThisProcess();
    List<ClientSlot> slots = new ArrayList<>();
    for (int i = 0; i < chosen.size(); i++) {
      Workload own = workload.create();
      chosen.get(i).setUp(directory);
      Connection connection = chosen.get(i).open(urls.get(i));
      own.configure(connection);
      CallTimings timings = new CallTimings();
      slots.add(
          new ClientSlot(
              chosen.get(i),
              connection,
              TimedConnection.on(connection, timings),
              timings,
              own.client(0, InterleavedRun.SEED)));
    }
    interleave(slots, transactions / 2);
    slots.forEach(slot -> slot.timings().clear());
    output.progress("warm");
    interleave(slots, transactions);
    return slots;
  }

  private static void interleave(List<ClientSlot> slots, int times) throws SQLException {
    List<ClientSlot> order = new ArrayList<>(slots);
    Random random = new Random(InterleavedRun.SEED);
    for (int i = 0; i < times; i++) {
      Collections.shuffle(order, random);
      for (ClientSlot slot : order) {
        slot.run();
      }
    }
  }

  private static MarkdownTable table(List<ClientSlot> slots) {
    ClientSlot first = slots.get(0);
    List<ClientSlot> others = slots.subList(1, slots.size());
    List<String> headings = new ArrayList<>(List.of("call", "in a transaction"));
    headings.add(first.variant().title());
    others.forEach(slot -> headings.add("more: " + slot.variant().title()));
    MarkdownTable table = new MarkdownTable(headings.toArray(String[]::new));
    double whole = first.timings().count(WHOLE);
    for (String name : first.timings().names()) {
      if (!name.equals(WHOLE)) {
        table.row(row(name, first.timings().count(name) / whole, first, others));
      }
    }
    table.row(row(WHOLE, 1, first, others));
    String[] ratios = new String[headings.size()];
    Arrays.fill(ratios, "");
    ratios[0] = "ratio to " + first.variant().title();
    double micros = first.timings().micros(WHOLE);
    for (int i = 0; i < others.size(); i++) {
      ratios[3 + i] = text("%.3f", micros / others.get(i).timings().micros(WHOLE));
    }
    table.row(ratios);
    return table;
  }

  private static String[] row(
      String name, double times, ClientSlot first, List<ClientSlot> others) {
    List<String> cells = new ArrayList<>();
    cells.add(name.length() > MAX_NAME_LENGTH ? name.substring(0, MAX_NAME_LENGTH) + " …" : name);
    cells.add(text("%.2f", times));
    double micros = first.timings().micros(name);
    cells.add(text("%.2f", micros));
    others.forEach(slot -> cells.add(text("%+.2f", slot.timings().micros(name) - micros)));
    return cells.toArray(String[]::new);
  }

  private static String text(String format, Object... values) {
    return String.format(Locale.ROOT, format, values);
  }
}
