package io.txwatch.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.schedule.ObservedOrder.TimedStep;
import io.txwatch.testcase.Step;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

class ObservedOrderTest {

  /**
   * T2's UPDATE waits for T1's COMMIT, and is submitted before it. T3's SELECT is sent before that
   * UPDATE and returns after it was sent; nothing ends meanwhile, so its place is that of its
   * return.
   */
  @Test
  void aStepThatMayHaveWaitedIsSubmittedBeforeWhatItWaitedFor() {
    List<TimedStep> steps =
        List.of(
            timed("T1", "UPDATE", 1, 2),
            timed("T3", "SELECT", 3, 5),
            timed("T2", "UPDATE", 4, 8),
            timed("T1", "COMMIT", 6, 7));

    assertThat(ObservedOrder.orders(steps).stream().map(ObservedOrderTest::text))
        .containsExactly(
            "T1 UPDATE, T2 UPDATE, T3 SELECT, T1 COMMIT",
            "T1 UPDATE, T3 SELECT, T1 COMMIT, T2 UPDATE",
            "T1 UPDATE, T3 SELECT, T2 UPDATE, T1 COMMIT");
  }

  @Test
  void stepsThatDoNotOverlapHaveOneOrder() {
    List<TimedStep> steps =
        List.of(timed("T1", "BEGIN", 1, 2), timed("T2", "SELECT", 3, 4), timed("T1", "END", 5, 6));

    assertThat(ObservedOrder.orders(steps).stream().map(ObservedOrderTest::text))
        .containsExactly("T1 BEGIN, T2 SELECT, T1 END");
  }

  @Property(tries = 500)
  void eachOrderKeepsWhatWasObserved(
      @ForAll @IntRange(min = 1, max = 4) int sessions,
      @ForAll @IntRange(min = 1, max = 6) int length,
      @ForAll Random random) {
    List<TimedStep> steps = random(sessions, length, random);

    for (List<Step> order : ObservedOrder.orders(steps)) {
      assertThat(order)
          .containsExactlyInAnyOrderElementsOf(steps.stream().map(TimedStep::step).toList());
      for (TimedStep one : steps) {
        for (TimedStep other : steps) {
          if (one.ended() < other.begun()) {
            assertThat(order.indexOf(one.step())).isLessThan(order.indexOf(other.step()));
          }
        }
      }
    }
  }

  /** Begins and ends in a random order that keeps the order of each session. */
  private static List<TimedStep> random(int sessions, int length, Random random) {
    List<Integer> events = new ArrayList<>();
    for (int session = 0; session < sessions; session++) {
      events.addAll(Collections.nCopies(2 * length, session));
    }
    Collections.shuffle(events, random);
    Map<Integer, Long> begun = new HashMap<>();
    List<TimedStep> steps = new ArrayList<>();
    long clock = 0;
    for (int session : events) {
      clock++;
      Long begin = begun.remove(session);
      if (begin == null) {
        begun.put(session, clock);
      } else {
        String sql = random.nextInt(3) == 0 ? "COMMIT" : "SELECT " + clock;
        steps.add(
            new TimedStep(
                new Step(steps.size() + 1, "T" + session, Optional.empty(), sql), begin, clock));
      }
    }
    return steps;
  }

  private static TimedStep timed(String session, String sql, long begun, long ended) {
    return new TimedStep(new Step((int) begun, session, Optional.empty(), sql), begun, ended);
  }

  private static String text(List<Step> order) {
    return String.join(
        ", ", order.stream().map(step -> step.session() + " " + step.sql()).toList());
  }
}
