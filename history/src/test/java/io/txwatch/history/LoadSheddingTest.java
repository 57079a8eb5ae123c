package io.txwatch.history;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Queues that fill and empty, and what consumers learn of it. */
class LoadSheddingTest {

  private static final int CAPACITY = 64;
  private static final RowShare SMALLEST = new RowShare(RowShare.MAX_STEPS);

  private final LoadShedding shedding = new LoadShedding();
  private final List<Event.RowsShed> announced = new ArrayList<>();
  private long consumerIndex;
  private long lost;
  private long nanos;
  private long idleNanos;

  private void adjust(int queued) {
    shedding.adjust(
        consumerIndex,
        consumerIndex + queued,
        lost,
        CAPACITY,
        nanos,
        idleNanos,
        7,
        event -> announced.add((Event.RowsShed) event));
  }

  /**
   * So much arrives while an eighth of the queue is delivered that afterwards so much is queued.
   */
  private void deliverEighth(int queued) {
    consumerIndex += CAPACITY / 8;
    adjust(queued);
  }

  /** A full queue, where half of what arrives finds no room. */
  private void overload(int times) {
    for (int i = 0; i <= times; i++) {
      lost += CAPACITY / 8;
      deliverEighth(CAPACITY);
    }
  }

  private void pass(int millis, double idlePart) {
    nanos += TimeUnit.MILLISECONDS.toNanos(millis);
    idleNanos += (long) (idlePart * TimeUnit.MILLISECONDS.toNanos(millis));
    adjust(0);
  }

  /** Twice as much arrives as can be delivered, of which the share leaves 0.92 at most. */
  @Test
  void fullQueueReducesTheShareByWhatIsLostToo() {
    overload(1);
    assertThat(shedding.share()).hasToString("7/16");
    overload(100);
    assertThat(shedding.share()).isEqualTo(SMALLEST);
  }

  /** While 8 are delivered, 10 arrive: 5/4, of which the share leaves 0.92 at most. */
  @Test
  void slightOverloadReducesTheShareByWhatArrivesTooMuch() {
    for (int queued = 34; queued <= 48; queued += 2) {
      deliverEighth(queued);
    }
    assertThat(shedding.share()).isEqualTo(RowShare.ALL);
    deliverEighth(50);
    assertThat(shedding.share()).hasToString("5/8");
  }

  @Test
  void pauseThatFillsTheQueueReducesNothingIfItEmptiesAgain() {
    deliverEighth(5);
    for (int queued = CAPACITY; queued >= 0; queued--) {
      deliverEighth(queued);
    }
    assertThat(shedding.share()).isEqualTo(RowShare.ALL);
    assertThat(announced).isEmpty();
  }

  @Test
  void queueOfWhichAQuarterStaysFreeReducesNothing() {
    for (int i = 0; i < 100; i++) {
      deliverEighth(CAPACITY * 3 / 4);
    }
    assertThat(shedding.share()).isEqualTo(RowShare.ALL);
  }

  /** A shared queue ends without users, and the next one has indexes of its own. */
  @Test
  void nextQueueContinuesWithTheShare() {
    overload(20);
    shedding.queueBegan();
    consumerIndex = 0;
    assertThat(shedding.share()).isEqualTo(SMALLEST);
    for (int i = 0; i < RowShare.MAX_STEPS; i++) {
      nanos = System.nanoTime() + TimeUnit.MINUTES.toNanos(i + 1);
      idleNanos = TimeUnit.MINUTES.toNanos(i + 2);
      adjust(0);
    }
    deliverAll();
    assertThat(announced).last().extracting(Event.RowsShed::share).isEqualTo(RowShare.ALL);
    overload(1);
    assertThat(shedding.share()).hasToString("7/16");
  }

