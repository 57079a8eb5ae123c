package io.txwatch.changes.binlog;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.changes.ChangeSource;
import io.txwatch.changes.ChangedTransaction;
import io.txwatch.changes.binlog.LoggedServer.Collector;
import io.txwatch.changes.binlog.LoggedServer.Session;
import io.txwatch.servers.ServerKind;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.Statement;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What real servers log is delivered as transactions of rows. */
class BinaryLogSourceTest {

  private static final String KINDS = "io.txwatch.changes.binlog.LoggedServer#kinds";
  private static final String TABLE = "CREATE TABLE t(id INT PRIMARY KEY, n INT)";

  @ParameterizedTest
  @MethodSource(KINDS)
  void transactionHasItsRowsInOrderByStatement(ServerKind kind) throws Exception {
    try (Session session = new Session(LoggedServer.of(kind), TABLE);
        Connection connection = session.connect();
        Statement statement = connection.createStatement()) {
      long id;
      try (ResultSet row = statement.executeQuery("SELECT CONNECTION_ID()")) {
        row.next();
        id = row.getLong(1);
      }
      connection.setAutoCommit(false);
      statement.execute("INSERT INTO t VALUES (1, 10), (2, 20)");
      statement.execute("UPDATE t SET n = n + 1");
      statement.execute("DELETE FROM t WHERE id = 2");
      connection.commit();
      statement.execute("UPDATE t SET n = 0");
      connection.rollback();

      Collector collected = session.await();

      assertThat(collected.lines())
          .containsExactly(
              "0 INSERT t [1, 10]; 0 INSERT t [2, 20]; 1 UPDATE t [1, 10] [1, 11]; "
                  + "1 UPDATE t [2, 20] [2, 21]; 2 DELETE t [2, 21]");
      assertThat(collected.gaps).isEmpty();
      ChangedTransaction transaction = collected.transactions.get(0);
      assertThat(transaction.connectionId()).isEqualTo(kind == ServerKind.MYSQL ? id : -1);
      assertThat(transaction.isComplete()).isTrue();
      assertThat(transaction.changes().get(0).table().keys().get(0).columns()).containsExactly(0);
      assertThat(session.source.state()).isEqualTo(ChangeSource.State.READING);
      assertThat(session.source.statistics().transactions()).isEqualTo(1);
    }
  }
}
