package io.txwatch.testcase;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;

/**
 * A pattern that remembers in which texts it has been found: a case's statements are asked for the
 * same things again and again. For several threads.
 */
public final class TextPattern {

  private static final int MOST_KNOWN = 1024;

  private final Pattern pattern;
  private final Map<String, Boolean> known = new ConcurrentHashMap<>();

  private TextPattern(Pattern pattern) {
    this.pattern = pattern;
  }

  /** The pattern of a regular expression. */
  public static TextPattern of(String regex) {
    return new TextPattern(Pattern.compile(regex));
  }

  /** True if it is found somewhere in the text. */
  public boolean isIn(String text) {
    Boolean found = known.get(text);
    if (found == null) {
      found = pattern.matcher(text).find();
      if (known.size() >= MOST_KNOWN) {
        known.clear();
      }
      known.put(text, found);
    }
    return found;
  }
}
