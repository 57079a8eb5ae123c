package io.txwatch.history;

import java.io.IOException;
import java.nio.file.Path;

/**
 * A file is not a history, or not one of a version that is known here. The message is one line that
 * names the file, the offset, and what was expected there.
 */
public final class HistoryFormatException extends IOException {

  private static final long serialVersionUID = 1;

  /** Says that at {@code offset} bytes into {@code file} something else was expected. */
  public HistoryFormatException(Path file, long offset, String what) {
    super(file + ", offset " + offset + ": " + what);
  }
}
