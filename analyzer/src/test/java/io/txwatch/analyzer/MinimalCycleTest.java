package io.txwatch.analyzer;

import static io.txwatch.analyzer.Notation.findings;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which of several cycles is reported; histories as in the papers, with the findings in order. */
class MinimalCycleTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        // Blind writes whose order the read of T5 shows: one edge closes a cycle of three
        // transactions and one of four.
        "b2(x0) w1(y0,u0) b1(x2) c1 r3(y1) w3(z0) c3 r4(u1) w4(v0) c4 r6(v4) w6(s0) c6"
            + " r2(s6,z3) c2 r5(x1) c5 | CIRCULAR_INFORMATION_FLOW 1-wr(y)>3-wr(z)>2-ww(x)>1",
        // T1 ends last and closes both: the smaller cycle is reported first, and the larger one
        // for the sake of T4.
        "r1(x0) w2(x0) w2(y0) c2 r3(y2) w3(z0) w3(u0) c3 r4(u3) w4(v0) c4 r1(z3) r1(v4) c1 |"
            + " G_SINGLE 1-rw(x)>2-wr(y)>3-wr(z)>1; G_SINGLE 1-rw(x)>2-wr(y)>3-wr(u)>4-wr(v)>1",
        "r1(x0) w2(x0) w2(y0) c2 r3(y2) w3(z0) w3(u0) c3 r4(u3) w4(v0) c4 r1(v4) r1(z3) c1 |"
            + " G_SINGLE 1-rw(x)>2-wr(y)>3-wr(z)>1; G_SINGLE 1-rw(x)>2-wr(y)>3-wr(u)>4-wr(v)>1",
        // The worst class comes before the smallest number: G1c of four, G-single of three.
        "b2(x0) r1(q0) w1(u0) b1(x2) c1 r4(u1) w4(v0) c4 r6(v4) w6(s0) c6 w3(q0) w3(z0) c3"
            + " r2(s6,z3) c2 r5(x1) c5 |"
            + " CIRCULAR_INFORMATION_FLOW 1-wr(u)>4-wr(v)>6-wr(s)>2-ww(x)>1",
        // Two of three transactions each: through T4 with one supposition, through T3 with two.
        "b2(x0) r1(y0?,u0) b1(x2) c1 w3(y0,z0) c3 w4(u0,v0) c4 r2(z3?,v4?) c2 r5(x1) c5 |"
            + " G_SINGLE 1-rw(u)>4-wr?(v)>2-ww(x)>1",
        "b2(x0) r1(y0,u0?) b1(x2) c1 w3(y0,z0) c3 w4(u0,v0) c4 r2(v4?,z3?) c2 r5(x1) c5 |"
            + " G_SINGLE 1-rw(y)>3-wr?(z)>2-ww(x)>1",
        // Two dependencies of T3 on T2, one of them certain.
        "r1(x0?) w2(x0,y0,u0) c2 r3(y2?,u2) w3(z0) c3 r1(z3) c1 |"
            + " G_SINGLE 1-rw?(x)>2-wr(u)>3-wr(z)>1",
        "r1(x0?) w2(x0,y0,u0) c2 r3(y2,u2?) w3(z0) c3 r1(z3) c1 |"
            + " G_SINGLE 1-rw?(x)>2-wr(y)>3-wr(z)>1",
        // A certain cycle of four is reported although a supposed one of three is smaller.
        "b2(x0) r1(y0?,u0) b1(x2) c1 w3(y0,z0) c3 w4(u0,v0) c4 r6(v4) w6(s0) c6"
            + " r2(s6,z3) c2 r5(x1) c5 |"
            + " G_SINGLE 1-rw(u)>4-wr(v)>6-wr(s)>2-ww(x)>1;"
            + " G_SINGLE 1-rw?(y)>3-wr(z)>2-ww(x)>1",
        // A certain cycle and a supposed one of the same size: the certain one alone.
        "b2(x0) r1(y0?,u0) b1(x2) c1 w3(y0,z0) c3 w4(u0,v0) c4 r2(z3,v4) c2 r5(x1) c5 |"
            + " G_SINGLE 1-rw(u)>4-wr(v)>2-ww(x)>1",
        "b2(x0) r1(y0,u0?) b1(x2) c1 w3(y0,z0) c3 w4(u0,v0) c4 r2(z3,v4) c2 r5(x1) c5 |"
            + " G_SINGLE 1-rw(y)>3-wr(z)>2-ww(x)>1",
      })
  void minimalCycleOfTheWorstClassIsReported(String history, String expected) {
    assertThat(findings(history)).isEqualTo(List.of(expected.split("; *")));
  }
}
