package io.txwatch.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.campaign.PatternCount;
import io.txwatch.history.IsolationLevel;
import io.txwatch.oracle.OracleVerdict.PatternOutcome;
import io.txwatch.pattern.PatternFile;
import java.util.List;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class PatternTableTest {

  @Test
  void eachPatternHasARowAndEachLevelAColumn() {
    TreeMap<PatternCount, Long> counts = new TreeMap<>();
    counts.put(new PatternCount("2", IsolationLevel.REPEATABLE_READ, PatternOutcome.AVOIDED), 4L);
    counts.put(
        new PatternCount("lost-update", IsolationLevel.READ_COMMITTED, PatternOutcome.SHOWN), 3L);
    counts.put(
        new PatternCount("lost-update", IsolationLevel.READ_COMMITTED, PatternOutcome.BLOCKED), 1L);
    PatternTable table = PatternTable.of(counts);

    List<String> text = table.text();
    assertThat(text).hasSize(2 + PatternFile.all().size());
    assertThat(text.get(1)).matches(" +RC +RR");
    assertThat(text).anyMatch(line -> line.matches("lost-update +S3 B1"));
    assertThat(text).anyMatch(line -> line.matches("2 +O4"));
    assertThat(table.markdown("H2 2"))
        .contains(
            "# Anomaly patterns on H2 2",
            "| lost-update | R1[x0] W2[x1] C2 W1[x2] C1 | S3 B1 |  |",
            "| 2 | S2 W1[x1] C1 R2[x1] C2 |  | O4 |");
  }

  @Test
  void withoutPatternsThereIsNoTable() {
    assertThat(PatternTable.of(new TreeMap<>()).text()).isEmpty();
  }
}
