package io.txwatch.interleave.run;

/** Ends an operation whose execution was abandoned. */
final class AbandonedException extends RuntimeException {

  private static final long serialVersionUID = 1;

  AbandonedException() {
    super("txwatch has abandoned this execution");
  }
}
