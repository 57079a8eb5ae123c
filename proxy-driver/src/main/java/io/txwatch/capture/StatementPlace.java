package io.txwatch.capture;

import java.util.concurrent.ThreadLocalRandom;

/**
 * From where in the application one SQL text is executed, as {@link CallSites} finds it.
 *
 * <p>To walk the stack costs some three microseconds, more than all else that is done for a
 * statement. Nearly every text is executed at one place of the application's code. So a text that
 * came from one place {@value #SURE} times in a row is taken to come from there, and the stack is
 * walked for one execution of {@value #EVERY} only, at random. Once another place is met the stack
 * is walked each time again, and goes on to be for as long as the places alternate.
 *
 * <p>The price: where a text has run {@value #SURE} times at one line, and then begins to run at
 * another one too, the first {@value #EVERY} executions or so at the new line are told as the old
 * one's. It is the line that a report names for people; no verdict hangs on it.
 */
public final class StatementPlace {

  private static final int SURE = 1000;
  private static final int EVERY = 16;

  /** Written without a lock: what is lost by that are steps on the way to being sure. */
  private volatile String known = "";

  private int agreed;

  /** {@code File.java:line} of the caller; empty if the application is not on the stack. */
  public String current() {
    String last = known;
    if (agreed >= SURE && ThreadLocalRandom.current().nextInt(EVERY) != 0) {
      return last;
    }
    String now = CallSites.current();
    if (!now.equals(last)) {
      agreed = 0;
      known = now;
    } else if (agreed < SURE) {
      agreed++;
    }
    return now;
  }
}
