package io.txwatch.dbms.h2;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Set;
import org.junit.jupiter.api.Test;

class H2FeaturesTest {

  /** What a probe missed would not be tested any more. */
  @Test
  void theBundledVersionLacksNothing() throws SQLException {
    try (Connection connection = DriverManager.getConnection("jdbc:h2:mem:")) {
      assertThat(H2Features.of(connection)).isEqualTo(new H2Features(Set.of(), true, true));
    }
  }
}
