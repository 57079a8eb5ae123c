package io.txwatch.hazard;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.txwatch.history.Event;
import io.txwatch.history.Outcome;
import io.txwatch.jdbc.TestDatabase;
import io.txwatch.jdbc.Watch;
import io.txwatch.rewrite.RewritePlanner.Level;
import io.txwatch.servers.ServerKind;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.DisplayName;

/** Pools above, poolers below, and other interceptors beside. */
class PoolsTest {

  private static HikariDataSource pool(Twins.Connections connections) {
    HikariConfig config = new HikariConfig();
    config.setMaximumPoolSize(1);
    config.setDataSource(new OpeningDataSource(connections));
    return new HikariDataSource(config);
  }

  @OnEach
  @DisplayName("43 a pool takes the connection back and hands it out again")
  void returned(Place place) throws SQLException {
    TestDatabase watched =
        place
            .shop()
            .serve(
                (connections, transcript) -> {
                  try (HikariDataSource pool = pool(connections)) {
                    try (Connection connection = pool.getConnection()) {
                      connection.setAutoCommit(false);
                      TestDatabase.execute(connection, "UPDATE item SET qty = 1 WHERE id = 1");
                      transcript.line("valid " + connection.isValid(5));
                    } // rolls back
                    try (Connection connection = pool.getConnection()) {
                      transcript.line("auto " + connection.getAutoCommit());
                      TestDatabase.execute(connection, "UPDATE item SET qty = 2 WHERE id = 2");
                      if (place.is(ServerKind.POSTGRESQL)) {
                        TestDatabase.execute(connection, "DISCARD ALL");
                      }
                    }
                    try (Connection connection = pool.getConnection();
                        PreparedStatement read =
                            connection.prepareStatement("SELECT * FROM item ORDER BY id")) {
                      transcript.rows(read.executeQuery());
                    }
                  }
                });
    assertThat(watched.events(Event.TransactionEnded.class))
        .extracting(Event.TransactionEnded::outcome)
        .startsWith(Outcome.ABORTED, Outcome.COMMITTED)
        .endsWith(Outcome.COMMITTED);
    assertThat(watched.statements())
        .extracting(Event.StatementExecuted::transaction)
        .doesNotHaveDuplicates();
    assertThat(watched.events(Event.SessionOpened.class)).hasSize(1);
  }

  @OnEach({ServerKind.POSTGRESQL, ServerKind.MARIADB, ServerKind.MYSQL})
  @DisplayName("44 no state of ours in the server's session: a pooler may change it at a commit")
  void noSessionState(Place place) throws SQLException {
    List<String> state =
        place.is(ServerKind.POSTGRESQL)
            ? List.of(
                "SELECT name, setting FROM pg_settings WHERE source = 'session' ORDER BY name",
                "SELECT COUNT(*) FROM pg_prepared_statements",
                "SELECT COUNT(*) FROM pg_locks WHERE locktype = 'advisory'"
                    + " AND pid = pg_backend_pid()",
                "SELECT COUNT(*) FROM pg_class WHERE relpersistence = 't'",
                "SELECT COUNT(*) FROM pg_cursors WHERE name <> ''")
            : List.of(
                "SHOW SESSION VARIABLES WHERE Variable_name NOT IN ('pseudo_thread_id',"
                    + " 'timestamp', 'rand_seed1', 'rand_seed2', 'last_insert_id', 'identity',"
                    + " 'insert_id', 'last_gtid', 'gtid_binlog_pos', 'gtid_current_pos',"
                    + " 'gtid_executed', 'pseudo_replica_mode', 'gtid_purged',"
                    + " 'statement_id', 'innodb_buffer_pool_load_now')");
    place
        .shop()
        .serve(
            place.is(ServerKind.POSTGRESQL) ? "prepareThreshold=0" : "",
            (connections, transcript) -> {
              try (Connection connection = connections.open();
                  Statement statement = connection.createStatement();
                  PreparedStatement write =
                      connection.prepareStatement("UPDATE item SET qty = ? WHERE id = 1")) {
                connection.setAutoCommit(false);
                for (int i = 0; i < 7; i++) {
                  write.setInt(1, i);
                  write.executeUpdate();
                  statement.executeUpdate("DELETE FROM line WHERE id = " + i);
                  statement.executeQuery("SELECT DISTINCT qty FROM item").close();
                  connection.commit();
                }
                for (String sql : state) {
                  try (ResultSet rows = statement.executeQuery(sql)) {
                    while (rows.next()) {
                      String last = rows.getString(rows.getMetaData().getColumnCount());
                      transcript.line(rows.getString(1) + " " + last);
                    }
                  }
                }
                connection.commit();
              }
            });
  }

