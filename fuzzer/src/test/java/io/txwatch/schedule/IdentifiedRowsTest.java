package io.txwatch.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.history.RecordedValue;
import io.txwatch.schedule.IdentifiedRows.Argument;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Rows are those that were found if their keys are the same. */
class IdentifiedRowsTest {

  private static RecordedValue value(int number) {
    return RecordedValue.of((long) number);
  }

  /** Rows of a key, and of a value that depends on their place. */
  private static List<List<RecordedValue>> rows(int... keys) {
    List<List<RecordedValue>> rows = new ArrayList<>();
    for (int key : keys) {
      rows.add(List.of(value(key), value(-key * rows.size())));
    }
    return rows;
  }

  @Test
  void theyHaveTheSameKeys() {
    IdentifiedRows all = new IdentifiedRows(List.of(0), rows(1, 2), true, false, List.of());
    assertThat(all.are(rows(2, 1))).isTrue();
    assertThat(all.are(rows(1, 3))).isFalse();
    assertThat(all.are(rows(1, 2, 3))).isFalse();
    IdentifiedRows some = new IdentifiedRows(List.of(0), rows(1, 2), false, false, List.of());
    assertThat(some.are(rows(1, 2, 3))).isTrue();
    assertThat(some.are(rows(1, 3))).isFalse();
  }

  /** Who follows 1002 may stop that; who follows others has nothing to stop. */
  @Test
  void othersHaveToBeArgumentsExactlyIfTheFirstOnesWere() {
    Argument same = new Argument(value(1002), value(1002));
    IdentifiedRows found = new IdentifiedRows(List.of(0), rows(1002), true, true, List.of(same));
    assertThat(found.are(rows(1002))).isTrue();
    assertThat(found.are(rows(1000))).isFalse();
    IdentifiedRows other = new IdentifiedRows(List.of(0), rows(1000), true, true, List.of(same));
    assertThat(other.are(rows(1001))).isTrue();
    assertThat(other.are(rows(1002))).isFalse();
    Argument replaced = new Argument(value(1002), value(1003));
    IdentifiedRows by = new IdentifiedRows(List.of(0), rows(1002), true, true, List.of(replaced));
    assertThat(by.are(rows(1003))).isTrue();
    assertThat(by.are(rows(1002))).isFalse();
  }
}
