package io.txwatch.format;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.analyzer.Notation;
import java.io.StringWriter;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** A history on a line, and the edges of its graph in DOT. */
class GraphExportTest {

  private static final Pattern EDGE =
      Pattern.compile(
          "(t\\d) -> (t\\d) \\[ label=\"(.*)\" taillabel=\"(\\d)\" headlabel=\"(\\d)\"( style.*)?"
              + " \\];");

  private GraphExport.Written written = new GraphExport.Written(0, 0, 0);

  private String dot(String history, boolean all) {
    StringWriter out = new StringWriter();
    written = GraphExport.write(Notation.events(history), all, out);
    return out.toString();
  }

  private List<String> edges(String history, boolean all) {
    return EDGE.matcher(dot(history, all))
        .results()
        .map(
            m ->
                m.group(1)
                    + "."
                    + m.group(4)
                    + " "
                    + m.group(3)
                    + " "
                    + m.group(2)
                    + "."
                    + m.group(5))
        .toList();
  }

  @Test
  void transactionsOnACycleAreWritten() {
    String lostUpdate = "w3(y0) c3 r1(x0) r2(x0) w2(x0) c2 w1(x2) c1 r4(x1) c4";
    assertThat(edges(lostUpdate, false))
        .containsExactly("t2.1 rw t#120 t1.2", "t1.2 ww t#120 t2.2");
    assertThat(written).isEqualTo(new GraphExport.Written(2, 2, 4));
  }

  @Test
  void allTransactionsAreWrittenOnRequest() {
    assertThat(edges("w1(x0) c1 r2(x1) c2", true)).containsExactly("t1.1 wr t#120 t2.1");
    assertThat(written).isEqualTo(new GraphExport.Written(2, 1, 2));
  }

  @Test
  void graphWithoutCyclesIsEmpty() {
    assertThat(dot("w1(x0) c1 r2(x1) c2", false)).contains("digraph dependencies {").contains("}");
    assertThat(written).isEqualTo(new GraphExport.Written(0, 0, 2));
  }
}
