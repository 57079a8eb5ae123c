package io.txwatch.interleave.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which databases may have their rows changed, by their URLs. */
class TestDatabasesTest {

  @ParameterizedTest
  @ValueSource(
      strings = {
        "jdbc:h2:mem:shop",
        "jdbc:h2:~/shop",
        "jdbc:h2:file:///tmp/shop",
        "jdbc:postgresql:shop",
        "jdbc:postgresql://localhost/shop",
        "jdbc:postgresql://localhost:5432/shop",
        "jdbc:postgresql://127.0.0.1:32768/latest_products#public",
        "jdbc:mysql://[::1]:3306/shop",
        "jdbc:mariadb://db.internal/shop_test",
        "jdbc:mysql://test-db.example.org/shop",
      })
  void isForTests(String url) {
    assertThat(TestDatabases.of("").contain(url)).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "jdbc:postgresql://db.example.org/shop",
        "jdbc:postgresql://localhost/production",
        "jdbc:postgresql://localhost/shop_prod",
        "jdbc:postgresql://localhost,db.example.org/shop",
        "jdbc:mysql://prod-test.example.org/shop",
        "jdbc:mysql://localhost.example.org/shop",
        "jdbc:mysql://10.0.0.7/latest",
        "jdbc:mysql://127.0.0.1/live",
        "jdbc:h2:~/prod",
        "jdbc:mysql://address=(host=db.example.org)(port=3306)/shop",
      })
  void needsToBeListed(String url) {
    TestDatabases usual = TestDatabases.of("");
    assertThatThrownBy(() -> usual.demand(url))
        .isInstanceOf(RefusedDatabaseException.class)
        .hasMessageContaining(url)
        .hasMessageContaining("txwatch.test-database");
    String name = url.substring(url.lastIndexOf('/') + 1);
    assertThat(TestDatabases.of("other, " + name.toUpperCase(java.util.Locale.ROOT)).contain(url))
        .isTrue();
  }
}
