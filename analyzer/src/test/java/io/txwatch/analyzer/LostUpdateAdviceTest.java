package io.txwatch.analyzer;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.anomaly.Anomaly;
import io.txwatch.history.CallSite;
import io.txwatch.history.Event;
import io.txwatch.history.StatementKind;
import java.util.Iterator;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The statement that overwrote, and the beginning of the advice on the lost update. */
class LostUpdateAdviceTest {

  private static Anomaly lostUpdateBy(String sql) {
    List<Event> events =
        Notation.events("r1(x0) r2(x0) w2(x0) c2 w1(x2) c1").stream()
            .map(event -> withText(event, sql))
            .toList();
    List<Anomaly> found = Notation.analyzed(events);
    assertThat(found).hasSize(1);
    return found.get(0);
  }

  private static Event withMethod(Event event) {
    return event instanceof Event.StatementExecuted e
        ? new Event.StatementExecuted(
            e.session(),
            e.transaction(),
            e.statement(),
            e.kind(),
            e.sql(),
            CallSite.of("shop.Bank", e.transaction() == 1 ? "withdraw" : "pay", e.callSite()),
            e.rows(),
            e.writesSeen(),
            e.sqlState())
        : event;
  }

  @Test
  void methodsAreNamed() {
    List<Event> events =
        Notation.events("r1(x0) w2(x0) c2 w1(x2) c1").stream()
            .map(LostUpdateAdviceTest::withMethod)
            .toList();
    assertThat(Notation.analyzed(events).get(0).advice())
        .isEqualTo(
            "Lock the read at Bank.withdraw (T1.java:1) with SELECT ... FOR UPDATE. Or run the"
                + " transactions of Bank.pay and Bank.withdraw at REPEATABLE READ and retry on"
                + " SQLSTATE 40001.");
  }

  private static Event withText(Event event, String sql) {
    return event instanceof Event.StatementExecuted e && e.kind() == StatementKind.UPDATE
        ? new Event.StatementExecuted(
            e.session(),
            e.transaction(),
            e.statement(),
            sql.startsWith("DELETE") ? StatementKind.DELETE : e.kind(),
            sql,
            e.callSite(),
            e.rows(),
            e.writesSeen(),
            e.sqlState())
        : event;
  }

  @ParameterizedTest
  @CsvSource(
      delimiterString = "=>",
      quoteCharacter = '~',
      textBlock =
          """
          UPDATE acc SET bal = ? WHERE id = ? => Lock the read at T1.java:1 and T2.java:1 with SELECT ... FOR UPDATE, or compute the new value in the UPDATE itself (SET x = x + ?).
          UPDATE acc SET bal = bal - ? WHERE id = ? => The UPDATE at T1.java:2 computes bal from the row, so no value is lost; what may be stale is the decision that rests on the read at T1.java:1 and T2.java:1. Put its condition into the UPDATE's WHERE and look at the update count, or lock that read (SELECT ... FOR UPDATE).
          UPDATE acc SET bal = bal - ? WHERE id = ? AND bal >= ? => The UPDATE at T1.java:2 computes bal from the row and checks it in its WHERE: nothing is lost if the application looks at its update count. What else rests on the read at T1.java:1 and T2.java:1 may be stale: lock that read (SELECT ... FOR UPDATE).
          UPDATE acc SET bal = bal - ?, note = ? WHERE id = ? => Lock the read at T1.java:1 and T2.java:1 with SELECT ... FOR UPDATE, or compute note in the UPDATE itself, too, as it does bal.
          UPDATE acc SET bal = COALESCE(?, bal) WHERE id = ? => Lock the read at T1.java:1 and T2.java:1 with SELECT ... FOR UPDATE.
          DELETE FROM acc WHERE id = ? => Lock the read at T1.java:1 and T2.java:1 with SELECT ... FOR UPDATE, or put the condition that it checks into the DELETE's WHERE.
          MERGE INTO acc USING x => Lock the read at T1.java:1 and T2.java:1 with SELECT ... FOR UPDATE.
          """)
  void adviceDependsOnTheStatement(String sql, String advice) {
    assertThat(lostUpdateBy(sql).advice())
        .isEqualTo(
            advice + " Or run these transactions at REPEATABLE READ and retry on SQLSTATE 40001.");
  }

  @ParameterizedTest
  @CsvSource(
      delimiterString = "=>",
      value = {
        "shop.OrderService.sell, shop.Stock.restock => OrderService.sell and Stock.restock",
        "shop.OrderService.sell, shop.OrderService.sell => OrderService.sell",
        "sell, shop.Stock.restock => Stock.restock and sell",
        "shop.OrderService.sell, => these transactions",
      })
  void operationsThatHaveToRunAtAHigherLevelAreNamed(String names, String called) {
    Iterator<String> next = List.of(names.split(", ?", -1)).iterator();
    List<Event> events =
        Notation.events("r1(x0) r2(x0) w2(x0) c2 w1(x2) c1").stream()
            .map(event -> event instanceof Event.TransactionBegan e ? named(e, next.next()) : event)
            .toList();

    assertThat(Notation.analyzed(events))
        .singleElement()
        .satisfies(
            lost -> assertThat(lost.advice()).contains("Or run " + called + " at REPEATABLE READ"));
  }

  private static Event named(Event.TransactionBegan e, String name) {
    return new Event.TransactionBegan(e.session(), e.transaction(), e.level(), e.micros(), name);
  }
}
