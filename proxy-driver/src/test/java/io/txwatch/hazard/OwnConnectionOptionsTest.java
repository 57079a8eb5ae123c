package io.txwatch.hazard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.txwatch.history.Event;
import io.txwatch.history.GapReason;
import io.txwatch.jdbc.TestDatabase;
import io.txwatch.servers.ServerKind;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.DisplayName;

/** The connection of txwatch's own is opened with the options of one of many sessions. */
class OwnConnectionOptionsTest {

  @OnEach(ServerKind.POSTGRESQL)
  @DisplayName("52 options of the first session with which tables cannot be read")
  void othersAreTried(Place place) throws SQLException {
    TestDatabase watched = place.shop().watched();
    String bounded = watched.url + (watched.url.contains("?") ? "&" : "?") + "maxResultBuffer=60";
    try (Connection first = watched.watched(() -> DriverManager.getConnection(bounded))) {
      assertThat(isObserved(watched, first)).isFalse();
      try (Connection second = watched.watched()) {
        await().until(() -> isObserved(watched, second));
        assertThat(isObserved(watched, first)).isTrue();
      }
    }
  }

  private static boolean isObserved(TestDatabase watched, Connection connection)
      throws SQLException {
    long before = failedLookups(watched);
    try (Statement statement = connection.createStatement()) {
      assertThat(statement.executeUpdate("UPDATE item SET qty = 1 WHERE id = 1")).isOne();
    }
    return failedLookups(watched) == before;
  }

  private static long failedLookups(TestDatabase watched) {
    return watched.events(Event.Gap.class).stream()
        .filter(gap -> gap.reason() == GapReason.LOOKUP_FAILED)
        .count();
  }
}
