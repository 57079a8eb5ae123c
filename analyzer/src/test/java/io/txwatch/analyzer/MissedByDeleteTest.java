package io.txwatch.analyzer;

import static io.txwatch.analyzer.Notation.findings;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

/** Versions that a DELETE at READ COMMITTED matches and missed: it had looked before them. */
class MissedByDeleteTest {

  /** What is proven. */
  private static List<String> proven(String line) {
    return findings(line).stream().filter(finding -> !finding.contains("?")).toList();
  }

  @Test
  void deleteMissesAWriteAndSkipsAnother() {
    // PostgreSQL's manual, 13.2.1: x becomes a match and y stops being one; neither is deleted.
    assertThat(proven("r2(z0) w1(x0) w1(y0) c1 p2(y0) m2(x1;_:x0,y0) c2"))
        .containsExactly("G_SINGLE 2-prw(x)>1-pwr(y)>2");
  }

  @Test
  void deleteMissesAWriteThatALaterReadSees() {
    assertThat(proven("r2(z0) w1(x0) w1(y0) c1 m2(x1;_:x0,y0) r2(y1) c2"))
        .containsExactly("G_SINGLE 2-prw(x)>1-wr(y)>2");
  }

  @Test
  void missedVersionIsFoundInAnyArrivalOrder() {
    assertThat(proven("w1(x0) w1(y0) p2(y0) m2(x1;_:x0,y0) c2 c1"))
        .containsExactly("G_SINGLE 2-prw(x)>1-pwr(y)>2");
    assertThat(proven("w1(x0) w1(y0) p2(y0) m2(x1;_:x0,y0) c1 c2"))
        .containsExactly("G_SINGLE 2-prw(x)>1-pwr(y)>2");
  }

  @Test
  void missedVersionPrecedesWhoWroteTheColumnsOfThePredicate() {
    // 3 wrote the version that was missed, and 1 made it a match.
    assertThat(
            proven(
                "r2(z0) w1(x0)[hits] w1(y0)[hits] w3(x1)[note] c1 c3"
                    + " p2(y0)[/hits] m2(x3;_:x0,y0)[/hits] c2"))
        .containsExactly("G_SINGLE 2-prw(x)>1-pwr(y)>2");
    assertThat(
            proven(
                "r2(z0) w1(x0)[hits] w3(x1)[note] w3(y0)[hits] c1 c3"
                    + " p2(y0)[/hits] m2(x3;_:x0,y0)[/hits] c2"))
        .isEmpty();
  }

  @Test
  void insertedRowIsMissed() {
    assertThat(proven("r2(z0) i1(x) w1(y0) c1 p2(y0) m2(x1;_:y0) c2"))
        .containsExactly("G_SINGLE 2-prw(x)>1-pwr(y)>2");
  }

  /** What wrote the row after the DELETE left the token of the writer before it. */
  @Test
  void versionOfTheSetIsNotMissed() {
    assertThat(proven("r2(z0) w1(x0) w1(y0) c1 p2(y0) m2(x1;_:x1,y0) c2")).isEmpty();
    assertThat(proven("r2(z0) w1(x0) w1(y0) c1 p2(y0) m2(x1) c2")).isEmpty();
  }

  @Test
  void missedVersionAloneIsNoAnomaly() {
    assertThat(proven("r2(z0) w1(x0) c1 m2(x1;_:x0) c2")).isEmpty();
    assertThat(proven("r2(z0) w1(x0) w1(y0) c1 p2(y0) m2(x0;_:x0,y0) c2")).isEmpty();
  }

  @Test
  void rolledBackTransactionsCountForNothing() {
    assertThat(proven("r2(z0) w1(x0) w1(y0) c1 p2(y0) m2(x1;_:x0,y0) a2")).isEmpty();
    assertThat(proven("r2(z0) w1(x0) w1(y0) a1 p2(y0) m2(x1;_:x0,y0) c2")).isEmpty();
  }

  @Test
  void whatEndedBeforeTheDeletingTransactionBeganIsNotMissed() {
    assertThat(proven("w1(x0) w1(y0) c1 p2(y0) m2(x1;_:x0,y0) c2")).isEmpty();
  }
}
