package io.txwatch.format;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.analyzer.Analyzer;
import io.txwatch.analyzer.Notation;
import io.txwatch.analyzer.Replicas;
import io.txwatch.anomaly.Anomaly;
import io.txwatch.anomaly.CycleClass;
import io.txwatch.anomaly.Phenomenon;
import io.txwatch.dependency.CommitOrder;
import io.txwatch.guarantee.Judge;
import io.txwatch.history.Event;
import io.txwatch.history.IsolationLevel;
import io.txwatch.stale.Across;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/**
 * The taxonomy on a page: every phenomenon and every class of cycle, each by its smallest history
 * (in {@link Notation}'s language, or {@link ElleNotation}'s), as it is reported.
 */
class TaxonomyTest {

  /**
   * How the history is read: as events, with session order, with real-time order, across the
   * transactions of a session, or as lists.
   */
  private static final List<String> TABLE =
      List.of(
          "event | w1(x0) w2(x1) w2(y0) w1(y2) c1 c2         | DIRTY_WRITE G0",
          "event | w1(x0) r2(x1) c2 a1                       | ABORTED_READ",
          "event | w1(x0) r2(x1) w1(x1) c1 c2                | INTERMEDIATE_READ",
          "event | w1(x0) w2(y0) r1(y2) r2(x1) c1 c2         | CIRCULAR_INFORMATION_FLOW G1c",
          "event | w1(x0) r1(x0) c1                          | INTERNAL",
          "event | w1(y0) c1 r2(x1.2!) c2                     | GARBAGE_READ",
          "lists | ax1 rx17                                  | GARBAGE_READ",
          "lists | ax1 rx11                                  | DUPLICATE_WRITE",
          "lists | ax1 ax2 ax3 rx13 rx123                    | INCOMPATIBLE_ORDER",
          "event | r1(x0) r2(x0) w2(x0) c2 w1(x2) c1         | LOST_UPDATE G-single",
          "event | r1(x0) w2(x0,y0) c2 w1(y2) c1             | READ_WRITE_SKEW G-single",
          "event | r1(x0) w2(x0,y0) c2 r1(y2) c1             | READ_SKEW G-single",
          "event | w2(x0,y0) c2 r1(y2) r1(x0) c1             | FRACTURED_READ G-single",
          "event | r1(x0) w2(x0) c2 r1(x2) c1                | NON_REPEATABLE_READ G-single",
          "event | r1(;P:x0) i2(z) c2 r1(z2;P:x0,z2) c1      | PHANTOM G-single",
          "event | r1(x0) r2(y0) w1(y0) w2(x0) c1 c2         | WRITE_SKEW G2-item",
          "event | w1(x0) c1 w2(y0) c2 r3(x1,y0) c3 r4(x0,y2) c4 | LONG_FORK G-nonadjacent",
          "event | r1(x0) w2(x0) w2(y0) c2 r3(y2) w3(z0) c3 r1(z3) c1 | G_SINGLE G-single",
          "event | r1(x0) w2(x0) c2 r3(x2) r3(y0) c3 w4(y0) w4(z0) c4 w1(z4) c1"
              + " | G_NONADJACENT G-nonadjacent",
          "event | r1(x0) r2(y0) r3(z0) w1(z0) w2(x0) w3(y0) c1 c2 c3 | G2_ITEM G2-item",
          "event | r1(;P:x0) r2(;P:x0) i1(z) i2(w) c1 c2 r3(z1,w2;P:x0,z1,w2) c3 | G2 G2",
          "order | 2~1 w3(y0) w1(y3) c1 w2(x0) c2 w3(x2) c3  | TRANSACTION_INVERSION G0-process",
          "order | 2~1 w3(y0) r1(y3) c1 w2(x0) c2 w3(x2) c3  | TRANSACTION_INVERSION G1c-process",
          "order | 2~1 w1(x0) c1 r2(x0) c2              | TRANSACTION_INVERSION G-single-process",
          "order | 2~1 r4(z0) w1(z0) c1 r2(x0) c2 w3(x0) c3 r4(x3) c4"
              + " | TRANSACTION_INVERSION G-nonadjacent-process",
          "order | 2~1 r3(z0) w1(z0) c1 r2(x0) c2 w3(x0) c3"
              + " | TRANSACTION_INVERSION G2-item-process",
          "time  | w3(y0) w1(y3) c1 w2(x0) c2 w3(x2) c3      | TRANSACTION_INVERSION G0-realtime",
          "time  | w3(y0) r1(y3) c1 w2(x0) c2 w3(x2) c3      | TRANSACTION_INVERSION G1c-realtime",
          "time  | w1(x0) c1 r2(x0) c2                 | TRANSACTION_INVERSION G-single-realtime",
          "time  | r4(z0) r3(q0) w1(z0) c1 r2(x0) c2 w3(x0) c3 r4(x3) c4"
              + " | TRANSACTION_INVERSION G-nonadjacent-realtime",
          "time  | r3(z0) w1(z0) c1 r2(x0) c2 w3(x0) c3"
              + " | TRANSACTION_INVERSION G2-item-realtime",
          "across | 3~1 r1(x0)[a] c1 w2(x0)[a] c2 w3(x2)[a] c3  | STALE_WRITE",
          "standby | w1(x0) c1 r5(x0) c5                     | STALE_READ",
          "event | w1(x0) w2(y0) w2(x0) k1(2) a1 c2           | DEADLOCK");

  @TempDir private Path directory = Path.of("");

  @ParameterizedTest
  @FieldSource("TABLE")
  void phenomenonIsReportedByItsName(String line) throws IOException {
    String[] parts = line.split("\\|");
    List<Anomaly> found = new ArrayList<>();
    if (parts[0].strip().equals("lists")) {
      Path file =
          Files.writeString(
              directory.resolve("history"), ElleNotation.edn(parts[1].strip(), false, true));
      ForeignHistory.check(
          file,
          ForeignFormat.ELLE_APPEND,
          ElleNotation.demand(IsolationLevel.SERIALIZABLE),
          found::add);
    } else {
      try (Analyzer analyzer =
          new Analyzer(Judge.ADYA, found::add, 1 << 28, orders(parts[0].strip()))) {
        analyzer.across(parts[0].strip().equals("across") ? Across.SESSION : Across.OFF);
        List<Event> events = Notation.events(parts[1]);
        (parts[0].strip().equals("standby") ? Replicas.events(events) : events)
            .forEach(analyzer::accept);
      }
    }
    // A possible anomaly may be reported again once it is proven.
    assertThat(found.stream().map(TaxonomyTest::name).distinct()).containsExactly(parts[2].strip());
  }

  private static Set<CommitOrder> orders(String word) {
    return switch (word) {
      case "order" -> EnumSet.of(CommitOrder.SESSION);
      case "time" -> EnumSet.of(CommitOrder.REAL_TIME);
      default -> Set.of();
    };
  }

  private static String name(Anomaly anomaly) {
    return (anomaly.phenomenon() + " " + anomaly.cycleTerm().orElse("")).strip();
  }

  @Test
  void everyPhenomenonAndEveryClassIsInTheTable() {
    Set<String> words = new TreeSet<>();
    TABLE.forEach(line -> words.addAll(Arrays.asList(line.split("\\|")[2].strip().split(" "))));
    for (Phenomenon phenomenon : Phenomenon.values()) {
      assertThat(words).contains(phenomenon.name());
    }
    for (CycleClass cycleClass : CycleClass.values()) {
      assertThat(words).contains(cycleClass.term());
    }
  }
}
