package io.txwatch.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/** Lines on standard error: notices once each, and faults however many notices there were. */
@Isolated
class NoticesTest {

  @Test
  void noticesArePrintedOnceAndLeaveTheLinesOfFaults() {
    String lines =
        errors(
            () -> {
              for (int connection = 0; connection < 30; connection++) {
                Notices.print("tables of\nthis kind are not prepared");
              }
              for (int table = 0; table < 30; table++) {
                Notices.print("table " + table + " is not watched");
              }
              Faults.say("a fault after all notices");
            });

    assertThat(lines.lines())
        .containsOnlyOnce("txwatch: tables of this kind are not prepared")
        .contains("txwatch: table 5 is not watched", "txwatch: a fault after all notices")
        .hasSizeLessThanOrEqualTo(21)
        .anyMatch(line -> line.endsWith(" (further notices are not printed)"));
  }

  private static String errors(Runnable work) {
    PrintStream before = System.err;
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    System.setErr(new PrintStream(bytes, true, StandardCharsets.UTF_8));
    try {
      work.run();
    } finally {
      System.setErr(before);
    }
    return bytes.toString(StandardCharsets.UTF_8);
  }
}
