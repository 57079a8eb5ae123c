package io.txwatch.catalog;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class LookupLogTest {

  @Test
  void aCauseIsLoggedOnceAMinuteWithAnExampleAndTheirNumber() {
    AtomicLong seconds = new AtomicLong();
    LookupLog log = new LookupLog(() -> TimeUnit.SECONDS.toNanos(seconds.get()));
    List<String> lines = new ArrayList<>();
    for (int second = 0; second <= LookupLog.INTERVAL_SECONDS; second += 20) {
      seconds.set(second);
      log.log("busy", "busy at " + second, lines::add);
    }
    log.log("closed", "closed", lines::add);
    assertThat(lines)
        .containsExactly("busy at 0", "busy at 60 (and 2 more since the last such line)", "closed");
  }
}
