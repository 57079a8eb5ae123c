package io.txwatch.jdbc.log;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class NoticesTest {

  private final List<String> lines = new ArrayList<>();
  private final Notices notices = new Notices(lines::add);

  @Test
  void sameLineIsPrintedOnce() {
    for (int connection = 0; connection < 30; connection++) {
      notices.add("tables of\nthis kind are not prepared");
    }
    assertThat(lines).containsExactly("tables of this kind are not prepared");
  }

  @Test
  void furtherLinesAreLeftOutAndTheLastOneSaysSo() {
    for (int table = 1; table <= 30; table++) {
      notices.add("table " + table + " is not watched");
    }
    assertThat(lines)
        .hasSize(20)
        .startsWith("table 1 is not watched")
        .endsWith("table 20 is not watched (further notices are not printed)");
  }

  @Test
  void theFirstOfAKindIsPrintedAndLeavesRoomForOthers() {
    for (int database = 1; database <= 30; database++) {
      notices.addFirst("triggers", "row versions come from triggers in DB" + database);
    }
    for (int table = 1; table < 20; table++) {
      notices.add("table " + table + " is not watched");
    }
    assertThat(lines)
        .hasSize(20)
        .startsWith("row versions come from triggers in DB1", "table 1 is not watched")
        .endsWith("table 19 is not watched");
  }

  @Test
  void whatHappensAgainIsPrintedOnceAMinute() {
    for (int second = 0; second < 150; second += 10) {
      notices.addAgain("the log cannot be read", TimeUnit.SECONDS.toNanos(second));
    }
    assertThat(lines).hasSize(3);
  }
}
