package io.txwatch.changes.binlog;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LogAddressTest {

  @ParameterizedTest
  @CsvSource({
    "jdbc:mysql://db/shop, db:3306 PREFERRED",
    "jdbc:mysql://db:3307, db:3307 PREFERRED",
    "jdbc:mysql:///shop, localhost:3306 PREFERRED",
    "jdbc:mysql://ann:pw@db:3307/shop?useSSL=false, db:3307 DISABLED",
    "jdbc:mysql://[::1]:3307/shop?a=b&sslMode=VERIFY_IDENTITY, ::1:3307 VERIFY_IDENTITY",
    "jdbc:mysql://address=(host=db)(port=3307)/shop, db:3307 PREFERRED",
    "'jdbc:mysql://(host=db,port=3307)/shop', db:3307 PREFERRED",
    "jdbc:mysql:replication://db:3307/shop, db:3307 PREFERRED",
    "jdbc:mariadb://db/shop, db:3306 DISABLED",
    "jdbc:mariadb://db/shop?sslMode=verify-full, db:3306 VERIFY_IDENTITY",
    "jdbc:mariadb://db/shop?sslMode=trust, db:3306 REQUIRED",
    "jdbc:p6spy:mysql://db/shop, db:3306 PREFERRED",
  })
  void oneServerIsFound(String url, String expected) {
    var address = LogAddress.of(url, Map.of(), "ann", "pw").orElseThrow();

    assertThat(address.host() + ":" + address.port() + " " + address.tls()).isEqualTo(expected);
    assertThat(address.toString()).doesNotContain("pw");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "jdbc:mysql://one,two/shop",
        "jdbc:mysql://one:1,two:2/shop",
        "jdbc:mysql://address=(host=one),address=(host=two)/shop",
        "jdbc:postgresql://db/shop",
        "jdbc:h2:mem:shop"
      })
  void anythingElseIsNotRead(String url) {
    assertThat(LogAddress.of(url, Map.of(), "ann", "pw")).isEmpty();
  }
}
