package io.txwatch.dialect;

import io.txwatch.sql.dialect.Dialect;

/** How what a driver's error states is shown to the application. */
public interface ErrorChange {
  /** A message, or a part of it. */
  String message(String message);

  /** A text that was sent. */
  default String text(String sql) {
    return sql;
  }

  /**
   * A position in the text that was sent, from 1, in the server's characters.
   *
   * @param dialect the grammar of the text
   */
  default int position(int position, Dialect dialect) {
    return position;
  }
}
