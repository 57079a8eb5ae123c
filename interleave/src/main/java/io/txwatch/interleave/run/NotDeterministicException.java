package io.txwatch.interleave.run;

/** The same order of calls has led to another call than before. */
public final class NotDeterministicException extends RuntimeException {

  private static final long serialVersionUID = 1;

  NotDeterministicException(String before, String now) {
    super(
        "in the same order an operation executes \""
            + now
            + "\", and before it \""
            + before
            + "\"");
  }
}
