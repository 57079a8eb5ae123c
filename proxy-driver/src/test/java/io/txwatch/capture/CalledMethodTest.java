package io.txwatch.capture;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Optional;
import org.example.CalledService;
import org.junit.jupiter.api.Test;

class CalledMethodTest {

  private static Optional<CalledMethod> find() {
    return CalledMethod.find(CalledMethodTest.class::equals);
  }

  @Test
  void outermostMethodThatTheTestCallsIsFound() {
    assertThat(new CalledService().sell(CalledMethodTest::find))
        .contains(new CalledMethod("org.example.CalledService.sell", true));
    assertThat(new CalledService().sellAnother(CalledMethodTest::find))
        .contains(new CalledMethod("org.example.CalledService.sellAnother", true));
  }

  @Test
  void withoutATestOnTheStackNoneIsFound() {
    assertThat(new CalledService().sell(() -> CalledMethod.find(type -> false))).isEmpty();
    assertThat(find()).isEmpty();
  }
}
