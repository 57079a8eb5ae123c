package io.txwatch.testcase;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.regex.Pattern;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.CharRange;
import net.jqwik.api.constraints.Chars;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class WordSetTest {

  private static final WordSet WORDS = WordSet.of("FOR", "FORCE", "b_2");

  @ParameterizedTest
  @ValueSource(strings = {"FOR", "SELECT a FOR UPDATE", "(for)", "force", "FORTY FOR", "x+B_2;"})
  void occurInTextsWithAWord(String text) {
    assertThat(WORDS.occurIn(text)).isTrue();
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "FO", "FORTY", "a_FOR", "1FOR", "FOR_", "FOR1", "B_22", "f\u00f6r"})
  void doNotOccurInTextsWithoutAWord(String text) {
    assertThat(WORDS.occurIn(text)).isFalse();
  }

  @Property(tries = 2_000)
  void occurWhereARegularExpressionMatches(
      @ForAll @Chars({'_', ' ', '(', '2', 'b', 'c', 'e', 'O', 'R'}) @CharRange(from = 'F', to = 'F')
          String text) {
    assertThat(WORDS.occurIn(text))
        .isEqualTo(Pattern.compile("(?i)\\b(FOR|FORCE|b_2)\\b").matcher(text).find());
  }

  @Test
  void rejectTextsThatAreNoWords() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> WordSet.of("FOR UPDATE"))
        .withMessage("not a word: 'FOR UPDATE'");
  }
}
