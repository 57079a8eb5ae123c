package io.txwatch.history;

import static org.assertj.core.api.Assertions.assertThat;

import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;

class RowShareTest {

  @Test
  void eachShareContainsTheNextSmallerOneAndItsFractionOfTheRows() {
    int rows = 200_000;
    for (RowShare share = RowShare.ALL; share.steps() <= 16; share = share.smaller(1)) {
      int contained = 0;
      for (long row = 0; row < rows; row++) {
        contained += share.contains("account", row) ? 1 : 0;
        if (share.smaller(1).contains("account", row)) {
          assertThat(share.contains("account", row)).isTrue();
        }
      }
      assertThat((double) contained / rows)
          .isCloseTo(share.fraction(), Offset.offset(0.05 * share.fraction()));
    }
  }

  @Test
  void fractionsHaveFourStepsToAHalf() {
    StringBuilder fractions = new StringBuilder();
    for (int steps = 0; steps <= 9; steps++) {
      fractions.append(new RowShare(steps)).append(' ');
    }
    assertThat(fractions).hasToString("all 7/8 3/4 5/8 1/2 7/16 3/8 5/16 1/4 7/32 ");
    assertThat(new RowShare(RowShare.MAX_STEPS)).hasToString("1/65536");
    assertThat(new RowShare(7).fraction()).isEqualTo(5 / 16.0);
  }

  @Test
  void nothingIsSmallerThanTheSmallestOrLargerThanAll() {
    RowShare smallest = new RowShare(RowShare.MAX_STEPS);
    assertThat(smallest.smaller(3)).isEqualTo(smallest);
    assertThat(smallest.larger().and(smallest)).isEqualTo(smallest);
    assertThat(RowShare.ALL.larger()).isEqualTo(RowShare.ALL);
  }
}
