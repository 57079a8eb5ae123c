package io.txwatch.report;

import static org.assertj.core.api.Assertions.assertThat;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TerminalTextTest {

  @ParameterizedTest
  @CsvSource({
    "plain, plain, 5",
    "'  a\t\n\u3000\u00a0 b ', a b, 3",
    "na\u00efve, na\u00efve, 5",
    "\u6f22\u5b57, \u6f22\u5b57, 4",
    "e\u0301, e\u0301, 1",
    "\uD83D\uDE00, \uD83D\uDE00, 2",
    "'\u001b[31m', \\u001b[31m, 10",
    "\u009b, \\u009b, 6",
    "\u202e, \\u202e, 6",
    "\u200d, \\u200d, 6",
    "\uDC00, \\udc00, 6",
    "\uDBFF\uDFFF, \\udbff\\udfff, 12",
  })
  void escape(String text, String expected, int width) {
    assertThat(TerminalText.escape(text)).isEqualTo(expected);
    assertThat(TerminalText.width(TerminalText.escape(text))).isEqualTo(width);
  }

  @ParameterizedTest
  @CsvSource({
    "0123456789abcdef, 16, 0123456789abcdef",
    "0123456789abcdef, 15, 012345 ... cdef",
    "0123456789abcdef, 10, 012 ... ef",
    "\u6f22\u5b57\u6f22\u5b57\u6f22\u5b57\u6f22\u5b57, 12, \u6f22\u5b57 ... \u5b57",
  })
  void shorten(String text, int max, String expected) {
    assertThat(TerminalText.shorten(text, max)).isEqualTo(expected);
  }

  @Property
  void wrappedTextFitsAndIsComplete(
      @ForAll String any, @ForAll @IntRange(min = 2, max = 40) int max) {
    String text = TerminalText.escape(any);
    assertThat(TerminalText.wrap(text, max))
        .allSatisfy(line -> assertThat(TerminalText.width(line)).isLessThanOrEqualTo(max));
    assertThat(String.join("", TerminalText.wrap(text, max)).replace(" ", ""))
        .isEqualTo(text.replace(" ", ""));
  }

  @Property
  void shortenedTextFits(@ForAll String any, @ForAll @IntRange(min = 5, max = 40) int max) {
    assertThat(TerminalText.width(TerminalText.shorten(TerminalText.escape(any), max)))
        .isLessThanOrEqualTo(max);
  }

  @Property
  void escapedTextIsOneLineAndEscapingItAgainChangesNothing(@ForAll String any) {
    String text = TerminalText.escape(any);
    assertThat(
            text.codePoints()
                .filter(c -> Character.isISOControl(c) || Character.getType(c) == Character.FORMAT))
        .isEmpty();
    assertThat(TerminalText.escape(text).strip()).isEqualTo(text.strip());
  }
}
