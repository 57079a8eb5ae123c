package io.txwatch.hazard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.mysql.cj.jdbc.JdbcConnection;
import io.txwatch.history.Event;
import io.txwatch.history.GapReason;
import io.txwatch.jdbc.TestDatabase;
import io.txwatch.jdbc.Watch;
import io.txwatch.servers.ServerKind;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.DisplayName;
import org.postgresql.PGConnection;
import org.postgresql.core.BaseConnection;

/** A watched connection is of the driver's own interfaces, too. */
class DriverInterfacesTest {

  @OnEach(ServerKind.POSTGRESQL)
  @DisplayName("48 a cast to PGConnection, and what is called through it")
  void ofPostgres(Place place) throws SQLException {
    TestDatabase watched = place.shop().watched();
    try (Connection connection = watched.watched()) {
      assertThat(connection).isInstanceOf(PGConnection.class).isInstanceOf(BaseConnection.class);
      PGConnection postgres = (PGConnection) connection;
      postgres.setPrepareThreshold(3);
      postgres.addDataType("box", org.postgresql.geometric.PGbox.class);
      assertThat(postgres.getPrepareThreshold()).isEqualTo(3);
      assertThat(postgres.getBackendPID()).isPositive();
      assertThat(postgres.escapeIdentifier("a")).isEqualTo("\"a\"");
      assertThat(postgres.getNotifications()).isEmpty();
      observed(connection);
      assertThat(watched.events(Event.Gap.class)).isEmpty();

      postgres.getCopyAPI();
      postgres.getCopyAPI();
      assertThat(watched.events(Event.Gap.class))
          .singleElement()
          .satisfies(
              gap -> {
                assertThat(gap.reason()).isEqualTo(GapReason.BYPASS);
                assertThat(gap.detail()).isEqualTo("PGConnection.getCopyAPI");
              });
      assertThatThrownBy(() -> connection.setTransactionIsolation(77))
          .isInstanceOf(SQLException.class);
    }
    assertThat(watched.statements()).hasSize(2);
  }

  @OnEach(ServerKind.MYSQL)
  @DisplayName("48 a cast to JdbcConnection, and what is called through it")
  void ofMySql(Place place) throws SQLException {
    TestDatabase watched = place.shop().watched();
    try (Connection connection = watched.watched()) {
      assertThat(connection).isInstanceOf(JdbcConnection.class);
      JdbcConnection mysql = (JdbcConnection) connection;
      assertThat(mysql.getId()).isPositive();
      observed(mysql);
      assertThat(watched.events(Event.Gap.class)).isEmpty();
      mysql.ping();
      assertThat(watched.events(Event.Gap.class))
          .extracting(Event.Gap::reason)
          .containsExactly(GapReason.BYPASS);
    }
    assertThat(watched.statements()).hasSize(2);
  }

  /** What leads back leads to the same object, which is equal to the driver's as ever. */
  private static void observed(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery("SELECT * FROM item");
        PreparedStatement update =
            connection.prepareStatement("UPDATE item SET qty = 1 WHERE id = 1")) {
      assertThat(rows.getMetaData().getColumnCount()).isEqualTo(3);
      assertThat(update.executeUpdate()).isEqualTo(1);
      assertThat(statement.getConnection()).isSameAs(connection);
      assertThat(rows.getStatement().getConnection()).isSameAs(connection);
    }
    assertThat(connection.getMetaData().getConnection()).isSameAs(connection);
    assertThat(connection.unwrap(Connection.class)).isSameAs(connection);
    assertThat(connection.equals(connection)).isTrue();
    assertThat(connection).hasSameHashCodeAs(connection.getMetaData().getConnection());
    assertThat(Watch.isWatched(connection)).isTrue();
  }
}
