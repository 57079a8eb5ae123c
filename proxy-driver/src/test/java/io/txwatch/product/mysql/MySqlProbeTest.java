package io.txwatch.product.mysql;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.history.Product;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MySqlProbeTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "8.0.36 | MySQL Community Server - GPL | MySQL | 8.0.36",
        "9.7.1-debug | Debian | MySQL | 9.7.1",
        "10.11.5-MariaDB | Source distribution | MariaDB | 10.11.5",
        "5.5.5-11.4.2-MariaDB-log | Debian | MariaDB | 11.4.2",
        "8.0.11-TiDB-v7.5.1 | TiDB Server | TiDB | 7.5.1",
        "5.7.25-OceanBase_CE-v4.2.1.0 | OceanBase_CE 4.2.1.0 (r100) | OceanBase | 4.2.1.0",
        "5.7.25 | OceanBase 4.2.1.0 (r100) | OceanBase | 4.2.1.0",
      })
  void productsBehindAMySqlDriver(String version, String comment, String product, String number) {
    assertThat(MySqlProbe.ofVersion(version, comment)).isEqualTo(new Product(product, number));
  }
}
