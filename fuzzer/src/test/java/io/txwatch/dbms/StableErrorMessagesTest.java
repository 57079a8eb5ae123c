package io.txwatch.dbms;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.SQLException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class StableErrorMessagesTest {

  /** H2 2.5.252's messages for unnamed keys; they depend on the tables that were created before. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "violation: CONSTRAINT_A INDEX CONSTRAINT_A_INDEX_2 ON T0(C2) VALUES (0)"
            + "| violation: INDEX ON T0(C2) VALUES (0)",
        "violation: CONSTRAINT_5 INDEX PRIMARY_KEY_5 ON T(A, B) VALUES (7, 7)"
            + "| violation: INDEX ON T(A, B) VALUES (7, 7)",
        "violation: CONSTRAINT_A INDEX CONSTRAINT_INDEX_A5C ON T0(C0) VALUES (7)"
            + "| violation: INDEX ON T0(C0) VALUES (7)",
        "violation: CONSTRAINT_A5C PRIMARY KEY ON T0(C0) ( /* key:4 */ 4, 'a')"
            + "| violation: PRIMARY KEY ON T0(C0) ( 4, 'a')",
        "violation: CONSTRAINT_A5D_0: T1 FOREIGN KEY(C3) REFERENCES T0(C0) (2)"
            + "| violation: T1 FOREIGN KEY(C3) REFERENCES T0(C0) (2)",
        "violation: MY_KEY INDEX MY_KEY_INDEX_5 ON T(A) VALUES (7)"
            + "| violation: MY_KEY INDEX MY_KEY_INDEX_5 ON T(A) VALUES (7)",
      })
  void generatedKeyNamesAreRemoved(String original, String expected) {
    assertThat(StableErrorMessages.of(new SQLException(original))).isEqualTo(expected);
  }
}
