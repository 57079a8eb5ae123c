package io.txwatch.history;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class RowShareTest {

  @Test
  void eachShareContainsHalfOfTheNextLargerOne() {
    for (RowShare share = RowShare.ALL; share.halvings() < 8; share = share.half()) {
      int half = 0;
      int all = 0;
      for (long row = 0; row < 100_000; row++) {
        all += share.contains("account", row) ? 1 : 0;
        if (share.half().contains("account", row)) {
          assertThat(share.contains("account", row)).isTrue();
          half++;
        }
      }
      assertThat((double) half / all).isBetween(0.4, 0.6);
    }
  }

  @Test
  void smallestShareHasNoHalf() {
    RowShare smallest = new RowShare(RowShare.MAX_HALVINGS);
    assertThat(smallest.half()).isEqualTo(smallest);
    assertThat(smallest.twice().and(smallest)).isEqualTo(smallest);
    assertThat(RowShare.ALL.twice()).isEqualTo(RowShare.ALL);
    assertThat(new RowShare(2)).hasToString("1/4");
  }
}
