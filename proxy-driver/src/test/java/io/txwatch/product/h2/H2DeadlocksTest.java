package io.txwatch.product.h2;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.txwatch.capture.DeadlockSource;
import io.txwatch.sql.dialect.Dialect;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import org.junit.jupiter.api.Test;

/** H2 has one error code for deadlocks and for conflicts with a snapshot. */
class H2DeadlocksTest {

  private static final DeadlockSource DEADLOCKS =
      new H2TransactionRules(Dialect.of("H2")).deadlocks();

  @Test
  void aConflictWithASnapshotIsNoneWhateverTheStatementContains() throws SQLException {
    try (Connection one = DriverManager.getConnection("jdbc:h2:mem:conflict");
        Connection other = DriverManager.getConnection("jdbc:h2:mem:conflict")) {
      one.createStatement().execute("CREATE TABLE note (id INT PRIMARY KEY, text VARCHAR(40))");
      one.createStatement().execute("INSERT INTO note VALUES (1, '')");
      other.setAutoCommit(false);
      other.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
      other.createStatement().executeQuery("SELECT * FROM note").next();
      one.createStatement().execute("UPDATE note SET text = 'first'");

      SQLException error =
          catchThrowableOfType(
              SQLException.class,
              () ->
                  other
                      .createStatement()
                      .execute("UPDATE note SET text = 'chosen as a deadlock victim'"));

      assertThat(error.getErrorCode()).isEqualTo(40001);
      assertThat(error.getMessage()).contains("deadlock victim");
      assertThat(DEADLOCKS.isDeadlock(error)).isFalse();
    }
  }
}
