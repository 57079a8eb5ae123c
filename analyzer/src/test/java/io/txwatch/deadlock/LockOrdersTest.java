package io.txwatch.deadlock;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.analyzer.Analyzer;
import io.txwatch.analyzer.Notation;
import io.txwatch.anomaly.Anomaly;
import io.txwatch.coverage.Coverage;
import io.txwatch.coverage.PossibleDeadlock;
import io.txwatch.guarantee.Judge;
import io.txwatch.history.Database;
import io.txwatch.history.Event;
import io.txwatch.history.IsolationLevel;
import io.txwatch.history.Outcome;
import io.txwatch.history.Product;
import io.txwatch.history.StatementKind;
import io.txwatch.report.TextReport;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class LockOrdersTest {

  private final List<Anomaly> anomalies = new ArrayList<>();

  /** Statements that write or lock choose their rows by a key unless their columns are given. */
  private static List<Event> events(String history, Database database) {
    String byKey = history.replaceAll("([wdlt]\\d+\\([^)]*\\))(?!\\[)", "$1[a/id=id]");
    List<Event> events = new ArrayList<>();
    for (Event event : Notation.events(byKey, database)) {
      events.add(
          event instanceof Event.StatementExecuted e && e.kind() == StatementKind.LOCKING_SELECT
              ? withText(e, "SELECT a FROM t WHERE id = ? FOR UPDATE")
              : event);
    }
    return events;
  }

  private static Event.StatementExecuted withText(Event.StatementExecuted e, String sql) {
    return new Event.StatementExecuted(
        e.session(),
        e.transaction(),
        e.statement(),
        e.kind(),
        sql,
        e.callSite(),
        e.rows(),
        e.writesSeen(),
        e.sqlState(),
        e.versionSets(),
        e.columns());
  }

  private Coverage coverage(List<Event> events) {
    try (Analyzer analyzer = new Analyzer(Judge.DBMS, anomalies::add)) {
      events.forEach(analyzer::accept);
      analyzer.close();
      return analyzer.coverage();
    }
  }

  private Stream<String> found(String history) {
    return found(events(history, Notation.POSTGRESQL));
  }

  private Stream<String> found(List<Event> events) {
    return coverage(events).possibleDeadlocks().stream()
        .map(
            possible ->
                text(possible.one()) + " | " + text(possible.other()) + " | " + possible.count());
  }

  private static String text(PossibleDeadlock.Side side) {
    return side.first().callSite() + " " + side.then().callSite();
  }

  @ParameterizedTest
  @CsvSource({
    "w1(x0) w1(y0) c1 w2(y1) w2(x1) c2, T1.java:1 T1.java:2 | T2.java:1 T2.java:2 | 1",
    "w1(x0) w1(y0) c1 w2(y1) d2(x1) c2, T1.java:1 T1.java:2 | T2.java:1 T2.java:2 | 1",
    "w1(x0) l1(y0) c1 l2(y0) w2(x1) c2, T1.java:1 T1.java:2 | T2.java:1 T2.java:2 | 1",
    // what only one of them locks, before or between, does not matter
    "r1(z0) w1(x0) w1(z0) w1(y0) c1 w2(y1) w2(x1) c2,"
        + " T1.java:2 T1.java:4 | T2.java:1 T2.java:2 | 1",
    // a row that both lock later rules nothing out
    "w1(x0) w1(z0) w1(y0) c1 w2(y1) w2(z1) w2(x1) c2,"
        + " T1.java:1 T1.java:3 | T2.java:1 T2.java:3 | 1",
    // the first lock of a row counts
    "w1(x0) w1(y0) w1(x1.1) c1 w2(y1) w2(x1.3) c2,"
        + " T1.java:1 T1.java:2 | T2.java:1 T2.java:2 | 1",
  })
  void oppositeOrdersAreFound(String history, String expected) {
    assertThat(found(history)).containsExactly(expected);
    assertThat(anomalies).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        // the same order
        "w1(x0) w1(y0) c1 w2(x1) w2(y1) c2",
        // z is locked first by both
        "w1(z0) w1(x0) w1(y0) c1 w2(z1) w2(y1) w2(x1) c2",
        "l1(z0) w1(x0) w1(y0) c1 l2(z0) w2(y1) w2(x1) c2",
        // one row in common
        "w1(x0) w1(y0) c1 w2(z0) w2(x1) c2",
        // one statement each
        "w1(x0,y0) c1 w2(y1,x1) c2",
        // one transaction alone
        "w1(x0) w1(y0) w1(x1.1) c1",
        // plain reads lock nothing
        "w1(x0) r1(y0) c1 w2(y0) r2(x1) c2",
        // an aborted one, one of unknown outcome, one with a gap
        "w1(x0) w1(y0) a1 w2(y0) w2(x0) c2",
        "w1(x0) w1(y0) c1 w2(y1) w2(x1) u2",
        "w1(x0) w1(y0) g1 c1 w2(y1) w2(x1) c2",
        // what was undone
        "w1(x0) w1(y0) s1(1-1) w1(z0) c1 w2(y1) w2(x0) c2",
        // before x, T1 may have locked more: a row that a foreign key refers to, rows in an order
        // that is not known, a row that was not changed
        "i1(z) w1(x0) w1(y0) c1 w2(y1) w2(x1) c2",
        "w1(z0) w1(x0) w1(y0) c1 w2(y1) w2(x1) c2",
        "w1(x0)[a/b] w1(y0) c1 w2(y1) w2(x1) c2",
        "t1(z) w1(x0) w1(y0) c1 w2(y1) w2(x1) c2",
        // a row of T1 that T2 can lock only after T1 has ended
        "i1(x) w1(y0) c1 w2(y1) w2(x1) c2",
        // a trigger of both wrote z in the first statement
        "w1(x0,z0) w1(y0) c1 w2(y1,z1) w2(x1) c2",
      })
  void nothingIsFound(String history) {
    assertThat(found(history)).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "PostgreSQL, 18.6, true",
    "MySQL, 8.4.0, true",
    "MariaDB, 11.8.2, true",
    "H2, 2.3.232, true",
    "HSQLDB, 2.7.4, false",
    "SQLite, 3.50.0, false",
    "DuckDB, 1.3.0, false",
    "CockroachDB, 25.1.0, false"
  })
  void dbmsThatLockRowsOneByOne(String product, String version, boolean isFound) {
    Database database = new Database(new Product(product, version), Map.of());
    assertThat(found(events("w1(x0) w1(y0) c1 w2(y1) w2(x1) c2", database)))
        .hasSize(isFound ? 1 : 0);
  }

  @Test
  void clusterWithSeveralWritersIsLeftOut() {
    Database galera = new Database(new Product("MariaDB", "11.8.2"), Map.of("wsrep_on", "ON"));
    assertThat(found(events("w1(x0) w1(y0) c1 w2(y1) w2(x1) c2", galera))).isEmpty();
  }

  /** Plain reads of InnoDB lock at SERIALIZABLE: both have locked z first. */
  @Test
  void readsThatLockMayRuleItOut() {
    String history = "%r1(z0) w1(x0) w1(y0) c1 %r2(z0) w2(y1) w2(x1) c2";
    Database mysql = new Database(new Product("MySQL", "8.4.0"), Map.of());
    assertThat(found(events(history.replace("%", ""), mysql))).hasSize(1);
    String serializable = history.replaceFirst("%", "1@SER ").replaceFirst("%", "2@SER ");
    assertThat(found(events(serializable, mysql))).isEmpty();
  }

  @Test
  void rowsOfOtherDatabasesAreOthers() {
    List<Event> events = events("w1(x0) w1(y0) c1", Notation.POSTGRESQL.at("shop"));
    events.addAll(events("w2(y0) w2(x0) c2", Notation.POSTGRESQL.at("bank")));
    assertThat(found(events)).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "SELECT a FROM t WHERE id = ? FOR SHARE",
        "SELECT a FROM t WHERE id = ? FOR KEY SHARE",
        "SELECT a FROM t WHERE id = ? FOR UPDATE NOWAIT",
        "SELECT a FROM t WHERE id = ? FOR UPDATE SKIP LOCKED",
        "SELECT a FROM t WHERE id = (SELECT MAX(id) FROM t) FOR UPDATE"
      })
  void otherLockingReadsDoNotCount(String sql) {
    List<Event> events = events("w1(x0) l1(y0) c1 w2(y0) w2(x1) c2", Notation.POSTGRESQL);
    events.replaceAll(
        event ->
            event instanceof Event.StatementExecuted e && e.kind() == StatementKind.LOCKING_SELECT
                ? withText(e, sql)
                : event);
    assertThat(found(events)).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "PostgreSQL, SELECT pg_advisory_lock(1)",
    "MySQL, 'SELECT GET_LOCK(''a'', 1)'",
    "MariaDB, LOCK TABLES t WRITE"
  })
  void sessionThatLocksByNameIsLeftOut(String product, String sql) {
    List<Event> events =
        events(
            "w1(x0) w1(y0) c1 w2(y1) w2(x1) c2",
            new Database(new Product(product, "9.0.0"), Map.of()));
    assertThat(found(events)).hasSize(1);
    events.add(1, new Event.TransactionBegan(1, 77, IsolationLevel.READ_COMMITTED, 0));
    events.add(
        2,
        new Event.StatementExecuted(
            1, 77, 1, StatementKind.SELECT, sql, "", List.of(), true, null));
    events.add(3, new Event.TransactionEnded(1, 77, Outcome.COMMITTED, 0, 2));
    assertThat(found(events)).isEmpty();
  }

  /** What has happened is not repeated as possible. */
  @Test
  void operationsThatDeadlockedAreLeftOut() {
    String deadlock = " w3(x2) w4(y2) w4(x3) k3(4) a3 c4";
    List<Event> events =
        new ArrayList<>(
            events("w1(x0) w1(y0) c1 w2(y1) w2(x1) c2" + deadlock, Notation.POSTGRESQL));
    assertThat(found(events)).isNotEmpty();
    events.replaceAll(LockOrdersTest::named);
    assertThat(found(events)).isEmpty();
    assertThat(anomalies).isNotEmpty();
  }

  private static Event named(Event event) {
    return event instanceof Event.TransactionBegan e
        ? new Event.TransactionBegan(
            e.session(), e.transaction(), e.level(), 0, e.transaction() % 2 == 1 ? "A.a" : "B.b")
        : event;
  }

  /** Of one session, one follows the other; the next session of a pool need not. */
  @ParameterizedTest
  @CsvSource({"1~1, 0", "3~3, 1"})
  void transactionsOfOneOperationAreOfTwoSessions(String session, int count) {
    List<Event> events =
        events(
            session.replace("1~", "3~") + " w1(x0) w1(y0) c1 w3(y1) w3(x1) c3",
            Notation.POSTGRESQL);
    events.replaceAll(LockOrdersTest::named);
    assertThat(found(events)).hasSize(count);
  }

  @Test
  void moreKindsThanFitAreNotShown() {
    StringBuilder history = new StringBuilder("w1(x0) w1(y0) c1");
    for (int i = 2; i <= 40; i++) {
      history.append(" w%2$d(y%1$d) w%2$d(x%1$d) c%2$d".formatted(i - 1, i));
    }
    assertThat(found(history.toString())).hasSizeBetween(1, PossibleDeadlock.MAX_KINDS);
  }

  @Test
  void textNamesBothOrders() {
    String text =
        TextReport.coverage(
            coverage(events("w1(x0) w1(y0) c1 w2(y1) w2(x1) c2", Notation.POSTGRESQL)));
    assertThat(text.replaceAll("\\s+", " "))
        .contains(
            "possible deadlock, though none happened: T1.java locks a row of t at T1.java:1 and then"
                + " another row of t at T1.java:2; T2.java locks the same rows in the opposite"
                + " order, at T2.java:1 and then at T2.java:2; seen 1 time")
        .contains(PossibleDeadlock.ADVICE);
  }
}
