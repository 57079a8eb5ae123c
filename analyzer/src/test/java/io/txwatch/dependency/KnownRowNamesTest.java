package io.txwatch.dependency;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** The keys of rows, of which a hostile client may send any number and any length. */
class KnownRowNamesTest {

  @Test
  void keyRecordedLastIsShown() {
    KnownRowNames keys = new KnownRowNames();
    keys.put(7, "1");
    keys.put(7, "100");
    assertThat(keys.of(7)).isEqualTo("100");
    assertThat(keys.of(8)).isEmpty();
  }

  @Test
  void keysThatNoLongerHoldAreDiscarded() {
    KnownRowNames keys = new KnownRowNames();
    keys.put(7, "1");
    keys.put(8, "2");
    keys.put(0, "");
    assertThat(keys.of(7)).isEmpty();
    assertThat(keys.of(8)).isEmpty();
  }

  @Test
  void keyThatIsTooLongIsNotKept() {
    KnownRowNames keys = new KnownRowNames();
    keys.put(7, "1");
    keys.put(7, "2".repeat(KnownRowNames.MAX_KEY_CHARACTERS + 1));
    assertThat(keys.of(7)).isEqualTo("1");
  }
}
