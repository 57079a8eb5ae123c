package io.txwatch.bench.overhead;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.txwatch.bench.UnusableOptionException;
import java.util.List;
import org.junit.jupiter.api.Test;

class PlacementTest {

  @Test
  void processorListsAreParsed() {
    assertThat(Placement.parse("0")).containsExactly(0);
    assertThat(Placement.parse("0-3,8,10-11")).containsExactly(0, 1, 2, 3, 8, 10, 11);
  }

  @Test
  void processorsAreSplitInHalves() {
    assertThat(Placement.half(List.of(0, 1), 0)).isEqualTo("0");
    assertThat(Placement.half(List.of(0, 1), 1)).isEqualTo("1");
    assertThat(Placement.half(List.of(2, 3, 7), 0)).isEqualTo("2");
    assertThat(Placement.half(List.of(2, 3, 7), 1)).isEqualTo("3,7");
  }

  @Test
  void oneProcessorCannotBeSplit() {
    assertThatThrownBy(() -> Placement.half(List.of(0), 0))
        .isInstanceOf(UnusableOptionException.class)
        .hasMessageContaining("--processors shared");
  }
}
