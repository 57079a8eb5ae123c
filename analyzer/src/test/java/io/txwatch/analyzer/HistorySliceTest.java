package io.txwatch.analyzer;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.anomaly.Anomaly;
import io.txwatch.dependency.Dependency;
import io.txwatch.history.Event;
import io.txwatch.history.HistoryReader;
import io.txwatch.report.AnomalyId;
import io.txwatch.slice.HistorySlice;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The slice of an anomaly, analyzed, is that anomaly. */
class HistorySliceTest {

  @ParameterizedTest
  @ValueSource(
      strings = {
        "w1(x0) w2(x1) w2(y0) w1(y2) c1 c2",
        "w1(x0) w2(y0) r1(y2) r2(x1) c1 c2",
        "w1(x0) w2(x1) w2(y0) r1(y2) c1 c2",
        "w1(x0) r2(x1) c2 a1",
        "w1(x0) r2(x1) s1(1-1) c2 c1",
        "w1(x0) r2(x1) w1(x1) c1 c2",
        "w1(x0) r1(x0) c1",
        "w1(x0) w1(x1) r1(x1.1) c1",
        "r1(x0) r2(x0) w2(x0) c2 w1(x2) c1",
        "r1(x0) w2(x0) c2 w3(x2) c3 w1(x3) c1",
        "r1(x0) w2(x0,y0) c2 w1(y2) c1",
        "r1(x0) w2(x0,y0) c2 r1(y2) c1",
        "w2(x0,y0) c2 r1(y2) r1(x0) c1",
        "w2(x0,y0) c2 r1(y2,x0) c1",
        "r1(x0) w2(x0) c2 r1(x2) c1",
        "r1(x0) r2(y0) w1(y0) w2(x0) c1 c2",
        "w1(x0) c1 w2(y0) c2 r3(x1,y0) c3 r4(x0,y2) c4",
        "r1(x0) w2(x0) w2(y0) c2 r3(y2) w3(z0) c3 r1(z3) c1",
        "r1(x0) r2(y0) r3(z0) w1(z0) w2(x0) w3(y0) c1 c2 c3",
        "1@SER 2@SER r1(x0) w2(x0) c2 l1(x2) c1",
        "r1(;P:) i2(x) c2 r1(x2;P:x2) c1",
        "r1(;P:x0) r2(;P:x0) w1(y0) c1",
      })
  void analyzedSliceIsTheAnomaly(String history) {
    for (Anomaly anomaly : Notation.analyzed(Notation.events(history))) {
      List<Anomaly> again = Notation.analyzed(HistorySlice.events(anomaly));
      assertThat(again.stream().map(Notation::text)).containsExactly(Notation.text(anomaly));
      assertThat(AnomalyId.of(again.get(0))).isEqualTo(AnomalyId.of(anomaly));
      assertThat(again.get(0).verdict()).isEqualTo(anomaly.verdict());
      assertThat(again.get(0).advice()).isEqualTo(anomaly.advice());
    }
  }

  @Test
  void sliceNamesRowsByTheirKeys() {
    List<Event> events = new ArrayList<>(Notation.events("r1(x0) r2(x0) w2(x0) c2 w1(x2) c1"));
    events.add(1, new Event.RowNamed(1, "t", 'x', "42"));
    Anomaly anomaly = Notation.analyzed(events).get(0);
    assertThat(anomaly.cycle()).extracting(Dependency::key).containsOnly("42");
    assertThat(Notation.analyzed(HistorySlice.events(anomaly)).get(0).cycle())
        .isEqualTo(anomaly.cycle());
  }

  @Test
  void fileIsAHistoryThatWasClosedInOrder(@TempDir Path folder) throws Exception {
    Anomaly anomaly =
        Notation.analyzed(Notation.events("r1(x0) r2(x0) w2(x0) c2 w1(x2) c1")).get(0);
    Path file = Files.write(folder.resolve("slice.history"), HistorySlice.bytes(anomaly));
    List<Event> events = new ArrayList<>();
    try (HistoryReader reader = HistoryReader.open(file)) {
      reader.forEach(events::add);
      assertThat(reader.losses()).isEmpty();
    }
    assertThat(events).isEqualTo(HistorySlice.events(anomaly));
  }
}
