package io.txwatch.coverage;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.history.Database;
import io.txwatch.history.Event;
import io.txwatch.history.GapReason;
import io.txwatch.history.Product;
import io.txwatch.history.RowShare;
import io.txwatch.history.StatementKind;
import io.txwatch.report.TextReport;
import io.txwatch.version.Resolution;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class CoverageCounterTest {

  private final CoverageCounter count = new CoverageCounter();

  private void statement(int number, StatementKind kind, boolean writesSeen) {
    count.count(
        new Event.StatementExecuted(1, 2, number, kind, "?", "", List.of(), writesSeen, null));
  }

  private void gap(GapReason reason) {
    count.count(new Event.Gap(1, 2, reason, "", 1));
  }

  @Test
  void unobservedStatementIsCountedOnce() {
    statement(1, StatementKind.SELECT, true);
    gap(GapReason.SHAPE);
    statement(2, StatementKind.SELECT, true);
    gap(GapReason.NOT_PREPARED);
    statement(3, StatementKind.UPDATE, false);
    statement(4, StatementKind.INSERT, false);
    Coverage coverage = count.coverage(0, Resolution.NONE);
    assertThat(coverage.statements()).isEqualTo(4);
    assertThat(coverage.instrumented()).isEqualTo(1);
    assertThat(coverage.gaps()).isEqualTo(Map.of(GapReason.SHAPE, 1L, GapReason.NOT_PREPARED, 1L));
  }

  @Test
  void writeThatBecomesKnownIsSeen() {
    gap(GapReason.SHAPE);
    statement(1, StatementKind.UPDATE, false);
    statement(2, StatementKind.INSERT, false);
    statement(3, StatementKind.DELETE, false);
    count.countKnownWrites(1);
    assertThat(count.coverage(0, Resolution.NONE).instrumented()).isEqualTo(1);
    assertThat(text()).contains("1 write whose rows the DBMS did not return");
    count.countKnownWrites(2);
    assertThat(count.coverage(0, Resolution.NONE).instrumented()).isEqualTo(2);
    assertThat(text()).doesNotContain("1 write whose rows");
  }

  @Test
  void theRecordOfChangesIsNoSessionOfTheApplication() {
    CoverageCounter fresh = new CoverageCounter();
    Database mysql = new Database(new Product("MySQL", "9.7.0"), Map.of());
    open(fresh, 1, mysql);
    open(fresh, 2, mysql);
    fresh.count(new Event.ChangesRead(2, 10));
    fresh.count(new Event.ChangesRead(2, 30));
    assertThat(fresh.coverage(0, Resolution.NONE).sessions()).isEqualTo(1);
  }

  @Test
  void tablesWithoutColumnsAreToBePrepared() {
    gap(GapReason.NOT_PREPARED);
    assertThat(text()).contains("txwatch prepare");
  }

  @Test
  void reasonsOfShapesAreNamed() {
    gap(GapReason.SHAPE);
    assertThat(text()).contains("SHAPE", "DISTINCT");
    for (int i = 0; i < 2; i++) {
      for (String reason : List.of("a column of type json", "an UPDATE of a key", "3", "4", "5")) {
        count.count(new Event.Gap(1, 2, GapReason.SHAPE, reason, 1));
      }
    }
    assertThat(text())
        .contains("(a column of type json; an UPDATE of a key; 3; 4)")
        .doesNotContain("DISTINCT");
  }

  @Test
  void aStatementThatWasNotUnderstoodIsShown() {
    gap(GapReason.SHAPE);
    count.count(
        new Event.StatementExecuted(
            1, 2, 1, StatementKind.SELECT, "known", "", List.of(), true, null));
    gap(GapReason.NOT_UNDERSTOOD);
    open(count, 3, new Database(new Product("H2", "2.4.240"), Map.of()));
    for (int session : List.of(3, 1, 1)) {
      count.count(
          new Event.StatementExecuted(
              session,
              2,
              2,
              StatementKind.OTHER,
              "FROB  the\u202e\ntable " + session,
              "",
              List.of(),
              true,
              null));
    }
    assertThat(text())
        .contains("FROB the", "table 1")
        .doesNotContain("known")
        .doesNotContain("\u202e")
        .doesNotContain("table 3");
  }

  /** A check that finds nothing and an INSERT after it, twice at the same time. */
  @Test
  void theSettingThatWouldShowPhantomsIsNamed() {
    String named = "txwatch.instrument=predicates reads them";
    statement(1, StatementKind.SELECT, true);
    statement(2, StatementKind.INSERT, true);
    assertThat(text()).doesNotContain(named); // a foreign history
    open(count, 1, new Database(new Product("MySQL", "9.7.0"), Map.of()));
    assertThat(text()).contains(named);
    gap(GapReason.NO_VERSION_SET);
    assertThat(text()).doesNotContain(named);

    CoverageCounter queries = new CoverageCounter();
    open(queries, 1, new Database(new Product("MySQL", "9.7.0"), Map.of()));
    assertThat(text(queries)).doesNotContain(named);
  }

  @Test
  void whatADeleteMayHaveSkippedIsNotSeen() {
    String named = "what a DELETE skipped or missed";
    open(count, 1, new Database(new Product("PostgreSQL", "18.6"), Map.of()));
    statement(1, StatementKind.SELECT, true);
    assertThat(text()).doesNotContain(named);
    statement(2, StatementKind.DELETE, true);
    assertThat(text()).contains(named, "100.0 %");
    gap(GapReason.NO_VERSION_SET);
    assertThat(text()).doesNotContain(named);
  }

  private static void open(CoverageCounter counter, long session, Database database) {
    counter.count(new Event.SessionOpened(session, "", database));
  }

  private String text() {
    return text(count);
  }

  private static String text(CoverageCounter counter) {
    return TextReport.coverage(counter.coverage(0, Resolution.NONE)).replaceAll("\\s+", " ");
  }

  private void shed(long process, int steps, long statements, long transactions) {
    count.count(
        new Event.RowsShed(process << 32 | 1, new RowShare(steps), statements, transactions));
  }

  @Test
  void shareIsTheSmallestOneOfAllProcesses() {
    assertThat(count.coverage(0, Resolution.NONE).shed()).isEqualTo(Shed.NOTHING);
    shed(1, 3, 0, 0);
    shed(2, 1, 10, 2);
    assertThat(count.coverage(0, Resolution.NONE).shed())
        .isEqualTo(new Shed(new RowShare(3), new RowShare(3), 2));
    shed(1, 0, 30, 4);
    assertThat(count.coverage(0, Resolution.NONE).shed())
        .isEqualTo(new Shed(new RowShare(1), new RowShare(3), 6));
    assertThat(count.coverage(0, Resolution.NONE).gaps()).isEqualTo(Map.of(GapReason.SHED, 40L));
    assertThat(count.coverage(0, Resolution.NONE).dropped()).isZero();
  }
}
