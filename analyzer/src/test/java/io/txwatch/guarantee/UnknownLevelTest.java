package io.txwatch.guarantee;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.anomaly.Phenomenon;
import io.txwatch.history.Database;
import io.txwatch.history.IsolationLevel;
import io.txwatch.history.Product;
import io.txwatch.rules.DbmsRules;
import io.txwatch.rules.registry.RulesRegistry;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class UnknownLevelTest {

  static Stream<String> products() {
    return Stream.concat(Stream.of(""), RulesRegistry.KNOWN.stream().map(DbmsRules::product));
  }

  @ParameterizedTest
  @MethodSource("products")
  void anUnknownLevelPromisesNothing(String product) {
    Guarantee guarantee =
        Guarantee.of(new Database(new Product(product, "9.9"), Map.of()), IsolationLevel.UNKNOWN);
    for (Phenomenon phenomenon : Phenomenon.values()) {
      assertThat(guarantee.rulesOut(phenomenon, true)).as(phenomenon.name()).isFalse();
    }
    assertThat(guarantee.statementSnapshot()).isFalse();
  }
}
