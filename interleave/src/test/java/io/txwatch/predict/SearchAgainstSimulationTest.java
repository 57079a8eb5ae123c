package io.txwatch.predict;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.predict.SimulatedPair.Call;
import io.txwatch.predict.SimulatedPair.Level;
import io.txwatch.rules.Promise;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Collectors;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Two operations have a candidate exactly if, for some keys, some order of their statements is not
 * serializable.
 */
class SearchAgainstSimulationTest {

  private static final Map<Level, Promise.Kind> PROMISES =
      Map.of(
          Level.COMMITTED, Promise.Kind.COMMITTED_BY_STATEMENT,
          Level.CONSISTENT_READS, Promise.Kind.CONSISTENT_READS,
          Level.SNAPSHOT, Promise.Kind.SNAPSHOT);

  /** The rows of the second transaction's keys x and y; those of the first one's are 1 and 2. */
  static final int[][] ROWS = {{1, 2}, {2, 1}, {1, 3}, {3, 1}, {2, 3}, {3, 2}};

  /** A letter with a variable: {@code Rx}. */
  private static final List<String> STATEMENTS =
      List.of("Rx", "Wx", "Ux", "Lx", "Ry", "Wy", "Uy", "Ly");

  static List<List<String>> upToTwoStatements() {
    List<List<String>> programs = new ArrayList<>();
    for (String first : STATEMENTS) {
      programs.add(List.of(first));
      STATEMENTS.forEach(second -> programs.add(List.of(first, second)));
    }
    return programs;
  }

  private static boolean canRace(List<String> first, List<String> second, Level level) {
    for (int[] rows : ROWS) {
      if (new SimulatedPair(calls(first, 1, 2), calls(second, rows[0], rows[1]), level).canRace()) {
        return true;
      }
    }
    return false;
  }

  static List<Call> calls(List<String> program, int x, int y) {
    return program.stream()
        .map(one -> new Call(one.charAt(0), one.charAt(1) == 'x' ? x : y))
        .toList();
  }

  private static boolean isCandidate(List<String> first, List<String> second, Level level) {
    List<OperationTemplate> both = List.of(template("P", first), template("Q", second));
    return CandidateSearch.search(both, PROMISES.getOrDefault(level, Promise.Kind.NONE))
        .candidates()
        .stream()
        .map(race -> race.operations().stream().map(OperationTemplate::name))
        .anyMatch(names -> names.sorted().collect(Collectors.joining()).equals("PQ"));
  }

  static OperationTemplate template(String name, List<String> program) {
    return TemplateText.template(
        name,
        program.stream()
            .map(one -> String.format("%s t[%s].a", one.charAt(0), one.charAt(1)))
            .toArray(String[]::new));
  }

  private static void compare(List<String> first, List<String> second, Level level) {
    assertThat(isCandidate(first, second, level))
        .as("%s beside %s at %s", first, second, level)
        .isEqualTo(canRace(first, second, level));
  }

  @ParameterizedTest
  @EnumSource
  void pairsOfUpToTwoStatements(Level level) {
    List<List<String>> programs = upToTwoStatements();
    for (int i = 0; i < programs.size(); i++) {
      for (List<String> second : programs.subList(i, programs.size())) {
        compare(programs.get(i), second, level);
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void pairsOfFourStatements(Level level) {
    Random random = new Random(7);
    for (int i = 0; i < 200; i++) {
      compare(program(random), program(random), level);
    }
  }

  static List<String> program(Random random) {
    return random.ints(4, 0, STATEMENTS.size()).mapToObj(STATEMENTS::get).toList();
  }
}
