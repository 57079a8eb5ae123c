package io.txwatch.pattern;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.pattern.RecordedOperation.Access;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Histories are written as patterns are; items and transactions have other names. */
class PatternMatcherTest {

  static List<AnomalyPattern> patterns() {
    return PatternFile.all();
  }

  @ParameterizedTest
  @MethodSource("patterns")
  void aPatternMatchesItself(AnomalyPattern pattern) {
    assertThat(PatternMatcher.find(pattern, history(pattern.toString()))).isPresent();
  }

  /** The transactions of a pattern are numbered by their first operation, a history's are not. */
  @ParameterizedTest
  @MethodSource("patterns")
  void aPatternMatchesWithTheTransactionsExchanged(AnomalyPattern pattern) {
    String exchanged =
        pattern.toString().replaceAll("([RWNSCA])1", "$13").replaceAll("([RWNSCA])2", "$11");

    assertThat(PatternMatcher.find(pattern, history(exchanged.replaceAll("([RWNSCA])3", "$12"))))
        .isPresent();
  }

  @ParameterizedTest
  @MethodSource("patterns")
  void withoutItsConflictsAPatternDoesNotMatch(AnomalyPattern pattern) {
    List<RecordedOperation> apart =
        history(pattern.toString()).stream()
            .map(
                operation ->
                    new RecordedOperation(
                        operation.type(),
                        operation.transaction(),
                        operation.item() + " of " + operation.transaction(),
                        operation.version(),
                        operation.moment(),
                        operation.step(),
                        operation.access()))
            .toList();

    assertThat(PatternMatcher.find(pattern, apart)).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "dirty-write, W1[x1] C1 W2[x2] C2",
    "dirty-read, W1[x1] R2[x0] A1 C2",
    "dirty-read, W1[x1] R2[x1] C1 C2",
    "lost-update, R1[x0] W2[x1] C2 W1[y1] C1",
    "lost-update, R1[x1] W2[x1] C2 W1[x2] C1",
    "lost-update, R1[x0] W2[x1] W2[x2] C2 W1[x3] C1",
    "non-repeatable-read, R1[x0] W2[x1] C2 R1[x0] C1",
    "read-skew, R1[x0] W2[x1] W2[y1] C2 R1[y0] C1",
    "write-skew, R1[x0] R2[y1] W1[y1] W2[x1] C1 C2",
    "1, W1[x1] C1 R2[x1] C2",
    "2, W1[x1] C1 S2 R2[x1] C2",
    "36, W1[x1] W2[y1] C2 S1 R1[y1] C1",
    "36-sequence, N2[x1] N1[x2] W2[y1] C2 R1[y1] C1"
  })
  void aNearMissDoesNotMatch(String id, String history) {
    assertThat(PatternMatcher.find(pattern(id), history(history))).isEmpty();
  }

  /** Other operations may come between; versions are counted from where the pattern begins. */
  @Test
  void aPatternMatchesWithinALongerHistory() {
    assertThat(
            PatternMatcher.find(
                pattern("lost-update"), history("R1[z0] R1[x4] W2[y1] W2[x5] C2 W1[x6] W1[z1] C1")))
        .isPresent();
  }

  private static AnomalyPattern pattern(String id) {
    return PatternFile.all().stream().filter(p -> p.id().equals(id)).findFirst().orElseThrow();
  }

  private static List<RecordedOperation> history(String text) {
    List<RecordedOperation> history = new ArrayList<>();
    for (String word : text.split(" ")) {
      PatternOperation operation = PatternOperation.parse(word);
      int moment = history.size();
      history.add(
          new RecordedOperation(
              operation.type(),
              "session " + operation.transaction(),
              operation.item().isEmpty() ? "" : "row " + operation.item(),
              operation.version(),
              moment,
              moment + 1,
              Access.PLAIN));
    }
    return history;
  }
}
