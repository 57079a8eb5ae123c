package io.txwatch.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.txwatch.analyzer.Analyzer;
import io.txwatch.changes.debezium.DebeziumDecoder;
import io.txwatch.changes.debezium.DebeziumJoin;
import io.txwatch.changes.debezium.DebeziumTransactions;
import io.txwatch.guarantee.Judge;
import io.txwatch.history.Event;
import io.txwatch.history.HistoryReader;
import io.txwatch.history.ValueHash;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Two clients of a real MySQL at REPEATABLE READ, recorded with {@code txwatch.versions=statements}
 * and a fixed key of the hashes, while Debezium's connector read the log. They lost an update, had
 * a write skew, and then ran one after the other. Each UPDATE has BETWEEN, so that its text states
 * no row.
 */
class DebeziumJoinTest {

  private static final long KEY_OF_THE_RECORDING = 2006632116073285369L;

  private final List<Event> history = new ArrayList<>();

  DebeziumJoinTest() throws Exception {
    try (HistoryReader reader = HistoryReader.open(resource("debezium-mysql.history"))) {
      reader.forEach(history::add);
    }
  }

  private static Path resource(String name) throws Exception {
    return Path.of(DebeziumJoinTest.class.getResource(name).toURI());
  }

  @Test
  void withoutTheTopicsNothingIsFound() {
    assertThat(anomalies(history)).isEmpty();
  }

  /** As with the binary log in the process: {@code txwatch.versions=log}. */
  @Test
  void lostUpdateAndWriteSkewAreFound() throws Exception {
    assertThat(anomalies(joined(new ValueHash(KEY_OF_THE_RECORDING), record -> true)))
        .containsExactly("LOST_UPDATE HAZARD", "WRITE_SKEW HAZARD");
  }

  @Test
  void withAnotherKeyNothingIsFound() throws Exception {
    assertThat(anomalies(joined(new ValueHash(7), record -> true))).isEmpty();
  }

  @Test
  void nothingIsJoinedIfAChangeIsMissing() {
    assertThatThrownBy(
            () ->
                joined(
                    new ValueHash(KEY_OF_THE_RECORDING),
                    record -> !record.contains("\"balance\":90}")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageMatching(
            "changes are missing: transaction .* has 1 changes, and the topics none");
  }

  private List<Event> joined(ValueHash hash, java.util.function.Predicate<String> isPresent)
      throws Exception {
    DebeziumDecoder decoder = new DebeziumDecoder();
    DebeziumTransactions transactions = new DebeziumTransactions();
    for (String line : lines()) {
      int key = line.indexOf(",\"key\":");
      int value = line.indexOf(",\"value\":");
      String payload = line.substring(value + ",\"value\":".length(), line.length() - 1);
      if (isPresent.test(payload)) {
        transactions.add(
            decoder.decode(
                line.substring("{\"topic\":\"".length(), key - 1),
                bytes(line.substring(key + ",\"key\":".length(), value)),
                payload.equals("null") ? null : bytes(payload)));
      }
    }
    List<Event> joined = new ArrayList<>();
    DebeziumJoin.join(history, transactions, hash, joined::add);
    return joined;
  }

  private static List<String> lines() throws Exception {
    return Files.readAllLines(resource("debezium-mysql.jsonl"));
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static List<String> anomalies(List<Event> events) {
    List<String> found = new ArrayList<>();
    try (Analyzer analyzer =
        new Analyzer(
            Judge.DBMS, anomaly -> found.add(anomaly.phenomenon() + " " + anomaly.verdict()))) {
      events.forEach(analyzer::accept);
      analyzer.suspectAll();
    }
    return found;
  }
}
