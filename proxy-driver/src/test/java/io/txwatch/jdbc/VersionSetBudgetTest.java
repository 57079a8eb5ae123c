package io.txwatch.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class VersionSetBudgetTest {

  private static final long SECOND = 1_000_000_000L;

  private long now = -5 * SECOND;
  private final VersionSetBudget budget = new VersionSetBudget(() -> now);

  @Test
  void smallTablesAreFree() {
    for (int i = 0; i < 1_000_000; i++) {
      budget.read("account", VersionSetBudget.FREE_ROWS);
    }
    assertThat(budget.pays("account")).isTrue();
  }

  @Test
  void whatWasSavedIsSpentAndThenSoMuchASecond() {
    int rows = 10_000;
    assertThat(read("stock", rows)).isEqualTo(VersionSetBudget.MOST_SAVED / rows);
    assertThat(read("stock", rows)).isZero();
    assertThat(budget.pays("never read")).isTrue();
    now += SECOND;
    assertThat(read("stock", rows)).isEqualTo(VersionSetBudget.ROWS_PER_SECOND / rows);
    now += 1000 * SECOND;
    assertThat(read("stock", rows)).isEqualTo(VersionSetBudget.MOST_SAVED / rows);
  }

  @Test
  void aTableThatHasBecomeSmallIsFree() {
    read("stock", 10_000);
    budget.read("stock", 1);
    assertThat(budget.pays("stock")).isTrue();
  }

  /** Reads a table as often as is paid for. */
  private int read(String table, int rows) {
    int times = 0;
    while (budget.pays(table)) {
      budget.read(table, rows);
      times++;
    }
    return times;
  }
}
