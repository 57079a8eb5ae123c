package io.txwatch.junit;

import io.txwatch.interleave.Interleaver;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.function.Executable;

/** The operations of an {@link InterleaveTest}, which its method gets as a parameter. */
public final class Interleaving {

  private final Interleaver interleaver = new Interleaver();
  private boolean hasReset;

  Interleaving() {}

  /**
   * Adds an operation. Given twice, it is executed by two clients.
   *
   * @param name as the report shows it
   * @param body called again and again, on a thread of its own; what it throws is its result
   */
  public Interleaving operation(String name, Executable body) {
    interleaver.operation(
        name,
        () -> {
          try {
            body.execute();
            return null;
          } catch (Exception | Error e) {
            throw e;
          } catch (Throwable e) {
            throw new IllegalStateException(e);
          }
        });
    return this;
  }

  /** The same of an operation whose result counts, too. It is compared as text. */
  public Interleaving operationWithResult(String name, Callable<?> body) {
    interleaver.operation(name, body);
    return this;
  }

  /** What must hold after every execution, beside what is found without it. */
  public Interleaving invariant(String name, Callable<Boolean> holds) {
    interleaver.invariant(name, holds);
    return this;
  }

  /** Restores the state before each execution, instead of the {@code @BeforeEach} methods. */
  public Interleaving reset(Runnable restore) {
    interleaver.reset(restore);
    hasReset = true;
    return this;
  }

  Interleaver interleaver() {
    return interleaver;
  }

  boolean hasReset() {
    return hasReset;
  }
}
