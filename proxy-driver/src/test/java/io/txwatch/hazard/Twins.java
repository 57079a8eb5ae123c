package io.txwatch.hazard;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.history.Event;
import io.txwatch.history.GapReason;
import io.txwatch.jdbc.TestDatabase;
import io.txwatch.jdbc.Transcript;
import io.txwatch.servers.TestServers;
import io.txwatch.settings.Setting;
import io.txwatch.settings.Settings;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Two databases with the same in them: one that nobody prepared, which an application uses raw, and
 * a prepared one, which it uses watched. What it sees must be the same.
 *
 * @param place the DBMS and the level
 * @param setup what makes them
 */
record Twins(Place place, List<String> setup) {

  /** What an application does with a connection. */
  interface Application {
    void run(Connection connection, Transcript transcript) throws SQLException;
  }

  /** What an application does that opens its connections itself. */
  interface Service {
    void run(Connections connections, Transcript transcript) throws SQLException;
  }

  /** Opens connections to one of the twins. */
  interface Connections {
    Connection open() throws SQLException;
  }

  /**
   * Executes the texts twice, as plain statements and as prepared ones, each in autocommit and in a
   * transaction that is rolled back; those that change something find it changed the second time,
   * and fail as they do raw.
   *
   * @return the watched one, with what was observed
   */
  TestDatabase run(String... texts) throws SQLException {
    return run(
        (connection, transcript) -> {
          connection.setAutoCommit(false);
          execute(connection, transcript, List.of(texts));
          connection.rollback();
          connection.setAutoCommit(true);
          execute(connection, transcript, List.of(texts));
        });
  }

  private static void execute(Connection connection, Transcript transcript, List<String> texts)
      throws SQLException {
    for (String sql : texts) {
      transcript.step(
          sql, () -> undoneIfItFails(connection, () -> plain(connection, transcript, sql)));
    }
    for (String sql : texts) {
      transcript.step(
          "prepared " + sql,
          () -> undoneIfItFails(connection, () -> prepared(connection, transcript, sql)));
    }
  }

  /** So that on PostgreSQL, too, what comes next in the transaction has something to say. */
  private static void undoneIfItFails(Connection connection, Transcript.Step step)
      throws SQLException {
    if (connection.getAutoCommit()) {
      step.run();
      return;
    }
    Savepoint before = connection.setSavepoint();
    try {
      step.run();
    } catch (SQLException e) {
      connection.rollback(before);
      throw e;
    }
  }

  private static void plain(Connection connection, Transcript transcript, String sql)
      throws SQLException {
    try (Statement statement = connection.createStatement()) {
      transcript.results(statement, statement.execute(sql));
    }
  }

  private static void prepared(Connection connection, Transcript transcript, String sql)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      transcript.parameters(statement.getParameterMetaData());
      transcript.metaData(statement.getMetaData());
      transcript.results(statement, statement.execute());
    }
  }

  /** Runs an application on each, and compares. */
  TestDatabase run(Application application) throws SQLException {
    return serve(
        (connections, transcript) -> {
          try (Connection connection = connections.open()) {
            application.run(connection, transcript);
          }
        });
  }

  /** Runs an application that opens its own connections on each, and compares. */
  TestDatabase serve(Service service) throws SQLException {
    return serve("", service);
  }

  /**
   * The same with a URL that has more parameters, as the vendor's driver has them.
   *
   * @param parameters "a=b", or empty
   */
  TestDatabase serve(String parameters, Service service) throws SQLException {
    String rawUrl = TestServers.freshDatabase(place.kind());
    try (Connection raw = DriverManager.getConnection(rawUrl)) {
      TestDatabase.execute(raw, setup.toArray(String[]::new));
    }
    Transcript expected = new Transcript();
    service.run(() -> DriverManager.getConnection(with(rawUrl, parameters)), expected);
    TestDatabase watched = watched();
    Transcript actual = new Transcript();
    service.run(
        () ->
            watched.watched(DriverManager.getConnection(with(watched.url, parameters)), settings()),
        actual);
    assertThat(String.join("\n", Transcript.differences(expected, actual))).isEmpty();
    assertThat(faults(watched)).isEmpty();
    return watched;
  }

  /** The twin that is watched, alone. */
  TestDatabase watched() throws SQLException {
    return place.isPrepared()
        ? TestDatabase.of(place.kind(), setup.toArray(String[]::new))
        : TestDatabase.at(place.kind(), TestServers.freshDatabase(place.kind()), setup);
  }

  /** The settings that ask for the level. */
  Settings settings() {
    return Settings.of(Map.of(Setting.INSTRUMENT, place.level().name().toLowerCase(Locale.ROOT)));
  }

  private static String with(String url, String parameters) {
    return parameters.isEmpty() ? url : url + (url.contains("?") ? "&" : "?") + parameters;
  }

  private static List<Event.Gap> faults(TestDatabase watched) {
    return new ArrayList<>(watched.events(Event.Gap.class))
        .stream().filter(gap -> gap.reason() == GapReason.FAULT).toList();
  }
}
