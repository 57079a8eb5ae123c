package io.txwatch.oracle.txcheck;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What TxCheck reads of the texts of statements. */
class ParsedStatementTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '^',
      textBlock =
          """
          INSERT INTO t VALUES (1)                | INSERT INTO VALUES (1)
          INSERT INTO `T` SELECT * FROM t         | INSERT INTO SELECT * FROM t
          INSERT INTO s."t" (a) VALUES (1)        | INSERT INTO (a) VALUES (1)
          INSERT /* t */ INTO t VALUES ('t')      | INSERT /* t */ INTO VALUES ('t')
          WITH w AS (UPDATE t SET a = 1 RETURNING a) INSERT INTO t SELECT a FROM w \
          | WITH w AS (UPDATE t SET a = 1 RETURNING a) INSERT INTO SELECT a FROM w
          SELECT * FROM t                         | SELECT * FROM t
          """)
  void withoutTargetName(String sql, String expected) {
    assertThat(ParsedStatement.of(sql).withoutTargetName()).isEqualTo(expected);
  }
}
