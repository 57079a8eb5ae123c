package io.txwatch.interleave.explore;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Random orders of two operations of three calls each. */
class RandomPrioritiesTest {

  private static String order(Random random) {
    RandomPriorities priorities = new RandomPriorities(random, 2, 6, 5);
    List<Integer> left = new ArrayList<>(List.of(3, 3));
    StringBuilder order = new StringBuilder();
    for (int step = 0; step < 6; step++) {
      long enabled = (left.get(0) > 0 ? 1 : 0) | (left.get(1) > 0 ? 2 : 0);
      int next = priorities.next(step, enabled, -1);
      left.set(next, left.get(next) - 1);
      order.append(next == 0 ? 'a' : 'b');
    }
    return order.toString();
  }

  @Test
  void eachOrderIsPossible() {
    Random random = new Random(7);
    Set<String> orders = new HashSet<>();
    for (int i = 0; i < 5_000; i++) {
      orders.add(order(random));
    }
    assertThat(orders).hasSize(20); // 6! / (3! 3!)
  }

  @Test
  void theSeedDeterminesTheOrder() {
    assertThat(order(new Random(3))).isEqualTo(order(new Random(3)));
  }
}
