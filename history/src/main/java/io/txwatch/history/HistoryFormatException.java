package io.txwatch.history;

import java.io.IOException;
import java.nio.file.Path;

/**
 * A file is not a history, or has an unknown version. The message is one line with the file, the
 * offset and what was expected there.
 */
public class HistoryFormatException extends IOException {

  private static final long serialVersionUID = 1;

  /** Creates the exception for an unexpected byte at {@code offset} of {@code file}. */
  public HistoryFormatException(Path file, long offset, String what) {
    super(file + ", offset " + offset + ": " + what);
  }
}
