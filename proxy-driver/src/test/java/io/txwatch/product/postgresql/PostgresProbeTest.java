package io.txwatch.product.postgresql;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.history.Product;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PostgresProbeTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "PostgreSQL 18.6 on x86_64-pc-linux-gnu, compiled by gcc | PostgreSQL | 18.6",
        "CockroachDB CCL v24.1.2 (x86_64-pc-linux-gnu, built 2024) | CockroachDB | 24.1.2",
        "(openGauss 5.0.1 build 33b035fd) compiled at 2023 | openGauss | 5.0.1",
      })
  void productsBehindAPostgresDriver(String version, String product, String number) {
    assertThat(PostgresProbe.ofVersion(version)).isEqualTo(new Product(product, number));
  }
}
