package io.txwatch.dbms.sqlite;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.dbms.Dbms;
import io.txwatch.dbms.Semantics;
import io.txwatch.dbms.registry.DbmsRegistry;
import io.txwatch.history.IsolationLevel;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SharedCacheTest {

  @TempDir private Path directory = Path.of("");

  private Optional<Semantics> semantics(String parameters) throws Exception {
    String url = "jdbc:sqlite:file:" + directory.resolve("db") + parameters;
    Dbms dbms = DbmsRegistry.connect(url, DriverManager::getConnection);
    return dbms.semantics(dbms.database(), IsolationLevel.SERIALIZABLE);
  }

  /** Its connections lock tables, so that no rules of snapshots predict what they read. */
  @Test
  void noRulesPredictWhatConnectionsWithASharedCacheRead() throws Exception {
    assertThat(semantics("")).contains(Semantics.MVCC_SNAPSHOT);
    assertThat(semantics("?cache=shared")).isEmpty();
  }
}
