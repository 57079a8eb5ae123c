package io.txwatch.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.settings.ObservationLevel;
import io.txwatch.settings.Setting;
import io.txwatch.settings.Settings;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import javax.sql.PooledConnection;
import org.h2.jdbc.JdbcConnection;
import org.h2.jdbc.JdbcPreparedStatement;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/** The level that is set while the process runs, which all connections of the process share. */
@Isolated
class ObservationLevelTest {

  /** Those that are opened while it is off stay the driver's own. */
  @Test
  void connectionsThatAreOpenedAfterwardsHaveIt() throws SQLException {
    String url = "jdbc:txwatch:h2:mem:?txwatch.analyzer=none";
    try (Connection before = DriverManager.getConnection(url)) {
      ObservationLevel.change("off");
      try (Connection off = DriverManager.getConnection(url)) {
        assertThat(off).isInstanceOf(JdbcConnection.class);
        assertThat(ObservationLevel.exceptions()).as("switched off, as wanted").isEmpty();
        ObservationLevel.change("inline");
        assertThat(ObservationLevel.exceptions())
            .isEqualTo(
                "1 connection that was opened while it was off is not watched until the pool"
                    + " replaces it");
      }
      assertThat(ObservationLevel.exceptions()).isEmpty();
      assertThat(Watch.isWatched(before)).isTrue();
      ObservationLevel.change("predicates");
      try (Connection again =
          DriverManager.getConnection(url.replace("none", "none&txwatch.instrument=off"))) {
        assertThat(Watch.isWatched(again)).isTrue();
      }
    } finally {
      ObservationLevel.reset();
    }
  }

  @Test
  void pooledConnectionsThatAreOpenedAfterwardsHaveIt() throws SQLException {
    JdbcDataSource source = new JdbcDataSource();
    source.setURL("jdbc:h2:mem:levels");
    Settings settings = Settings.of(Map.of(Setting.ANALYZER, "none"));
    try {
      for (String level : new String[] {"off", "inline"}) {
        ObservationLevel.change(level);
        PooledConnection pooled =
            Watch.pooled(source.getPooledConnection(), "", source::getConnection, settings);
        try (Connection handle = pooled.getConnection()) {
          assertThat(Watch.isWatched(handle)).as(level).isEqualTo(!level.equals("off"));
        }
        pooled.close();
      }
    } finally {
      ObservationLevel.reset();
    }
  }

  /** A statement that is prepared once is sent as the level of each transaction wants it. */
  @Test
  void preparedStatementFollowsBetweenTransactions() throws SQLException {
    String url = "jdbc:txwatch:h2:mem:?txwatch.analyzer=none&txwatch.prepare=auto";
    try (Connection connection = DriverManager.getConnection(url);
        Statement statement = connection.createStatement()) {
      statement.execute("CREATE TABLE t (id INT PRIMARY KEY, n INT)");
      statement.execute("INSERT INTO t VALUES (1, 1)");
      connection.setAutoCommit(false);
      String sql = "UPDATE t SET n = n + 1 WHERE id = ?";
      try (PreparedStatement update = connection.prepareStatement(sql)) {
        assertThat(sent(update)).contains("txw_");
        ObservationLevel.change("off");
        assertThat(sent(update)).as("in the middle of a transaction").contains("txw_");
        connection.commit();
        assertThat(sent(update)).doesNotContain("txw_").contains(sql);
        connection.rollback();
        ObservationLevel.change("predicates");
        assertThat(sent(update)).contains("txw_");
        connection.commit();
      }
    } finally {
      ObservationLevel.reset();
    }
  }

  private static String sent(PreparedStatement update) throws SQLException {
    update.setInt(1, 1);
    assertThat(update.executeUpdate()).isOne();
    return update.unwrap(JdbcPreparedStatement.class).toString();
  }
}
