package io.txwatch.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Sessions are numbers; {@code 2>1} means that session 2 waits for session 1. */
class ConcurrentWakeupTest {

  @ParameterizedTest
  @CsvSource({
    "2>1 3>1,   1,     true,  both are free",
    "2>1 3>2,   1,     false, the third waits for the second",
    "2>1 3>2,   1 2,   false, and is free when that has ended",
    "2>1 3>12,  1,     false, a queue",
    "2>1 3>2 4>2, 1 2, true,  the second frees two",
    "2>1 3>1,   4,     false, nobody waited for the fourth",
  })
  void sessionsReleasedByAnEnd(String waitGraph, String ended, boolean race, String description) {
    assertThat(
            new ConcurrentWakeup(sessions(ended), Set.of(), Set.of(), true)
                .mayOverlapAfterEnds(waits(waitGraph)))
        .as(description)
        .isEqualTo(race);
  }

  /** A session that acquires a lock and leaves the row unchanged releases the next one. */
  @Test
  void aSessionThatReleasesItsLockReleasesTheNextOne() {
    Map<Long, Set<Long>> waitGraph = waits("2>1 3>2");
    assertThat(
            new ConcurrentWakeup(Set.of(1L), Set.of(), Set.of(), false)
                .mayOverlapAfterEnds(waitGraph))
        .isTrue();
    assertThat(
            new ConcurrentWakeup(Set.of(1L), Set.of(), Set.of(), true)
                .mayOverlapAfterEnds(waitGraph))
        .isFalse();
  }

  /** Session 1 submits a step and closes a cycle. */
  @ParameterizedTest
  @CsvSource({
    "2>1 3>1, 2,     2,   false, the abort of 2 releases only 1",
    "2>1 3>1, 1,     1,   true,  the abort of 1 releases two",
    "2>1 3>2, 1,     1,   false, the abort of 1 releases 2",
    "2>1 3>2, 1 2,   1,   false, which then ends",
    "2>1 3>2, 2,     2,   true,  the abort of 2 releases two: 3 was faster",
    "2>1 3>2, 2 3,   2,   true,  or ended before the first came back",
    "2>1 3>2, 2 1,   2,   true,  or the first did",
    "2>1 3>2, 2 1 3, 2 1, true,  or the first was a victim in its turn",
  })
  void sessionsReleasedByAVictim(
      String waitGraph, String ended, String victims, boolean race, String description) {
    ConcurrentWakeup wakeup =
        new ConcurrentWakeup(sessions(ended), sessions(victims), Set.of(), true);
    assertThat(wakeup.mayOverlapAfterStatementOf(1, waits(waitGraph)))
        .as(description)
        .isEqualTo(race);
  }

  /** Session 1 waits for 3, which waits for 2; the abort of 2 releases only 3. */
  @Test
  void aSessionKnownToBeBlockedDoesNotRunConcurrently() {
    Map<Long, Set<Long>> waitGraph = waits("2>1 3>2");
    Set<Long> second = Set.of(2L);
    assertThat(
            new ConcurrentWakeup(second, second, Set.of(1L), true)
                .mayOverlapAfterStatementOf(1, waitGraph))
        .isFalse();
    assertThat(
            new ConcurrentWakeup(second, second, Set.of(), true)
                .mayOverlapAfterStatementOf(1, waitGraph))
        .as("it may have come too late for what the second had")
        .isTrue();
    assertThat(
            new ConcurrentWakeup(second, second, Set.of(1L), true)
                .mayOverlapAfterStatementOf(1, waits("2>1 3>2 4>2")))
        .as("two waited for the second")
        .isTrue();
  }

  /** Session 2, once released, closes a cycle with 3, for which a fourth waits. */
  @Test
  void sessionsReleasedByTheVictimOfAReleasedSession() {
    Map<Long, Set<Long>> waitGraph = waits("2>1 3>2 4>3");
    for (String ended : new String[] {"1 3", "1 3 2", "1 3 4", "1 3 2 4"}) {
      ConcurrentWakeup wakeup = new ConcurrentWakeup(sessions(ended), Set.of(3L), Set.of(), true);
      assertThat(wakeup.mayOverlapAfterEnds(waitGraph)).as(ended).isTrue();
    }
    assertThat(
            new ConcurrentWakeup(Set.of(1L), Set.of(), Set.of(), true)
                .mayOverlapAfterEnds(waitGraph))
        .isFalse();
  }

  private static Map<Long, Set<Long>> waits(String text) {
    Map<Long, Set<Long>> waits = new HashMap<>();
    for (String wait : text.split(" ")) {
      waits.put(
          wait.charAt(0) - (long) '0',
          wait.substring(2).chars().mapToObj(c -> c - (long) '0').collect(Collectors.toSet()));
    }
    return waits;
  }

  private static Set<Long> sessions(String text) {
    return new HashSet<>(Arrays.stream(text.split(" ")).map(Long::valueOf).toList());
  }
}
