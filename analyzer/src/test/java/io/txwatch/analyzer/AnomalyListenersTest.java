package io.txwatch.analyzer;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.anomaly.Anomaly;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

class AnomalyListenersTest {

  private static final Duration LONG = Duration.ofSeconds(30);

  private final List<String> warnings = Collections.synchronizedList(new ArrayList<>());
  private final AnomalyListeners listeners = new AnomalyListeners(warnings::add);
  private final List<Anomaly> received = Collections.synchronizedList(new ArrayList<>());
  private final Anomaly anomaly = FoundAnomaliesTest.anyAnomaly();

  @Test
  void aThrowingListenerIsReportedOnceAndOthersAreCalled() {
    listeners.add(
        any -> {
          throw new AssertionError("password");
        });
    listeners.add(received::add);

    listeners.accept(anomaly);
    listeners.accept(anomaly);

    assertThat(listeners.awaitDelivered(LONG)).isTrue();
    assertThat(received).hasSize(2);
    assertThat(warnings)
        .containsExactly("a listener threw java.lang.AssertionError; it stays registered");
  }

  @Test
  void listenersAreCalledOnADaemonThread() {
    List<Thread> threads = Collections.synchronizedList(new ArrayList<>());
    listeners.add(any -> threads.add(Thread.currentThread()));

    listeners.accept(anomaly);

    assertThat(listeners.awaitDelivered(LONG)).isTrue();
    assertThat(threads)
        .singleElement()
        .satisfies(
            thread -> {
              assertThat(thread.getName()).isEqualTo("txwatch-listeners");
              assertThat(thread.isDaemon()).isTrue();
            });
  }

  @Test
  void threadEndsWithTheLastListenerAndRestartsWithTheNext() throws Exception {
    List<Thread> threads = Collections.synchronizedList(new ArrayList<>());
    Consumer<Anomaly> listener = any -> threads.add(Thread.currentThread());
    Runnable remove = listeners.add(listener);
    listeners.accept(anomaly);
    assertThat(listeners.awaitDelivered(LONG)).isTrue();
    remove.run();
    threads.get(0).join(LONG.toMillis());
    assertThat(threads.get(0).isAlive()).isFalse();

    listeners.add(listener);
    listeners.accept(anomaly);
    assertThat(listeners.awaitDelivered(LONG)).isTrue();
    assertThat(threads).hasSize(2).doesNotHaveDuplicates();
  }

  @Test
  void aRemovedListenerIsNotCalled() {
    Runnable remove = listeners.add(received::add);
    remove.run();

    listeners.accept(anomaly);

    assertThat(listeners.awaitDelivered(LONG)).isTrue();
    assertThat(received).isEmpty();
  }

  @Test
  void anInterruptByAListenerDoesNotEndTheThread() {
    listeners.add(any -> Thread.currentThread().interrupt());
    listeners.add(received::add);

    listeners.accept(anomaly);
    listeners.accept(anomaly);

    assertThat(listeners.awaitDelivered(LONG)).isTrue();
    assertThat(received).hasSize(2);
  }

  @Test
  void aBlockedListenerDropsAnomaliesAndDelaysNoOther() {
    CountDownLatch mayGoOn = new CountDownLatch(1);
    listeners.add(
        any -> {
          try {
            mayGoOn.await();
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          }
        });
    listeners.add(received::add);

    for (int i = 0; i < 2 * AnomalyListeners.MAX_WAITING; i++) {
      listeners.accept(anomaly);
    }
    assertThat(listeners.awaitDelivered(Duration.ofMillis(10))).isFalse();
    mayGoOn.countDown();

    assertThat(listeners.awaitDelivered(LONG)).isTrue();
    assertThat(received)
        .hasSizeBetween(AnomalyListeners.MAX_WAITING, AnomalyListeners.MAX_WAITING + 1);
    assertThat(warnings)
        .containsExactly("listeners are too slow; some anomalies are not passed to them");
  }

  @Test
  void aListenerMayAwaitDelivery() {
    List<Boolean> answers = Collections.synchronizedList(new ArrayList<>());
    listeners.add(any -> answers.add(listeners.awaitDelivered(LONG)));

    listeners.accept(anomaly);

    assertThat(listeners.awaitDelivered(LONG)).isTrue();
    assertThat(answers).containsExactly(true);
  }
}
