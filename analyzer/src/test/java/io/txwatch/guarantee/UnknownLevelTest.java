package io.txwatch.guarantee;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.anomaly.Phenomenon;
import io.txwatch.history.Database;
import io.txwatch.history.IsolationLevel;
import io.txwatch.history.Product;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class UnknownLevelTest {

  @ParameterizedTest
  @EnumSource(Profile.class)
  void anUnknownLevelPromisesNothing(Profile profile) {
    Guarantee guarantee =
        profile.at(IsolationLevel.UNKNOWN, new Database(new Product("", "9.9"), Map.of()));
    for (Phenomenon phenomenon : Phenomenon.values()) {
      assertThat(guarantee.rulesOut(phenomenon, true)).as(phenomenon.name()).isFalse();
    }
    assertThat(guarantee.statementSnapshot()).isFalse();
  }
}
