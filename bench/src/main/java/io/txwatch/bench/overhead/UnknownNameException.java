package io.txwatch.bench.overhead;

/** A command line names what is not there. Its message is a line for people. */
public final class UnknownNameException extends IllegalArgumentException {

  private static final long serialVersionUID = 1L;

  UnknownNameException(String message) {
    super(message);
  }
}
