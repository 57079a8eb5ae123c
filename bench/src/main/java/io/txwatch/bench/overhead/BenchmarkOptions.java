package io.txwatch.bench.overhead;

import io.txwatch.bench.OptionNames;
import io.txwatch.servers.ServerKind;
import java.util.Arrays;
import java.util.List;
import picocli.CommandLine.Option;

/** The options that the commands of this package share. */
final class BenchmarkOptions {

  @Option(
      names = "--db",
      split = ",",
      description =
          "postgresql, mariadb, mysql (fetched by servers/mysql, or in TXWATCH_TEST_URLS)",
      defaultValue = "postgresql,mariadb")
  private List<String> databases = List.of();

  @Option(
      names = "--workload",
      split = ",",
      description =
          "tpcc, kv-50, kv-95, sibench, smallbank (default: the first four; for statements: tpcc)")
  private List<String> workloads = List.of();

  @Option(
      names = "--variants",
      split = ",",
      description =
          "raw and others, in this order (default: all but inline-kafka; for statements: raw, raw-again, inline)")
  private List<String> variants = List.of();

  @Option(
      names = "--processors",
      description =
          "apart: one half for the clients, the other for the server, as on separate hosts; shared: as the scheduler decides, which distorts comparisons",
      defaultValue = "apart")
  private String processors = "apart";

  List<ServerKind> databases() {
    return OptionNames.serverKinds(databases);
  }

  /** The workloads of the command line; if there are none, the given ones. */
  List<WorkloadKind> workloadsOr(WorkloadKind... otherwise) {
    return workloads.isEmpty()
        ? Arrays.asList(otherwise)
        : workloads.stream().map(WorkloadKind::ofOption).toList();
  }

  /** The variants of the command line; if there are none, the given ones. */
  List<Variant> variantsOr(Variant... otherwise) {
    return variants.isEmpty()
        ? Arrays.asList(otherwise)
        : variants.stream().map(Variant::ofOption).toList();
  }

  Placement placement() {
    return OptionNames.ofOption("placement", Placement.class, processors).usable();
  }
}
