package io.txwatch.analyzer;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.anomaly.Anomaly;
import io.txwatch.anomaly.Confidence;
import io.txwatch.anomaly.ObservedTransaction;
import io.txwatch.anomaly.Phenomenon;
import io.txwatch.anomaly.Verdict;
import io.txwatch.history.Database;
import io.txwatch.history.IsolationLevel;
import io.txwatch.history.Outcome;
import io.txwatch.history.Product;
import io.txwatch.report.AnomalyGroups.Group;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class FoundAnomaliesTest {

  private static final Optional<Outcome> COMMITTED = Optional.of(Outcome.COMMITTED);
  private static final Optional<Outcome> RUNNING = Optional.empty();
  private static final Optional<Outcome> UNKNOWN = Optional.of(Outcome.UNKNOWN);

  private final FoundAnomalies found = new FoundAnomalies();

  @Test
  void confirmedAnomaliesOfOneKindAreCountedTogether() {
    found.add(lostUpdate(COMMITTED, 1, 2));
    found.add(lostUpdate(COMMITTED, 3, 4));

    assertThat(found.groups()).extracting(Group::count).containsExactly(2L);
  }

  @Test
  void aConfirmationReplacesTheSuspectedAnomaly() {
    found.add(lostUpdate(RUNNING, 1, 2));
    found.add(lostUpdate(COMMITTED, 2, 1));

    assertThat(confidences()).containsExactly(Confidence.CONFIRMED);
  }

  @Test
  void withdrawnAnomalyIsRemovedAndOthersRemain() {
    found.add(lostUpdate(RUNNING, 1, 2));
    found.add(lostUpdate(UNKNOWN, 1, 3));
    found.withdraw(lostUpdate(RUNNING, 1, 2));

    assertThat(found.groups())
        .singleElement()
        .satisfies(group -> assertThat(group.first().transactions().get(1).id()).isEqualTo(3));
  }

  @Test
  void undecidedAnomaliesBeyondTheLimitAreGrouped() {
    for (long id = 1; id <= 3_000; id++) {
      found.add(lostUpdate(RUNNING, id, id + 1));
    }

    assertThat(found.groups()).hasSizeLessThan(1_100);
    assertThat(found.groups()).extracting(Group::count).satisfies(FoundAnomaliesTest::are3000);
  }

  private static void are3000(List<? extends Long> counts) {
    assertThat(counts.stream().mapToLong(Long::longValue).sum()).isEqualTo(3_000);
  }

  private List<Confidence> confidences() {
    return found.groups().stream().map(group -> group.first().confidence()).toList();
  }

  private static Anomaly lostUpdate(Optional<Outcome> outcome, long... ids) {
    return new Anomaly(
        Phenomenon.LOST_UPDATE,
        Optional.empty(),
        Verdict.HAZARD,
        outcome.equals(COMMITTED) ? Confidence.CONFIRMED : Confidence.SUSPECTED,
        new Database(new Product("H2", ""), Map.of()),
        IsolationLevel.READ_COMMITTED,
        LongStream.of(ids)
            .mapToObj(
                id ->
                    new ObservedTransaction(
                        id, "s", IsolationLevel.READ_COMMITTED, outcome, List.of()))
            .toList(),
        List.of(),
        "");
  }

  /** For tests of this package that need any anomaly. */
  static Anomaly anyAnomaly() {
    return lostUpdate(COMMITTED, 1, 2);
  }
}
