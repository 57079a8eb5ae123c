package io.txwatch.analyzer;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.anomaly.Anomaly;
import io.txwatch.anomaly.Phenomenon;
import io.txwatch.coverage.Coverage;
import io.txwatch.guarantee.Judge;
import io.txwatch.history.Event;
import io.txwatch.history.GapReason;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/**
 * What the analyzer discards: transactions that can be in no further cycle, and more when its
 * memory is exhausted.
 */
class MemoryBudgetTest {

  private static final List<Event> LOST_UPDATE =
      Notation.events("r1(x0) r2(x0) w2(x0) c2 w1(x2) c1 r3(x1) c3");

  private final List<Anomaly> found = new ArrayList<>();

  private Coverage analyze(List<Event> events, long memory) {
    try (Analyzer analyzer = new Analyzer(Judge.DBMS, found::add, memory)) {
      events.forEach(analyzer::accept);
      return analyzer.coverage();
    }
  }

  @Test
  void nothingIsDiscardedWithinTheBudget() {
    assertThat(analyze(LOST_UPDATE, 100_000).gaps()).isEmpty();
    assertThat(found).extracting(Anomaly::phenomenon).containsExactly(Phenomenon.LOST_UPDATE);
  }

  @Test
  void discardedTransactionsAreCountedAndInNoAnomaly() {
    // Less than a transaction's bytes: T2 is discarded while T1 runs.
    assertThat(analyze(LOST_UPDATE, 400).gaps()).containsOnlyKeys(GapReason.FORGOTTEN);
    assertThat(found).isEmpty();
  }

  @Test
  void transactionsThatCanBeInNoCycleAreDiscardedWithoutLoss() {
    List<Event> events = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      events.addAll(Notation.events("r" + (100 + i) + "(y0) c" + (100 + i)));
    }
    events.addAll(LOST_UPDATE);
    assertThat(analyze(events, 20 * 770 - 1).gaps()).isEmpty();
    assertThat(found).extracting(Anomaly::phenomenon).containsExactly(Phenomenon.LOST_UPDATE);
  }

  /** Ended transactions are discarded as one of many begins, which may be the one that reads. */
  @Test
  void unseenWritesAreRetainedUntilTheNextReadOfTheirRow() {
    for (int before = 0; before < MemoryBudget.TRANSACTIONS_PER_DISCARD; before++) {
      List<Event> events = new ArrayList<>(readOnly(before));
      events.addAll(Notation.events("r1(x0) r2(x0) b2(x0) c2 b1(x2) c1 r3(x1) c3"));
      found.clear();
      analyze(events, 1 << 20);
      assertThat(found)
          .as("after %d transactions", before)
          .extracting(Anomaly::phenomenon)
          .containsExactly(Phenomenon.LOST_UPDATE);
    }
  }

  @Test
  void unseenWritesAreRetainedForManyTransactions() {
    StringBuilder history = new StringBuilder("r1(x0) r2(x0) b2(x0) c2 b1(x2) c1");
    for (int i = 0; i < 2000; i++) {
      history.append(" r%1$d(y0) c%1$d".formatted(100 + i));
    }
    analyze(Notation.events(history + " r3(x1) c3"), 1 << 22);
    assertThat(found).extracting(Anomaly::phenomenon).containsExactly(Phenomenon.LOST_UPDATE);
  }

  private static List<Event> readOnly(int transactions) {
    List<Event> events = new ArrayList<>();
    for (int i = 0; i < transactions; i++) {
      events.addAll(Notation.events("r" + (100 + i) + "(y0) c" + (100 + i)));
    }
    return events;
  }

  @Test
  void endlessTransactionIsAbandonedAndCounted() {
    List<Event> events = new ArrayList<>(Notation.events("r1(x0)"));
    for (int i = 0; i < 500; i++) {
      events.addAll(Notation.events("r" + (100 + i) + "(y0) c" + (100 + i)));
    }
    assertThat(analyze(events, 100_000).gaps()).isEqualTo(Map.of(GapReason.FORGOTTEN, 1L));
    assertThat(analyze(events, 10_000_000).gaps()).isEmpty();
  }

  /** For a longer one: {@code -Dtxwatch.soak=10000000}. */
  @Test
  void memoryStaysFlat() {
    int transactions = Integer.getInteger("txwatch.soak", 100_000);
    int most = 0;
    int mostVersions = 0;
    try (Analyzer analyzer = new Analyzer(Judge.DBMS, found::add, 1L << 30)) {
      for (Event event : (Iterable<Event>) () -> new TrafficGenerator(8, 1000, transactions)) {
        analyzer.accept(event);
        most = Math.max(most, analyzer.retainedTransactions());
        mostVersions = Math.max(mostVersions, analyzer.retainedVersions());
      }
      assertThat(analyzer.coverage().transactions()).isEqualTo(transactions);
      assertThat(analyzer.coverage().gaps()).isEmpty();
    }
    assertThat(found).isNotEmpty();
    // A graph is rebuilt when it has doubled; each of a thousand rows has eight writers.
    assertThat(most).isLessThan(3 * Analyzer.MIN_GRAPH_TRANSACTIONS);
    assertThat(mostVersions)
        .isLessThan(9 * 1000 + 12 * (int) MemoryBudget.TRANSACTIONS_PER_DISCARD);
  }
}
