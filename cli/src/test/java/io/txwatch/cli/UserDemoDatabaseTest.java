package io.txwatch.cli;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import java.sql.Statement;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class UserDemoDatabaseTest {

  @ParameterizedTest
  @ValueSource(strings = {"jdbc:h2:mem:ofUser;DB_CLOSE_DELAY=-1", "jdbc:hsqldb:mem:ofUser"})
  void dropsItsTablesAtTheEndAndNoOthers(String url) throws Exception {
    DatabaseOptions options = new DatabaseOptions();
    try (Connection connection = Drivers.connect(url, options);
        Statement statement = connection.createStatement()) {
      DemoDatabase demo = DemoDatabase.ofUser(url, options);
      statement.execute("CREATE TABLE account (id INT)");
      statement.execute("CREATE TABLE kept (id INT)");
      assertThatThrownBy(() -> DemoDatabase.ofUser(url, options))
          .isInstanceOf(CommandException.class)
          .hasMessageContaining("has tables of the names that the demo makes and drops (account)");

      demo.close();
      statement.execute("CREATE TABLE account (id INT)");
      statement.execute("DROP TABLE kept");
    }
  }
}
