package io.txwatch.report;

import static io.txwatch.report.AnomalyBuilder.anomaly;
import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.anomaly.CycleClass;
import io.txwatch.anomaly.Phenomenon;
import io.txwatch.history.Database;
import io.txwatch.history.IsolationLevel;
import io.txwatch.history.Outcome;
import io.txwatch.history.Product;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class TextReportTest {

  private static final String ESC = "\u001b";

  @Test
  void lostUpdate() {
    assertThat(
            anomaly(Phenomenon.LOST_UPDATE)
                .cycle(CycleClass.G_SINGLE)
                .t(
                    "1 SELECT balance FROM account WHERE id = ? @ BankService.java:41",
                    "2 UPDATE account SET balance = ? WHERE id = ? @ BankService.java:48")
                .t("2 UPDATE account SET balance = ? WHERE id = ? @ BankService.java:48")
                .context(
                    "1 SELECT balance FROM account WHERE id = ? @ BankService.java:41",
                    2,
                    "account 7")
                .edge("1.1 rw 2.2 account 7")
                .edge("2.2 ww 1.2 account 7")
                .advice(
                    "Lock the row when it is read (SELECT ... FOR UPDATE at BankService.java:41),"
                        + " or run at REPEATABLE_READ and retry on SQLSTATE 40001.")
                .text())
        .isEqualTo(
            """
            LOST_UPDATE (G-single)  HAZARD  PostgreSQL 18.6 at READ_COMMITTED  account row 7
              T1 committed  (1b.1, pool-1)                      T2 committed  (1b.2, pool-2)
              ------------------------------------------------  ------------------------------------------------
              SELECT balance FROM account WHERE id = ?
                at BankService.java:41, reads account row 7
                                                                SELECT balance FROM account WHERE id = ?
                                                                  at BankService.java:41, reads account row 7
                                                                  (context)
                                                                UPDATE account SET balance = ? WHERE id = ?
                                                                  at BankService.java:48, writes account row 7
              UPDATE account SET balance = ? WHERE id = ?
                at BankService.java:48, writes account row 7
              why      T1 < T2 because T1 did not see T2's write of account row 7;
                       but T2 < T1 because T1 overwrote T2's write of account row 7: a contradiction.
              prevent  Lock the row when it is read (SELECT ... FOR UPDATE at BankService.java:41), or run at
                       REPEATABLE_READ and retry on SQLSTATE 40001.
              id       3056e409-ebf6
            """);
  }

  @Test
  void tracesAreShownInFull() {
    assertThat(
            anomaly(Phenomenon.LOST_UPDATE)
                .cycle(CycleClass.G_SINGLE)
                .t("1 SELECT a @ A.java:1", "2 UPDATE a @ A.java:2")
                .inTrace("4bf92f3577b34da6a3ce929d0e0e4736")
                .t("2 UPDATE a @ A.java:2")
                .inTrace("x\u001b[31m")
                .edge("1.1 rw 2.2 a 7")
                .edge("2.2 ww 1.2 a 7")
                .text())
        .contains(
            "\n  traces   T1 4bf92f3577b34da6a3ce929d0e0e4736, T2 x\\u001b[31m\n  why      T1 < T2");
  }

  @Test
  void writeSkewBrokenByTheDbms() {
    assertThat(
            anomaly(Phenomenon.WRITE_SKEW)
                .cycle(CycleClass.G2_ITEM)
                .violation(
                    new Database(new Product("H2", "2.5.252"), Map.of()),
                    IsolationLevel.SERIALIZABLE)
                .t(
                    "1 SELECT id, name, on_call\n\tFROM doctor\n\tWHERE on_call = ? AND shift = ?"
                        + " @ Roster.java:30",
                    "2 UPDATE doctor SET on_call = ? WHERE id = ? @ Roster.java:38")
                .t(
                    "1 SELECT id, name, on_call\n\tFROM doctor\n\tWHERE on_call = ? AND shift = ?"
                        + " @ Roster.java:30",
                    "2 UPDATE doctor SET on_call = ? WHERE id = ? @ Roster.java:38")
                .edge("1.1 rw 2.2 doctor 12")
                .edge("2.1 rw 1.2 doctor 11")
                .text())
        .isEqualTo(
            """
            WRITE_SKEW (G2-item)  VIOLATION  H2 2.5.252 at SERIALIZABLE  doctor rows 12, 11
              T1 committed  (1b.1, pool-1)                      T2 committed  (1b.2, pool-2)
              ------------------------------------------------  ------------------------------------------------
              SELECT id, name, on_call FROM doctor WHERE
              on_call = ? AND shift = ?
                at Roster.java:30, reads doctor row 12
                                                                SELECT id, name, on_call FROM doctor WHERE
                                                                on_call = ? AND shift = ?
                                                                  at Roster.java:30, reads doctor row 11
              UPDATE doctor SET on_call = ? WHERE id = ?
                at Roster.java:38, writes doctor row 11
                                                                UPDATE doctor SET on_call = ? WHERE id = ?
                                                                  at Roster.java:38, writes doctor row 12
              why      T1 < T2 because T1 did not see T2's write of doctor row 12;
                       but T2 < T1 because T2 did not see T1's write of doctor row 11: a contradiction.
              id       c7444a3a-a73a
            """);
  }

  @Test
  void readSkewWithAnEdgeThroughTheSession() {
    assertThat(
            anomaly(Phenomenon.G_SINGLE)
                .cycle(CycleClass.G_SINGLE)
                .suspected()
                .t("1 SELECT a @ A.java:1")
                .t(Optional.of(Outcome.COMMITTED), "pool-2", "1 UPDATE a SET v = ? @ B.java:1")
                .t(Optional.of(Outcome.UNKNOWN), "pool-2", "1 UPDATE b SET v = ? @ C.java:1")
                .edge("1.1 rw 2.1 a 1")
                .edge("2.0 so 3.0")
                .edge("3.1 wr 1.1 b 2")
                .text())
        .isEqualTo(
            """
            G_SINGLE (G-single-process)  HAZARD (suspected)  PostgreSQL 18.6 at READ_COMMITTED  a row 1, b
                row 2
              T1 committed  (1b.1, pool-1)     T2 committed  (1b.2, pool-2)     T3 outcome unknown  (1b.3,
                                                                                pool-2)
              -------------------------------  -------------------------------  -------------------------------
                                               UPDATE a SET v = ?
                                                 at B.java:1, writes a row 1
                                                                                UPDATE b SET v = ?
                                                                                  at C.java:1, writes b row 2
              SELECT a
                at A.java:1, reads b row 2,
                reads an old version of a row
                1
              why      T1 < T2 because T1 did not see T2's write of a row 1;
                       T2 < T3 because T3 came after T2 in the same session;
                       but T3 < T1 because T1 saw T3's write of b row 2: a contradiction.
              id       0a82ea37-b1dd
            """);
  }

  @Test
  void fiveTransactionsHaveOneLaneEach() {
    AnomalyBuilder ring = anomaly(Phenomenon.G2_ITEM).cycle(CycleClass.G2_ITEM);
    for (int i = 1; i <= 5; i++) {
      int next = i % 5 + 1;
      ring.t(
              "1 SELECT v FROM ring WHERE id = ? @ Ring.java:20",
              "2 UPDATE ring SET v = ? WHERE id = ? @ Ring.java:23")
          .edge(i + ".1 rw " + next + ".2 ring " + next);
    }
    assertThat(ring.text())
        .isEqualTo(
            """
            G2_ITEM  HAZARD  PostgreSQL 18.6 at READ_COMMITTED  ring rows 2, 3, 4, 5 and 1 more
              T1 committed  (1b.1, pool-1)
              T2 committed  (1b.2, pool-2)
              T3 committed  (1b.3, pool-3)
              T4 committed  (1b.4, pool-4)
              T5 committed  (1b.5, pool-5)
              --------------------------------------------------------------------------------------------------
              T1  .   .   .   .     SELECT v FROM ring WHERE id = ?
              |   .   .   .   .       at Ring.java:20, reads ring row 2
              .   T2  .   .   .     SELECT v FROM ring WHERE id = ?
              .   |   .   .   .       at Ring.java:20, reads ring row 3
              .   T2  .   .   .     UPDATE ring SET v = ? WHERE id = ?
              .   |   .   .   .       at Ring.java:23, writes ring row 2
              .   .   T3  .   .     SELECT v FROM ring WHERE id = ?
              .   .   |   .   .       at Ring.java:20, reads ring row 4
              .   .   T3  .   .     UPDATE ring SET v = ? WHERE id = ?
              .   .   |   .   .       at Ring.java:23, writes ring row 3
              .   .   .   T4  .     SELECT v FROM ring WHERE id = ?
              .   .   .   |   .       at Ring.java:20, reads ring row 5
              .   .   .   T4  .     UPDATE ring SET v = ? WHERE id = ?
              .   .   .   |   .       at Ring.java:23, writes ring row 4
              .   .   .   .   T5    SELECT v FROM ring WHERE id = ?
              .   .   .   .   |       at Ring.java:20, reads ring row 1
              T1  .   .   .   .     UPDATE ring SET v = ? WHERE id = ?
              |   .   .   .   .       at Ring.java:23, writes ring row 1
              .   .   .   .   T5    UPDATE ring SET v = ? WHERE id = ?
              .   .   .   .   |       at Ring.java:23, writes ring row 5
              why      T1 < T2 because T1 did not see T2's write of ring row 2;
                       T2 < T3 because T2 did not see T3's write of ring row 3;
                       T3 < T4 because T3 did not see T4's write of ring row 4;
                       T4 < T5 because T4 did not see T5's write of ring row 5;
                       but T5 < T1 because T5 did not see T1's write of ring row 1: a contradiction.
              id       2663c772-14f7
            """);
  }

  @Test
  void abortedRead() {
    assertThat(
            anomaly(Phenomenon.ABORTED_READ)
                .t(Optional.of(Outcome.ABORTED), "writer", "1 UPDATE t SET v = ? @ A.java:1")
                .t(Optional.empty(), "reader", "1 SELECT v FROM t @ B.java:1")
                .edge("1.1 wr 2.1 t 3")
                .text())
        .isEqualTo(
            """
            ABORTED_READ  HAZARD  PostgreSQL 18.6 at READ_COMMITTED  t row 3
              T1 ABORTED  (1b.1, writer)                        T2 still running  (1b.2, reader)
              ------------------------------------------------  ------------------------------------------------
              UPDATE t SET v = ?
                at A.java:1, writes t row 3
                                                                SELECT v FROM t
                                                                  at B.java:1, reads t row 3
              why      T2 saw T1's write of t row 3, but T1 was aborted: no serial order contains that write.
              id       500865ee-a989
            """);
  }

  @Test
  void intermediateRead() {
    assertThat(
            anomaly(Phenomenon.INTERMEDIATE_READ)
                .t("1 UPDATE t SET v = ? @ A.java:1", "2 UPDATE t SET v = ? @ A.java:2")
                .t("1 SELECT v FROM t @ B.java:1")
                .edge("1.1 wr 2.1 t 3")
                .text())
        .isEqualTo(
            """
            INTERMEDIATE_READ  HAZARD  PostgreSQL 18.6 at READ_COMMITTED  t row 3
              T1 committed  (1b.1, pool-1)                      T2 committed  (1b.2, pool-2)
              ------------------------------------------------  ------------------------------------------------
              UPDATE t SET v = ?
                at A.java:1, writes t row 3
                                                                SELECT v FROM t
                                                                  at B.java:1, reads t row 3
              UPDATE t SET v = ?
                at A.java:2, writes t row 3
              why      T2 saw T1's write of t row 3, but T1 wrote that row again: only its last write exists
                         in a serial order.
              id       e656229c-bfef
            """);
  }

  @Test
  void longRowIdsAreShortenedToTheDistinguishingDigits() {
    assertThat(
            anomaly(Phenomenon.WRITE_SKEW)
                .t("1 SELECT x", "2 UPDATE x")
                .t("1 SELECT x", "2 UPDATE x")
                .edge("1.1 rw 2.2 doctor 102176640410321129")
                .edge("2.1 rw 1.2 doctor 102176640410321130")
                .text())
        .contains("doctor rows ..321129, ..321130", "reads doctor row ..321130");
    assertThat(
            anomaly(Phenomenon.WRITE_SKEW)
                .t("1 SELECT x", "2 UPDATE x")
                .t("1 SELECT x", "2 UPDATE x")
                .edge("1.1 rw 2.2 doctor 102176640410321129")
                .edge("2.1 rw 1.2 doctor 102176640411321129")
                .text())
        .contains("doctor rows ..0321129, ..1321129");
  }

  @Test
  void twoWritesOnTopOfOneVersion() {
    assertThat(
            anomaly(Phenomenon.LOST_UPDATE)
                .cycle(CycleClass.G2_ITEM)
                .t("1 UPDATE t SET v = ? @ A.java:1")
                .t("1 UPDATE t SET v = ? @ B.java:1")
                .edge("1.1 rw 2.1 t 3")
                .edge("2.1 rw 1.1 t 3")
                .text())
        .isEqualTo(
            """
            LOST_UPDATE (G2-item)  HAZARD  PostgreSQL 18.6 at READ_COMMITTED  t row 3
              T1 committed  (1b.1, pool-1)                      T2 committed  (1b.2, pool-2)
              ------------------------------------------------  ------------------------------------------------
              UPDATE t SET v = ?
                at A.java:1, reads t row 3, writes t row 3
                                                                UPDATE t SET v = ?
                                                                  at B.java:1, writes t row 3, reads an old
                                                                  version of t row 3
              why      T1 < T2 because T1 did not see T2's write of t row 3;
                       but T2 < T1 because T2 did not see T1's write of t row 3: a contradiction.
              id       b1e03833-8595
            """);
  }

  @Test
  void internalInconsistency() {
    assertThat(
            anomaly(Phenomenon.INTERNAL)
                .violation(
                    new Database(new Product("MariaDB", "10.11.5"), Map.of()),
                    IsolationLevel.SERIALIZABLE)
                .t("1 UPDATE t SET v = ? @ A.java:1", "2 SELECT v FROM t @ A.java:2")
                .edge("1.1 wr 1.2 t 3")
                .text())
        .isEqualTo(
            """
            INTERNAL  VIOLATION  MariaDB 10.11.5 at SERIALIZABLE  t row 3
              T1 committed  (1b.1, pool-1)
              --------------------------------------------------------------------------------------------------
              UPDATE t SET v = ?
                at A.java:1, writes t row 3
              SELECT v FROM t
                at A.java:2, reads an old version of t row 3
              why      T1 wrote t row 3, but its later read did not see that write.
              id       7ed6a49f-bc4d
            """);
  }

  @Test
  void noControlCharactersAndNoLineTooWide() {
    String evil = ESC + "[2J" + ESC + "]0;owned\u0007\u009b31m\u202Edrop\u2066\r\nx\u0000</script>";
    String wide = "\u6f22\u5b57 ".repeat(200) + "\uD83D\uDE00".repeat(99) + "\uD800";
    String text =
        anomaly(Phenomenon.LOST_UPDATE)
            .violation(new Database(new Product(evil, evil), Map.of()), IsolationLevel.SERIALIZABLE)
            .t(
                Optional.of(Outcome.COMMITTED),
                evil.repeat(20),
                "1 " + evil.repeat(500) + " @ " + evil,
                "2 " + wide + " @ " + "Deep".repeat(100))
            .t("1 " + "x".repeat(10_000) + " @ A.java:1")
            .edge("1.1 rw 2.1 " + ESC + "table 1")
            .edge("2.1 ww 1.2 t 1")
            .advice(evil)
            .text();
    assertThat(text.codePoints().filter(c -> c != '\n' && Character.isISOControl(c))).isEmpty();
    assertThat(text).doesNotContain("\u202e", "\u2066").contains("\\u001b[2J");
    assertThat(text.lines()).allMatch(line -> TerminalText.width(line) <= TextReport.WIDTH);
    assertThat(text.lines().count()).isLessThan(60);
  }

  @Test
  void groupHasItsCount() {
    assertThat(
            TextReport.of(anomaly(Phenomenon.DIRTY_WRITE).edge("1.1 ww 2.1 t 3").anomaly(), 1200)
                .lines()
                .findFirst())
        .hasValue(
            "DIRTY_WRITE  HAZARD  PostgreSQL 18.6 at READ_COMMITTED  1,200 times, first through t"
                + " row 3");
  }

  @Test
  void longStatementKeepsItsStartAndItsEnd() {
    String columns = "a_column, ".repeat(1000);
    assertThat(
            anomaly(Phenomenon.DIRTY_WRITE)
                .t("1 SELECT " + columns + "z FROM account WHERE id = ? FOR UPDATE @ A.java:1")
                .text()
                .replaceAll("\\s+", " "))
        .contains("SELECT a_column", " ... ", "FROM account WHERE id = ? FOR UPDATE at A.java:1");
  }
}
