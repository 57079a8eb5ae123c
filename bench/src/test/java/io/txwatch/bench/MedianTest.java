package io.txwatch.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MedianTest {

  /** Ranks from tables of the sign test. */
  @ParameterizedTest
  @CsvSource({
    "1, 1, 1",
    "5, 1, 5",
    "6, 1, 6",
    "8, 1, 8",
    "9, 2, 8",
    "10, 2, 9",
    "25, 8, 18",
    "50, 18, 33",
    "100, 40, 61",
    "5000, 2431, 2570"
  })
  void intervalMatchesTheSignTest(int n, double from, double to) {
    List<Double> numbers =
        new ArrayList<>(IntStream.rangeClosed(1, n).asDoubleStream().boxed().toList());
    Collections.shuffle(numbers, new Random(n));

    assertThat(Median.of(numbers)).isEqualTo(new Median(1, from, (n + 1) / 2.0, to, n));
  }

  /** A distribution with a long tail, whose median is ln 2. */
  @Test
  void intervalContainsTheTrueMedianInNineteenOfTwentyRuns() {
    Random random = new Random(1);
    int contained = 0;
    for (int run = 0; run < 2_000; run++) {
      Median median =
          Median.of(IntStream.range(0, 41).mapToObj(i -> -Math.log(random.nextDouble())).toList());
      contained += median.lower() <= Math.log(2) && Math.log(2) <= median.upper() ? 1 : 0;
    }

    assertThat(contained).isBetween(1_900, 1_980);
  }
}
