package io.txwatch.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.txwatch.endtoend.ApplicationLog.Id;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/**
 * What was reported of a {@link LoggedLoad}, beside what the application logged.
 *
 * @param log what follows from the log alone
 * @param reported the anomalies; deadlocks are left out
 * @param rows for each table, from txwatch's row ids to the rows of the log
 */
record LoggedRun(
    ApplicationLog log, List<ReportedAnomaly> reported, Map<String, Map<Long, Long>> rows) {

  /** A deadlock is none of isolation: the load tries again. */
  LoggedRun {
    reported =
        reported.stream().filter(anomaly -> !anomaly.phenomenon().equals("DEADLOCK")).toList();
  }

  /** The rows of the tables, by the column that txwatch knows them by. */
  static Map<String, Map<Long, Long>> rows(String url, LoggedLoad.Rows rows, String... tables)
      throws SQLException {
    Map<String, Map<Long, Long>> all = new HashMap<>();
    for (String table : tables) {
      Map<Long, Long> ofTable = new HashMap<>();
      try (Connection connection = DriverManager.getConnection(url);
          Statement statement = connection.createStatement();
          ResultSet row = statement.executeQuery("SELECT id FROM " + table)) {
        while (row.next()) {
          ofTable.put(row.getLong(1), rows.of(table, row.getInt(1)));
        }
      }
      all.put(table, ofTable);
    }
    return all;
  }

  /** The dependencies of an anomaly: {@code Balance -rw-> WriteCheck}. */
  static List<String> operations(ReportedAnomaly anomaly) {
    Map<String, String> names = names(anomaly);
    List<String> edges = new ArrayList<>();
    for (ReportedAnomaly.Edge edge : anomaly.cycle()) {
      edges.add(
          "%s -%s-> %s"
              .formatted(
                  LoggedLoad.operation(name(names, edge.from())),
                  edge.kind(),
                  LoggedLoad.operation(name(names, edge.to()))));
    }
    return edges;
  }

  private static Map<String, String> names(ReportedAnomaly anomaly) {
    Map<String, String> names = new HashMap<>();
    for (JsonNode transaction : anomaly.json().path("transactions")) {
      names.put(transaction.path("id").asText(), transaction.path("name").asText());
    }
    return names;
  }

  private static String name(Map<String, String> names, String id) {
    return Objects.requireNonNull(names.get(id));
  }

  /**
   * Every dependency of every anomaly is in the log, and of each set of transactions that the log
   * shows in a cycle some are reported.
   */
  void assertThatTheLogAgrees() {
    Set<Id> accused = new HashSet<>();
    for (ReportedAnomaly anomaly : reported) {
      Map<String, String> names = names(anomaly);
      assertThat(anomaly.possible()).as("%s", anomaly).isFalse();
      for (ReportedAnomaly.Edge edge : anomaly.cycle()) {
        Id from = LoggedLoad.id(name(names, edge.from()));
        Id to = LoggedLoad.id(name(names, edge.to()));
        Long row = Objects.requireNonNull(rows.get(edge.table())).get(edge.row());
        assertThat(log.hasEdge(from, to, edge.kind(), Optional.of(Objects.requireNonNull(row))))
            .as("%s of %s", edge, anomaly)
            .isTrue();
        accused.add(from);
      }
    }
    for (Set<Id> tangle : log.tangles()) {
      assertThat(accused).containsAnyElementsOf(tangle);
    }
  }
}
