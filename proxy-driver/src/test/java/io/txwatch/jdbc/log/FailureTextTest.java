package io.txwatch.jdbc.log;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.SQLException;
import org.junit.jupiter.api.Test;

class FailureTextTest {

  @Test
  void errorIsShownByItsStateAndPlace() {
    SQLException error = new SQLException("invalid input syntax: \"secret\"", "22P02", 7);
    assertThat(FailureText.of(error))
        .startsWith("java.sql.SQLException, SQLState 22P02, code 7 at io.txwatch.jdbc.log.Failure")
        .doesNotContain("secret");
  }

  @Test
  void messageOfAFaultIsLeftOut() {
    NumberFormatException fault = new NumberFormatException("For input string: \"secret\"");
    assertThat(FailureText.of(fault))
        .startsWith("java.lang.NumberFormatException at ")
        .doesNotContain("secret");
  }
}
