package io.txwatch.rewrite;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.sql.dialect.Dialect;
import io.txwatch.sql.syntax.Tokenizer;
import io.txwatch.sql.syntax.Tokens;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which definitions insert or delete rows. */
class DefinitionsThatWriteRowsTest {

  private static boolean writesRows(String text) {
    Tokens tokens = Tokenizer.tokenize(text, Dialect.MARIADB);
    return StatementClass.of(tokens, Dialect.MARIADB, 0, tokens.count()).reason().isPresent();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "CREATE TABLE t AS SELECT 1",
        "CREATE TABLE t SELECT 1",
        "CREATE TABLE t (id INT PRIMARY KEY) SELECT 1 AS id",
        "create or replace table t as select 1",
        "CREATE TEMPORARY TABLE IF NOT EXISTS t AS SELECT 1",
        "TRUNCATE TABLE t",
      })
  void insertOrDeleteRows(String text) {
    assertThat(writesRows(text)).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "CREATE TABLE t (id INT PRIMARY KEY)",
        "CREATE TABLE t (id INT GENERATED ALWAYS AS IDENTITY)",
        "CREATE TABLE t LIKE u",
        "CREATE VIEW v AS SELECT 1",
        "CREATE OR REPLACE VIEW v AS SELECT 1",
        "CREATE INDEX i ON t (id)",
      })
  void writeNoRow(String text) {
    assertThat(writesRows(text)).isFalse();
  }
}
