package io.txwatch.rules.hsqldb;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.history.Database;
import io.txwatch.history.IsolationLevel;
import io.txwatch.history.Product;
import io.txwatch.rules.Promise;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class HsqldbRulesTest {

  /** The promise at a level in a transaction model. */
  @ParameterizedTest
  @CsvSource({
    "LOCKS, READ_UNCOMMITTED, COMMITTED",
    "LOCKS, READ_COMMITTED, COMMITTED",
    "LOCKS, REPEATABLE_READ, SERIALIZABLE",
    "LOCKS, SERIALIZABLE, SERIALIZABLE",
    "MVLOCKS, READ_COMMITTED, COMMITTED",
    "MVLOCKS, SERIALIZABLE, SERIALIZABLE",
    "MVCC, READ_COMMITTED, COMMITTED",
    "MVCC, REPEATABLE_READ, SNAPSHOT",
    "MVCC, SERIALIZABLE, SNAPSHOT",
    "'', READ_COMMITTED, COMMITTED",
    "'', SERIALIZABLE, SNAPSHOT",
    "LOCKS, UNKNOWN, NONE"
  })
  void promiseDependsOnTheModel(String model, IsolationLevel level, Promise.Kind kind) {
    assertThat(promise("2.7.4", model, level).kind()).isEqualTo(kind);
  }

  @Test
  void earlierVersionsPromiseNothing() {
    assertThat(promise("1.8.0", "LOCKS", IsolationLevel.SERIALIZABLE)).isEqualTo(Promise.NONE);
    assertThat(promise("", "LOCKS", IsolationLevel.SERIALIZABLE)).isEqualTo(Promise.NONE);
  }

  private static Promise promise(String version, String model, IsolationLevel level) {
    Map<String, String> settings = model.isEmpty() ? Map.of() : Map.of("hsqldb.tx", model);
    return new HsqldbRules().promise(level, new Database(new Product("HSQLDB", version), settings));
  }
}
