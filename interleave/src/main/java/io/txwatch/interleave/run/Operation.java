package io.txwatch.interleave.run;

import java.util.concurrent.Callable;

/**
 * An operation of an application, which is executed again and again.
 *
 * @param name as reports show it
 * @param body what it does; it may return a value and throw any exception
 * @param isExecutedByOthers true if {@code body} waits for other threads of this process, which
 *     make its calls
 */
public record Operation(String name, Callable<?> body, boolean isExecutedByOthers) {

  /** One that executes on the thread that calls {@code body}. */
  public Operation(String name, Callable<?> body) {
    this(name, body, false);
  }
}
