package io.txwatch.format;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.anomaly.Anomaly;
import io.txwatch.history.IsolationLevel;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Strict serializability of Elle's histories: {@code 0(} is the invocation by process 0, {@code
 * 0)ax1} its completion, which appended 1 to x; with {@code ?} of unknown outcome.
 */
class ElleRealTimeTest {

  @TempDir private Path directory = Path.of("");

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "a stale read             | 0( 0)ax1 1( 1)rx_ 2( 2)rx1        | G-single-realtime",
        "an append in the past    | 0( 0)ax1 1( 1)ax2 2( 2)rx21       | G0-realtime",
        "through others' time     | 0( 0)ax1 1( 1)az1 2( 2)rx_ 3( 3)rx1rz1 | G-single-realtime",
        "of one process           | 0( 0)ax1 0( 0)rx_ 2( 2)rx1        | G-single-realtime",
        // What real time does not forbid.
        "at the same time         | 0( 1( 0)ax1 1)rx_ 2( 2)rx1        | ''",
        "invoked before it ended  | 1( 0( 0)ax1 1)rx_ 2( 2)rx1        | ''",
        "unknown outcome          | 0( 0)ax1? 1( 1)rx_ 2( 2)rx1       | ''",
        "unknown, then continued  | 0( 0)ax1? 0( 0)rx_ 2( 2)rx1       | ''",
        "without invocations      | 0)ax1 1)rx_ 2)rx1                 | ''",
        "in order                 | 0( 0)ax1 1( 1)rx1 2( 2)ax2 3( 3)rx12 | ''",
      })
  void inversionIsReportedIfRealTimeOrderIsEnabled(String why, String history, String expected)
      throws IOException {
    assertThat(check(history, true)).as(why).isEqualTo(expected);
    assertThat(check(history, false)).as(why).isEmpty();
  }

  /** Some of them have an unknown outcome. */
  @Test
  void staleReadIsReportedAcrossTenThousandTransactions() throws IOException {
    StringBuilder history = new StringBuilder("0( 0)ax1 1( 1)rx1");
    for (int i = 0; i < 10_000; i++) {
      int process = 2 + i % 7;
      history.append(' ').append(process).append("( ").append(process).append(")ry_");
      history.append(i % 50 == 0 ? "?" : "");
    }
    history.append(" 9( 9)rx_");
    assertThat(check(history.toString(), true)).isEqualTo("G-single-realtime");
    assertThat(check(history.toString(), false)).isEmpty();
  }

  private String check(String history, boolean realTime) throws IOException {
    StringBuilder edn = new StringBuilder();
    for (String token : history.split(" ")) {
      String process = token.substring(0, 1);
      String done = token.substring(2).replace("?", "");
      edn.append("{:process ").append(process).append(" :type ");
      edn.append(token.charAt(1) == '(' ? ":invoke" : token.endsWith("?") ? ":info" : ":ok");
      edn.append(" :value [");
      for (int i = 0; i < done.length(); ) {
        int end = i + 2;
        while (end < done.length() && !Character.isLetter(done.charAt(end))) {
          end++;
        }
        String values = done.substring(i + 2, end);
        edn.append(done.charAt(i) == 'a' ? "[:append " : "[:r ").append(done.charAt(i + 1));
        if (done.charAt(i) == 'a') {
          edn.append(' ').append(values).append(']');
        } else {
          edn.append(" [")
              .append(values.equals("_") ? "" : String.join(" ", values.split("")))
              .append("]]");
        }
        i = end;
      }
      edn.append("]}\n");
    }
    List<Anomaly> found = new ArrayList<>();
    ForeignHistory.check(
        Files.writeString(directory.resolve("history"), edn),
        ForeignFormat.ELLE_APPEND,
        new ForeignHistory.CheckOptions(
            IsolationLevel.SERIALIZABLE,
            Optional.empty(),
            realTime,
            OptionalLong.empty(),
            Set.of(),
            Duration.ofSeconds(20)),
        found::add);
    return String.join(
        " ", found.stream().map(anomaly -> anomaly.cycleTerm().orElse("?")).distinct().toList());
  }
}
