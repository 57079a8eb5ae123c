package io.txwatch.report;

import java.io.PrintStream;

/** Where texts for people go, each of one line or more and ended by a newline. */
public interface LogTarget {

  /** An anomaly, or a count of them. */
  void warn(String text);

  /** Anything else. */
  void info(String text);

  /** The last text: there may be no logging any more, since the JVM is about to end. */
  default void last(String text) {
    info(text);
  }

  /** A stream, such as standard error. Each text is printed in one piece. */
  static LogTarget of(PrintStream stream) {
    return new LogTarget() {
      @Override
      public void warn(String text) {
        stream.print(text);
        stream.flush();
      }

      @Override
      public void info(String text) {
        warn(text);
      }
    };
  }
}
