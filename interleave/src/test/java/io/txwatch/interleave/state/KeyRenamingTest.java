package io.txwatch.interleave.state;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

/** States of orders and their lines that differ in generated keys alone, and others. */
class KeyRenamingTest {

  /** Table order(id generated, customer), table line(order, item); order 1 was there at first. */
  private static final RowIdentities IDENTITIES =
      new RowIdentities(
          Map.of("order", Map.of(0, "order.id"), "line", Map.of(0, "order.id")),
          Map.of("order.id", Set.of("1")));

  private static Map<String, List<List<String>>> comparable(
      List<List<String>> orders, List<List<String>> lines) {
    BitSet first = new BitSet();
    first.set(0);
    return new TouchedRows(Map.of("order", orders, "line", lines), IDENTITIES)
        .comparable(Map.of("order", first), IDENTITIES);
  }

  @Test
  void generatedKeysHaveOtherNames() {
    assertThat(
            comparable(
                List.of(List.of("1", "Ann"), List.of("7", "Bob"), List.of("9", "Cid")),
                List.of(List.of("7", "pen"), List.of("9", "ink"))))
        .isEqualTo(
            comparable(
                List.of(List.of("1", "Ann"), List.of("12", "Bob"), List.of("11", "Cid")),
                List.of(List.of("11", "ink"), List.of("12", "pen"))));
  }

  @Test
  void aLineOfAnotherOrderIsAnotherState() {
    assertThat(
            comparable(
                List.of(List.of("7", "Bob"), List.of("9", "Cid")),
                List.of(List.of("7", "pen"), List.of("9", "ink"))))
        .isNotEqualTo(
            comparable(
                List.of(List.of("7", "Bob"), List.of("9", "Cid")),
                List.of(List.of("9", "pen"), List.of("7", "ink"))));
  }

  @Test
  void aKeyThatWasThereIsItself() {
    assertThat(comparable(List.of(List.of("1", "Ann")), List.of(List.of("1", "pen"))))
        .isNotEqualTo(comparable(List.of(List.of("2", "Ann")), List.of(List.of("2", "pen"))));
  }

  @Property(tries = 200)
  void noRenamingMatters(
      @ForAll @Size(max = 5) List<@IntRange(max = 2) Integer> customers,
      @ForAll @Size(max = 5) List<@IntRange(max = 4) Integer> lines,
      @ForAll @IntRange(min = 1, max = 1_000) int stride) {
    assertThat(state(customers, lines, 10, 1)).isEqualTo(state(customers, lines, 5_000, -stride));
  }

  /** A state in which the order of a customer is named by its place in the list. */
  private static Map<String, List<List<String>>> state(
      List<Integer> customers, List<Integer> lines, int first, int stride) {
    Map<Integer, String> ids = new HashMap<>();
    List<List<String>> orders = new java.util.ArrayList<>();
    for (int i = 0; i < customers.size(); i++) {
      ids.put(i, String.valueOf(first + i * stride));
      orders.add(List.of(ids.get(i), "customer " + customers.get(i)));
    }
    return comparable(
        orders,
        lines.stream()
            .filter(ids::containsKey)
            .map(order -> List.of(ids.get(order), "item"))
            .toList());
  }
}
