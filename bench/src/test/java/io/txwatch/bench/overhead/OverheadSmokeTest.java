package io.txwatch.bench.overhead;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.servers.ServerKind;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** The benchmarks run: each for a few transactions. How fast is nobody's business here. */
class OverheadSmokeTest {

  @ParameterizedTest
  @CsvSource({
    "POSTGRESQL, TPCC, INLINE",
    "POSTGRESQL, KV_50, PREDICATES_NONE",
    "MARIADB, TPCC, INLINE_NONE",
    "MARIADB, KV_95, ITEMS",
    "H2, TPCC, RAW",
    "H2, KV_50, OFF"
  })
  void workloads(ServerKind kind, WorkloadKind workload, Variant variant) throws Exception {
    String url = Databases.create(kind, workload.create(), variant.isPrepared(), 1);

    try (Load load = new Load(variant, workload.create(), url, 2, 1)) {
      assertThat(load.run(100).transactions()).isPositive();
    }
  }

  /** Every kind of transaction, which a tenth of a second may not bring. */
  @ParameterizedTest
  @EnumSource(
      value = Variant.class,
      names = {"RAW", "INLINE_NONE"})
  void everyTransactionOfTpcC(Variant variant) throws Exception {
    TpcC workload = new TpcC();
    String url = Databases.create(ServerKind.H2, workload, variant.isPrepared(), 1);
    TpcCInputs inputs = new TpcCInputs(new java.util.Random(1), 1);

    try (var connection = variant.open(url)) {
      workload.connected(connection);
      for (int i = 0; i < 5; i++) {
        inputs.newOrder().run(connection);
        inputs.payment().run(connection);
        inputs.orderStatus().run(connection);
        inputs.delivery().run(connection);
        inputs.stockLevel().run(connection);
      }
      try (var count = connection.createStatement().executeQuery("SELECT count(*) FROM orders")) {
        count.next();
        assertThat(count.getInt(1))
            .isEqualTo(TpcCSchema.WAREHOUSES * TpcCSchema.DISTRICTS * TpcCSchema.CUSTOMERS + 5);
      }
    }
  }

  @Test
  void workersTakeTurns(@TempDir Path logs) throws Exception {
    Map<Variant, List<Slice>> slices =
        new Interleaving(0.05, 2, 0.05, 1, List.of())
            .run(
                ServerKind.POSTGRESQL,
                WorkloadKind.KV_50,
                List.of(
                    Variant.RAW,
                    Variant.P6SPY_LOG,
                    Variant.DATASOURCE_PROXY_LOG,
                    Variant.INLINE_HISTORY),
                logs,
                (variant, round, slice) -> {});

    assertThat(slices).hasSize(4);
    assertThat(slices.values())
        .allSatisfy(own -> assertThat(own).hasSize(2).allMatch(s -> s.transactions() > 0));
    assertThat(logs.resolve("p6spy-log.spy.log")).isNotEmptyFile();
    assertThat(logs.resolve("datasource-proxy-log.slf4j.log")).isNotEmptyFile();
    assertThat(logs.resolve("inline-history")).isNotEmptyFile();
  }

  @ParameterizedTest
  @EnumSource(
      value = ServerKind.class,
      names = {"POSTGRESQL", "MARIADB"})
  void rowsDoNotGrowBeyondTheWindow(ServerKind kind) throws Exception {
    assertThat(new Growth(kind).measure(10).toString()).contains("\n| 10 ");
  }
}
