package io.txwatch.jdbc.plan;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class VersionSetBudgetTest {

  private static final long SECOND = 1_000_000_000L;
  private static final int ROWS = 10_000;
  private static final long COST = 20_000_000;

  private long now = -5 * SECOND;
  private final VersionSetBudget budget = new VersionSetBudget(() -> now);

  @Test
  void smallTablesAreFree() {
    for (int i = 0; i < 1_000_000; i++) {
      budget.read("account", VersionSetBudget.FREE_ROWS, SECOND);
    }
    assertThat(budget.pays("account")).isTrue();
  }

  @Test
  void initialBudgetIsSpentAndThenAShareOfTheTime() {
    assertThat(spent(COST)).isEqualTo(VersionSetBudget.AT_FIRST / COST);
    assertThat(budget.pays("stock")).isFalse();
    assertThat(budget.pays("never read")).isTrue();
    long began = now;
    int times = 0;
    while (now - began < 100 * SECOND) {
      now += COST;
      times += (int) spent(COST);
    }
    assertThat(times * COST * VersionSetBudget.SHARE).isEqualTo(100 * SECOND);
  }

  @Test
  void littleIsSaved() {
    spent(COST);
    now += 1000 * SECOND;
    assertThat(spent(COST)).isEqualTo(VersionSetBudget.MAX_SAVED_NANOS / COST);
  }

  /** Where everything is slow, the same share of the time buys less. */
  @Test
  void aSlowReadCostsMore() {
    assertThat(spent(4 * COST)).isEqualTo(VersionSetBudget.AT_FIRST / (4 * COST));
  }

  @Test
  void readThatWaitedDoesNotCount() {
    long most = ROWS * VersionSetBudget.MAX_NANOS_PER_ROW;
    budget.read("stock", ROWS, 1000 * SECOND);
    now += VersionSetBudget.SHARE * most;
    assertThat(budget.pays("stock")).isTrue();
  }

  @Test
  void aTableThatHasBecomeSmallIsFree() {
    spent(COST);
    budget.read("stock", 1, COST);
    assertThat(budget.pays("stock")).isTrue();
  }

  /** Reads a table as often as is paid for. */
  private long spent(long nanos) {
    long times = 0;
    while (budget.pays("stock")) {
      budget.read("stock", ROWS, nanos);
      times++;
    }
    return times;
  }
}
