package io.txwatch.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.txwatch.settings.Setting;
import io.txwatch.settings.Settings;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Map;
import java.util.Properties;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The URL and what becomes of it. */
class TxWatchDriverTest {

  @ParameterizedTest
  @CsvSource({
    "jdbc:txwatch:h2:mem:a, jdbc:h2:mem:a",
    "jdbc:txwatch:postgresql://h/d?txwatch.log=none, jdbc:postgresql://h/d",
    "jdbc:txwatch:postgresql://h/d?txwatch.log=none&ssl=true&a=b, jdbc:postgresql://h/d?ssl=true&a=b",
    "jdbc:txwatch:postgresql://h/d?ssl=true&txwatch.log=none&a=b, jdbc:postgresql://h/d?ssl=true&a=b",
    "jdbc:txwatch:postgresql://h/d?txwatch.log=none&txwatch.x=1&a=b, jdbc:postgresql://h/d?a=b",
    "jdbc:txwatch:h2:mem:a;MODE=MySQL;txwatch.log=none;A=B, jdbc:h2:mem:a;MODE=MySQL;A=B",
    "jdbc:txwatch:p6spy:h2:mem:a, jdbc:p6spy:h2:mem:a",
  })
  void takesOursOut(String url, String real) {
    assertThat(TxWatchUrl.parse(url).real()).isEqualTo(real);
  }

  @Test
  void acceptsUrlsWithItsPrefix() {
    assertThat(
            TxWatchUrl.parse("jdbc:txwatch:h2:mem:a?txwatch.history=/a%20b/c+d&x=1").properties())
        .containsExactly(Map.entry("txwatch.history", "/a b/c+d"));
  }

  @Test
  void watchesWhatTheRealDriverOpens() throws SQLException {
    try (Connection connection =
        DriverManager.getConnection("jdbc:txwatch:h2:mem:?txwatch.analyzer=none")) {
      assertThat(Watch.isWatched(connection)).isTrue();
      assertThat(connection.unwrap(org.h2.jdbc.JdbcConnection.class).isClosed()).isFalse();
      Settings settings = Settings.of(Map.of());
      assertThat(
              Watch.connection(
                  connection, "", "", () -> DriverManager.getConnection("jdbc:h2:mem:"), settings))
          .isSameAs(connection);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "h2:mem:a;MODE=MySQL, ;txwatch.analyzer=none",
    "sqlite::memory:, ?txwatch.analyzer=none",
    "h2:mem:a;MODE=MySQL, ;txwatch.instrument=off"
  })
  void driverAndMetadataAreAsTheyAreUnwatched(String url, String ours) throws SQLException {
    String watched = "jdbc:txwatch:" + url + ours;
    assertThat(DriverManager.getDriver(watched).jdbcCompliant())
        .isEqualTo(DriverManager.getDriver("jdbc:" + url).jdbcCompliant());
    try (Connection raw = DriverManager.getConnection("jdbc:" + url);
        Connection connection = DriverManager.getConnection(watched)) {
      assertThat(connection.getMetaData().getURL()).isEqualTo(raw.getMetaData().getURL());
    }
  }

  @Test
  void offReturnsTheRealConnection() throws SQLException {
    Properties properties = new Properties();
    properties.setProperty(Setting.INSTRUMENT.key(), "off");
    try (Connection connection = DriverManager.getConnection("jdbc:txwatch:h2:mem:", properties)) {
      assertThat(connection).isInstanceOf(org.h2.jdbc.JdbcConnection.class);
    }
  }

  @Test
  void badUrlsAreReportedInOneLine() {
    assertThatThrownBy(() -> DriverManager.getConnection("jdbc:txwatch:nosuch://h/d?password=x"))
        .isInstanceOf(SQLException.class)
        .hasMessageStartingWith("jdbc:txwatch: no JDBC driver for jdbc:nosuch://h/d:")
        .hasMessageNotContaining("password")
        .hasMessageNotContaining("\n");
    assertThatThrownBy(() -> DriverManager.getConnection("jdbc:txwatch:h2:mem:?txwatch.historie=x"))
        .isInstanceOf(SQLException.class)
        .hasMessageContaining("txwatch.history")
        .hasMessageNotContaining("\n");
  }

  @Test
  void anErrorOfTheRealDriverComesThrough() {
    assertThatThrownBy(
            () -> DriverManager.getConnection("jdbc:txwatch:h2:file:/nosuch/x;IFEXISTS=TRUE"))
        .isInstanceOf(org.h2.jdbc.JdbcSQLNonTransientConnectionException.class);
    assertThatThrownBy(() -> DriverManager.getConnection("jdbc:txwatch:postgresql://127.0.0.1:1/x"))
        .isInstanceOf(org.postgresql.util.PSQLException.class)
        .extracting(e -> ((SQLException) e).getSQLState())
        .isEqualTo("08001");
  }

  @Test
  void dataSourcesWatchToo() throws SQLException {
    TxWatchDataSource byUrl = new TxWatchDataSource();
    assertThatThrownBy(byUrl::getConnection).isInstanceOf(SQLException.class);
    byUrl.setUrl("jdbc:h2:mem:");
    byUrl.setProperty(Setting.ANALYZER.key(), "none");
    org.h2.jdbcx.JdbcDataSource h2 = new org.h2.jdbcx.JdbcDataSource();
    h2.setURL("jdbc:h2:mem:");
    TxWatchDataSource wrapping = new TxWatchDataSource(h2);
    wrapping.setProperty(Setting.ANALYZER.key(), "none");
    try (Connection one = byUrl.getConnection();
        Connection other = wrapping.getConnection()) {
      assertThat(Watch.isWatched(one)).isTrue();
      assertThat(Watch.isWatched(other)).isTrue();
    }
  }
}
