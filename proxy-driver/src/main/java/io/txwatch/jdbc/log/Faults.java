package io.txwatch.jdbc.log;

import io.txwatch.capture.TransactionRules;
import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Faults of ours, printed: the first few, a line each, on standard error. All of them are counted
 * in the history as gaps.
 */
public final class Faults {

  private static final int MAX_LINES = 5;
  private static final AtomicInteger PRINTED = new AtomicInteger();

  private Faults() {}

  public static void report(Throwable fault) {
    if (isOfConnection(fault)) {
      say("a connection was lost while txwatch used it, too: " + FailureText.of(fault));
      return;
    }
    say("a fault of txwatch, the application is not affected: " + FailureText.of(fault));
  }

  /** True if the network, or the DBMS, has ended the connection: no fault of ours. */
  public static boolean isOfConnection(Throwable fault) {
    for (Throwable cause = fault; cause != null; cause = cause.getCause()) {
      if (cause instanceof SQLException error && TransactionRules.connectionLost(error)) {
        return true;
      }
    }
    return false;
  }

  /** The application's text is sent instead of ours. */
  public static void reportRewriting(SQLException error) {
    say(
        "the database refused a rewritten statement, which was executed as it is; a table may have"
            + " changed, so all of them are looked up again: SQLState "
            + error.getSQLState()
            + ", code "
            + error.getErrorCode());
  }

  /** Neither is known: whose fault it is, and what the application's text would have given. */
  public static void reportFailed(SQLException error) {
    say(
        "a rewritten statement that was executed before has failed in a transaction that cannot go"
            + " on; a table may have changed, so all of them are looked up again: SQLState "
            + error.getSQLState()
            + ", code "
            + error.getErrorCode());
  }

  /** Prints a line, unless enough has been printed. */
  public static void say(String line) {
    int printed = PRINTED.incrementAndGet();
    if (printed <= MAX_LINES) {
      String rest = printed == MAX_LINES ? " (further ones are counted, not printed)" : "";
      System.err.println("txwatch: " + line.replaceAll("\\s+", " ") + rest);
    }
  }
}
