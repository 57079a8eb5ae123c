package io.txwatch.interleave.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Texts that differ in generated keys alone, and others. */
class ResetKeysInTextsTest {

  private static final Map<String, Set<String>> KNOWN = Map.of("shop.id", Set.of("1", "2"));

  private static final ResetKeys BEFORE =
      new ResetKeys(Map.of("shop.id", Set.of("1", "2"), "item.id", Set.of("1", "a-1")), KNOWN);

  private static final ResetKeys NOW =
      new ResetKeys(Map.of("shop.id", Set.of("1", "2"), "item.id", Set.of("5", "a-2")), KNOWN);

  private static boolean isSame(String now, String before) {
    return NOW.isSame(now, before, BEFORE);
  }

  @Test
  void generatedKeysMayDiffer() {
    assertThat(isSame("SELECT n FROM t1 WHERE id=5", "SELECT n FROM t1 WHERE id=1")).isTrue();
    assertThat(isSame("SELECT n WHERE id = 'a-2'", "SELECT n WHERE id = 'a-1'")).isTrue();
  }

  @Test
  void otherValuesMayNot() {
    assertThat(isSame("UPDATE t SET n = 7 WHERE id = 5", "UPDATE t SET n = 8 WHERE id = 1"))
        .isFalse();
    assertThat(isSame("SELECT n FROM t WHERE id = 2", "SELECT n FROM t WHERE id = 1")).isFalse();
    assertThat(isSame("SELECT n FROM t WHERE id = 5", "SELECT n FROM t WHERE id = 3")).isFalse();
    assertThat(isSame("SELECT n FROM t5", "SELECT n FROM t1")).isFalse();
    assertThat(isSame("SELECT n WHERE id = 5", "SELECT n WHERE id = 1 AND n = 1")).isFalse();
  }

  @Test
  void ofAnotherProcessAnyLiteralMayBeAKey() {
    assertThat(NOW.areSame(List.of("A: id = 5"), List.of("A: id = 77"))).isTrue();
    assertThat(NOW.areSame(List.of("A: id = 4"), List.of("A: id = 77"))).isFalse();
    assertThat(NOW.areSame(List.of("A: id = 5"), List.of("A: id = n"))).isFalse();
  }
}
