package io.txwatch.prepare;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.prepare.TablePlan.Decision;
import io.txwatch.servers.ServerKind;
import java.sql.SQLException;
import java.util.List;
import org.h2.api.Trigger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tables that are left alone because something handles their rows as a whole, and is named. */
class DependentsTest {

  private static TablePlan plan(Shop shop, String table) throws SQLException {
    return shop.preparation().planPrepare(List.of(table)).tables().get(0);
  }

  @ParameterizedTest
  @CsvSource({
    "DECLARE r ROW TYPE OF t; SELECT * INTO r FROM t LIMIT 1, true",
    "DECLARE r ROW TYPE OF `t`; SET r.id = 1, true",
    "DECLARE r TYPE OF t.id; SELECT id INTO r FROM t LIMIT 1, false",
    "FOR r IN (SELECT * FROM t) DO INSERT INTO u VALUES (r.id); END FOR, false",
  })
  void onMariaDbRowTypesOfTheTable(String body, boolean dependent) throws Exception {
    try (Shop shop = Shop.empty(ServerKind.MARIADB)) {
      shop.run(
          "CREATE TABLE t (id INT PRIMARY KEY)",
          "CREATE TABLE u (id INT PRIMARY KEY)",
          "INSERT INTO t VALUES (1)",
          "CREATE PROCEDURE p() BEGIN " + body + "; END");
      assertThat(plan(shop, "t").decision())
          .isEqualTo(dependent ? Decision.LEFT_ALONE : Decision.CHANGE);
      shop.prepare();
      shop.run("CALL p()");
    }
  }

  @Test
  void onMariaDbSystemVersionedTables() throws Exception {
    try (Shop shop = Shop.empty(ServerKind.MARIADB)) {
      shop.run("CREATE TABLE t (id INT PRIMARY KEY) WITH SYSTEM VERSIONING");
      assertThat(plan(shop, "t").note()).contains("it is system-versioned");
    }
  }

  @Test
  void onH2TriggersThatAreGivenRowsAsArrays() throws Exception {
    try (Shop shop = Shop.empty(ServerKind.H2)) {
      shop.run(
          "CREATE TABLE t (id INT PRIMARY KEY)",
          "CREATE TRIGGER w BEFORE UPDATE ON t FOR EACH ROW CALL '"
              + Counting.class.getName()
              + "'");
      assertThat(plan(shop, "t").note()).contains("handled as a whole", "trigger W");
    }
  }

  /** A trigger in Java. */
  public static final class Counting implements Trigger {
    @Override
    public void fire(java.sql.Connection connection, Object[] before, Object[] after) {
      assertThat(after).hasSize(1);
    }
  }
}
