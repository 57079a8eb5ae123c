package io.txwatch.predict;

import static io.txwatch.predict.LevelAllocationTest.SNAPSHOTS;
import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.history.IsolationLevel;
import io.txwatch.predict.AllocatedLevel.PreventedLevel;
import io.txwatch.predict.SimulatedPair.Level;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * Two operations at the levels that they are allocated are serializable in every order of their
 * statements, for all keys, and one of them at a weaker level is not.
 */
class AllocationAgainstSimulationTest {

  private static boolean canRace(
      List<String> first, IsolationLevel ofFirst, List<String> second, IsolationLevel ofSecond) {
    if (ofFirst == IsolationLevel.SERIALIZABLE && ofSecond == IsolationLevel.SERIALIZABLE) {
      return false; // SSI aborts one of the two
    }
    for (int[] rows : SearchAgainstSimulationTest.ROWS) {
      if (new SimulatedPair(
              SearchAgainstSimulationTest.calls(first, 1, 2),
              SearchAgainstSimulationTest.calls(second, rows[0], rows[1]),
              simulated(ofFirst),
              simulated(ofSecond))
          .canRace()) {
        return true;
      }
    }
    return false;
  }

  /** A transaction of SSI is one of snapshot isolation beside others. */
  private static Level simulated(IsolationLevel level) {
    return level == IsolationLevel.READ_COMMITTED ? Level.COMMITTED : Level.SNAPSHOT;
  }

  private record Allocated(List<String> program, AllocatedLevel allocated) {
    IsolationLevel level() {
      return allocated.level().orElseThrow();
    }

    boolean isNamed(OperationTemplate operation) {
      return operation.name().equals(allocated.operation().name());
    }
  }

  private static List<Allocated> allocate(List<String> first, List<String> second) {
    List<AllocatedLevel> levels =
        LevelAllocation.of(
            List.of(
                SearchAgainstSimulationTest.template("P", first),
                SearchAgainstSimulationTest.template("Q", second)),
            SNAPSHOTS,
            false,
            Map.of());
    return List.of(new Allocated(first, levels.get(0)), new Allocated(second, levels.get(1)));
  }

  private static void isSafe(List<Allocated> both) {
    for (Allocated one : both) {
      for (Allocated other : both) {
        assertThat(canRace(one.program, one.level(), other.program, other.level()))
            .as("%s beside %s", one, other)
            .isFalse();
      }
    }
  }

  /** What three operations prevent, two cannot show. */
  private static int isMinimal(List<Allocated> both) {
    int shown = 0;
    for (Allocated one : both) {
      for (PreventedLevel prevented : one.allocated.prevented()) {
        for (RaceCandidate race : prevented.candidates()) {
          if (race.operations().size() == 2) {
            Allocated other =
                both.stream()
                    .filter(
                        any ->
                            any.isNamed(race.operations().get(0)) && !any.equals(one)
                                || any.isNamed(race.operations().get(1)) && !any.equals(one)
                                || any.equals(one)
                                    && race.operations().stream().allMatch(one::isNamed))
                    .findFirst()
                    .orElseThrow();
            IsolationLevel ofOther = other.equals(one) ? prevented.level() : other.level();
            assertThat(canRace(one.program, prevented.level(), other.program, ofOther))
                .as("%s at %s beside %s", one, prevented.level(), other)
                .isTrue();
            shown++;
          }
        }
      }
    }
    return shown;
  }

  @Test
  void pairsOfUpToTwoStatements() {
    List<List<String>> programs = SearchAgainstSimulationTest.upToTwoStatements();
    int shown = 0;
    for (int i = 0; i < programs.size(); i++) {
      for (List<String> second : programs.subList(i, programs.size())) {
        List<Allocated> both = allocate(programs.get(i), second);
        isSafe(both);
        shown += isMinimal(both);
      }
    }
    assertThat(shown).isPositive();
  }

  @Test
  void pairsOfFourStatements() {
    Random random = new Random(11);
    int shown = 0;
    for (int i = 0; i < 150; i++) {
      List<Allocated> both =
          allocate(
              SearchAgainstSimulationTest.program(random),
              SearchAgainstSimulationTest.program(random));
      isSafe(both);
      shown += isMinimal(both);
    }
    assertThat(shown).isPositive();
  }
}
