package io.txwatch.shop;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.capture.StatementPlace;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** An application's package, from where its calls come. */
class StatementPlaceTest {

  /** More executions than it takes to be sure. */
  private static final int MANY = 3000;

  @Test
  void aTextOfOnePlace() {
    StatementPlace place = new StatementPlace();
    Set<String> lines = new HashSet<>();
    for (int i = 0; i < MANY; i++) {
      lines.add(one(place));
    }
    assertThat(lines).singleElement().asString().matches("StatementPlaceTest\\.java:\\d+");
  }

  @Test
  void placesThatTakeTurnsAreToldApartEachTime() {
    StatementPlace place = new StatementPlace();
    String one = one(place);
    String other = other(place);
    assertThat(one).isNotEqualTo(other);
    for (int i = 0; i < MANY; i++) {
      assertThat(one(place)).isEqualTo(one);
      assertThat(other(place)).isEqualTo(other);
    }
  }

  /** The first executions may be taken for those of the place before: by chance not a thousand. */
  @Test
  void anotherPlaceIsMetSoonAndThenToldEachTime() {
    StatementPlace place = new StatementPlace();
    String one = one(place);
    for (int i = 0; i < MANY; i++) {
      one(place);
    }
    int taken = 0;
    while (other(place).equals(one)) {
      assertThat(++taken).isLessThan(1000);
    }
    String other = other(place);
    for (int i = 0; i < 500; i++) {
      assertThat(one(place)).isEqualTo(one);
      assertThat(other(place)).isEqualTo(other);
    }
  }

  private static String one(StatementPlace place) {
    return place.current();
  }

  private static String other(StatementPlace place) {
    return place.current();
  }
}
