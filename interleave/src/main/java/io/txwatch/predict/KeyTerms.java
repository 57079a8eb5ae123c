package io.txwatch.predict;

import java.util.Collections;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/**
 * The keys of the rows that a statement chooses, as variables of its template: {@code w_id = w,
 * d_id = d}. Equal variables are equal values in every instance; different ones may be equal.
 *
 * @param variables the variable that each column is compared with, or that is inserted in it
 * @param unique whether at most one row has these values
 */
public record KeyTerms(NavigableMap<String, String> variables, boolean unique) {

  /** Rows of which no key is known. */
  public static final KeyTerms NONE = new KeyTerms(new TreeMap<>(), false);

  private static final String UNKNOWN = "?";

  public KeyTerms {
    variables = Collections.unmodifiableNavigableMap(new TreeMap<>(variables));
  }

  /** The columns with the variables in them. */
  public static KeyTerms of(Map<String, String> variables, boolean unique) {
    return new KeyTerms(new TreeMap<>(variables), unique);
  }

  /** A variable of which no value was seen: it may be equal to any other one. */
  static String unknown(String name) {
    return UNKNOWN + name;
  }

  static boolean isUnknown(String variable) {
    return variable.startsWith(UNKNOWN);
  }

  @Override
  public String toString() {
    return variables.toString();
  }
}
