package io.txwatch.predict;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.anomaly.Phenomenon;
import io.txwatch.capture.Pipeline;
import io.txwatch.history.HistoryReader;
import io.txwatch.rules.Promise;
import io.txwatch.settings.Settings;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Properties;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the history of one client shows, as the driver records it. */
class RecordedHistoryTest {

  private final Properties settings = new Properties();

  /** What an application does with a connection that is not in autocommit mode. */
  private interface Work {
    void execute(Connection connection) throws SQLException;
  }

  private List<OperationTemplate> recorded(String name, Path folder, Work work) throws Exception {
    Path file = folder.resolve("history.txw");
    settings.setProperty("txwatch.history", file.toString());
    settings.setProperty("txwatch.log", "none");
    try (Connection connection =
            DriverManager.getConnection("jdbc:txwatch:h2:mem:" + name, settings);
        Statement statement = connection.createStatement()) {
      statement.execute("CREATE TABLE account (id INT PRIMARY KEY, owner INT, balance INT)");
      statement.execute("CREATE TABLE seat (id INT PRIMARY KEY, booked_by VARCHAR)");
      statement.execute("CREATE TABLE doctor (id INT PRIMARY KEY, shift INT, on_call INT)");
      statement.execute("INSERT INTO account VALUES (1, 1, 100), (2, 1, 100), (3, 2, 100)");
      statement.execute("INSERT INTO seat VALUES (1, NULL), (2, NULL)");
      statement.execute("INSERT INTO doctor VALUES (1, 1, 1), (2, 1, 1)");
      connection.setAutoCommit(false);
      work.execute(connection);
    }
    Pipeline.of(Settings.ofUrlProperties(settings)).close();
    TemplateCollector collector = new TemplateCollector();
    try (HistoryReader reader = HistoryReader.open(file)) {
      reader.forEach(collector::accept);
    }
    return collector.templates();
  }

  private static void withdrawAndTransfer(Connection connection) throws SQLException {
    for (int account = 1; account <= 2; account++) {
      withdraw(connection, account, "");
      withdraw(connection, account, " FOR UPDATE");
      transfer(connection, account, account + 1);
    }
  }

  private static void withdraw(Connection connection, int account, String lock)
      throws SQLException {
    execute(connection, "SELECT balance FROM account WHERE id = ?" + lock, account);
    execute(connection, "UPDATE account SET balance = 90 WHERE id = ?", account);
    connection.commit();
  }

  private static void transfer(Connection connection, int from, int to) throws SQLException {
    execute(connection, "UPDATE account SET balance = balance - 1 WHERE id = ?", from);
    execute(connection, "UPDATE account SET balance = balance + 1 WHERE id = ?", to);
    connection.commit();
  }

  private static void execute(Connection connection, String sql, int key) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      statement.setInt(1, key);
      if (statement.execute()) {
        while (statement.getResultSet().next()) {
          statement.getResultSet().getInt(1);
        }
      }
    }
  }

  private static OperationTemplate startingWith(List<OperationTemplate> templates, String sql) {
    return templates.stream()
        .filter(one -> one.statements().get(0).sql().startsWith(sql))
        .findFirst()
        .orElseThrow();
  }

  private static List<String> keys(OperationTemplate template) {
    return template.statements().stream()
        .map(statement -> statement.accesses().get(0).key().toString())
        .toList();
  }

  /** By the rows that statements read and write, and by the values that they compare. */
  @ParameterizedTest
  @ValueSource(strings = {"inline", "predicates"})
  void oneClientShowsWhatCouldRace(String level, @TempDir Path folder) throws Exception {
    settings.setProperty("txwatch.instrument", level);
    if (level.equals("predicates")) {
      settings.setProperty("txwatch.versions", "columns");
      settings.setProperty("txwatch.prepare", "auto");
    }

    List<OperationTemplate> templates =
        recorded("predict_" + level, folder, RecordedHistoryTest::withdrawAndTransfer);

    OperationTemplate withdraw =
        startingWith(templates, "SELECT balance FROM account WHERE id = ?");
    OperationTemplate transfer = startingWith(templates, "UPDATE account");
    assertThat(withdraw.seen()).isEqualTo(2);
    assertThat(keys(withdraw)).containsExactly("{id=id}", "{id=id}");
    assertThat(keys(transfer)).containsExactly("{id=id}", "{id=id2}");

    Prediction prediction = CandidateSearch.search(templates, Promise.Kind.COMMITTED_BY_STATEMENT);
    assertThat(prediction.candidates())
        .allMatch(race -> race.phenomenon() == Phenomenon.LOST_UPDATE)
        .allMatch(race -> race.operations().get(0).equals(withdraw))
        .hasSize(3);
    assertThat(prediction.ruledOut()).anyMatch(one -> one.reason() == RuledOut.Reason.LOCKED);
    assertThat(CandidateSearch.search(templates, Promise.Kind.SNAPSHOT).candidates()).isEmpty();
  }

  /** The statements of the demo's services, each executed twice, with the settings as they are. */
  @Test
  void racesOfTheDemoAreCandidates(@TempDir Path folder) throws Exception {
    List<OperationTemplate> templates =
        recorded(
            "predict_demo",
            folder,
            connection -> {
              for (int id = 1; id <= 2; id++) {
                execute(connection, "SELECT booked_by FROM seat WHERE id = ?", id);
                execute(connection, "UPDATE seat SET booked_by = 'c' WHERE id = ?", id);
                connection.commit();
                execute(connection, "SELECT id FROM doctor WHERE shift = ? AND on_call = 1", 1);
                execute(connection, "UPDATE doctor SET on_call = 0 WHERE id = ?", id);
                connection.commit();
                for (int account = 1; account <= 3; account++) {
                  execute(connection, "SELECT owner, balance FROM account WHERE id = ?", account);
                }
                connection.commit();
                withdraw(connection, id, "");
                transfer(connection, id, id + 1);
              }
            });

    assertThat(found(templates, Promise.Kind.COMMITTED_BY_STATEMENT))
        .contains("lost update SEAT", "G2 DOCTOR", "lost update ACCOUNT", "read skew ACCOUNT");
    assertThat(found(templates, Promise.Kind.SNAPSHOT)).containsExactly("G2 DOCTOR");
  }

  private static List<String> found(List<OperationTemplate> templates, Promise.Kind promise) {
    return CandidateSearch.search(templates, promise).candidates().stream()
        .map(race -> race.phenomenon().term() + " " + race.conflicts().get(0).table())
        .distinct()
        .toList();
  }
}
