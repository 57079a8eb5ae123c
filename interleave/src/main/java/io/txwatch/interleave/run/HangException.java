package io.txwatch.interleave.run;

/** Operations went on no more, or without end. */
public final class HangException extends RuntimeException {

  private static final long serialVersionUID = 1;

  private final boolean deadlock;

  HangException(String message, boolean deadlock) {
    super(message);
    this.deadlock = deadlock;
  }

  /** True if each operation that had not ended waited for another one. */
  public boolean isDeadlock() {
    return deadlock;
  }
}
