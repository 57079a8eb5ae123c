package io.txwatch.jdbc.log;

import java.sql.SQLException;

/**
 * A failure in one line without its message, which may quote a statement, a value of a row or a
 * URL: the class, of a DBMS's error the SQLState and the code, and where it was thrown.
 */
final class FailureText {

  private static final int FRAMES = 3;

  private FailureText() {}

  static String of(Throwable failure) {
    StringBuilder text = new StringBuilder(failure.getClass().getName());
    if (failure instanceof SQLException error) {
      text.append(", SQLState ").append(error.getSQLState());
      text.append(", code ").append(error.getErrorCode());
    }
    StackTraceElement[] frames = failure.getStackTrace();
    for (int i = 0; i < Math.min(FRAMES, frames.length); i++) {
      text.append(i == 0 ? " at " : ", ").append(frames[i]);
    }
    return text.toString();
  }
}
