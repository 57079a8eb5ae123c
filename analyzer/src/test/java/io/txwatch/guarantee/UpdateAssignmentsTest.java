package io.txwatch.guarantee;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.sql.dialect.Dialect;
import java.util.Optional;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Statements with their computed columns, their overwritten ones, and whether WHERE checks them.
 */
class UpdateAssignmentsTest {

  private static String said(String sql, Dialect dialect) {
    Optional<UpdateAssignments> text = UpdateAssignments.of(sql.replace("\\n", "\n"), dialect);
    return text.map(
            t ->
                String.join(",", t.computed())
                    + "|"
                    + String.join(",", t.overwritten())
                    + (t.checksComputed() ? "|checked" : ""))
        .orElse("not understood");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      quoteCharacter = '~',
      textBlock =
          """
          UPDATE acc SET bal = bal - ? WHERE id = ? ; bal|
          update acc set BAL=Bal-? where id=? ; bal|
          UPDATE acc SET bal = ? WHERE id = ? ; |bal
          UPDATE acc SET bal = $1 WHERE id = $2 ; |bal
          UPDATE acc SET bal = bal + 10 ; bal|
          UPDATE acc SET bal = (bal - ?) * 1.05 WHERE id = 1 ; bal|
          UPDATE acc AS a SET bal = a.bal - ? WHERE a.id = ? ; bal|
          UPDATE acc a SET a.bal = a.bal - ? WHERE a.id = ? ; bal|
          UPDATE shop.acc SET bal = acc.bal - ? WHERE id = ? ; bal|
          UPDATE acc SET bal = shop.acc.bal - ? WHERE id = ? ; bal|
          UPDATE acc SET bal = bal - ?, note = ? WHERE id = ? ; bal|note
          UPDATE acc SET bal = bal - ?, n = n + 1, at = now() WHERE id = ? ; bal,n|
          UPDATE acc SET bal = bal - ?, at = CURRENT_TIMESTAMP(6), z = DEFAULT WHERE id = ? ; bal|
          UPDATE acc SET bal = bal - ? WHERE id = ? AND bal >= ? ; bal||checked
          UPDATE acc a SET bal = bal - ? WHERE a.id = ? AND a.bal >= ? ORDER BY id LIMIT 1 ; bal||checked
          UPDATE acc SET bal = bal - ? WHERE id = ? ORDER BY bal ; bal|
          UPDATE acc SET bal = bal - ? WHERE id = ? RETURNING bal ; bal|
          UPDATE acc SET "bal" = "bal" - ? WHERE id = ? ; bal|
          UPDATE /* bal = ? */ acc SET bal = /* bal */ ? WHERE id = ? ; |bal
          UPDATE acc -- bal\\n SET bal = bal - ? -- = ? ; bal|
          UPDATE acc SET note = 'note = note + 1' WHERE id = ? ; |note
          UPDATE acc SET note = 'it''s note' WHERE id = ? ; |note
          UPDATE acc SET note = E'\\\\' note' WHERE id = ? ; |note
          UPDATE acc SET note = $x$ note $x$ WHERE id = ? ; |note
          UPDATE acc SET note = note || ? WHERE id = ? ; note|
          UPDATE acc SET note = upper(note) WHERE id = ? ; note|
          UPDATE acc SET tags = array_append(tags, ?) WHERE id = ? ; tags|
          UPDATE acc SET (bal, note) = (bal - ?, ?) WHERE id = ? ; bal|note
          UPDATE acc SET (bal, note) = ROW (bal - ?, ?) WHERE id = ? ; bal|note
          UPDATE acc SET (bal, note) = (SELECT 1, 2) WHERE id = ? ; not understood
          UPDATE acc SET bal = (SELECT bal FROM other WHERE id = ?) WHERE id = ? ; not understood
          UPDATE acc SET bal = COALESCE(?, bal) WHERE id = ? ; not understood
          UPDATE acc SET bal = CASE WHEN bal > ? THEN ? ELSE bal END ; not understood
          UPDATE acc SET bal = s.bal FROM other s WHERE s.id = acc.id ; |bal
          UPDATE acc SET bal = bal, note = ? WHERE id = ? ; |note
          UPDATE acc SET bal = balance - ? WHERE id = ? ; |bal
          UPDATE acc SET bal = bal(?) WHERE id = ? ; |bal
          UPDATE ONLY acc SET bal = bal - ? WHERE id = ? ; bal|
          WITH x AS (SELECT 1) UPDATE acc SET bal = bal - ? ; not understood
          DELETE FROM acc WHERE bal = ? ; not understood
          INSERT INTO acc VALUES (?) ON CONFLICT (id) DO UPDATE SET bal = acc.bal + 1 ; not understood
          UPDATE acc SET note = 'open ; not understood
          UPDATE acc SET ; not understood
          UPDATE ; not understood
          """)
  void assignmentsOfPostgreSql(String sql, String said) {
    assertThat(said(sql.replace("\\\\", "\\"), Dialect.POSTGRESQL)).isEqualTo(said);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      quoteCharacter = '~',
      textBlock =
          """
          UPDATE acc SET bal = :bal WHERE id = :id ; |bal
          UPDATE acc SET [bal] = [bal] - ? WHERE id = ? ; bal|
          UPDATE acc SET `bal` = `bal` - ? WHERE id = ? ; bal|
          UPDATE OR IGNORE acc SET bal = bal - ? WHERE id = ? ; bal|
          """)
  void assignmentsOfSqlite(String sql, String said) {
    assertThat(said(sql, Dialect.SQLITE)).isEqualTo(said);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      quoteCharacter = '~',
      textBlock =
          """
          UPDATE acc SET bal = bal - ? WHERE id = ? ; bal|
          UPDATE acc SET note = "note" WHERE id = ? ; |note
          UPDATE acc SET note = 'it\\'s note' WHERE id = ? ; |note
          UPDATE acc SET note = "it\\"s, note = note" WHERE id = ? ; |note
          UPDATE acc SET bal := bal - ? WHERE id = ? ; bal|
          UPDATE acc # SET bal = ?\\n SET bal = bal - ? ; bal|
          UPDATE /*! IGNORE */ acc SET bal = bal - ? ; not understood
          UPDATE LOW_PRIORITY IGNORE acc SET bal = bal - ? LIMIT 1 ; bal|
          UPDATE acc a JOIN log l ON l.acc = a.id SET a.bal = a.bal - ?, l.sum = ? WHERE a.id = ? ; bal|sum
          UPDATE acc a JOIN log l ON l.acc = a.id SET a.bal = l.bal WHERE a.id = ? ; |bal
          UPDATE acc a, log l SET l.bal = l.bal + ? WHERE a.id = ? ; bal|
          UPDATE acc SET bal = IF(bal > ?, bal - ?, bal) WHERE id = ? ; not understood
          """)
  void assignmentsOfMySql(String sql, String said) {
    assertThat(said(sql, Dialect.MYSQL)).isEqualTo(said);
  }
}
