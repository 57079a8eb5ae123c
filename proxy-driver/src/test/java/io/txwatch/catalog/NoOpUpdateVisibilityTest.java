package io.txwatch.catalog;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.history.Database;
import io.txwatch.servers.ServerKind;
import io.txwatch.servers.TestServers;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NoOpUpdateVisibilityTest {

  /** What a server, its settings, and what a COMMIT is followed by say; all else is as it is. */
  @ParameterizedTest
  @CsvSource({
    "MariaDB, log_bin, ON, NO_CHAIN, '', true",
    "MySQL, innodb_snapshot_isolation, OFF, 0, '', true",
    "MariaDB, innodb_snapshot_isolation, ON, NO_CHAIN, '', false",
    "MariaDB, wsrep_on, ON, NO_CHAIN, '', false",
    "MariaDB, wsrep_on, OFF, NO_CHAIN, '', true",
    "MySQL, group_replication_single_primary_mode, ON, NO_CHAIN, '', false",
    "MySQL, group_replication_single_primary_mode, OFF, NO_CHAIN, '', false",
    "MariaDB, log_bin, ON, CHAIN, '', false",
    "TiDB, log_bin, ON, NO_CHAIN, '', false",
    "OceanBase, log_bin, ON, NO_CHAIN, '', false",
    "MariaDB, log_bin, ON, NO_CHAIN, '&useAffectedRows=false', true",
    "MariaDB, log_bin, ON, NO_CHAIN, '&useAffectedRows=true', false"
  })
  void areUnseen(
      String product,
      String setting,
      String value,
      String completion,
      String option,
      boolean unseen)
      throws SQLException {
    Database database = new Database(product, "1.0", Map.of(setting, value), "here");
    String url = TestServers.freshDatabase(ServerKind.MARIADB) + option;
    try (Connection connection = DriverManager.getConnection(url)) {
      assertThat(NoOpUpdateVisibility.of(database).areUnseen(connection, completion))
          .isEqualTo(unseen);
    }
  }
}
