package io.txwatch.endtoend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The language of {@code # anomaly:}. */
class OutcomePredicateTest {

  /** T1 committed, a is "1,10", u is an update count, b never ran, the final state is two rows. */
  private static final OutcomePredicate.Facts FACTS =
      new OutcomePredicate.Facts() {
        private final Map<String, String> values =
            Map.of("a", "1,10", "u", "#2", "final", "1,10;2,20", "empty", "");

        @Override
        public boolean committed(String session) {
          return Set.of("T1").contains(session);
        }

        @Override
        public Optional<String> value(String name) {
          return Optional.ofNullable(values.get(name));
        }

        @Override
        public boolean nonserial() {
          return true;
        }
      };

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "committed(T1) | true",
        "committed(T2) | false",
        "nonserial | true",
        "a == \"1,10\" | true",
        "a != \"1,10\" | false",
        "a != \"1,11\" | true",
        "u == \"#2\" | true",
        "empty == \"\" | true",
        "final ~ \".*2,20\" | true",
        "final ~ \"2,20\" | false",
        "b == \"\" | false",
        "b != \"\" | false",
        "committed(T1)&&a==\"1,10\" | true",
        "committed(T1) && committed(T2) | false",
      })
  void termOrConjunction(String predicate, boolean expected) {
    assertThat(OutcomePredicate.parse(predicate).holds(FACTS)).isEqualTo(expected);
  }

  @Test
  void andBindsTighterThanOr() {
    String orFirst = "committed(T1) || committed(T2) && committed(T2)";
    assertThat(OutcomePredicate.parse(orFirst).holds(FACTS)).isTrue();
    String orLast = "committed(T2) && committed(T2) || nonserial";
    assertThat(OutcomePredicate.parse(orLast).holds(FACTS)).isTrue();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {"a ==", "a", "== \"1\"", "committed(T1", "committed(T1) committed(T2)", "a < \"1\""})
  void invalidPredicateIsRejected(String predicate) {
    assertThatThrownBy(() -> OutcomePredicate.parse(predicate))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(predicate);
  }
}
