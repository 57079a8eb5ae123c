package io.txwatch.history;

import java.nio.file.Path;

/** A file does not start like a history: it may be one of another tool. */
public final class NoHistoryException extends HistoryFormatException {

  private static final long serialVersionUID = 1;

  NoHistoryException(Path file) {
    super(file, 0, "expected the header of a txwatch history, found something else");
  }
}
