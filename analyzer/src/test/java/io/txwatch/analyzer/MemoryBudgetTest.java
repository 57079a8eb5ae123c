package io.txwatch.analyzer;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.anomaly.Anomaly;
import io.txwatch.anomaly.Phenomenon;
import io.txwatch.guarantee.Judge;
import io.txwatch.history.Event;
import io.txwatch.history.GapReason;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** An analyzer that runs for long begins anew when its memory is used up. */
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
  void withinItsMemoryNothingIsForgotten() {
    assertThat(analyze(LOST_UPDATE, 100_000).gaps()).isEmpty();
    assertThat(found).extracting(Anomaly::phenomenon).containsExactly(Phenomenon.LOST_UPDATE);
  }

  @Test
  void whatIsForgottenIsCountedAndAccusesNobody() {
    // One transaction's bytes: T1 and T2 are never known at the same time.
    assertThat(analyze(LOST_UPDATE, 600).gaps()).containsOnlyKeys(GapReason.FORGOTTEN);
    assertThat(found).isEmpty();
  }

  @Test
  void whatCameAfterwardsIsFoundAsBefore() {
    List<Event> events = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      events.addAll(Notation.events("r" + (100 + i) + "(y0) c" + (100 + i)));
    }
    events.addAll(LOST_UPDATE);
    // The twentieth transaction of 770 bytes uses it up.
    assertThat(analyze(events, 20 * 770 - 1).gaps()).containsEntry(GapReason.FORGOTTEN, 20L);
    assertThat(found).extracting(Anomaly::phenomenon).containsExactly(Phenomenon.LOST_UPDATE);
  }
}
