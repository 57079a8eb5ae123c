package io.txwatch.interleave.product.mysql;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HiddenReadersTest {

  @ParameterizedTest
  @ValueSource(
      strings = {
        "421:183:4:2",
        "93825342708880:183:4:2:93825346926368",
        "93825342708880:238:183:4:2:93825346926368"
      })
  void theRowOfALock(String lockId) {
    assertThat(HiddenReaders.row(lockId)).isEqualTo("space id 183 page no 4 heap no 2");
  }
}
