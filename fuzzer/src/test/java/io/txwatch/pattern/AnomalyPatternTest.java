package io.txwatch.pattern;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.txwatch.anomaly.Phenomenon;
import io.txwatch.history.IsolationLevel;
import io.txwatch.pattern.PatternConstraints.Position;
import io.txwatch.pattern.PatternConstraints.StatementTypes;
import io.txwatch.pattern.PatternConstraints.Version;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class AnomalyPatternTest {

  /** Tables 2 and 3: which operations conflict, and the levels as printed. */
  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "dirty-write         ; 1 ww[x] 2            ; RU RC RR SER",
        "dirty-read          ; 1 wr[x] 2            ; RC RR SER",
        "lost-update         ; 1 rw[x] 2, 2 ww[x] 1 ; RR SER",
        "non-repeatable-read ; 1 rw[x] 2, 2 wr[x] 1 ; RR SER",
        "read-skew           ; 1 rw[x] 2, 2 wr[y] 1 ; SER",
        "write-skew          ; 2 rw[y] 1, 1 rw[x] 2 ; SER",
        "1                   ; 1 wr[x] 2            ; RC RR SER",
        "2                   ; 1 wr[x] 2            ; RR",
        "3                   ; 1 wr[x] 2, 2 rw[x] 1 ; RC RR SER",
        "4                   ; 1 ww[x] 2, 2 ww[y] 1 ; RU RC RR SER",
        "5                   ; 2 ww[y] 1, 1 ww[x] 2 ; RU RC RR SER",
        "6                   ; 1 ww[x] 2, 2 ww[y] 1 ; RU RC RR SER",
        "7                   ; 1 ww[x] 2, 2 ww[x] 1 ; RU RC RR SER",
        "8                   ; 1 ww[x] 2, 2 wr[y] 1 ; RU RC RR SER",
        "9                   ; 2 wr[y] 1, 1 ww[x] 2 ; RU RC RR SER",
        "10                  ; 1 ww[x] 2, 2 wr[y] 1 ; RU RC RR SER",
        "11                  ; 2 wr[y] 1, 1 ww[x] 2 ; RC RR SER",
        "12                  ; 1 ww[x] 2, 2 rw[y] 1 ; RU RC RR SER",
        "13                  ; 2 rw[y] 1, 1 ww[x] 2 ; RU RC RR SER",
        "14                  ; 1 ww[x] 2, 2 rw[y] 1 ; RU RC RR SER",
        "15                  ; 2 rw[y] 1, 1 ww[x] 2 ; RR SER",
        "16                  ; 1 wr[x] 2, 2 ww[y] 1 ; RU RC RR SER",
        "17                  ; 2 ww[y] 1, 1 wr[x] 2 ; RU RC RR SER",
        "18                  ; 1 wr[x] 2, 2 ww[y] 1 ; RC RR SER",
        "19                  ; 2 ww[y] 1, 1 wr[x] 2 ; RU RC RR SER",
        "20                  ; 1 wr[x] 2, 2 wr[y] 1 ; RC RR SER",
        "21                  ; 2 wr[y] 1, 1 wr[x] 2 ; RC RR SER",
        "22                  ; 1 wr[x] 2, 2 wr[y] 1 ; RC RR SER",
        "23                  ; 2 wr[y] 1, 1 wr[x] 2 ; RC RR SER",
        "24                  ; 1 wr[x] 2, 2 rw[y] 1 ; RC RR SER",
        "25                  ; 2 rw[y] 1, 1 wr[x] 2 ; RC RR SER",
        "26                  ; 1 wr[x] 2, 2 rw[y] 1 ; RC RR SER",
        "27                  ; 2 rw[y] 1, 1 wr[x] 2 ; RR SER",
        "28                  ; 1 rw[x] 2, 2 ww[y] 1 ; RC RR SER",
        "29                  ; 2 ww[y] 1, 1 rw[x] 2 ; RC RR SER",
        "30                  ; 1 rw[x] 2, 2 ww[y] 1 ; RR SER",
        "31                  ; 1 rw[x] 2, 2 ww[x] 1 ; RU RC RR SER",
        "32                  ; 1 rw[x] 2, 2 wr[y] 1 ; RC RR SER",
        "33                  ; 2 wr[y] 1, 1 rw[x] 2 ; RC RR SER",
        "34                  ; 1 rw[x] 2, 2 wr[y] 1 ; SER",
        "35                  ; 2 wr[y] 1, 1 rw[x] 2 ; RC RR SER",
        "36                  ; 2 wr[y] 1            ; SER",
        "37                  ; 1 rw[x] 2, 2 rw[y] 1 ; SER",
        "38                  ; 2 rw[y] 1, 1 rw[x] 2 ; SER",
        "39                  ; 1 rw[x] 2, 2 rw[y] 1 ; SER",
        "40                  ; 2 rw[y] 1, 1 rw[x] 2 ; SER",
        "41                  ; 2 ww[y] 1, 1 ww[x] 2 ; RU RC RR SER",
        "42                  ; 2 ww[y] 1, 1 rw[x] 2 ; RU RC RR SER",
        "36-sequence         ; 1 ww[x] 2, 2 wr[y] 1 ; SER"
      })
  void thePatternsConflictAsTheirDefinitionsSay(String id, String conflicts, String levels) {
    AnomalyPattern pattern = pattern(id);

    assertThat(pattern.conflicts().stream().map(Conflict::toString))
        .containsExactlyInAnyOrder(conflicts.split(", "));
    assertThat(pattern.forbiddenAt())
        .containsExactlyInAnyOrderElementsOf(
            List.of(levels.split(" ")).stream()
                .map(level -> IsolationLevel.parse(level).orElseThrow())
                .toList());
  }

  @Test
  void theResourceHasTheSixPatternsOfTable2AndTheFortyOfTable3() {
    List<String> ids = PatternFile.all().stream().map(AnomalyPattern::id).toList();

    assertThat(ids.subList(0, 6))
        .containsExactly(
            "dirty-write",
            "dirty-read",
            "lost-update",
            "non-repeatable-read",
            "read-skew",
            "write-skew");
    for (int number = 1; number <= 40; number++) {
      assertThat(ids.get(5 + number)).isEqualTo(Integer.toString(number));
    }
    assertThat(ids).hasSize(49);
  }

  /**
   * Section 3.3: "systematically enumerated all possible anomaly patterns involving two
   * transactions and two shared variables". Each pair of dependencies has four schedules.
   */
  @Test
  void theCyclesOnTwoItemsAreComplete() {
    Set<String> enumerated = new TreeSet<>();
    for (String forward : List.of("ww", "wr", "rw")) {
      for (String back : List.of("ww", "wr", "rw")) {
        String first = "1" + operations(forward).charAt(0) + "x";
        String last = "1" + operations(back).charAt(1) + "y";
        String other = "2" + operations(back).charAt(0) + "y";
        String otherLast = "2" + operations(forward).charAt(1) + "x";
        enumerated.add(versioned(first, other, otherLast, last, "C1", "C2"));
        enumerated.add(versioned(first, other, last, otherLast, "C1", "C2"));
        enumerated.add(versioned(first, other, otherLast, "C2", last, "C1"));
        enumerated.add(versioned(first, other, last, "C1", otherLast, "C2"));
      }
    }

    Set<String> numbered =
        PatternFile.all().stream()
            .filter(pattern -> pattern.id().matches("\\d+"))
            .filter(AnomalyPattern::isCycle)
            .filter(
                pattern -> pattern.conflicts().stream().map(Conflict::item).distinct().count() == 2)
            .map(AnomalyPattern::toString)
            .collect(Collectors.toCollection(TreeSet::new));
    assertThat(enumerated).hasSize(36);
    assertThat(numbered).isEqualTo(enumerated);
  }

  private static String operations(String kind) {
    return kind.toUpperCase(java.util.Locale.ROOT);
  }

  /** Gives each access the version that it reads or makes. */
  private static String versioned(String... steps) {
    Map<Character, Integer> newest = new java.util.HashMap<>();
    List<String> texts = new ArrayList<>();
    for (String step : steps) {
      if (step.startsWith("C")) {
        texts.add(step);
        continue;
      }
      char item = step.charAt(2);
      int version = newest.getOrDefault(item, 0) + (step.charAt(1) == 'W' ? 1 : 0);
      newest.put(item, version);
      texts.add("" + step.charAt(1) + step.charAt(0) + "[" + item + version + "]");
    }
    return String.join(" ", texts);
  }

  /** Figure 3 and section 3.3.1: the constraints of the lost update. */
  @Test
  void aLostUpdateHasTheConstraintsOfThePaper() {
    PatternConstraints constraints = PatternConstraints.of(pattern("lost-update"));

    // The paper prints (C,0) for transaction 1, which commits in the pattern and in Figure 3.
    assertThat(constraints.statementTypes())
        .containsEntry(1, new StatementTypes(1, 1, 0, 1))
        .containsEntry(2, new StatementTypes(0, 1, 0, 1));
    assertThat(constraints.statementTypes().get(2)).hasToString("<(R,0),(W,1),(B,0),(C,1)>");
    assertThat(constraints.dataAccess())
        .isEqualTo(
            Map.of(
                new Position(1, 1), new Version("x", 0),
                new Position(1, 2), new Version("x", 2),
                new Position(2, 1), new Version("x", 1)));
    assertThat(constraints.schedule()).containsExactly(1, 2, 2, 1, 1);
  }

  @ParameterizedTest
  @CsvSource({
    "dirty-write, DIRTY_WRITE",
    "dirty-read, ABORTED_READ",
    "lost-update, LOST_UPDATE",
    "non-repeatable-read, NON_REPEATABLE_READ",
    "read-skew, READ_SKEW",
    "write-skew, WRITE_SKEW",
    "1, ABORTED_READ",
    "2, READ_SKEW",
    "3, ABORTED_READ INTERMEDIATE_READ",
    "4, DIRTY_WRITE",
    "12, DIRTY_WRITE READ_WRITE_SKEW",
    "15, READ_WRITE_SKEW",
    "20, ABORTED_READ CIRCULAR_INFORMATION_FLOW",
    "24, ABORTED_READ READ_SKEW",
    "27, READ_SKEW",
    "30, READ_WRITE_SKEW",
    "31, LOST_UPDATE",
    "40, WRITE_SKEW"
  })
  void aPatternShowsThePhenomenaOfItsDependencies(String id, String phenomena) {
    assertThat(pattern(id).phenomena(false).stream().map(Phenomenon::name))
        .containsExactlyInAnyOrder(phenomena.split(" "));
  }

  @Test
  void theAbsenceOfARowIsAPhantom() {
    assertThat(pattern("non-repeatable-read").phenomena(true)).containsExactly(Phenomenon.PHANTOM);
    assertThat(pattern("write-skew").phenomena(true)).containsExactly(Phenomenon.G2);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "a: W1[x1]",
        "a: W1[x1] | XX",
        "a: X1[x1] | RC",
        "a: W1 | RC",
        "a: C1[x1] | RC",
        "a: W1[x2] C1 | RC",
        "a: R1[x1] C1 | RC",
        "a: W1[x1] | RC\na: W1[x1] | RC"
      })
  void aLineThatIsNoPatternIsRejected(String text) {
    assertThatThrownBy(() -> PatternFile.parse(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageMatching("(?s)line \\d: .*");
  }

  @Test
  void aLineMoreIsAPatternMore() {
    List<AnomalyPattern> patterns =
        PatternFile.parse("# a comment\n\nmine: R1[x0] W2[x1] C2 C1 | SER | why");

    assertThat(patterns).hasSize(1);
    assertThat(patterns.get(0).describe()).isEqualTo("mine (R1[x0] W2[x1] C2 C1)");
    assertThat(patterns.get(0).note()).isEqualTo("why");
  }

  private static AnomalyPattern pattern(String id) {
    return PatternFile.all().stream().filter(p -> p.id().equals(id)).findFirst().orElseThrow();
  }
}
