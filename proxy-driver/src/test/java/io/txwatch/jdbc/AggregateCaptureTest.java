package io.txwatch.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.history.Access;
import io.txwatch.history.Event;
import io.txwatch.history.GapReason;
import io.txwatch.history.RowAccess;
import io.txwatch.servers.ServerKind;
import io.txwatch.servers.TestServers;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Aggregates return the rows behind them, as long as the tables are small. */
class AggregateCaptureTest {

  static Stream<ServerKind> kinds() {
    return TestServers.concurrentKinds();
  }

  private static TestDatabase hospital(ServerKind kind) throws SQLException {
    return TestDatabase.of(
        kind,
        "CREATE TABLE doctor (id INT PRIMARY KEY, ward INT, on_call INT)",
        "INSERT INTO doctor VALUES (0, 1, 1)",
        "INSERT INTO doctor VALUES (1, 1, 0)",
        "INSERT INTO doctor VALUES (2, 2, 1)",
        "INSERT INTO doctor VALUES (3, 2, 1)");
  }

  private static long count(PreparedStatement count) throws SQLException {
    try (ResultSet row = count.executeQuery()) {
      assertThat(row.next()).isTrue();
      assertThat(row.getMetaData().getColumnCount()).isEqualTo(1);
      long counted = row.getLong(1);
      assertThat(row.next()).isFalse();
      return counted;
    }
  }

  @ParameterizedTest
  @MethodSource("kinds")
  void aggregatesAndGroupsReturnTheRowsTheyRead(ServerKind kind) throws SQLException {
    TestDatabase hospital = hospital(kind);
    try (Connection connection = hospital.watched();
        PreparedStatement count =
            connection.prepareStatement("SELECT count(*) FROM doctor WHERE on_call = ?");
        Statement statement = connection.createStatement()) {
      connection.setAutoCommit(false);
      count.setInt(1, 1);
      assertThat(count(count)).isEqualTo(3);
      count.setInt(1, 7);
      assertThat(count(count)).isZero();
      try (ResultSet rows =
          statement.executeQuery(
              "SELECT ward, max(id) AS newest FROM doctor GROUP BY ward ORDER BY 1")) {
        assertThat(rows.next()).isTrue();
        assertThat(rows.getInt("newest")).isEqualTo(1);
        assertThat(rows.next()).isTrue();
        assertThat(rows.getInt(2)).isEqualTo(3);
        assertThat(rows.next()).isFalse();
      }
      assertThat((Object) statement.getWarnings()).isNull();
      connection.commit();
    }
    List<Event.StatementExecuted> statements = hospital.statements();
    assertThat(statements).extracting(s -> s.rows().size()).containsExactly(3, 0, 4);
    for (Event.StatementExecuted statement : statements) {
      assertThat(statement.rows())
          .allMatch(row -> row.access() == Access.READ)
          .allMatch(RowAccess::certain);
    }
    assertThat(hospital.events(Event.Gap.class)).isEmpty();
  }

  @ParameterizedTest
  @MethodSource("kinds")
  void tableThatGrewSinceThePlanWasMadeIsReadInPart(ServerKind kind) throws SQLException {
    TestDatabase hospital = hospital(kind);
    try (Connection connection = hospital.watched();
        PreparedStatement count = connection.prepareStatement("SELECT count(*) FROM doctor")) {
      connection.setAutoCommit(false);
      assertThat(count(count)).isEqualTo(4);
      connection.commit();
      try (Connection raw = hospital.raw();
          Statement statement = raw.createStatement()) {
        String columns = "id, ward, on_call";
        for (int rows = 4; rows < 1 << 15; rows *= 2) {
          String next = "SELECT id + " + rows + ", ward, on_call";
          statement.execute("INSERT INTO doctor (" + columns + ") " + next + " FROM doctor");
        }
      }
      assertThat(count(count)).isEqualTo(1 << 15);
      connection.commit();
    }
    List<Event.StatementExecuted> statements = hospital.statements();
    assertThat(statements.get(0).rows()).hasSize(4);
    assertThat(statements.get(1).rows()).hasSizeLessThan(1 << 15);
    assertThat(hospital.events(Event.Gap.class))
        .extracting(Event.Gap::reason)
        .containsExactly(GapReason.TOO_LARGE);
  }
}
