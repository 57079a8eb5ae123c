package io.txwatch.demo;

import java.util.concurrent.Exchanger;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * A slow one. It answers two requests together, or one alone if no second arrives, so that
 * concurrent requests stay concurrent under any load.
 */
final class BatchingGateway implements PaymentGateway {

  private static final long MAX_WAIT_MILLIS = 100;

  private final Exchanger<Boolean> batch = new Exchanger<>();

  @Override
  public void call() {
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
