package io.txwatch.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DriversTest {

  /** A fuzzed DBMS reports by an error that its database was dropped. */
  @Test
  void reconnectThrowsTheDriversException() throws Exception {
    DatabaseOptions options = new DatabaseOptions();
    String url = "jdbc:h2:mem:drivers";
    try (Connection first = Drivers.connect(url, options);
        Connection again = Drivers.reconnect("jdbc:txwatch:h2:mem:drivers", options)) {
      first.createStatement().execute("CREATE TABLE t (id INT)");
      assertThat(again.createStatement().executeQuery("SELECT * FROM t").next()).isFalse();
    }

    assertThatThrownBy(() -> Drivers.reconnect("jdbc:h2:mem:missing;IFEXISTS=TRUE", options))
        .isInstanceOf(SQLException.class);
    assertThatThrownBy(() -> Drivers.connect("jdbc:h2:mem:missing;IFEXISTS=TRUE", options))
        .isInstanceOf(CommandException.class);
  }

  /** Drivers quote URLs in their messages. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "jdbc:h2:mem:shop;PASSWORD=Tralala;oops",
        "jdbc:h2:mem:shop;PASSWORD=Tralala;oops=1",
        "jdbc:h2:tcp://127.0.0.1:1/shop;USER=me;PASSWORD=Tralala",
        "jdbc:postgresql://127.0.0.1:oops/shop?user=me&password=Tralala",
        "jdbc:postgresql://127.0.0.1:1/shop?sslpassword=Tralala",
        "jdbc:mysql://me:Tralala@127.0.0.1:oops/shop",
        "jdbc:mysql://me:Tral@Tralala@127.0.0.1:1/shop",
        "jdbc:mysql://(host=127.0.0.1,port=oops,password=Tralala)/shop",
        "jdbc:mysql://127.0.0.1:1/shop?password=Tralala&useSSL=oops",
        "jdbc:mariadb://127.0.0.1:oops/shop?user=me&password=Tralala",
        "jdbc:mariadb://address=(host=127.0.0.1)(port=1)(password=Tralala)/shop",
        "jdbc:mariadb://me:Tralala@127.0.0.1:1/shop",
        "jdbc:sqlite:/nowhere/shop.db?password=Tralala",
        "jdbc:oracle:thin:me/Tralala@127.0.0.1:1521/shop"
      })
  void noPasswordIsInAMessage(String url) {
    for (String[] command :
        List.of(
            new String[] {"prepare", "--url", url, "--dry-run"},
            new String[] {"fuzz", "--url", url, "--cases", "1"})) {
      Invocation run = Invocation.of(command);
      assertThat(run.code()).isNotZero();
      assertThat(run.out() + run.err()).doesNotContain("Tralala");
    }
  }
}
