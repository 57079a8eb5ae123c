package io.txwatch.hazard;

import static org.assertj.core.api.Assertions.assertThat;

import com.p6spy.engine.spy.P6DataSource;
import io.txwatch.history.Event;
import io.txwatch.history.RowAccess;
import io.txwatch.jdbc.TestDatabase;
import io.txwatch.jdbc.Transcript;
import io.txwatch.jdbc.Watch;
import io.txwatch.servers.ServerKind;
import io.txwatch.servers.TestServers;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.parallel.ResourceLock;

/** p6spy on either side: the one outside sees the application's texts, the one inside ours. */
@ResourceLock("what p6spy logged: one list for all")
class SpyTest {

  private static final String READ = "SELECT name, qty FROM item WHERE id = ?";
  private static final String WRITE = "UPDATE item SET qty = ? WHERE id = ?";

  private static void work(Connection connection, Transcript transcript) throws SQLException {
    connection.setAutoCommit(false);
    try (PreparedStatement read = connection.prepareStatement(READ);
        PreparedStatement write = connection.prepareStatement(WRITE);
        Statement statement = connection.createStatement()) {
      for (int id = 1; id <= 2; id++) {
        read.setInt(1, id);
        transcript.rows(read.executeQuery());
        write.setInt(1, 50 + id);
        write.setInt(2, id);
        transcript.line("count " + write.executeUpdate());
        connection.commit();
      }
      write.setInt(1, 1);
      write.setInt(2, 3);
      write.addBatch();
      write.setInt(1, 2);
      write.setInt(2, 99);
      write.addBatch();
      transcript.line(Arrays.toString(write.executeBatch()));
      transcript.step("error", () -> statement.executeUpdate("UPDATE nosuch SET a = 1"));
      connection.rollback();
      transcript.rows(statement.executeQuery("SELECT * FROM item ORDER BY id"));
      connection.commit();
    }
  }

  /** What was observed, but for the numbers that are given out. */
  private static List<String> observed(TestDatabase watched) {
    return watched.events().stream()
        .filter(e -> e instanceof Event.StatementExecuted || e instanceof Event.TransactionEnded)
        .map(
            e ->
                e instanceof Event.StatementExecuted s
                    ? s.statement()
                        + " "
                        + s.kind()
                        + " "
                        + s.sql()
                        + s.rows().stream().map(RowAccess::access).toList()
                        + s.rows().stream().map(row -> row.writers().size()).toList()
                        + s.writesSeen()
                    : String.valueOf(((Event.TransactionEnded) e).outcome()))
        .toList();
  }

  @OnEach({ServerKind.H2, ServerKind.POSTGRESQL})
  @DisplayName("51 p6spy inside and outside: the application sees the same, and so do we")
  void eitherSide(Place place) throws SQLException {
    Twins twins = place.shop();
    Transcript expected = new Transcript();
    String rawUrl = TestServers.freshDatabase(place.kind());
    try (Connection raw = DriverManager.getConnection(rawUrl)) {
      TestDatabase.execute(raw, twins.setup().toArray(String[]::new));
      work(raw, expected);
    }

    TestDatabase inside = twins.watched();
    Transcript outer = new Transcript();
    String spied = inside.url.replaceFirst("jdbc:", "jdbc:p6spy:");
    SpyLog.TEXTS.clear();
    try (Connection connection =
        inside.watched(DriverManager.getConnection(spied), twins.settings())) {
      work(connection, outer);
    }
    List<String> rewritten = List.copyOf(SpyLog.TEXTS);

    TestDatabase outside = twins.watched();
    Transcript inner = new Transcript();
    SpyLog.TEXTS.clear();
    P6DataSource spy =
        new P6DataSource(
            new OpeningDataSource(() -> outside.watched(outside.raw(), twins.settings())));
    try (Connection connection = spy.getConnection()) {
      assertThat(Watch.isWatched(connection)).isTrue();
      work(connection, inner);
    }
    List<String> applications = List.copyOf(SpyLog.TEXTS);

    assertThat(Transcript.differences(expected, outer)).isEmpty();
    assertThat(Transcript.differences(expected, inner)).isEmpty();
    assertThat(observed(inside)).isEqualTo(observed(outside)).isNotEmpty();
    assertThat(applications).contains(READ, WRITE).noneMatch(sql -> sql.contains("txw_"));
    assertThat(rewritten)
        .anyMatch(sql -> sql.startsWith("SELECT name, qty, ") && sql.contains("txw_rid"))
        .anyMatch(
            sql ->
                place.isPrepared()
                    ? sql.contains("UPDATE item SET qty = ?, txw_wl")
                    : sql.startsWith("UPDATE item SET qty = ?") && sql.contains(" returning "));
  }

  @OnEach({ServerKind.H2, ServerKind.POSTGRESQL})
  @DisplayName("51 p6spy by URL, on either side")
  void byUrl(Place place) throws SQLException {
    TestDatabase database = place.shop().watched();
    String rest = database.url.substring("jdbc:".length());
    String ours =
        (rest.contains(";") ? ";" : rest.contains("?") ? "&" : "?") + "txwatch.analyzer=none";
    for (String url : List.of("jdbc:txwatch:p6spy:" + rest, "jdbc:p6spy:txwatch:" + rest)) {
      SpyLog.TEXTS.clear();
      try (Connection connection = DriverManager.getConnection(url + ours);
          PreparedStatement read = connection.prepareStatement("SELECT * FROM item WHERE id = ?")) {
        assertThat(Watch.isWatched(connection)).isTrue();
        read.setInt(1, 1);
        assertThat(read.executeQuery().getMetaData().getColumnCount()).isEqualTo(3);
      }
      assertThat(SpyLog.TEXTS)
          .anyMatch(
              sql ->
                  sql.startsWith("SELECT *")
                      && sql.contains("txw_") == url.contains("txwatch:p6spy"));
    }
  }
}
