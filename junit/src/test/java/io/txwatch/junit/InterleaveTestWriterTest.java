package io.txwatch.junit;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.junit.PredictedPairs.Operation;
import io.txwatch.junit.PredictedPairs.Pair;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Whatever operations are called, the file is Java in ASCII. */
class InterleaveTestWriterTest {

  private static String written(String... names) {
    List<Pair> pairs =
        List.of(names).stream()
            .map(name -> new Operation(name, "", List.of(new TestCall("ShopTest.\u00e4", ""))))
            .map(one -> new Pair(one, one, List.of()))
            .toList();
    return InterleaveTestWriter.write(new PredictedPairs(pairs, names.length, 0), "PredictedRaces");
  }

  @Test
  void namesBecomeIdentifiersEachOnce() {
    assertThat(written("GET /orders/{id}", "Shop.sell", "Store.sell", "123", "\u00e4"))
        .contains(
            "void getOrdersIdTwice(",
            "void sellTwice(",
            "void sellTwice2(",
            "void operation123Twice(",
            "void operationTwice(");
  }

  @Test
  void textsAreEscaped() {
    assertThat(written("a \\u000a \"b\"\n*/ c"))
        .contains(
            "// a \\\\u000a \"b\" */ c and",
            "\"a \\\\u000a \\\"b\\\" */ c A\"",
            "ShopTest.\\u00e4");
  }

  @Test
  void fileIsLimited() {
    String[] names = new String[InterleaveTestWriter.MAX_PAIRS + 1];
    Arrays.setAll(names, i -> "Shop.sell" + i);
    assertThat(written(names).split("@InterleaveTest\n"))
        .hasSize(InterleaveTestWriter.MAX_PAIRS + 1);
  }
}
