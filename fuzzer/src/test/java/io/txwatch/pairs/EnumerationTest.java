package io.txwatch.pairs;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Where the pairs race is so by enumeration of all orders. It takes minutes: {@code mvn test -pl
 * fuzzer -Dtest=EnumerationTest -Dpairs.enumerate=true}.
 */
@EnabledIfSystemProperty(named = "pairs.enumerate", matches = "true")
class EnumerationTest {

  @ParameterizedTest
  @MethodSource("io.txwatch.pairs.InterleavedPairTest#cells")
  void theLabelIsWhatAllOrdersGive(Pair pair, Cell cell) throws Exception {
    try (PairDatabase database = new PairDatabase(pair, cell, true);
        Enumeration all = new Enumeration(database)) {
      all.run();
      assertThat(all.race().isPresent())
          .as(all.executions() + " orders; " + all.race().orElse("none races"))
          .isEqualTo(pair.isRacy(cell));
    }
  }
}
