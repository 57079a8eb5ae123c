package io.txwatch.analyzer;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.anomaly.Anomaly;
import io.txwatch.history.Database;
import io.txwatch.history.Event;
import io.txwatch.history.Product;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
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
    String advice = advice(product, version, "r2(z0) " + READ_SKEW + "w1(z0) c1");
    expect(advice, "SERIALIZABLE", "at ");
    assertThat(advice).contains("in each of them (SELECT ... FOR UPDATE)", "these transactions at");
  }

  @Test
  void theLevelOfBothIsNamedWhereBothReadAndWrite() {
    String history = "r2(z0) " + READ_SKEW + "w1(z0) c1";
    List<Event> events =
        Notation.events(history).stream()
            .map(event -> event instanceof Event.TransactionBegan e ? named(e) : event)
            .toList();
    assertThat(Notation.analyzed(events).get(0).advice()).contains("Or run one and two at SERIAL");
  }

  private static Event named(Event.TransactionBegan e) {
    String name = e.transaction() == 1 ? "one" : "two";
    return new Event.TransactionBegan(e.session(), e.transaction(), e.level(), e.micros(), name);
  }

  /** Where both read the row at places of their own, a lock at one of them does not prevent it. */
  @Test
  void bothReadsOfALostUpdateAreNamed() {
    assertThat(advice("PostgreSQL", "18.6", "r1(x0) r2(x0) w2(x0) c2 w1(x2) c1"))
        .startsWith("Lock the read at T1.java:1 and T2.java:1 with SELECT ... FOR UPDATE");
  }

  /** H2's levels do not prevent it; no anomaly is left without advice. */
  @Test
  void whereNoLevelPreventsItTheLockIsAdvised() {
    String fork = "r3(x0) w1(x0) c1 r4(x1) r4(y0) w2(y0) c2 r3(y2) w3(z0) w4(q0) c3 c4";
    for (Anomaly anomaly :
        Notation.analyzed(
            Notation.events(fork, new Database(new Product("H2", "2.4.240"), Map.of())))) {
      expect(anomaly.advice(), "FOR UPDATE", "");
    }
  }

  private static String advice(String product, String version, String history) {
    List<Anomaly> found =
        Notation.analyzed(
            Notation.events(history, new Database(new Product(product, version), Map.of())));
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
