package io.txwatch.guarantee;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.anomaly.AdyaLevel;
import io.txwatch.anomaly.Phenomenon;
import io.txwatch.history.Database;
import io.txwatch.history.IsolationLevel;
import io.txwatch.history.Product;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class GuaranteeTest {

  @ParameterizedTest
  @EnumSource
  void readCommittedPreventsWhatPl2Proscribes(Phenomenon phenomenon) {
    assertThat(prevents("PostgreSQL", IsolationLevel.READ_COMMITTED, phenomenon))
        .isEqualTo(phenomenon.proscribedFrom().compareTo(AdyaLevel.PL_2) <= 0);
  }

  @ParameterizedTest
  @EnumSource
  void readUncommittedPreventsWhatPl1Proscribes(Phenomenon phenomenon) {
    assertThat(prevents("MySQL", IsolationLevel.READ_UNCOMMITTED, phenomenon))
        .isEqualTo(phenomenon.proscribedFrom() == AdyaLevel.PL_1);
  }

  @ParameterizedTest
  @EnumSource
  void serializablePreventsWhatALevelProscribes(Phenomenon phenomenon) {
    assertThat(prevents("PostgreSQL", IsolationLevel.SERIALIZABLE, phenomenon))
        .isEqualTo(phenomenon.proscribedFrom() != AdyaLevel.NONE);
  }

  private static boolean prevents(String product, IsolationLevel level, Phenomenon phenomenon) {
    Database database = new Database(new Product(product, "9.9"), Map.of());
    return Guarantee.of(database, level).rulesOut(phenomenon, false);
  }
}
