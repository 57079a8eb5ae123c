package io.txwatch.prepare;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Version numbers as DBMSs write them. */
final class Versions {

  private static final Pattern NUMBERS = Pattern.compile("(\\d+)(?:\\.(\\d+))?(?:\\.(\\d+))?");

  private Versions() {}

  /** True if the version that the text begins with is that one or a later one. */
  static boolean atLeast(String text, int... wanted) {
    Matcher found = NUMBERS.matcher(text);
    if (!found.lookingAt()) {
      return false;
    }
    for (int i = 0; i < wanted.length; i++) {
      String group = i < 3 ? found.group(i + 1) : null;
      int number = group == null ? 0 : Integer.parseInt(group);
      if (number != wanted[i]) {
        return number > wanted[i];
      }
    }
    return true;
  }
}