  /** Busy for 0.6 of the time with 3/16, it is busy for 0.8 with 1/4. */
  @Test
  void shareBecomesLargerAsFarAsTheThreadWasIdle() {
    overload(1);
    lost += CAPACITY / 8;
    deliverEighth(CAPACITY);
    assertThat(shedding.share()).hasToString("3/16");
    pass(600, 0.2);
    assertThat(shedding.share()).hasToString("3/16");
    pass(600, 0.4);
    assertThat(shedding.share()).hasToString("1/4");
    pass(400, 1);
    assertThat(shedding.share()).hasToString("1/4");
    pass(200, 0.1);
    assertThat(shedding.share()).hasToString("3/4");
    pass(600, 1);
    assertThat(shedding.share()).isEqualTo(RowShare.ALL);
  }

  @Test
  void shareBecomesOneStepLargerWhenTheQueueStaysAlmostEmpty() {
    overload(2);
    for (int window = 1; window < 8; window++) {
      adjust(window == 4 ? CAPACITY / 4 : CAPACITY / 8);
      pass(600, 0.1);
      assertThat(shedding.share()).hasToString("3/16");
    }
    pass(600, 0.1);
    assertThat(shedding.share()).hasToString("7/32");
  }

  /** Otherwise a consumer would take an event that is omitted for one that does not exist. */
  @Test
  void smallerShareIsAnnouncedBeforeTransactionsBeginUnderIt() {
    deliverEighth(CAPACITY);
    shedding.adjust(
        CAPACITY,
        2 * CAPACITY,
        CAPACITY / 8,
        CAPACITY,
        0,
        0,
        7,
        event -> assertThat(shedding.share().isAll()).isTrue());
    assertThat(shedding.began().isAll()).isFalse();
  }

  @Test
  void largerShareIsAnnouncedAfterTheLastTransactionUnderASmallerOne() {
    overload(1);
    RowShare first = shedding.began();
    lost += CAPACITY / 8;
    deliverEighth(CAPACITY);
    RowShare second = shedding.began();
    for (int i = 0; i < 3; i++) {
      pass(600, 1);
    }
    assertThat(shedding.share()).isEqualTo(RowShare.ALL);
    assertThat(announced).last().extracting(event -> event.share().toString()).isEqualTo("3/16");
    shedding.ended(second, 3, false);
    deliverAll();
    assertThat(announced).last().extracting(event -> event.share().toString()).isEqualTo("7/16");
    shedding.ended(first, 4, true);
    deliverAll();
    assertThat(announced).last().isEqualTo(new Event.RowsShed(7, RowShare.ALL, 4, 1));
    assertThat(announced.stream().mapToLong(Event.RowsShed::statements).sum()).isEqualTo(7);
    int all = announced.size();
    pass(10_000, 1);
    assertThat(announced).hasSize(all);
  }

  private void deliverAll() {
    for (int i = 0; i < 3; i++) {
      adjust(0);
    }
  }

  /** They may overlap with a transaction under the smaller share. */
  @Test
  void largerShareIsAnnouncedAfterTheEventsThatAreQueued() {
    overload(1);
    RowShare smaller = shedding.share();
    shedding.ended(shedding.began(), 1, true);
    pass(600, 1);
    int queued = 5;
    consumerIndex -= queued;
    for (int i = 0; i < queued; i++) {
      assertThat(announced).allMatch(event -> event.share().equals(smaller));
      adjust(queued - i);
      consumerIndex++;
    }
    deliverAll();
    assertThat(announced).last().extracting(Event.RowsShed::share).isEqualTo(RowShare.ALL);
  }

  @Test
  void omittedStatementsAreReportedPeriodically() {
    overload(1);
    shedding.ended(shedding.began(), 2, true);
    pass(99, 0);
    assertThat(announced).hasSize(1);
    pass(2, 0);
    assertThat(announced).last().isEqualTo(new Event.RowsShed(7, shedding.share(), 2, 1));
  }

  @Test
  void nothingIsCountedWithoutOverload() {
    shedding.ended(shedding.began(), 0, false);
    pass(10_000, 0);
    assertThat(announced).isEmpty();
  }
}
