package io.txwatch.corpus.sent;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.servers.ServerKind;
import io.txwatch.servers.TestServers;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A difference is found, and what is none is not. */
class SentDifferencesTest {

  private static final String SET_UP = "Query SET autocommit=1";
  private static final List<String> ONE = List.of(SET_UP, "Query INSERT 1", "Query COMMIT");
  private static final List<String> OTHER = List.of(SET_UP, "Query SELECT 2");

  @Test
  void theOrderOfConnectionsDoesNotMatter() {
    SentDifferences found =
        SentDifferences.ofRuns(List.of(ONE, OTHER, ONE), List.of(OTHER, ONE, ONE));
    assertThat(found.differences()).isEmpty();
    assertThat(found.connections()).isEqualTo(3);
    assertThat(found.commands()).isEqualTo(8);
  }

  @Test
  void aCommandMoreIsFoundInAnyPlace() {
    for (int at = 0; at <= ONE.size(); at++) {
      List<String> more = new java.util.ArrayList<>(ONE);
      more.add(at, "Query SELECT 0");
      assertThat(SentDifferences.ofRuns(List.of(ONE, OTHER), List.of(more, OTHER)).differences())
          .singleElement()
          .asString()
          .contains("command " + (at + 1) + " of 3 raw, 4 watched");
      assertThat(SentDifferences.ofConnection(ONE, more).differences()).hasSize(1);
    }
  }

  @Test
  void aMissingAndAChangedCommandAreFound() {
    assertThat(SentDifferences.ofConnection(ONE, ONE.subList(0, 2)).differences()).hasSize(1);
    assertThat(
            SentDifferences.ofConnection(ONE, List.of(SET_UP, "Query INSERT  1", "Query COMMIT"))
                .differences())
        .hasSize(1);
    assertThat(SentDifferences.ofRuns(List.of(ONE, OTHER), List.of(ONE)).differences()).hasSize(1);
    assertThat(SentDifferences.ofRuns(List.of(ONE), List.of(ONE, ONE)).differences()).hasSize(1);
  }

  @Test
  void aConnectionThatSendsNothingOfTheApplicationIsOurs() {
    List<String> ours = List.of(SET_UP, "Query SELECT * FROM information_schema.columns");
    SentDifferences found = SentDifferences.ofRuns(List.of(ONE), List.of(ours, ONE));
    assertThat(found.differences()).isEmpty();
    assertThat(found.own()).containsExactly(ours);
    // Executions have no text, so that one of txwatch's may look like one of the application's.
    List<String> prepared = List.of("Prepare SELECT 9", "Execute #1 \0", "Close stmt #1 ", "Quit");
    List<String> ofApplication = List.of("Prepare SELECT 8", "Execute #1 \0", "Quit");
    found = SentDifferences.ofRuns(List.of(ofApplication), List.of(prepared, ofApplication));
    assertThat(found.differences()).isEmpty();
    assertThat(found.own()).containsExactly(prepared);
    // The database's name is sent by either.
    List<String> named = List.of("Init DB shop", SET_UP, "Query SELECT 1");
    found =
        SentDifferences.ofRuns(
            List.of(named), List.of(List.of("Init DB shop", "Binlog Dump"), named));
    assertThat(found.differences()).isEmpty();
    // One of the application's that we used instead is missing.
    assertThat(
            SentDifferences.ofRuns(List.of(ONE, List.of(SET_UP)), List.of(ONE, ours)).differences())
        .hasSize(1);
  }

  @Test
  void executionsAreRecordedWithTheirValuesAndSettings() throws SQLException {
    try (Connection real = DriverManager.getConnection(TestServers.freshDatabase(ServerKind.H2))) {
      RecordedConnection recorded = RecordedConnection.of(real);
      try (PreparedStatement statement = recorded.connection().prepareStatement("SELECT ?")) {
        statement.setInt(1, 4);
        statement.setFetchSize(9);
        statement.executeQuery().close();
        statement.setLong(1, 4);
        statement.executeQuery().getMetaData();
      }
      try (Statement statement = recorded.connection().createStatement()) {
        statement.addBatch("SET @A = 1");
        statement.executeBatch();
      }
      assertThat(recorded.sent())
          .containsExactly(
              "prepareStatement(\"SELECT ?\")",
              "#1 executeQuery() SELECT ? {1=setInt(Integer 1, Integer 4)}[setFetchSize(Integer 9)]",
              "#1 executeQuery() SELECT ? {1=setLong(Integer 1, Long 4)}[setFetchSize(Integer 9)]",
              "#1 close()",
              "createStatement()",
              "#2 executeBatch()  [addBatch(\"SET @A = 1\")][]",
              "#2 close()");
    }
  }
}
