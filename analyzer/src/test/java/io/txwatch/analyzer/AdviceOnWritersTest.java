package io.txwatch.analyzer;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.anomaly.Anomaly;
import io.txwatch.history.Database;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The level that is advised to a transaction that reads and writes: reads of one snapshot are not
 * enough where its writes use the newest rows.
 */
class AdviceOnWritersTest {

  private static final String READ_SKEW = "r1(x0) w2(x0) w2(y0) c2 r1(y2) ";

  @ParameterizedTest
  @CsvSource({
    "MySQL,      9.7.0,   c1,               REPEATABLE READ, none",
    "MariaDB,    10.11.5, c1,               REPEATABLE READ, none",
    "MySQL,      9.7.0,   w1(z0) c1,        SERIALIZABLE,    FOR UPDATE",
    "MariaDB,    10.11.5, w1(z0) c1,        SERIALIZABLE,    FOR UPDATE",
    "MariaDB,    11.8.1,  w1(z0) c1,        REPEATABLE READ, FOR UPDATE",
    "PostgreSQL, 18.6,    w1(z0) c1,        REPEATABLE READ, FOR UPDATE",
    "H2,         2.4.240, w1(z0) c1,        none,            FOR UPDATE",
    "PostgreSQL, 18.6,    c1,               REPEATABLE READ, none",
  })
  void aLevelThatPreventsTheSameScheduleIsAdvised(
      String product, String version, String rest, String level, String lock) {
    String advice = advice(product, version, READ_SKEW + rest);
    expect(advice, level, "at ");
    expect(advice, lock, "");
    assertThat(advice).doesNotContain("  ");
  }

  /** What the other one has read, this one writes: at one snapshot each, it is a write skew. */
  @ParameterizedTest
  @CsvSource({"MySQL, 9.7.0", "MariaDB, 11.8.1", "PostgreSQL, 18.6"})
  void whereBothReadAndWriteOnlySerializableIsAdvised(String product, String version) {
    expect(advice(product, version, "r2(z0) " + READ_SKEW + "w1(z0) c1"), "SERIALIZABLE", "at ");
  }

  private static String advice(String product, String version, String history) {
    List<Anomaly> found =
        Notation.analyzed(Notation.events(history, new Database(product, version, Map.of())));
    assertThat(found).isNotEmpty();
    return found.get(0).advice();
  }

  private static void expect(String advice, String words, String before) {
    if (words.equals("none")) {
      assertThat(advice).doesNotContain(before.isEmpty() ? "FOR UPDATE" : "run ");
      return;
    }
    assertThat(advice).contains(before + words);
  }
}