  @OnEach
  @DisplayName("51 the innermost watches, once")
  void once(Place place) throws SQLException {
    TestDatabase watched = place.shop().watched();
    try (HikariDataSource pool = pool(watched::watched);
        Connection handle = pool.getConnection();
        Statement statement = handle.createStatement()) {
      assertThat(Watch.isWatched(handle)).isTrue();
      assertThat(Watch.connection(handle, watched.url, "", watched::raw, place.shop().settings()))
          .isSameAs(handle);
      statement.executeUpdate("UPDATE item SET qty = 1 WHERE id = 1");
    }
    assertThat(watched.statements()).hasSize(1);
    assertThat(watched.events(Event.SessionOpened.class)).hasSize(1);
  }

  /** A connection that notes the methods that are called on it and on its statements. */
  private static Connection noting(Connection real, List<String> calls) {
    return (Connection)
        Proxy.newProxyInstance(
            PoolsTest.class.getClassLoader(),
            new Class<?>[] {Connection.class},
            (proxy, method, arguments) -> {
              calls.add(method.getName());
              try {
                return method.invoke(real, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  @OnEach
  @DisplayName("52 no metadata is asked of the application's connection once it is under way")
  void noMetadata(Place place) throws SQLException {
    if (place.level() != Level.INLINE) {
      return; // from items on, statements of ours stand beside the application's
    }
    TestDatabase watched = place.shop().watched();
    List<String> calls = new ArrayList<>();
    try (Connection connection = watched.watched(noting(watched.raw(), calls))) {
      for (int round = 0; round < 4; round++) {
        if (round == 2) {
          calls.clear(); // PostgreSQL has met the text that does not ask for its row, too
        }
        try (PreparedStatement read =
                connection.prepareStatement("SELECT * FROM item WHERE id = ?");
            PreparedStatement write =
                connection.prepareStatement("UPDATE item SET qty = ? WHERE id = ?")) {
          read.setInt(1, 1);
          read.executeQuery().close();
          write.setInt(1, round);
          write.setInt(2, 1);
          write.executeUpdate();
        }
      }
      Set<String> kinds = new TreeSet<>(calls);
      assertThat(calls.stream().filter(call -> call.startsWith("prepare"))).hasSize(4);
      // H2 undoes a query that writes by a savepoint only within a transaction; this is none.
      assertThat(kinds).containsExactly("prepareStatement");
    }
  }

  @OnEach(ServerKind.POSTGRESQL)
  @DisplayName("53 a column that somebody adds while statements are prepared on the server")
  void columnsBeforeTraffic(Place place) throws SQLException {
    Twins twins = place.of("CREATE TABLE early (a INT PRIMARY KEY)");
    TestDatabase watched = twins.watched();
    String url = watched.url + "&prepareThreshold=1";
    try (Connection raw = DriverManager.getConnection(url);
        Connection seen = watched.watched(DriverManager.getConnection(url), twins.settings())) {
      TestDatabase.execute(raw, "CREATE TABLE late (b INT PRIMARY KEY)");
      for (Connection connection : List.of(raw, seen)) {
        connection.setAutoCommit(false);
      }
      try (PreparedStatement one = raw.prepareStatement("SELECT * FROM late");
          PreparedStatement two = seen.prepareStatement("SELECT * FROM late")) {
        raw.commit();
        for (PreparedStatement statement : List.of(one, two)) {
          statement.executeQuery().close();
          statement.executeQuery().close();
          statement.getConnection().commit();
        }
        try (Connection other = watched.raw()) {
          TestDatabase.execute(other, "ALTER TABLE late ADD COLUMN c INT");
        }
        // The server refuses them, raw and watched alike.
        for (PreparedStatement statement : List.of(one, two)) {
          try (ResultSet rows = statement.executeQuery()) {
            throw new AssertionError("no error: " + rows.getMetaData().getColumnCount());
          } catch (SQLException error) {
            assertThat(error.getSQLState()).isEqualTo("0A000");
            assertThat(error.getMessage()).contains("cached plan must not change result type");
          }
          statement.getConnection().rollback();
        }
      }
    }
    // A connection that is opened afterwards has nothing of that.
    try (Connection fresh = watched.watched();
        PreparedStatement statement = fresh.prepareStatement("SELECT * FROM late")) {
      assertThat(statement.getMetaData().getColumnCount()).isEqualTo(2);
      assertThat(statement.executeQuery().getMetaData().getColumnCount()).isEqualTo(2);
    }
  }
}
