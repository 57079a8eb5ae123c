package io.txwatch.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TerminalTest {

  @ParameterizedTest
  @CsvSource(
      nullValues = "-",
      value = {
        "120, '',      120",
        "-,   '24 80', 80",
        "-,   '',      100",
        "x,   '24 80', 100",
        "999, '',      240",
      })
  void widthIsThatOfTheEnvironmentOrOfStty(String columns, String size, int width) {
    assertThat(Terminal.width(columns, size)).isEqualTo(width);
  }

  @Test
  void environmentForbidsColour() {
    assertThat(Terminal.allowsColour(Map.of())).isTrue();
    assertThat(Terminal.allowsColour(Map.of("NO_COLOR", ""))).isTrue();
    assertThat(Terminal.allowsColour(Map.of("NO_COLOR", "1"))).isFalse();
    assertThat(Terminal.allowsColour(Map.of("TERM", "dumb"))).isFalse();
  }

  @Test
  void colourIsAllThatIsAddedToAReport() {
    String text =
        """
        LOST_UPDATE (G-single)  HAZARD  H2 2.5.252 at READ_COMMITTED  ACCOUNT row 7
          T1 committed  (1w33am2.11, main#1)
            at BankService.java:68, reads ACCOUNT row 7
          why      T1 < T2 because T1 did not see T2's write
        """;
    StringWriter out = new StringWriter();
    try (PrintWriter writer = new PrintWriter(new ColourWriter(out))) {
      writer.print(text);
      writer.print("a line without an end");
    }
    assertThat(out.toString())
        .contains("\u001b[1;31mLOST_UPDATE\u001b[0m (G-single)  \u001b[1;33mHAZARD\u001b[0m")
        .contains("\u001b[36mBankService.java:68\u001b[0m");
    assertThat(out.toString().replaceAll("\u001b\\[[0-9;]*m", ""))
        .isEqualTo(text + "a line without an end");
  }

  @Test
  void linesOfJsonHaveNoColour() {
    String json = "{\"type\":\"anomaly\",\"verdict\":\"HAZARD\",\"callSite\":\"A.java:1\"}";
    assertThat(ColourWriter.colour(json)).isEqualTo(json);
  }

  @Test
  void lineOfProgressHasShareRateAndTimeLeft() {
    assertThat(Progress.line("shop.history", 25_000_000, 100_000_000, 5))
        .isEqualTo("shop.history: 25 %, 5.0 MB a second, 15 s left");
    assertThat(Progress.line("shop.history", 0, 100, 0))
        .isEqualTo("shop.history: 0 %, 0.0 MB a second");
    assertThat(Progress.estimate("changing 12 tables", 4, 12))
        .isEqualTo("changing 12 tables: 4 s, about 8 s left");
    assertThat(Progress.estimate("changing 12 tables", 14, 12))
        .isEqualTo("changing 12 tables: 14 s");
    assertThat(Progress.line("empty", 0, 0, 1)).isEqualTo("empty: 100 %, 0.0 MB a second");
  }

  @Test
  void commandWhoseErrorStreamIsNoTerminalShowsNoProgress() {
    StringWriter err = new StringWriter();
    Console console = new Console(new PrintWriter(err), new PrintWriter(err));
    try (Progress progress = Progress.ofBytes(console, "a", 1, () -> 1)) {
      assertThat(progress).isNotNull();
    }
    assertThat(err.toString()).isEmpty();
  }
}
