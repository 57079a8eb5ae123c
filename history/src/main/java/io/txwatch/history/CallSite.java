package io.txwatch.history;

import java.util.regex.Pattern;

/**
 * The format of a call site. {@code shop.BankService.transfer (BankService.java:41)} is the method
 * and the line that executed the statement; {@code BankService.java:41} if the method is not known.
 * {@code Dao.find (Dao.java:12) <- shop.BankService.transfer (BankService.java:41)} has the caller
 * as well: the nearest method of another class, which distinguishes what a shared helper executes.
 * {@code (usually)} behind it marks a sampled call site: this statement text has always come from
 * that line, but the stack of this execution was not taken.
 */
public final class CallSite {

  private static final String USUALLY = " (usually)";

  /** Neither Java nor Kotlin nor Scala allow it in the name of a method, nor do file names. */
  private static final String CALLED_FROM = " <- ";

  /** An anonymous class, and what it is nested in. */
  private static final Pattern ANONYMOUS = Pattern.compile("\\$\\d+");

  /** The body of a lambda expression: of Java, of Kotlin, of Scala. */
  private static final Pattern LAMBDA =
      Pattern.compile("lambda\\$(.+)\\$\\d+|(.+)\\$lambda[-$]\\d+|\\$anonfun\\$(.+)\\$\\d+");

  private CallSite() {}

  /**
   * A place in a method. Code of a lambda expression or an anonymous class is named by what it
   * stands in.
   *
   * @param type the name of the class, as the JVM knows it
   * @param method the name of the method, as the JVM knows it
   * @param place the file and the line
   */
  public static String of(String type, String method, String place) {
    String named = ANONYMOUS.matcher(type).replaceAll("");
    String nested = named.endsWith("$") ? named.substring(0, named.length() - 1) : named;
    return nested.replace('$', '.') + "." + enclosing(method) + " (" + place + ")";
  }

  private static String enclosing(String method) {
    var lambda = LAMBDA.matcher(method);
    if (!lambda.matches()) {
      return method;
    }
    for (int group = 1; group <= lambda.groupCount(); group++) {
      String in = lambda.group(group);
      if (in != null) {
        return in.equals("new") ? "<init>" : in.equals("static") ? "<clinit>" : enclosing(in);
      }
    }
    return method;
  }

  /** A place, and the place that called its class; both as {@link #of} returns them. */
  public static String calledFrom(String callSite, String caller) {
    return callSite + CALLED_FROM + caller;
  }

  /** The caller, without the package: {@code BankService.transfer (BankService.java:41)}; or "". */
  public static String caller(String callSite) {
    String whole = whole(callSite);
    int caller = whole.indexOf(CALLED_FROM);
    return caller < 0 ? "" : shown(whole.substring(caller + CALLED_FROM.length()));
  }

  /** The method of the caller, with its class and package; empty if unknown. */
  public static String callerMethod(String callSite) {
    String whole = whole(callSite);
    int caller = whole.indexOf(CALLED_FROM);
    return caller < 0 ? "" : method(whole.substring(caller + CALLED_FROM.length()));
  }

  /** Marks a place as sampled. */
  public static String usually(String place) {
    return place.isEmpty() ? place : place + USUALLY;
  }

  /** The file and the line alone, without the mark of a sampled call site. */
  public static String place(String callSite) {
    String exact = exact(callSite);
    int method = endOfMethod(exact);
    return method < 0 ? exact : exact.substring(method + 2, exact.length() - 1);
  }

  /** The file and the line, with the mark of a sampled call site. */
  public static String line(String callSite) {
    String place = place(callSite);
    return isExact(callSite) ? place : usually(place);
  }

  /** The method with its class and package, {@code shop.BankService.transfer}; empty if unknown. */
  public static String method(String callSite) {
    String exact = exact(callSite);
    return exact.substring(0, Math.max(0, endOfMethod(exact)));
  }

  /** The call site without the package: {@code BankService.transfer (BankService.java:41)}. */
  public static String shown(String callSite) {
    String method = method(callSite);
    int type = method.lastIndexOf('.', method.lastIndexOf('.') - 1);
    String shown = exact(callSite).substring(type + 1);
    return isExact(callSite) ? shown : usually(shown);
  }

  private static boolean isExact(String callSite) {
    return !callSite.endsWith(USUALLY);
  }

  /** The place alone, without its caller. */
  private static String exact(String callSite) {
    String whole = whole(callSite);
    int caller = whole.indexOf(CALLED_FROM);
    return caller < 0 ? whole : whole.substring(0, caller);
  }

  private static String whole(String callSite) {
    return isExact(callSite)
        ? callSite
        : callSite.substring(0, callSite.length() - USUALLY.length());
  }

  /** Where the method ends and the place begins; -1 if there is no method. */
  private static int endOfMethod(String exact) {
    return exact.endsWith(")") ? exact.lastIndexOf(" (") : -1;
  }
}
