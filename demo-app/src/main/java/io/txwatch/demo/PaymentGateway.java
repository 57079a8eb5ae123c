package io.txwatch.demo;

import java.util.concurrent.Exchanger;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * The slow service at the other end of the line: payments, exchange rates, the pager. It settles
 * two requests at a time, and one alone when no second comes: so two customers who are served at
 * once stay so, whatever the machine's load.
 */
final class PaymentGateway {

  private static final long MAX_WAIT_MILLIS = 100;

  private final Exchanger<Boolean> batch = new Exchanger<>();

  /** Waits for the answer. It is always yes. */
  void call() {
    try {
      batch.exchange(true, MAX_WAIT_MILLIS, TimeUnit.MILLISECONDS);
    } catch (TimeoutException alone) {
      // No other request was waiting: this one is settled alone.
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while waiting for the gateway", e);
    }
  }
}
