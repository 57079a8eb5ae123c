package io.txwatch.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.coverage.Coverage;
import io.txwatch.coverage.GapContext;
import io.txwatch.coverage.OperationWaits;
import io.txwatch.coverage.Shed;
import io.txwatch.history.GapReason;
import io.txwatch.history.RowShare;
import io.txwatch.version.Resolution;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class CoverageTextTest {

  @Test
  void everythingObserved() {
    assertThat(TextReport.coverage(new Coverage(1, 1, 1, 2, 2, 1, 1, 0, 0, 0, Map.of())))
        .isEqualTo(
            """
            coverage  1 transaction in 1 session (1 committed); rows seen for 2 of 2 statements (100.0 %)
            """);
  }

  @Test
  void reasonsAreOrderedByCount() {
    assertThat(
            TextReport.coverage(
                new Coverage(
                    10,
                    1234,
                    1200,
                    100_000,
                    99_987,
                    5,
                    5,
                    7,
                    2,
                    0,
                    Map.of(GapReason.OPAQUE, 0L, GapReason.SHAPE, 1L, GapReason.NOT_PREPARED, 9L))))
        .isEqualTo(
            """
            coverage  1,234 transactions in 10 sessions (1,200 committed); rows seen for 99,987 of 100,000
                      statements (99.9 %)
            not seen  9 NOT_PREPARED: tables without the auxiliary columns: run `txwatch prepare --url URL`, or
                      set txwatch.prepare=auto
                      1 SHAPE: statements of a shape that is passed through unchanged (DISTINCT, GROUP BY,
                      UNION, subquery, ...); rows that only such statements access are not judged
                      3 writes whose rows the DBMS did not return; each is identified when its row is next read
                      or written, as far as the DBMS names the writer then
                      7 uncertain accesses: returned by side reads, which may have read another snapshot;
                      nothing is proven by them
                      2 possible anomalies: not reported, since the isolation level forbids them
            """);
  }

  @Test
  void shareOfTheRowsIsPrintedAfterOverload() {
    Shed shed = new Shed(new RowShare(2), new RowShare(16), 1234);
    assertThat(
            TextReport.coverage(
                new Coverage(1, 2, 2, 4, 4, 2, 2, 0, 0, 0, Map.of(GapReason.SHED, 9999L), shed)))
        .isEqualTo(
            """
            coverage  2 transactions in 1 session (2 committed); rows seen for 4 of about 10,003 statements (0.0
                      %); missing: 9,999 SHED
            not seen  9,999 SHED: statements on other rows than those that are observed while more events arise
                      than can be processed; of the observed rows everything is known, and what is reported is
                      certain
                      rows observed: 3/4 now, 1/16 at the least; nothing was observed of 1,234 transactions
            """);
  }

  @Test
  void shareIsOfAllStatementsAndWhyStandsBesideIt() {
    Map<GapReason, Long> gaps =
        Map.of(GapReason.OVERFLOW, 400_000L, GapReason.SHED, 55_856L, GapReason.FORGOTTEN, 12L);
    assertThat(
            TextReport.coverage(
                new Coverage(9, 59_000, 59_000, 118_144, 118_142, 5, 5, 0, 0, 0, gaps)))
        .startsWith(
            """
            coverage  59,000 transactions in 9 sessions (59,000 committed); rows seen for 118,142 of about
                      574,000 statements (20.5 %); missing: 400,000 OVERFLOW, 12 FORGOTTEN, 55,856 SHED
            """)
        .doesNotContain("check later");
  }

  @Test
  void rowsReadByValueAreCountedByWhatBecameOfThem() {
    Resolution resolution = new Resolution(1180, 8, 4, 5, 0, 3);
    assertThat(
            TextReport.coverage(
                new Coverage(
                    1,
                    2,
                    2,
                    4,
                    4,
                    1200,
                    2,
                    0,
                    0,
                    0,
                    Map.of(),
                    Shed.NOTHING,
                    GapContext.UNKNOWN,
                    resolution,
                    OperationWaits.NONE,
                    List.of())))
        .isEqualTo(
            """
            coverage  2 transactions in 1 session (2 committed); rows seen for 4 of 4 statements (100.0 %)
                      1,200 rows read by value, the version is known of 1,180 (98.3 %); 8 one of a run of
                      versions with the same values; 4 one of several versions; 5 no recorded version fits; 3
                      read without their key
            """);
  }

  /** By value, conditions are computed: no setting would read what they did not find. */
  @Test
  void rowsThatNoConditionFoundByValue() {
    Coverage coverage =
        new Coverage(
            1,
            2,
            2,
            4,
            4,
            1200,
            0,
            0,
            0,
            0,
            Map.of(),
            Shed.NOTHING,
            new GapContext("", List.of(), true, true, true),
            Resolution.NONE,
            OperationWaits.NONE,
            List.of());
    assertThat(TextReport.coverage(coverage))
        .contains("rows that a query or a DELETE did not find, except where its condition")
        .doesNotContain("instrument=predicates");
  }

  @Test
  void whatOnlyRowsConnectIsPrintedOnRequest() {
    Coverage coverage = new Coverage(1, 1, 1, 2, 2, 1, 1, 0, 0, 1234, Map.of());
    assertThat(TextReport.coverage(coverage)).doesNotContain("row-level");
    assertThat(TextReport.rowLevel(100, coverage))
        .isEqualTo(
            """
            row-level 1,234 pairs of accesses to different columns of a row: no dependency; granularity row
                      counts them
            """);
  }

  @Test
  void nothingObserved() {
    assertThat(TextReport.coverage(Coverage.NONE))
        .isEqualTo(
            """
            coverage  no statement was seen: is the application's connection behind jdbc:txwatch: or the agent?
            """);
  }

  @ParameterizedTest
  @EnumSource(GapReason.class)
  void everyReasonHasARemedy(GapReason reason) {
    assertThat(TextReport.coverage(new Coverage(1, 1, 1, 2, 1, 1, 1, 0, 0, 0, Map.of(reason, 1L))))
        .contains("1 " + reason + ": ")
        .satisfies(
            text -> assertThat(text.lines()).allMatch(line -> line.length() <= TextReport.WIDTH));
  }
}
