package io.txwatch.history;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@Execution(ExecutionMode.CONCURRENT) // most of it waits
class SharedQueueTest {

  private static final int SESSIONS = 400;

  private final List<String> warnings = Collections.synchronizedList(new ArrayList<>());
  private final Recorder recorder = new Recorder();

  @Test
  void sessionsOpenedAndClosedRapidlyLoseNoEventWhileQueuesEnd() throws Exception {
    SharedQueue shared = queue(0);
    CyclicBarrier together = new CyclicBarrier(8);
    List<Thread> threads = new ArrayList<>();
    for (int t = 0; t < 8; t++) {
      long first = 1L + (long) t * SESSIONS;
      threads.add(new Thread(() -> openAndClose(shared, first, together)));
    }
    threads.forEach(Thread::start);
    for (Thread thread : threads) {
      thread.join();
    }
    shared.close();

    Map<Long, Integer> events = new HashMap<>();
    for (Event event : recorder.seen) {
      int number = events.merge(event.session(), 1, Integer::sum);
      if (event instanceof Event.Gap gap) {
        assertThat(gap.count())
            .as("place of an event of session %s", event.session())
            .isEqualTo(number);
      } else {
        assertThat(number).isEqualTo(6);
      }
    }
    assertThat(events)
        .hasSize(8 * SESSIONS)
        .allSatisfy((session, count) -> assertThat(count).isEqualTo(6));
    assertThat(recorder.quiesces.get()).isGreaterThan(1);
    assertThat(warnings).isEmpty();
    assertThat(recorder.users.get()).isZero();
  }

  /** Five gaps that are numbered from 1, and the end. */
  private static void openAndClose(SharedQueue shared, long first, CyclicBarrier together) {
    for (long session = first; session < first + SESSIONS; session++) {
      EventSink sink = shared.acquire();
      for (int i = 1; i <= 5; i++) {
        sink.accept(new Event.Gap(session, 0, GapReason.SHAPE, "", i));
      }
      sink.accept(new Event.SessionClosed(session));
      shared.release(sink);
      if ((session - first) % 10 == 9) { // a queue ends some 180 ms after its last event
        pause(together, 170 + session % 40);
      }
    }
  }

