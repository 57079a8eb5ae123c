package io.txwatch.baseline;

import java.io.IOException;

/** A baseline file that cannot be used. The message is one line: where, what, and what to do. */
public final class BaselineException extends IOException {

  private static final long serialVersionUID = 1;

  BaselineException(String message) {
    super(message);
  }
}
