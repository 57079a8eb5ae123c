package io.txwatch.analyzer;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.dependency.Dependency;
import io.txwatch.dependency.Edge;
import io.txwatch.history.Database;
import io.txwatch.history.Product;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The histories of the figures of IsoRel, with the dependencies that the paper draws. */
class IsoRelFiguresTest {

  private static final Database MYSQL = new Database(new Product("MySQL", "9.7.4"), Map.of());

  /**
   * Figure 3, the history of Figure 1: T1 reads r1 (here a), T2 writes it and inserts r5 (e), which
   * T1 then updates. T3 follows T1 in its session and reads both.
   */
  @Test
  void figure3() {
    String history = "3~1 r1(a0) w2(a0) i2(e) c2 w1(e2) c1 r3(a2,e1) c3";
    assertThat(dependencies(history))
        .containsExactlyInAnyOrder("2-wr(a)>3", "2-ww(e)>1", "1-rw(a)>2", "1-wr(e)>3");
    assertThat(Notation.findings(history)).containsExactly("READ_WRITE_SKEW 1-rw(a)>2-ww(e)>1");
  }

  /**
   * Figure 4: T1 updates r1 (here a) and r2 (b) and reads them; T2 reads r1 with a lock and deletes
   * it. The paper also draws rw(r1); T1 read its own version there, so ww(r1) is the same edge.
   */
  @Test
  void figure4() {
    String history = "w1(a0,b0) r1(a1,b1) c1 l2(a1) d2(a1) c2";
    assertThat(dependencies(history)).containsExactly("1-wr(a)>2", "1-ww(a)>2");
    assertThat(Notation.findings(history)).isEmpty();
  }

  /** Figure 5: T1 reads what T2 then replaces, and reads T2's version with SELECT FOR UPDATE. */
  @Test
  void figure5() {
    String history = "1@RR 2@RR r1(a0) w2(a0) c2 l1(a2) c1";
    assertThat(dependencies(history)).contains("1-rw(a)>2", "2-wr(a)>1");
    assertThat(Notation.findings(history, MYSQL)).isEmpty();
  }

  /** Figure 6: T1 reads r1 (a) and writes r3 (c), T2 reads r3 and writes r1; T3 follows T1. */
  @Test
  void figure6() {
    String history = "1@RR 2@RR 3~1 r1(a0) r2(c0) w1(c0) w2(a0) c1 c2 r3(a2,c1) c3";
    assertThat(dependencies(history)).contains("1-rw(a)>2", "2-rw(c)>1");
    assertThat(Notation.findings(history, MYSQL)).containsExactly("WRITE_SKEW 1-rw(a)>2-rw(c)>1");
  }

  private static Set<String> dependencies(String history) {
    return new InferredEdges(Notation.events(history))
        .all.stream()
            .map(Edge::dependency)
            .filter(edge -> !edge.kind().isOrder())
            .map(IsoRelFiguresTest::text)
            .collect(Collectors.toCollection(TreeSet::new));
  }

  private static String text(Dependency edge) {
    return "%d-%s(%c)>%d".formatted(edge.from(), edge.kind().term(), (char) edge.row(), edge.to());
  }
}
