package io.txwatch.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.servers.ServerKind;
import io.txwatch.servers.TestServers;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * TPC-C's NewOrder and Payment on one warehouse, at READ COMMITTED: NewOrder reads the tax, Payment
 * adds to the sum of the same row and to the district's, and NewOrder takes the district's next
 * number. The two depend on each other through rows, and not through columns.
 */
class ColumnsOfOneRowTest {

  enum Dbms {
    POSTGRESQL,
    MARIADB,
    H2;

    private String freshDatabase() throws SQLException {
      return switch (this) {
        case POSTGRESQL -> TestServers.freshDatabase(ServerKind.POSTGRESQL);
        case MARIADB -> TestServers.freshDatabase(ServerKind.MARIADB);
        case H2 -> "jdbc:h2:mem:columns" + System.nanoTime() + ";DB_CLOSE_DELAY=-1";
      };
    }
  }

  @ParameterizedTest
  @EnumSource(Dbms.class)
  void differentColumnsAreNoAnomaly(Dbms dbms, @TempDir Path folder) throws Exception {
    assertThat(reported(dbms, folder, "w_tax", "d_next", "column")).isEmpty();
  }

  @ParameterizedTest
  @EnumSource(Dbms.class)
  void differentColumnsAreOneIfRowsAreTheItems(Dbms dbms, @TempDir Path folder) throws Exception {
    assertThat(reported(dbms, folder, "w_tax", "d_next", "row"))
        .extracting(ReportedAnomaly::phenomenon)
        .containsExactly("READ_WRITE_SKEW");
  }

  @ParameterizedTest
  @EnumSource(Dbms.class)
  void sameColumnsAreAnAnomaly(Dbms dbms, @TempDir Path folder) throws Exception {
    List<ReportedAnomaly> reported = reported(dbms, folder, "w_ytd", "d_ytd", "column");
    assertThat(reported).extracting(ReportedAnomaly::phenomenon).containsExactly("READ_WRITE_SKEW");
    assertThat(reported.get(0).json().toString().toLowerCase(java.util.Locale.ROOT))
        .contains("\"columns\":[\"w_ytd\"]", "\"columns\":[\"d_ytd\"]");
  }

  /**
   * What is reported of one NewOrder and one Payment.
   *
   * @param read the column of the warehouse that NewOrder reads
   * @param written the column of the district that it adds to
   */
  private static List<ReportedAnomaly> reported(
      Dbms dbms, Path folder, String read, String written, String granularity)
      throws SQLException, java.io.IOException {
    String url = dbms.freshDatabase();
    try (Connection connection = DriverManager.getConnection(url);
        Statement statement = connection.createStatement()) {
      statement.execute(
          "CREATE TABLE warehouse (w_id INT NOT NULL PRIMARY KEY, w_tax INT, w_ytd INT)");
      statement.execute(
          "CREATE TABLE district (d_id INT NOT NULL PRIMARY KEY, d_next INT, d_ytd INT)");
      statement.execute("INSERT INTO warehouse VALUES (1, 5, 100)");
      statement.execute("INSERT INTO district VALUES (1, 1, 100)");
      if (dbms != Dbms.POSTGRESQL) {
        Watched.prepare(connection);
      }
    }
    Watched watched = new Watched(folder, Map.of("txwatch.granularity", granularity));
    try (watched;
        Connection newOrder = watched.connect(url);
        Connection payment = watched.connect(url);
        Statement ofNewOrder = newOrder.createStatement();
        Statement ofPayment = payment.createStatement()) {
      for (Connection each : List.of(newOrder, payment)) {
        each.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
        each.setAutoCommit(false);
      }
      readAll(ofNewOrder, "SELECT " + read + " FROM warehouse WHERE w_id = 1");
      ofPayment.executeUpdate("UPDATE warehouse SET w_ytd = w_ytd + 10 WHERE w_id = 1");
      ofPayment.executeUpdate("UPDATE district SET d_ytd = d_ytd + 10 WHERE d_id = 1");
      payment.commit();
      ofNewOrder.executeUpdate(
          "UPDATE district SET %1$s = %1$s + 1 WHERE d_id = 1".formatted(written));
      newOrder.commit();
      // MariaDB shows what an UPDATE replaced when the row is next read.
      readAll(ofPayment, "SELECT * FROM district");
      readAll(ofPayment, "SELECT * FROM warehouse");
      payment.commit();
    }
    return watched.reported();
  }

  private static void readAll(Statement statement, String sql) throws SQLException {
    try (ResultSet rows = statement.executeQuery(sql)) {
      while (rows.next()) {
        assertThat(rows.getInt(1)).isPositive();
      }
    }
  }
}
