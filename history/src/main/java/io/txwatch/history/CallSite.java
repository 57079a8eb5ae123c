package io.txwatch.history;

/**
 * The format of a call site. {@code BankService.java:41} is the line that executed the statement.
 * {@code BankService.java:41 (usually)} marks a sampled call site: this statement text has always
 * come from that line, but the stack of this execution was not taken.
 */
public final class CallSite {

  private static final String USUALLY = " (usually)";

  private CallSite() {}

  /** Marks a place as sampled. */
  public static String usually(String place) {
    return place.isEmpty() ? place : place + USUALLY;
  }

  /** Returns the place without the mark of a sampled call site. */
  public static String place(String callSite) {
    return callSite.endsWith(USUALLY)
        ? callSite.substring(0, callSite.length() - USUALLY.length())
        : callSite;
  }
}
