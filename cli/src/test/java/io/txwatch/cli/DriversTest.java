package io.txwatch.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import java.sql.SQLException;
import org.junit.jupiter.api.Test;

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
}
