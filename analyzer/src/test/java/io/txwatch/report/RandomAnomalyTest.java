package io.txwatch.report;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.txwatch.anomaly.Anomaly;
import io.txwatch.anomaly.CycleClass;
import io.txwatch.anomaly.Phenomenon;
import io.txwatch.history.Chunk;
import io.txwatch.history.Outcome;
import io.txwatch.slice.CaseSlice;
import io.txwatch.slice.HistorySlice;
import io.txwatch.slice.RowVersions;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;

/** Whatever the analyzer hands over, well-formed or not, a report comes out. */
class RandomAnomalyTest {

  @Provide
  Arbitrary<Anomaly> anomalies() {
    return Combinators.combine(
            Arbitraries.of(Phenomenon.class),
            Arbitraries.integers().between(0, 13),
            Arbitraries.longs(),
            Arbitraries.strings().ofMaxLength(60).list().ofMinSize(1).ofMaxSize(6))
        .as(RandomAnomalyTest::anomaly);
  }

  /** Edges may contradict each other, or name transactions and statements that are not there. */
  private static Anomaly anomaly(Phenomenon name, int transactions, long seed, List<String> texts) {
    Random random = new Random(seed);
    AnomalyBuilder anomaly = AnomalyBuilder.anomaly(name).cycle(CycleClass.G2).advice(texts.get(0));
    for (int t = 1; t <= transactions; t++) {
      String[] statements = new String[random.nextInt(5)];
      for (int s = 0; s < statements.length; s++) {
        String sql = texts.get(random.nextInt(texts.size()));
        statements[s] = (s + 1) + " " + sql.repeat(1 + random.nextInt(20)) + " @ " + sql;
      }
      anomaly.t(Optional.of(Outcome.COMMITTED), texts.get(t % texts.size()), statements);
      if (random.nextBoolean()) {
        anomaly.context(
            "9 " + texts.get(0), random.nextInt(11), "t%d %d".formatted(t, random.nextInt(4)));
      }
      anomaly.edge(
          "%d.%d %s %d.%d t%d %d"
              .formatted(
                  t,
                  random.nextInt(5),
                  List.of("ww", "wr", "rw", "so").get(random.nextInt(4)),
                  1 + random.nextInt(transactions + 1),
                  random.nextInt(5),
                  random.nextInt(3),
                  random.nextInt(4)));
    }
    return anomaly.anomaly();
  }

  @Property
  void blockFitsTheWidthAndContainsNoControlCharacter(@ForAll("anomalies") Anomaly anomaly) {
    String text = TextReport.of(anomaly);
    assertThat(text.lines()).allMatch(line -> TerminalText.width(line) <= TextReport.WIDTH);
    assertThat(text.codePoints().filter(c -> c != '\n' && Character.isISOControl(c))).isEmpty();
  }

  @Property
  void blockFitsTheWidthOfATerminal(
      @ForAll("anomalies") Anomaly anomaly, @ForAll @IntRange(min = 60, max = 240) int width) {
    assertThat(TextReport.fitting(width, anomaly).lines())
        .allMatch(line -> TerminalText.width(line) <= width);
  }

  @Property
  void interleavingHasEachStatementOnceInTransactionOrder(@ForAll("anomalies") Anomaly anomaly) {
    List<PossibleOrder.Step> steps = PossibleOrder.of(anomaly);
    for (int t = 0; t < anomaly.transactions().size(); t++) {
      int column = t;
      assertThat(
              steps.stream()
                  .filter(step -> step.column() == column && !step.isContext())
                  .map(PossibleOrder.Step::statement))
          .containsExactlyElementsOf(anomaly.transactions().get(t).statements());
    }
  }

  @Property
  void sliceCaseAndVersionsComeOut(@ForAll("anomalies") Anomaly anomaly) throws Exception {
    assertThat(Chunk.decode(HistorySlice.bytes(anomaly))).isNotNull();
    assertThat(CaseSlice.of(anomaly).lines()).allMatch(line -> line.matches("(#|I:|F:|T\\d+:) .*"));
    assertThat(RowVersions.of(anomaly).values())
        .allMatch(steps -> steps.stream().allMatch(step -> step.before() >= 0));
  }

  @Property
  void jsonLineIsValid(@ForAll("anomalies") Anomaly anomaly) throws Exception {
    assertThat(new ObjectMapper().readTree(JsonReport.anomaly(anomaly)).get("phenomenon").asText())
        .isEqualTo(anomaly.phenomenon().name());
  }
}
