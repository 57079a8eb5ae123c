package io.txwatch.testcase;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;

/**
 * A pattern that caches its results, because the statements of a case are matched repeatedly.
 * Thread-safe.
 */
public final class CachedPattern {

  private static final int MAX_CACHED = 1024;

  private final Pattern pattern;
  private final Map<String, Boolean> cache = new ConcurrentHashMap<>();

  private CachedPattern(Pattern pattern) {
    this.pattern = pattern;
  }

  /** Compiles a regular expression. */
  public static CachedPattern of(String regex) {
    return new CachedPattern(Pattern.compile(regex));
  }

  /** True if the pattern is found anywhere in the text. */
  public boolean isFoundIn(String text) {
    Boolean found = cache.get(text);
    if (found == null) {
      found = pattern.matcher(text).find();
      if (cache.size() >= MAX_CACHED) {
        cache.clear();
      }
      cache.put(text, found);
    }
    return found;
  }
}
