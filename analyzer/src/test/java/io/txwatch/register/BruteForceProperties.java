package io.txwatch.register;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.history.IsolationLevel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/** Compares the checker with a search of every order, on random register histories. */
class BruteForceProperties {

  @Property
  void verdictEqualsThatOfEveryOrder(@ForAll long seed) {
    assertThat(differences(seed, false)).isEmpty();
  }

  @Property(tries = 100)
  void verdictOnRepeatedValuesIsRightOrUnknown(@ForAll long seed) {
    assertThat(differences(seed, true)).isEmpty();
  }

  /** The differences on one history, at each level and with each order of transactions. */
  static List<String> differences(long seed, boolean repeated) {
    SmallHistory small = SmallHistory.random(new Random(seed), repeated);
    RegisterHistory history = small.history();
    List<String> differences = new ArrayList<>();
    for (boolean sessions : new boolean[] {false, true}) {
      for (boolean realTime : new boolean[] {false, true}) {
        SmallHistory.Judge judge = new SmallHistory.Judge(small, sessions, realTime);
        for (IsolationLevel level :
            List.of(
                IsolationLevel.READ_COMMITTED,
                IsolationLevel.SNAPSHOT,
                IsolationLevel.SERIALIZABLE)) {
          boolean valid =
              switch (level) {
                case READ_COMMITTED -> judge.isReadCommitted();
                case SNAPSHOT -> judge.isSnapshotIsolated();
                default -> judge.isSerializable();
              };
          RegisterDemand demand =
              new RegisterDemand(level, sessions, realTime, Set.of(), Duration.ofSeconds(20));
          List<String> named = new ArrayList<>();
          RegisterCheck.Result result =
              RegisterCheck.check(
                  history, demand, anomaly -> named.add(anomaly.phenomenon().name()));
          boolean mayBeUnknown =
              repeated || valid && result.reason().equals("no transaction depends on another");
          boolean right = result.valid().map(v -> v == valid).orElse(mayBeUnknown);
          boolean hasName = result.valid().orElse(true) || !named.isEmpty();
          if (!right || !hasName) {
            differences.add(
                "%s sessions %s real time %s: expected %s, got %s %s%n%s"
                    .formatted(level, sessions, realTime, valid, result, named, small));
          }
        }
      }
    }
    return differences;
  }
}
