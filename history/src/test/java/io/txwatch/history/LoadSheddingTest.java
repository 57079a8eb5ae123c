package io.txwatch.history;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Queues that fill and empty, and what consumers learn of it. */
class LoadSheddingTest {

  private static final int CAPACITY = 64;
  private static final RowShare HALF = new RowShare(1);
  private static final RowShare QUARTER = new RowShare(2);

  private final LoadShedding shedding = new LoadShedding();
  private final List<Event.RowsShed> announced = new ArrayList<>();
  private long consumerIndex;
  private long nanos;
  private long idleNanos;

  private void adjust(int queued) {
    shedding.adjust(
        consumerIndex,
        consumerIndex + queued,
        CAPACITY,
        nanos,
        idleNanos,
        7,
        event -> announced.add((Event.RowsShed) event));
  }

  /** A queue that is full, and still is after everything in it was delivered, and so on. */
  private void overload(int times) {
    for (int i = 0; i < times; i++) {
      adjust(CAPACITY);
      adjust(CAPACITY);
      consumerIndex += CAPACITY;
    }
  }

  private void pass(int millis, double idlePart) {
    nanos += TimeUnit.MILLISECONDS.toNanos(millis);
    idleNanos += (long) (idlePart * TimeUnit.MILLISECONDS.toNanos(millis));
    adjust(0);
  }

  @Test
  void overloadThatContinuesHalvesTheShareAgain() {
    overload(1);
    assertThat(shedding.share()).isEqualTo(HALF);
    overload(1);
    assertThat(shedding.share()).isEqualTo(QUARTER);
    overload(100);
    assertThat(shedding.share()).isEqualTo(new RowShare(RowShare.MAX_HALVINGS));
  }

  @Test
  void pauseThatFillsTheQueueOnceHalvesTheShareOnce() {
    for (int queued = CAPACITY; queued >= 0; queued--) {
      adjust(queued);
      consumerIndex++;
    }
    assertThat(shedding.share()).isEqualTo(HALF);
  }

  @Test
  void burstThatFitsHalvesNothing() {
    for (int queued = CAPACITY * 3 / 4; queued >= 0; queued--) {
      adjust(queued);
      consumerIndex++;
    }
    assertThat(shedding.share()).isEqualTo(RowShare.ALL);
    assertThat(announced).isEmpty();
  }

  @Test
  void backlogThatFollowsAnotherHalvesTheShare() {
    adjust(CAPACITY * 3 / 4);
    consumerIndex += CAPACITY * 3 / 4;
    adjust(CAPACITY * 3 / 4);
    assertThat(shedding.share()).isEqualTo(HALF);
  }

  /** A shared queue ends without users, and the next one has indexes of its own. */
  @Test
  void nextQueueContinuesWithTheShare() {
    overload(20);
    shedding.queueBegan();
    consumerIndex = 0;
    assertThat(shedding.share()).isEqualTo(new RowShare(RowShare.MAX_HALVINGS));
    for (int i = 0; i < RowShare.MAX_HALVINGS; i++) {
      nanos = System.nanoTime() + TimeUnit.MINUTES.toNanos(i + 1);
      idleNanos = TimeUnit.MINUTES.toNanos(i + 2);
      adjust(0);
    }
    deliverAll();
    assertThat(announced).last().extracting(Event.RowsShed::share).isEqualTo(RowShare.ALL);
    overload(1);
    assertThat(shedding.share()).isEqualTo(HALF);
  }

  @Test
  void shareIsDoubledWhenTheThreadIsMostlyIdle() {
    overload(2);
    pass(600, 0.5);
    assertThat(shedding.share()).isEqualTo(QUARTER);
    pass(600, 0.6);
    assertThat(shedding.share()).isEqualTo(HALF);
    pass(400, 1);
    assertThat(shedding.share()).isEqualTo(HALF);
    pass(200, 1);
    assertThat(shedding.share()).isEqualTo(RowShare.ALL);
  }

  @Test
  void shareIsDoubledWhenTheQueueStaysAlmostEmpty() {
    overload(2);
    for (int window = 1; window < 8; window++) {
      adjust(window == 4 ? CAPACITY / 4 : CAPACITY / 8);
      pass(600, 0.1);
      assertThat(shedding.share()).isEqualTo(QUARTER);
    }
    pass(600, 0.1);
    assertThat(shedding.share()).isEqualTo(HALF);
  }

  /** Otherwise a consumer would take an event that is omitted for one that does not exist. */
  @Test
  void smallerShareIsAnnouncedBeforeTransactionsBeginUnderIt() {
    adjust(CAPACITY);
    shedding.adjust(
        0, CAPACITY, CAPACITY, 0, 0, 7, event -> assertThat(shedding.share().isAll()).isTrue());
    assertThat(shedding.began()).isEqualTo(HALF);
  }

  @Test
  void largerShareIsAnnouncedAfterTheLastTransactionUnderASmallerOne() {
    overload(1);
    RowShare first = shedding.began();
    overload(1);
    RowShare second = shedding.began();
    pass(600, 1);
    pass(600, 1);
    assertThat(shedding.share()).isEqualTo(RowShare.ALL);
    assertThat(announced).last().extracting(Event.RowsShed::share).isEqualTo(QUARTER);
    shedding.ended(second, 3, false);
    deliverAll();
    assertThat(announced).last().extracting(Event.RowsShed::share).isEqualTo(HALF);
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
    shedding.ended(shedding.began(), 1, true);
    pass(600, 1);
    int queued = 5;
    consumerIndex -= queued;
    for (int i = 0; i < queued; i++) {
      assertThat(announced).allMatch(event -> event.share().equals(HALF));
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
    assertThat(announced).last().isEqualTo(new Event.RowsShed(7, HALF, 2, 1));
  }

  @Test
  void nothingIsCountedWithoutOverload() {
    shedding.ended(shedding.began(), 0, false);
    pass(10_000, 0);
    assertThat(announced).isEmpty();
  }
}
