package io.txwatch.report;

import java.io.PrintStream;

/** Receives log texts, each of one or more lines and ended by a newline. */
public interface LogTarget {

  /** Logs an anomaly, or a count of anomalies. */
  void warn(String text);

  /** Logs anything else. */
  void info(String text);

  /** Logs the last text. Logging may have ended, since the JVM is shutting down. */
  default void last(String text) {
    info(text);
  }

  /** Prints to a stream, such as standard error, each text with one call. */
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
