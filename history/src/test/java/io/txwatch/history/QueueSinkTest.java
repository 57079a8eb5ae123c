package io.txwatch.history;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import java.nio.file.Path;
import java.time.Duration;
import java.util.AbstractList;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class QueueSinkTest {

  private final List<String> warnings = new ArrayList<>();

  @Test
  void everyEventArrivesInTheOrderOfItsSession() throws Exception {
    List<Event> seen = new ArrayList<>();
    QueueSink queue = new QueueSink(1 << 16, List.of(new Collector(seen)), warnings::add);
    fromEightThreads(queue, 1_000);
    queue.close();
    assertThat(seen).hasSize(8 * 1_000 * 3);
    assertOrderWithinSessions(seen);
    assertThat(queue.dropped()).isZero();
    assertThat(warnings).isEmpty();
  }

  @Test
  void lostStatementsAreReportedBeforeTheEndOfTheirTransactionAndNoEndIsLost() throws Exception {
    List<Event> seen = new ArrayList<>();
    CountDownLatch mayGoOn = new CountDownLatch(1);
    QueueSink queue = new QueueSink(16, List.of(new Collector(seen, mayGoOn)), warnings::add);
    fromEightThreads(queue, 500);
    mayGoOn.countDown();
    fromEightThreads(queue, 500);
    queue.close();

    assertOrderWithinSessions(seen);
    assertThat(queue.dropped()).isGreaterThan(1_000);
    Map<Long, Long> missing = new HashMap<>();
    long reported = 0;
    for (Event event : seen) {
      if (event instanceof Event.TransactionBegan) {
        missing.put(event.transaction(), 1L);
      } else if (event instanceof Event.StatementExecuted) {
        missing.merge(event.transaction(), -1L, Long::sum);
      } else if (event instanceof Event.Gap gap) {
        assertThat(gap.reason()).isEqualTo(GapReason.OVERFLOW);
        missing.merge(event.transaction(), -gap.count(), Long::sum);
        reported += gap.count();
      } else if (event instanceof Event.TransactionEnded) {
        assertThat(missing.remove(event.transaction())).isZero();
      }
    }
    assertThat(missing).isEmpty();
    assertThat(reported).isEqualTo(queue.dropped());
  }

  /** So an overload with short transactions leaves time and memory for their statements. */
  @Test
  void whatTransactionsWithoutRoomLeaveBehindIsBounded() throws Exception {
    List<Event> seen = new ArrayList<>();
    CountDownLatch mayGoOn = new CountDownLatch(1);
    QueueSink queue = new QueueSink(1024, List.of(new Collector(seen, mayGoOn)), warnings::add);
    int transactions = 200_000;
    for (long id = 1; id <= transactions; id++) {
      queue.accept(new Event.TransactionBegan(1, id, IsolationLevel.READ_COMMITTED, 0));
      queue.accept(
          new Event.StatementExecuted(
              1, id, 1, StatementKind.SELECT, "", "", List.of(), true, null));
      queue.accept(new Event.TransactionEnded(1, id, Outcome.COMMITTED, 0, 3));
    }
    mayGoOn.countDown();
    queue.close();

    assertThat(seen).hasSizeBetween(1024, 1024 + 2 * (1 << 14) + 100);
    long lost = 0;
    Set<Long> ended = new HashSet<>();
    for (Event event : seen) {
      if (event instanceof Event.Gap gap) {
        assertThat(ended.contains(gap.transaction())).isFalse(); // in a set, at once
        lost += gap.count();
      } else if (event instanceof Event.TransactionEnded) {
        ended.add(event.transaction());
      }
    }
    assertThat(lost).isEqualTo(queue.dropped());
  }

  @Test
  void versionSetsBeyondTheMemoryBoundAreDropped() throws Exception {
    List<Event> seen = new ArrayList<>();
    CountDownLatch mayGoOn = new CountDownLatch(1);
    QueueSink queue = new QueueSink(1024, List.of(new Collector(seen, mayGoOn)), warnings::add);
    long[] rows = new long[10_000];
    VersionSet set = new VersionSet("t", 0, rows, WriterToken.of(0, 0).repeat(rows.length), true);
    for (int i = 1; i <= 300; i++) {
      queue.accept(
          new Event.StatementExecuted(
              1, 2, i, StatementKind.SELECT, "", "", List.of(), true, null, List.of(set)));
    }
    mayGoOn.countDown();
    queue.close();
    long most = QueueSink.MAX_VERSION_ROWS / rows.length;
    assertThat(seen)
        .filteredOn(e -> e instanceof Event.StatementExecuted s && !s.versionSets().isEmpty())
        .hasSizeBetween((int) most, (int) most + 1);
    assertThat(seen).filteredOn(Event.StatementExecuted.class::isInstance).hasSize(300);
    assertThat(seen)
        .filteredOn(e -> e instanceof Event.Gap gap && gap.reason() == GapReason.NO_VERSION_SET)
        .hasSizeBetween(299 - (int) most, 300 - (int) most);
    assertThat(queue.dropped()).isZero();
  }

  @Test
  void statementsOfManyRowsBeyondTheMemoryBoundAreDroppedAndCounted() throws Exception {
    List<Event> seen = new ArrayList<>();
    CountDownLatch mayGoOn = new CountDownLatch(1);
    QueueSink queue = new QueueSink(1024, List.of(new Collector(seen, mayGoOn)), warnings::add);
    RowAccess row = new RowAccess(Access.READ, "t", 1, WriterList.ofColumn(""));
    List<RowAccess> rows = Collections.nCopies(50_000, row);
    for (int i = 1; i <= 100; i++) {
      queue.accept(
          new Event.StatementExecuted(1, 2, i, StatementKind.SELECT, "", "", rows, true, null));
    }
    mayGoOn.countDown();
    queue.close();
    int most = (int) (QueueSink.MAX_VERSION_ROWS / 8 / rows.size());
    assertThat(seen)
        .filteredOn(Event.StatementExecuted.class::isInstance)
        .hasSizeBetween(Math.max(1, most), most + 1);
    assertThat(queue.dropped())
        .isEqualTo(100 - seen.stream().filter(Event.StatementExecuted.class::isInstance).count());
  }

  /** What is stated stays: which changes in the record are a transaction's follows from it. */
  @Test
  void whatIsReadByValueBeyondTheMemoryBoundIsDroppedAndWhatIsStatedStays() throws Exception {
    for (int capacity : new int[] {1024, 8}) {
      List<Event> seen = new ArrayList<>();
      CountDownLatch mayGoOn = new CountDownLatch(1);
      QueueSink queue =
          new QueueSink(capacity, List.of(new Collector(seen, mayGoOn)), warnings::add);
      int rows = 100_000;
      RowValues read = new RowValues("t", List.of("a", "b"), new long[rows], new int[2 * rows]);
      RowValues stated = new RowValues("t", List.of(), new long[] {1}, new int[0]);
      RowChoice choice = new RowChoice("t", new RowCondition.Unknown(), List.of(), Set.of(), true);
      int count = 400;
      for (int i = 1; i <= count; i++) {
        queue.accept(
            new Event.ValuesObserved(
                1,
                2,
                i,
                3,
                4,
                List.of(read),
                List.of(new StatedWrite(Access.UPDATE, stated, true)),
                "",
                List.of(choice)));
      }
      mayGoOn.countDown();
      queue.close();
      List<Event.ValuesObserved> values =
          seen.stream().map(Event.ValuesObserved.class::cast).toList();
      int most = (int) Math.min(capacity, QueueSink.MAX_VERSION_ROWS / rows) + 2;
      assertThat(values)
          .hasSize(count)
          .isSortedAccordingTo(Comparator.comparingInt(Event.ValuesObserved::statement))
          .allSatisfy(e -> assertThat(e.writes()).hasSize(1));
      assertThat(values).filteredOn(e -> !e.reads().isEmpty()).hasSizeBetween(1, most);
      assertThat(values)
          .filteredOn(e -> e.reads().isEmpty())
          .allSatisfy(e -> assertThat(e.unread()).isNotEmpty())
          .allSatisfy(e -> assertThat(e.choices()).isEmpty());
    }
  }

  @Test
  void outOfMemoryOnTheApplicationsThreadIsNotThrownToIt() {
    List<Event> seen = new ArrayList<>();
    QueueSink queue = new QueueSink(64, List.of(new Collector(seen)), warnings::add);
    List<VersionSet> broken =
        new AbstractList<>() {
          @Override
          public VersionSet get(int index) {
            throw new OutOfMemoryError("none left");
          }

          @Override
          public int size() {
            return 1;
          }
        };
    queue.accept(
        new Event.StatementExecuted(
            1, 2, 3, StatementKind.SELECT, "", "", List.of(), true, null, broken));
    queue.accept(new Event.SessionClosed(1));
    queue.close();
    assertThat(queue.dropped()).isEqualTo(1);
    assertThat(seen)
        .contains(new Event.SessionClosed(1))
        .filteredOn(e -> e instanceof Event.Gap gap && gap.reason() == GapReason.OVERFLOW)
        .hasSize(1);
  }

  @Test
  void eventsNotDeliveredBeforeTheCloseTimeoutAreDroppedAndConsumersClosed() throws Exception {
    List<Event> seen = new ArrayList<>();
    CountDownLatch consumerClosed = new CountDownLatch(1);
    EventSink slow =
        new EventSink() {
          @Override
          public void accept(Event event) {
            seen.add(event);
            LockSupport.parkNanos(5_000_000);
          }

          @Override
          public void close() {
            consumerClosed.countDown();
          }
        };
    QueueSink queue = new QueueSink(1 << 12, List.of(slow), warnings::add);
    for (int i = 0; i < 4_000; i++) {
      queue.accept(new Event.SessionClosed(i));
    }
    queue.close();
    assertThat(consumerClosed.getCount()).isZero();
    assertThat(warnings).hasSize(1);
    assertThat(warnings.get(0)).contains("closed before");
    assertThat(seen.get(seen.size() - 1)).isInstanceOf(Event.Gap.class);
  }

  @Test
  void throwingConsumerIsReportedOnceAndOthersContinue() {
    List<Event> seen = new ArrayList<>();
    EventSink broken =
        new EventSink() {
          @Override
          public void accept(Event event) {
            throw new IllegalStateException("broken");
          }

          @Override
          public void close() {
            throw new StackOverflowError();
          }
        };
    QueueSink queue = new QueueSink(64, List.of(broken, new Collector(seen)), warnings::add);
    for (int i = 1; i <= 10; i++) {
      queue.accept(new Event.SessionClosed(i));
    }
    queue.close();
    assertThat(seen).hasSize(10);
    assertThat(warnings).hasSize(1);
    assertThat(warnings.get(0)).contains("broken").doesNotContain("\n");
    assertThat(queue.failed()).isEqualTo(21);
  }

  @Test
  void awaitDeliveredCoversEveryEventAcceptedBefore() {
    List<Event> seen = Collections.synchronizedList(new ArrayList<>());
    QueueSink queue = new QueueSink(1 << 12, List.of(new Collector(seen)), warnings::add);
    for (int i = 1; i <= 500; i++) {
      Event last = new Event.SessionClosed(i);
      queue.accept(last);
      assertThat(queue.awaitDelivered(Duration.ofSeconds(30))).isTrue();
      assertThat(seen.get(seen.size() - 1)).isEqualTo(last);
    }
    queue.close();
    assertThat(queue.awaitDelivered(Duration.ofSeconds(30))).isTrue();
  }

  @Test
  void awaitDeliveredWakesAQueueThatIsAsleep() throws Exception {
    QueueSink queue = new QueueSink(64, List.of(), warnings::add);
    Thread.sleep(2_000);
    assertThat(queue.awaitDelivered(Duration.ofSeconds(30))).isTrue();
    queue.close();
  }

  @Test
  void awaitDeliveredEndsWhileTheQueueIsNeverEmpty() throws Exception {
    Set<Event> ends = ConcurrentHashMap.newKeySet();
    AtomicInteger waiting = new AtomicInteger();
    EventSink collector =
        new EventSink() {
          @Override
          public void accept(Event event) {
            if (event instanceof Event.TransactionEnded) {
              ends.add(event);
            } else {
              waiting.decrementAndGet();
            }
          }

          @Override
          public void close() {}
        };
    QueueSink queue = new QueueSink(1 << 16, List.of(collector), warnings::add);
    AtomicBoolean done = new AtomicBoolean();
    Thread others =
        new Thread(
            () -> {
              while (!done.get()) {
                if (waiting.get() < 10_000) {
                  waiting.incrementAndGet();
                  queue.accept(new Event.SessionClosed(1));
                } else {
                  Thread.yield();
                }
              }
            });
    others.start();
    for (int i = 2; i <= 20; i++) {
      Event event = new Event.TransactionEnded(i, i, Outcome.COMMITTED, 0);
      queue.accept(event);
      assertThat(queue.awaitDelivered(Duration.ofSeconds(30))).isTrue();
      assertThat(ends).contains(event);
    }
    done.set(true);
    others.join();
    queue.close();
  }

  @Test
  void awaitDeliveredIsBounded() {
    CountDownLatch mayGoOn = new CountDownLatch(1);
    List<Event> seen = new ArrayList<>();
    QueueSink queue = new QueueSink(64, List.of(new Collector(seen, mayGoOn)), warnings::add);
    queue.accept(new Event.SessionClosed(1));
    assertThat(queue.awaitDelivered(Duration.ofMillis(20))).isFalse();
    Thread.currentThread().interrupt();
    assertThat(queue.awaitDelivered(Duration.ofSeconds(30))).isFalse();
    assertThat(Thread.interrupted()).isTrue();
    mayGoOn.countDown();
    assertThat(queue.awaitDelivered(Duration.ofSeconds(30))).isTrue();
    queue.close();
  }

  @Test
  void acceptAfterCloseThrowsNothing() {
    QueueSink queue = new QueueSink(64, List.of(), warnings::add).closeAtShutdown();
    queue.close();
    queue.close();
    assertThatCode(() -> queue.accept(new Event.SessionClosed(1))).doesNotThrowAnyException();
    assertThat(queue.dropped()).isEqualTo(1);
  }

  @Test
  void closedQueueHasWrittenEveryEventToItsFile(@TempDir Path directory) throws Exception {
    Path file = directory.resolve("h");
    QueueSink queue = new QueueSink(1 << 16, List.of(HistoryWriter.open(file)), warnings::add);
    fromEightThreads(queue, 1_000);
    queue.close();
    List<Event> seen = new ArrayList<>();
    try (HistoryReader reader = HistoryReader.open(file)) {
      reader.forEach(seen::add);
      assertThat(reader.losses()).isEmpty();
    }
    assertThat(seen).hasSize(8 * 1_000 * 3);
    assertOrderWithinSessions(seen);
  }

  /** Each thread is a session of transactions that have one statement. */
  private static void fromEightThreads(EventSink sink, int transactions) throws Exception {
    Ids ids = Ids.random();
    List<Thread> threads = new ArrayList<>();
    for (int t = 0; t < 8; t++) {
      long session = ids.next();
      Thread thread =
          new Thread(
              () -> {
                for (int i = 0; i < transactions; i++) {
                  long id = ids.next();
                  sink.accept(
                      new Event.TransactionBegan(session, id, IsolationLevel.READ_COMMITTED, 0));
                  sink.accept(
                      new Event.StatementExecuted(
                          session,
                          id,
                          1,
                          StatementKind.SELECT,
                          "SELECT 1",
                          "",
                          List.of(),
                          true,
                          null));
                  sink.accept(new Event.TransactionEnded(session, id, Outcome.COMMITTED, 0));
                }
              });
      thread.start();
      threads.add(thread);
    }
    for (Thread thread : threads) {
      thread.join();
    }
  }

  /** Began, statement or gap, ended; and the next only then. */
  private static void assertOrderWithinSessions(List<Event> seen) {
    Map<Long, Long> open = new HashMap<>();
    for (Event event : seen) {
      if (event instanceof Event.TransactionBegan) {
        assertThat(open.put(event.session(), event.transaction())).isNull();
      } else {
        assertThat(open.get(event.session())).isEqualTo(event.transaction());
        if (event instanceof Event.TransactionEnded) {
          open.remove(event.session());
        }
      }
    }
  }

  private static final class Collector implements EventSink {
    private final List<Event> seen;
    private final CountDownLatch mayGoOn;

    Collector(List<Event> seen) {
      this(seen, new CountDownLatch(0));
    }

    Collector(List<Event> seen, CountDownLatch mayGoOn) {
      this.seen = seen;
      this.mayGoOn = mayGoOn;
    }

    @Override
    public void accept(Event event) {
      try {
        mayGoOn.await();
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
      seen.add(event);
    }

    @Override
    public void close() {}
  }
}
