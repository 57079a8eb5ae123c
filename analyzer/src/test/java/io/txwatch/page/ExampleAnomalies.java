package io.txwatch.page;

import static io.txwatch.report.AnomalyBuilder.anomaly;

import io.txwatch.anomaly.Anomaly;
import io.txwatch.anomaly.CycleClass;
import io.txwatch.anomaly.Phenomenon;
import io.txwatch.history.Database;
import io.txwatch.history.IsolationLevel;
import io.txwatch.history.Outcome;
import io.txwatch.history.Product;
import java.util.Map;
import java.util.Optional;

/** Anomalies for the page to show. */
public final class ExampleAnomalies {

  /** SQL that would run a script, or load something from another host, if it were markup. */
  public static final String HOSTILE_SQL =
      "UPDATE account SET owner = '<img src=https://example.org/x onerror=window.hit=1>' /*"
          + " </script><script>window.hit=2</script> */ WHERE id = ?";

  private ExampleAnomalies() {}

  /** T1 and T2 read account 7, T2 overwrites it, T1 overwrites that. */
  public static Anomaly lostUpdate() {
    return anomaly(Phenomenon.LOST_UPDATE)
        .cycle(CycleClass.G_SINGLE)
        .t(
            Optional.of(Outcome.COMMITTED),
            "orders/main#1",
            "1 SELECT balance FROM account WHERE id = ?"
                + " @ shop.BankService.transfer (BankService.java:68) (usually)",
            "2 UPDATE account SET balance = ? WHERE id = ?"
                + " @ shop.BankService.transfer (BankService.java:83)")
        .t(
            Optional.of(Outcome.COMMITTED),
            "billing/main#2",
            "4 " + HOSTILE_SQL + " @ BillingService.java:12")
        .context(
            "3 SELECT balance FROM account WHERE id = ? @ BillingService.java:9", 4, "account 7")
        .edge("1.1 rw 2.4 account 7")
        .edge("2.4 ww 1.2 account 7")
        .advice("Lock the read at BankService.java:68 with SELECT ... FOR UPDATE.")
        .anomaly();
  }

  /** The application names both transactions; one name is markup. */
  public static Anomaly lostUpdateOfNamedOperations() {
    return anomaly(Phenomenon.LOST_UPDATE)
        .cycle(CycleClass.G_SINGLE)
        .t("1 SELECT balance FROM account @ Orders.java:68", "2 UPDATE account @ Orders.java:83")
        .named("shop.OrderService.sell")
        .t("4 UPDATE account @ Stock.java:12")
        .named("shop.<b>Stock.restock")
        .edge("1.1 rw 2.4 account 7")
        .edge("2.4 ww 1.2 account 7")
        .advice("Lock the read at Orders.java:68 with SELECT ... FOR UPDATE.")
        .anomaly();
  }

  /** A sum by a predicate, an INSERT that it misses, and a column that is read by a star. */
  public static Anomaly skewThroughAPredicateAndAColumn() {
    return anomaly(Phenomenon.WRITE_SKEW)
        .cycle(CycleClass.G2)
        .t(
            "1 SELECT sum(amount) FROM entry e WHERE e.kind IN ('in', 'WHERE') ORDER BY 1 @ A.java:1",
            "2 UPDATE account SET \"Balance\" = ?, owner = owner WHERE id = ? @ A.java:2")
        .t(
            "1 SELECT *, 2 * 3 FROM account WHERE id = ? @ B.java:1",
            "2 INSERT INTO entry SELECT * FROM news WHERE fresh @ B.java:2")
        .edge("1.1 rw 2.2 entry 7 ?")
        .edge("2.1 rw 1.2 account 1 balance")
        .advice("Run these transactions at SERIALIZABLE.")
        .anomaly();
  }

  /** The transactions are part of traces; one id is markup. */
  public static Anomaly lostUpdateOfTraces() {
    return anomaly(Phenomenon.LOST_UPDATE)
        .cycle(CycleClass.G_SINGLE)
        .t("1 SELECT balance FROM account @ Orders.java:68", "2 UPDATE account @ Orders.java:83")
        .inTrace("4bf92f3577b34da6a3ce929d0e0e4736")
        .t("4 UPDATE account @ Stock.java:12")
        .inTrace("</script><script>window.hit=3</script>")
        .edge("1.1 rw 2.4 account 7")
        .edge("2.4 ww 1.2 account 7")
        .advice("Lock the read at Orders.java:68 with SELECT ... FOR UPDATE.")
        .anomaly();
  }

  /** T3, in the trace of T1, overwrites what T2 wrote after T1's read. */
  public static Anomaly staleWrite() {
    return anomaly(Phenomenon.STALE_WRITE)
        .t("1 SELECT stock FROM item WHERE id = ? @ ItemForm.java:20")
        .inTrace("4bf92f3577b34da6a3ce929d0e0e4736")
        .t("2 UPDATE item SET stock = ? WHERE id = ? @ Sale.java:31")
        .t("1 UPDATE item SET stock = ? WHERE id = ? @ ItemForm.java:44")
        .inTrace("4bf92f3577b34da6a3ce929d0e0e4736")
        .edge("1.1 rw 2.2 item 7")
        .edge("2.2 ww 3.1 item 7")
        .advice("Let the UPDATE at ItemForm.java:44 compare the version that was read.")
        .anomaly();
  }

  /** Two readers, who disagree about which of two writers came first. */
  public static Anomaly longFork() {
    return anomaly(Phenomenon.LONG_FORK)
        .cycle(CycleClass.G_NONADJACENT)
        .t(
            "1 SELECT likes FROM post WHERE id = ? @ Feed.java:12",
            "2 SELECT likes FROM post WHERE id = ? @ Feed.java:12")
        .t("1 UPDATE post SET likes = likes + 1 WHERE id = ? @ Likes.java:7")
        .t(
            "1 SELECT likes FROM post WHERE id = ? @ Feed.java:12",
            "2 SELECT likes FROM post WHERE id = ? @ Feed.java:12")
        .t("1 UPDATE post SET likes = likes + 1 WHERE id = ? @ Likes.java:7")
        .edge("1.2 rw 2.1 post 1")
        .edge("2.1 wr 3.1 post 1")
        .edge("3.2 rw 4.1 post 2")
        .edge("4.1 wr 1.1 post 2")
        .advice("Run these transactions at SERIALIZABLE.")
        .anomaly();
  }

  /** Three transactions, which miss each other's writes in a circle. */
  public static Anomaly skewOfThree() {
    return anomaly(Phenomenon.G2_ITEM)
        .violation(
            new Database(new Product("MariaDB", "10.11.5"), Map.of()), IsolationLevel.SERIALIZABLE)
        .cycle(CycleClass.G2_ITEM)
        .t(
            "1 SELECT a FROM doctor WHERE id = 1 @ Roster.java:5",
            "2 UPDATE doctor SET a = 1 @ Roster.java:9")
        .t(
            "1 SELECT b FROM doctor WHERE id = 2 @ Roster.java:15",
            "2 UPDATE doctor SET b = 1 @ Roster.java:19")
        .t(
            "1 SELECT c FROM shift WHERE id = 3 @ Roster.java:25",
            "2 UPDATE shift SET c = 1 @ Roster.java:29")
        .edge("1.1 rw 2.2 doctor 1")
        .edge("2.1 rw 3.2 doctor 2")
        .edge("3.1 rw 1.2 shift 3")
        .advice("MariaDB should not show this: report it to the vendor.")
        .anomaly();
  }
}
