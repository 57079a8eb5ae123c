package io.txwatch.link;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which databases of two processes are one. */
class LocalityTest {

  private static final Locality ORDERS = new Locality("orders", "m1", "p1");
  private static final Locality BILLING = new Locality("billing", "m1", "p2");
  private static final Locality ELSEWHERE = new Locality("billing", "m2", "p3");

  @ParameterizedTest
  @ValueSource(
      strings = {
        "jdbc:postgresql://db.example/shop",
        "jdbc:postgresql://10.0.0.7:5432/shop#public",
        "jdbc:mysql://db:3306/shop",
        "jdbc:h2:tcp://db/~/shop",
        "jdbc:mariadb:loadbalance://a,b/shop",
        "jdbc:postgresql://localhost.example/shop"
      })
  void remoteDatabaseIsTheSameFromEveryMachine(String place) {
    assertThat(ORDERS.qualify(place)).isEqualTo(ELSEWHERE.qualify(place)).isEqualTo(place);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "jdbc:postgresql://localhost/shop",
        "jdbc:postgresql://127.0.0.1:5432/shop",
        "jdbc:postgresql://[::1]:5432/shop",
        "jdbc:postgresql:shop",
        "jdbc:postgresql:///shop",
        "jdbc:mysql://address=(host=localhost)(port=3306)/shop",
        "jdbc:mariadb://db1,localhost/shop",
        "jdbc:h2:tcp://localhost:9092/mem:shop",
        "jdbc:h2:file:/data/shop",
        "jdbc:h2:~/shop",
        "jdbc:sqlite:/data//shop.db"
      })
  void loopbackDatabaseIsTheSameOnOneMachineOnly(String place) {
    assertThat(ORDERS.qualify(place))
        .isEqualTo(BILLING.qualify(place))
        .isNotEqualTo(ELSEWHERE.qualify(place));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"jdbc:h2:mem:shop", "jdbc:sqlite::memory:", "jdbc:sqlite:file:x?mode=memory"})
  void inMemoryDatabaseIsTheSameInOneProcessOnly(String place) {
    assertThat(ORDERS.qualify(place)).isNotEqualTo(BILLING.qualify(place));
  }
}
