package io.txwatch.slice;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.page.ExampleAnomalies;
import org.junit.jupiter.api.Test;

class CaseSliceTest {

  @Test
  void caseHasThePatternOfTheAnomaly() {
    assertThat(CaseSlice.of(ExampleAnomalies.lostUpdate()))
        .isEqualTo(
            """
            # phenomenon: LOST_UPDATE
            # source: the pattern of an anomaly that txwatch found on PostgreSQL 18.6
            # isolation: READ_COMMITTED
            # oracle: isorel
            # T1-1: SELECT balance FROM account WHERE id = ? -- BankService.java:68
            # T1-2: UPDATE account SET balance = ? WHERE id = ? -- BankService.java:83
            # T2-4: %s -- BillingService.java:12
            I: CREATE TABLE t1_account (id INT NOT NULL PRIMARY KEY, v INT) {ENGINE}
            I: INSERT INTO t1_account VALUES (1, 1)
            T1: BEGIN
            T1: SELECT * FROM t1_account WHERE id = 1
            T2: BEGIN
            T2: UPDATE t1_account SET v = 101 WHERE id = 1
            T2: COMMIT
            T1: UPDATE t1_account SET v = 102 WHERE id = 1
            T1: COMMIT
            F: SELECT * FROM t1_account ORDER BY id
            """
                .formatted(ExampleAnomalies.HOSTILE_SQL));
  }
}
