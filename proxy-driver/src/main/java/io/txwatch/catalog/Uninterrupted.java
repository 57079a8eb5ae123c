package io.txwatch.catalog;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

/**
 * What an interrupt of the application's thread must not decide: it is put aside meanwhile, and set
 * again afterwards.
 *
 * <p>What is found out when a connection is opened holds for later ones, and for other threads. A
 * wait that an interrupt ended would make it a false "cannot be read", and some drivers fail on an
 * interrupted thread.
 */
public final class Uninterrupted {

  private Uninterrupted() {}

  /** Runs it with the thread's interrupt put aside. */
  public static <T> T run(Supplier<T> work) {
    boolean isInterrupted = Thread.interrupted();
    try {
      return work.get();
    } finally {
      restore(isInterrupted);
    }
  }

  /** Waits for a result until the time is over, whether the thread is interrupted or not. */
  public static <T> T get(Future<T> future, Duration limit)
      throws ExecutionException, TimeoutException {
    boolean isInterrupted = false;
    long end = System.nanoTime() + limit.toNanos();
    try {
      while (true) {
        try {
          return future.get(end - System.nanoTime(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
          isInterrupted = true;
        }
      }
    } finally {
      restore(isInterrupted);
    }
  }

  /** Waits until it is open, whether the thread is interrupted or not. */
  static void await(CountDownLatch latch) {
    boolean isOpen = false;
    while (!isOpen) {
      isOpen = await(latch, Duration.ofHours(1));
    }
  }

  /** Waits until it is open or the time is over, whether the thread is interrupted or not. */
  public static boolean await(CountDownLatch latch, Duration limit) {
    boolean isInterrupted = false;
    long end = System.nanoTime() + limit.toNanos();
    try {
      while (true) {
        try {
          return latch.await(end - System.nanoTime(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
          isInterrupted = true;
        }
      }
    } finally {
      restore(isInterrupted);
    }
  }

  private static void restore(boolean isInterrupted) {
    if (isInterrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
