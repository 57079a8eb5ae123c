package io.txwatch.kafka;

import java.io.IOException;

/**
 * Runs Kafka's client with its own class loader as the thread's: it loads classes that its settings
 * name, and its threads inherit it.
 */
final class ContextLoader {

  private ContextLoader() {}

  /** An action that may fail. */
  @FunctionalInterface
  interface Action<T> {
    T run() throws IOException;
  }

  static <T> T with(Action<T> action) throws IOException {
    Thread thread = Thread.currentThread();
    ClassLoader before = thread.getContextClassLoader();
    thread.setContextClassLoader(ContextLoader.class.getClassLoader());
    try {
      return action.run();
    } finally {
      thread.setContextClassLoader(before);
    }
  }
}
