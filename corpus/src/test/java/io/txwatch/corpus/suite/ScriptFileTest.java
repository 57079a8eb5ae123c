package io.txwatch.corpus.suite;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.corpus.suite.ScriptFile.Format;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class ScriptFileTest {

  private static ScriptFile read(Format format, String text) {
    return ScriptFile.of(Path.of("x"), format, text, 100);
  }

  @Test
  void h2ResultsAndCommandsAreNotSent() {
    assertThat(
            read(
                    Format.H2,
                    """
                    -- Copyright
                    CREATE TABLE t
                      (a INT);
                    > ok

                    SELECT * FROM t;
                    >> 1
                    @reconnect off
                    """)
                .statements())
        .containsExactly(
            new SqlLogicTestFile.Entry(2, "CREATE TABLE t\n  (a INT)"),
            new SqlLogicTestFile.Entry(6, "SELECT * FROM t"));
  }

  @Test
  void mysqltestsCommandsAreNotSent() {
    ScriptFile script =
        read(
            Format.MYSQLTEST,
            """
            # comment
            --source include/have_innodb.inc
            let $a = 1;
            if (`SELECT 1`)
            {
              SELECT 1;
            }
            SELECT $a;
            SET GLOBAL x = 1;
            delimiter //;
            CREATE PROCEDURE p() BEGIN SELECT 1; END//
            delimiter ;//
            CALL p();
            """);
    assertThat(script.statements())
        .extracting(SqlLogicTestFile.Entry::sql)
        .containsExactly("  SELECT 1", "CREATE PROCEDURE p() BEGIN SELECT 1; END", "CALL p()");
    assertThat(script.skipped()).isEqualTo(3);
  }
}
