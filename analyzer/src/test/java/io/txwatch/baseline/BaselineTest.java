package io.txwatch.baseline;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.LocalDate;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Which kinds of a run a baseline accepts. */
class BaselineTest {

  private static final LocalDate TODAY = LocalDate.of(2027, 3, 1);

  private static final Fingerprint SELL = new Fingerprint("aaaaaaaa", "1111");
  private static final Fingerprint SELL_RENAMED = new Fingerprint("aaaaaaaa", "2222");
  private static final Fingerprint SELL_TWICE = new Fingerprint("aaaaaaaa", "3333");
  private static final Fingerprint BUY = new Fingerprint("bbbbbbbb", "1111");

  private static AcceptedAnomaly accepted(Fingerprint id) {
    return new AcceptedAnomaly(id, "seldom", "", Optional.empty(), "");
  }

  private static Baseline baseline(AcceptedAnomaly... entries) {
    return new Baseline(List.of(entries));
  }

  @Test
  void anEntryAcceptsItsKindAlone() {
    BaselineMatch match = baseline(accepted(SELL)).match(List.of(SELL, BUY), TODAY);
    assertThat(match.accepting(SELL)).isPresent();
    assertThat(match.accepting(BUY)).isEmpty();
    assertThat(match.absent()).isEmpty();
  }

  @Test
  void anEntryThatAcceptsNothingIsAbsent() {
    BaselineMatch match = baseline(accepted(SELL)).match(List.of(BUY), TODAY);
    assertThat(match.absent()).extracting(AcceptedAnomaly::id).containsExactly(SELL);
  }

  @Test
  void theLastDayCounts() {
    AcceptedAnomaly today = new AcceptedAnomaly(SELL, "seldom", "ada", Optional.of(TODAY), "what");
    assertThat(baseline(today).match(List.of(SELL), TODAY).accepted()).containsKey(SELL);
    BaselineMatch tomorrow = baseline(today).match(List.of(SELL), TODAY.plusDays(1));
    assertThat(tomorrow.accepting(SELL)).isEmpty();
    assertThat(tomorrow.expired()).containsExactly(today);
    assertThat(tomorrow.absent()).isEmpty();
  }

  @Test
  void aRenamedOperationIsAccepted() {
    BaselineMatch match = baseline(accepted(SELL)).match(List.of(SELL_RENAMED), TODAY);
    assertThat(match.accepting(SELL_RENAMED)).isPresent();
    assertThat(match.accepted()).isEmpty();
    assertThat(match.renamed()).containsOnlyKeys(SELL_RENAMED);
    assertThat(match.absent()).isEmpty();
  }

  @Test
  void anotherOperationWithTheSameStatementsIsNotAccepted() {
    assertThat(baseline(accepted(SELL)).match(List.of(SELL, SELL_RENAMED), TODAY).renamed())
        .isEmpty();
  }

  @Test
  void whichOperationWasRenamedMustBeCertain() {
    assertThat(baseline(accepted(SELL)).match(List.of(SELL_RENAMED, SELL_TWICE), TODAY).renamed())
        .isEmpty();
    assertThat(
            baseline(accepted(SELL), accepted(SELL_TWICE))
                .match(List.of(SELL_RENAMED), TODAY)
                .renamed())
        .isEmpty();
  }
}
