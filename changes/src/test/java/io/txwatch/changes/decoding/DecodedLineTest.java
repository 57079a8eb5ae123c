package io.txwatch.changes.decoding;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.txwatch.changes.ChangedRow;
import io.txwatch.changes.decoding.DecodedLine.Value;
import java.util.Map;
import org.junit.jupiter.api.Test;

class DecodedLineTest {

  @Test
  void anUpdateHasBothImages() {
    DecodedLine line =
        DecodedLine.of(
                "table public.\"T.\"\"1\": UPDATE: old-key: id[integer]:1 \"a b\"[text]:'it''s new-tuple:'"
                    + " new-tuple: id[integer]:2 \"a b\"[text]:null x[integer[]]:'{1}' b[bit]:B'1'")
            .orElseThrow();

    assertThat(line.schema()).isEqualTo("public");
    assertThat(line.table()).isEqualTo("T.\"1");
    assertThat(line.kind()).isEqualTo(ChangedRow.Kind.UPDATE);
    assertThat(line.before())
        .isEqualTo(Map.of("id", new Value("1", false), "a b", new Value("it's new-tuple:", false)));
    assertThat(line.after())
        .isEqualTo(
            Map.of(
                "id", new Value("2", false),
                "a b", new Value(null, false),
                "x", new Value("{1}", false),
                "b", new Value("1", false)));
  }

  @Test
  void whatIsNotAboutARowIsSkippedAndWhatIsDamagedIsReported() {
    assertThat(DecodedLine.of("BEGIN 7")).isEmpty();
    assertThat(DecodedLine.of("table s.t: DELETE: (no-tuple-data)").orElseThrow().before())
        .isNull();
    assertThatThrownBy(() -> DecodedLine.of("table s.t: INSERT: a[text]:'open"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("an open quote in: table s.t: INSERT: a[text]:'open");
  }
}
