package io.txwatch.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.settings.ObservationLevel;
import io.txwatch.settings.Setting;
import io.txwatch.settings.Settings;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Map;
import javax.sql.PooledConnection;
import org.h2.jdbc.JdbcConnection;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/** The level that is set while the process runs, which all connections of the process share. */
@Isolated
class ObservationLevelTest {

  /** Connections that are open keep their level. */
  @Test
  void connectionsThatAreOpenedAfterwardsHaveIt() throws SQLException {
    String url = "jdbc:txwatch:h2:mem:?txwatch.analyzer=none";
    try (Connection before = DriverManager.getConnection(url)) {
      ObservationLevel.change("off");
      try (Connection off = DriverManager.getConnection(url)) {
        assertThat(off).isInstanceOf(JdbcConnection.class);
      }
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
}
