package io.txwatch.analyzer;

import static io.txwatch.analyzer.Notation.findings;
import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.history.Database;
import io.txwatch.history.Product;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Updates by key: their target row is known, but not whether they made a version. */
class KeyedWritesTest {

  private static final Database MARIADB = new Database(new Product("MariaDB", "10.11.5"), Map.of());

  private static final String LOST = "r1(x0) r2(x0) t1(x0) c1 t2(x) c2 r3(x1) c3";

  private static List<String> found(String line) {
    return findings(line, MARIADB);
  }

  @Test
  void overwriteWithTheSameValuesLosesTheFirstUpdate() {
    assertThat(found(LOST)).containsExactly("LOST_UPDATE 2-rw(x)>1-ww(x)>2");
  }

  @Test
  void lostUpdateIsFoundInAnyOrderOfTheWriterLists() {
    assertThat(found("r1(x0) r2(x0) t1(x0) r3(x1) c3 c1 t2(x) c2"))
        .containsExactly("LOST_UPDATE 2-rw(x)>1-ww(x)>2");
    assertThat(found("r1(x0) r2(x0) t1(x0) c1 t2(x) r3(x1) c3 c2"))
        .containsExactly("LOST_UPDATE 2-rw(x)>1-ww(x)>2");
  }

  @Test
  void theOverwriterNeedNotHaveReadTheRow() {
    assertThat(found("r2(x0) b1(x0) c1 t2(x) c2 r3(x1) c3"))
        .containsExactly("LOST_UPDATE 2-rw(x)>1-ww(x)>2");
  }

  @Test
  void firstTransactionOfAChainIsNamed() {
    assertThat(found("r2(x0) w1(x0) c1 w4(x1) c4 t2(x) c2"))
        .containsExactly("LOST_UPDATE 2-rw(x)>1-ww(x)>2");
  }

  @Test
  void updateThatMadeAVersionIsReportedOnce() {
    assertThat(found("r1(x0) r2(x0) t1(x0) c1 t2(x1) c2 r3(x2) c3"))
        .containsExactly("LOST_UPDATE 2-rw(x)>1-ww(x)>2");
  }

  @Test
  void noOpUpdateBeforeTheOtherIsNotLost() {
    assertThat(found("r1(x0) r2(x0) t2(x) c2 t1(x0) c1 r3(x1) c3")).isEmpty();
    assertThat(found("r1(x0) r2(x0) t2(x) t1(x0) c1 c2 r3(x1) c3")).isEmpty();
  }

  @Test
  void twoNoOpUpdatesAreNoLostUpdate() {
    assertThat(found("r1(x0) r2(x0) t1(x) c1 t2(x) c2 r3(x0) c3")).isEmpty();
  }

  @Test
  void updateAfterAReadOfTheOtherWriteIsNoLostUpdate() {
    assertThat(found("r1(x0) t1(x0) c1 r2(x1) t2(x) c2 r3(x1) c3")).isEmpty();
  }

  @Test
  void lockedRowIsNoLostUpdate() {
    assertThat(found("r1(x0) r2(x0) t1(x0) c1 l2(x1) t2(x) c2 r3(x1) c3")).isEmpty();
  }

  @Test
  void rolledBackUpdateIsNotLost() {
    assertThat(found("r1(x0) r2(x0) t1(x0) c1 t2(x) a2 r3(x1) c3")).isEmpty();
    assertThat(found("r1(x0) r2(x0) t1(x0) a1 t2(x) c2 r3(x0) c3")).isEmpty();
    assertThat(found("r1(x0) r2(x0) t1(x0) c1 t2(x) u2 r3(x1) c3")).isEmpty();
    assertThat(found("r1(x0) r2(x0) t1(x0) c1 t2(x) s2(2-2) c2 r3(x1) c3")).isEmpty();
    assertThat(found("r1(x0) r2(x0) t1(x0) s1(2-2) c1 t2(x) c2 r3(x0) c3")).isEmpty();
  }

  @Test
  void targetRowIsNoVersion() {
    assertThat(found("r1(x0) t1(x) r1(x0) c1 r2(x0) w2(x0) c2 r3(x2) c3")).isEmpty();
    assertThat(found("r1(x0) t1(x) a1 r2(x0) w2(x0) c2 r3(x2) c3")).isEmpty();
  }

  /** An item of a batch, whose row is known by its key. */
  @Test
  void postgresqlLocksRowsUntilCommit() {
    assertThat(findings(LOST)).containsExactly("LOST_UPDATE 2-rw(x)>1-ww(x)>2");
  }

  @Test
  void nothingIsInferredWithoutLocksUntilCommit() {
    assertThat(findings(LOST, new Database(new Product("H2", "2.5"), Map.of()))).isEmpty();
    assertThat(
            findings(
                LOST, new Database(new Product("MariaDB", "10.11.5"), Map.of("wsrep_on", "ON"))))
        .isEmpty();
    assertThat(
            findings(
                LOST,
                new Database(
                    new Product("MySQL", "9.7"),
                    Map.of("group_replication_single_primary_mode", "OFF"))))
        .isEmpty();
    assertThat(
            findings(
                LOST,
                new Database(
                    new Product("MySQL", "9.7"),
                    Map.of("group_replication_single_primary_mode", "ON"))))
        .hasSize(1);
  }
}
