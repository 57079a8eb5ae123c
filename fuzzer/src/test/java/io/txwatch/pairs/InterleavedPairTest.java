package io.txwatch.pairs;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.interleave.Interleaved;
import io.txwatch.interleave.Interleaved.Verdict;
import io.txwatch.interleave.Interleaver;
import java.time.Duration;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The interleaver's verdict on each pair is the known one. */
class InterleavedPairTest {

  /** Each pair in each cell. */
  static Stream<Arguments> cells() {
    return Pairs.ALL.stream()
        .flatMap(pair -> Stream.of(Cell.values()).map(cell -> Arguments.of(pair, cell)));
  }

  @ParameterizedTest
  @MethodSource("cells")
  void theVerdictIsTheKnownOne(Pair pair, Cell cell) throws Exception {
    try (PairDatabase database = new PairDatabase(pair, cell, true)) {
      Interleaved found =
          new Interleaver()
              .operation("A", database.operation(0))
              .operation("B", database.operation(1))
              .limit(Duration.ofSeconds(20))
              .run();
      assertThat(found.verdict())
          .as("%s (%s)", found, pair.about())
          .isEqualTo(pair.isRacy(cell) ? Verdict.RACE : Verdict.SAFE);
    }
  }
}
