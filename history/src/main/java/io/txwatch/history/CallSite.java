package io.txwatch.history;

/**
 * How the place in an application that executed a statement is written: {@code BankService.java:41}
 * is the line that did; {@code BankService.java:41 (usually)} is the one line from which the same
 * text was executed as often as that was looked up, of an execution that was not.
 */
public final class CallSite {

  private static final String USUALLY = " (usually)";

  private CallSite() {}

  /** The place from which a text is executed as a rule. */
  public static String usually(String place) {
    return place.isEmpty() ? place : place + USUALLY;
  }

  /** The place itself, whether or not it was looked up for this very execution. */
  public static String place(String callSite) {
    return callSite.endsWith(USUALLY)
        ? callSite.substring(0, callSite.length() - USUALLY.length())
        : callSite;
  }
}