  private static void pause(CyclicBarrier together, long millis) {
    try {
      together.await();
      Thread.sleep(millis);
    } catch (InterruptedException | BrokenBarrierException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void idleQueueIsNotWokenAndDeliversTheNextEventAtOnce() throws Exception {
    SharedQueue shared = queue(TimeUnit.SECONDS.toNanos(2));
    EventSink sink = shared.acquire();
    sink.accept(new Event.SessionClosed(1));
    await(() -> recorder.seen.size() == 1);
    Thread thread = recorder.thread;
    await(() -> thread.getState() == Thread.State.WAITING);

    long waits = waits(thread);
    Thread.sleep(1_500);
    assertThat(waits(thread)).isEqualTo(waits);
    assertThat(thread.getState()).isEqualTo(Thread.State.WAITING);

    for (int i = 2; i <= 20; i++) {
      int count = i;
      sink.accept(new Event.SessionClosed(i));
      await(() -> recorder.seen.size() == count);
    }
    assertThat(recorder.thread).isSameAs(thread);
    shared.release(sink);
    thread.join();
    assertThat(recorder.quiesces.get()).isEqualTo(1);
    assertThat(warnings).isEmpty();
  }

  @Test
  void allQueuesEndUsedOrNotAndLaterUsersGetOthers() throws Exception {
    SharedQueue used = queue(TimeUnit.MINUTES.toNanos(1));
    SharedQueue unused = queue(TimeUnit.MINUTES.toNanos(1));
    unused.release(unused.acquire());
    EventSink open = used.acquire();
    open.accept(new Event.SessionClosed(1));

    SharedQueue.endAll(List.of(used, unused));

    assertThat(recorder.seen).hasSize(1);
    assertThat(recorder.quiesces.get()).isEqualTo(1);
    assertThat(recorder.closes.get()).isEqualTo(1);
    recorder.thread.join();
    open.accept(new Event.SessionClosed(2));
    used.release(open);
    EventSink later = used.acquire();
    later.accept(new Event.SessionClosed(3));
    used.close();
    assertThat(recorder.seen).extracting(Event::session).containsExactly(1L, 3L);
    assertThat(warnings).isEmpty();
  }

  private static long waits(Thread thread) {
    return ManagementFactory.getThreadMXBean().getThreadInfo(thread.getId()).getWaitedCount();
  }

  @Test
  void sessionAcquiredWithinTheLingerKeepsTheThread() throws Exception {
    SharedQueue shared = queue(TimeUnit.SECONDS.toNanos(4));
    EventSink first = shared.acquire();
    first.accept(new Event.SessionClosed(1));
    await(() -> recorder.seen.size() == 1);
    Thread thread = recorder.thread;
    shared.release(first);
    Thread.sleep(500);
    EventSink second = shared.acquire();
    assertThat(second).isSameAs(first);
    Thread.sleep(5_000);
    assertThat(thread.isAlive()).isTrue();
    shared.release(second);
    thread.join();
  }

  @Test
  void wakerOnAnIdleQueueCallsCaughtUpTwice() throws Exception {
    SharedQueue shared = queue(TimeUnit.SECONDS.toNanos(2));
    EventSink sink = shared.acquire();
    sink.accept(new Event.SessionClosed(1));
    await(() -> recorder.seen.size() == 1);
    await(() -> recorder.thread.getState() == Thread.State.WAITING);
    int before = recorder.caughtUp.get();
    recorder.waker.run();
    await(() -> recorder.caughtUp.get() >= before + 2);
    shared.release(sink);
  }

  @Test
  void consumersThatBlockOnQuiesceOccupyAtMostTwoThreads() throws Exception {
    CountDownLatch mayEnd = new CountDownLatch(1);
    recorder.mayQuiesce = mayEnd;
    SharedQueue shared = queue(0);
    EventSink first = shared.acquire();
    first.accept(new Event.SessionClosed(1));
    shared.release(first);
    await(((QueueSink) first)::isClosed);

    EventSink waiting = shared.acquire(); // its thread waits for that of the first
    waiting.accept(new Event.SessionClosed(2));
    assertThat(shared.acquire()).isSameAs(waiting);
    waiting.close();
    assertThat(warnings).hasSize(1).allMatch(line -> line.startsWith("closed before 1 events"));

    assertThat(shared.acquire()).isNotInstanceOf(QueueSink.class);
    assertThat(shared.acquire()).isNotInstanceOf(QueueSink.class);
    assertThat(warnings).hasSize(2).anyMatch(line -> line.startsWith("events are lost"));

    mayEnd.countDown();
    await(() -> shared.acquire() instanceof QueueSink);
    shared.close();
  }

  private SharedQueue queue(long lingerNanos) {
    return new SharedQueue(1 << 12, List.of(recorder), warnings::add, false, lingerNanos);
  }

  private static void await(BooleanSupplier condition) throws InterruptedException {
    while (!condition.getAsBoolean()) {
      Thread.sleep(1);
    }
  }

  /** Records events, and fails if two threads use it at once. */
  private static final class Recorder implements EventSink {
    private final List<Event> seen = Collections.synchronizedList(new ArrayList<>());
    private final AtomicInteger quiesces = new AtomicInteger();
    private final AtomicInteger closes = new AtomicInteger();
    private final AtomicInteger users = new AtomicInteger();
    private final AtomicInteger caughtUp = new AtomicInteger();
    private volatile Thread thread = new Thread();
    private volatile Runnable waker = () -> {};
    private volatile CountDownLatch mayQuiesce = new CountDownLatch(0);

    @Override
    public void setWaker(Runnable newWaker) {
      waker = newWaker;
    }

    @Override
    public void caughtUp() {
      caughtUp.incrementAndGet();
    }

    @Override
    public void accept(Event event) {
      if (users.compareAndSet(0, 1)) {
        thread = Thread.currentThread();
      }
      if (thread != Thread.currentThread()) {
        throw new IllegalStateException("two threads");
      }
      seen.add(event);
    }

    @Override
    public boolean quiesce() {
      try {
        mayQuiesce.await();
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
      users.set(0);
      quiesces.incrementAndGet();
      return true;
    }

    @Override
    public void close() {
      users.set(0);
      closes.incrementAndGet();
    }
  }
}
