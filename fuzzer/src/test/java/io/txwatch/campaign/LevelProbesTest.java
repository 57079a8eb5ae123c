package io.txwatch.campaign;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.dbms.Connector;
import io.txwatch.dbms.Dbms;
import io.txwatch.dbms.registry.DbmsRegistry;
import io.txwatch.history.IsolationLevel;
import io.txwatch.oracle.ServerCaseExecutor;
import io.txwatch.oracle.troc.Troc;
import io.txwatch.servers.ServerKind;
import io.txwatch.servers.TestServers;
import java.sql.DriverManager;
import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which levels are one. */
class LevelProbesTest {

  private static boolean isMapped(
      ServerKind kind, Connector connector, IsolationLevel level, IsolationLevel weaker)
      throws Exception {
    Dbms dbms = DbmsRegistry.connect(TestServers.freshDatabase(kind), connector);
    try (ServerCaseExecutor executor = new ServerCaseExecutor(dbms, Duration.ofSeconds(10))) {
      return new LevelProbes().isMapped(executor, new Troc(), level, weaker);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "POSTGRESQL, SERIALIZABLE, REPEATABLE_READ",
    "POSTGRESQL, REPEATABLE_READ, READ_COMMITTED",
    "MARIADB, SERIALIZABLE, REPEATABLE_READ",
    "MARIADB, REPEATABLE_READ, READ_COMMITTED",
    "MARIADB, READ_COMMITTED, READ_UNCOMMITTED",
    "MYSQL, REPEATABLE_READ, READ_COMMITTED"
  })
  void levelsOfAServerDiffer(ServerKind kind, IsolationLevel level, IsolationLevel weaker)
      throws Exception {
    assertThat(isMapped(kind, DriverManager::getConnection, level, weaker)).isFalse();
  }

  @ParameterizedTest
  @CsvSource({
    "SERIALIZABLE_AS_REPEATABLE_READ, SERIALIZABLE, REPEATABLE_READ, true",
    "SERIALIZABLE_AS_REPEATABLE_READ, REPEATABLE_READ, READ_COMMITTED, false",
    "REPEATABLE_READ_AS_READ_COMMITTED, REPEATABLE_READ, READ_COMMITTED, true"
  })
  void aLevelThatIsMappedToAnotherOneIsThatOne(
      FaultyConnector fault, IsolationLevel level, IsolationLevel weaker, boolean mapped)
      throws Exception {
    assertThat(isMapped(ServerKind.POSTGRESQL, fault, level, weaker)).isEqualTo(mapped);
  }
}
