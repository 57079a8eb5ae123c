package io.txwatch.bench.overhead;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.txwatch.bench.Bench;
import io.txwatch.servers.ServerKind;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Runs each benchmark for a few transactions, without checking its speed. */
class OverheadSmokeTest {

  @ParameterizedTest
  @CsvSource({
    "POSTGRESQL, TPCC, INLINE",
    "POSTGRESQL, KV_50, PREDICATES_NONE",
    "MARIADB, TPCC, INLINE_NONE",
    "MARIADB, KV_95, ITEMS",
    "H2, TPCC, RAW",
    "H2, SMALLBANK, TRIGGERS",
    "H2, KV_50, OFF"
  })
  void everyWorkloadCompletesTransactions(ServerKind kind, WorkloadKind workload, Variant variant)
      throws Exception {
    String url = Databases.create(kind, workload.create(), variant, 1, true);

    try (ClosedLoopLoad load = new ClosedLoopLoad(variant, workload.create(), url, 2, 1)) {
      assertThat(load.run(100, Long.MAX_VALUE).transactions()).isPositive();
    }
  }

  /** All kinds of transactions; a tenth of a second of load may not include them all. */
  @ParameterizedTest
  @EnumSource(
      value = Variant.class,
      names = {"RAW", "INLINE_NONE"})
  void everyTpcCTransactionRuns(Variant variant) throws Exception {
    TpcC workload = new TpcC();
    String url = Databases.create(ServerKind.H2, workload, variant, 1, true);
    TpcCInputs inputs = new TpcCInputs(new java.util.Random(1), 1);

    try (var connection = variant.open(url)) {
      workload.configure(connection);
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
  void interleavedWorkersReturnTheirSlices(@TempDir Path logs) throws Exception {
    Map<Variant, List<Slice>> slices =
        new InterleavedRun(0.3, Long.MAX_VALUE, 2, 0.05, 1, Placement.SHARED, List.of(), true)
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

  @Test
  void variantForKafkaNeedsTheBuildOfItsBroker() {
    StringWriter errorOutput = new StringWriter();

    int code =
        Bench.commandLine()
            .setErr(new PrintWriter(errorOutput))
            .execute("overhead", "--variants=raw,inline-kafka", "--processors=shared");

    assertThat(code).isEqualTo(2);
    assertThat(errorOutput.toString()).contains("bench/run: --variants: inline-kafka needs ");
  }

  @Test
  void rowGrowthIsMeasured() throws Exception {
    assertThat(new RowGrowth(ServerKind.MARIADB).measure(10).toString()).contains("\n| 10 ");
  }

  @Test
  void statementsCommandReportsEachCall(@TempDir Path directory) {
    Path out = directory.resolve("statements.md");

    int code =
        Bench.commandLine()
            .execute(
                "statements",
                "--db=h2",
                "--workload=kv-50",
                "--variants=raw,off",
                "--transactions=20",
                "--processors=shared",
                "--out=" + out);

    assertThat(code).isZero();
    assertThat(out)
        .content()
        .contains("| SELECT field0 FROM usertable WHERE id = ? ")
        .contains("| set…  ")
        .contains("| a transaction ")
        .containsPattern("ratio to raw +\\| +\\| +\\| +[0-9.]+ \\|");
  }

  /** The connection records the calls, and returns or throws what its target does. */
  @Test
  void timedConnectionRecordsCallsAndDelegates() throws Exception {
    CallTimings timings = new CallTimings();
    try (var h2 = DriverManager.getConnection("jdbc:h2:mem:")) {
      var timed = TimedConnection.on(h2, timings);
      timed.setAutoCommit(false);
      try (var select = timed.prepareStatement("SELECT ?")) {
        select.setInt(1, 7);
        try (var rows = select.executeQuery()) {
          rows.next();
          assertThat(rows.getInt(1)).isEqualTo(7);
        }
        assertThatThrownBy(() -> select.setInt(2, 7)).isInstanceOf(SQLException.class);
      }
      timed.commit();
    }

    assertThat(timings.names())
        .containsExactly(
            "COMMIT",
            "ResultSet.close",
            "ResultSet.get…",
            "ResultSet.next",
            "SELECT ?",
            "close",
            "prepareStatement",
            "set…");
    assertThat(timings.count("set…")).isEqualTo(3);
    assertThat(timings.count("SELECT ?")).isOne();
  }

  @Test
  void meansExcludeTheLongestCalls() {
    CallTimings timings = new CallTimings();
    for (int i = 0; i < 98; i++) {
      timings.add("SELECT", 2_000);
    }
    timings.add("SELECT", 90_000_000);
    timings.add("SELECT", 90_000_000);

    assertThat(timings.micros("SELECT")).isEqualTo(2.0);
    assertThat(timings.micros("UPDATE")).isZero();
  }

  @Test
  void zeroClientsAreRejected() {
    StringWriter errorOutput = new StringWriter();

    int code =
        Bench.commandLine()
            .setErr(new PrintWriter(errorOutput))
            .execute("overhead", "--clients=1,0");

    assertThat(code).isEqualTo(2);
    assertThat(errorOutput.toString()).startsWith("bench/run: --clients: ").hasLineCount(1);
  }

  @Test
  void fuzzRejectsUnknownServers() {
    StringWriter errorOutput = new StringWriter();

    int code =
        Bench.commandLine().setErr(new PrintWriter(errorOutput)).execute("fuzz", "--db=oracle");

    assertThat(code).isEqualTo(2);
    assertThat(errorOutput.toString())
        .startsWith("bench/run: unknown DBMS oracle, there is: ")
        .hasLineCount(1);
  }

  @ParameterizedTest
  @CsvSource({
    "--db=oracle, 'unknown DBMS oracle, there is: '",
    "--workload=tpch, 'unknown workload tpch, there is: '",
    "--variants=raw;inlin, 'unknown variant inlin, there is: '",
    "--processors=aprt, 'unknown placement aprt, there is: '"
  })
  void unknownOptionValuesAreRejected(String option, String line) {
    for (String command : List.of("overhead", "statements")) {
      StringWriter errorOutput = new StringWriter();

      int code =
          Bench.commandLine()
              .setErr(new PrintWriter(errorOutput))
              .execute(command, option.replace(';', ','));

      assertThat(code).isEqualTo(2);
      assertThat(errorOutput.toString()).startsWith("bench/run: " + line).hasLineCount(1);
    }
  }
}
