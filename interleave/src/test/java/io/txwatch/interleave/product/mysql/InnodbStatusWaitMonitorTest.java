package io.txwatch.interleave.product.mysql;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which statements name the table of the row that they wait for. */
class InnodbStatusWaitMonitorTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '^',
      textBlock =
          """
          UPDATE t SET a = 1                        | `t`       | true
          UPDATE db.T SET a = 1                     | `t`       | true
          UPDATE `t` SET a = 1                      | `t`       | true
          UPDATE "t" SET a = 1                      | `t`       | true
          DELETE FROM u WHERE a IN (SELECT a FROM t) | `t`      | true
          DELETE FROM u WHERE a = 't'               | `t`       | false
          DELETE FROM u /* of t */ WHERE a = 1      | `t`       | false
          DELETE FROM t2 WHERE a = 1                | `t`       | false
          DELETE FROM `a``b c` WHERE a = 1          | `a``b c`  | true
          DELETE FROM u WHERE a = 'it\\'s' OR t.a = 1 | `t`     | true
          """)
  void namesTable(String sql, String table, boolean expected) {
    assertThat(InnodbStatusWaitMonitor.namesTable(sql, table)).isEqualTo(expected);
  }
}
