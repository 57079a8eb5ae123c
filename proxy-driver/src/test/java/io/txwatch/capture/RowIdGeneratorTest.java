package io.txwatch.capture;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

class RowIdGeneratorTest {

  @Test
  void idsAreNegativeAndUnique() {
    RowIdGenerator ids = new RowIdGenerator();
    Set<Long> given = new HashSet<>();
    for (int count = 1; count < 300; count++) {
      long first = ids.take(count);
      for (int i = 0; i < count; i++) {
        assertThat(first + i).isNegative().isNotEqualTo(Long.MIN_VALUE);
        assertThat(given.add(first + i)).isTrue();
      }
    }
  }

  @Test
  void exhaustedCountDrawsNewRandomBits() {
    RowIdGenerator ids = new RowIdGenerator();
    long first = ids.take(0xffff00);
    long next = ids.take(0x100);
    assertThat(next >> 24).isNotEqualTo(first >> 24);
    assertThat(next).isNegative();
    assertThat(next & 0xffffff).isOne();
  }

  @Test
  void idsOfTwoProcessesDiffer() {
    assertThat(new RowIdGenerator().take(1)).isNotEqualTo(new RowIdGenerator().take(1));
  }
}
