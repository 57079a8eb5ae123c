package io.txwatch.catalog;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Version numbers as DBMSs write them. */
public final class DbmsVersion {

  private static final Pattern NUMBERS = Pattern.compile("(\\d+)(?:\\.(\\d+))?(?:\\.(\\d+))?");

  private DbmsVersion() {}

  /** True if the version that the text begins with is that one or a later one. */
  public static boolean isAtLeast(String text, int... wanted) {
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
