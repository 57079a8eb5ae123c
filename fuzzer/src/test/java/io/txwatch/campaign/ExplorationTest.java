package io.txwatch.campaign;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.generator.Weights;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ExplorationTest {

  private static final long EPOCH = 512;

  /** Of ten cases, one has "rich", and shows a statement that no other shows. */
  private static void execute(Exploration exploration, long number) {
    boolean isRich = number % 10 == 0;
    exploration.executed(
        number,
        isRich ? Set.of("rich") : Set.of("poor"),
        Map.of(NoveltyKind.STATEMENT_KIND, Set.of(isRich ? "kind " + number : "SELECT")));
  }

  private static Weights weights(Exploration exploration, long number) throws Exception {
    return exploration.weights(
        number,
        () -> {
          throw new AssertionError("waits for cases that were executed");
        });
  }

  @ParameterizedTest
  @ValueSource(longs = {0, 100, EPOCH, 3 * EPOCH + 17})
  void weightsAreLearntFromAllEpochsButTheOneBefore(long first) throws Exception {
    Exploration exploration = new Exploration(true, EPOCH, first, Long.MAX_VALUE);
    long epoch = first / EPOCH;
    for (long n = first; n < (epoch + 1) * EPOCH; n++) {
      assertThat(weights(exploration, n)).isEqualTo(Weights.FIXED);
      execute(exploration, n);
    }
    assertThat(weights(exploration, (epoch + 1) * EPOCH)).isEqualTo(Weights.FIXED);
    assertThat(weights(exploration, (epoch + 2) * EPOCH).of("rich")).isGreaterThan(1);
    assertThat(weights(exploration, (epoch + 2) * EPOCH).of("poor")).isEqualTo(1);
  }

  /** Two workers that take batches of 32 cases in turn, one of them a batch behind. */
  @Test
  void weightsDoNotDependOnTheOrderOfExecution() throws Exception {
    List<Weights> inOrder = new ArrayList<>();
    List<Weights> outOfOrder = new ArrayList<>();
    Exploration one = new Exploration(true, EPOCH, 0, Long.MAX_VALUE);
    Exploration other = new Exploration(true, EPOCH, 0, Long.MAX_VALUE);
    for (long n = 0; n < 5 * EPOCH; n++) {
      execute(one, n);
      long swapped = n ^ 32;
      execute(other, swapped);
      if (n % EPOCH == EPOCH - 1) {
        inOrder.add(weights(one, n + 1 + EPOCH));
        outOfOrder.add(weights(other, n + 1 + EPOCH));
      }
    }
    assertThat(outOfOrder).isEqualTo(inOrder).anyMatch(weights -> weights.of("rich") > 1);
    assertThat(other.counts()).isEqualTo(one.counts());
  }

  @Test
  void aCampaignThatEndsDoesNotWait() throws Exception {
    Exploration exploration = new Exploration(true, EPOCH, 0, Long.MAX_VALUE);

    assertThat(exploration.weights(2 * EPOCH, () -> true)).isEqualTo(Weights.FIXED);
  }

  @Test
  void fixedWeightsStayAndTheCasesAreCounted() throws Exception {
    Exploration exploration = new Exploration(false, EPOCH, 0, 3 * EPOCH);
    for (long n = 0; n < 3 * EPOCH; n++) {
      assertThat(weights(exploration, n)).isEqualTo(Weights.FIXED);
      execute(exploration, n);
    }
    long rich = (3 * EPOCH + 9) / 10;
    assertThat(exploration.counts().get(NoveltyKind.STATEMENT_KIND)).isEqualTo((int) rich + 1);
  }

  /** The last epoch has fewer cases, and the cases of an incomplete one count as well. */
  @Test
  void casesOfAnIncompleteEpochAreCounted() {
    Exploration exploration = new Exploration(true, EPOCH, 0, EPOCH + 100);
    for (long n = 0; n < EPOCH + 50; n++) {
      execute(exploration, n);
    }
    assertThat(exploration.counts().get(NoveltyKind.STATEMENT_KIND)).isEqualTo(52 + 5 + 1);
  }
}
