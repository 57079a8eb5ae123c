package io.txwatch.interleave.run;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The keys that rows have when an execution begins. Those that the reset generates differ from
 * execution to execution, and so do the texts of statements that contain them.
 *
 * @param all the keys, by what they identify
 * @param known those among them, and others, that are the same in each execution
 */
public record ResetKeys(Map<String, Set<String>> all, Map<String, Set<String>> known) {

  /** None. */
  public static final ResetKeys NONE = new ResetKeys(Map.of(), Map.of());

  /** A string, a word or number, or any other character. */
  private static final Pattern TOKEN = Pattern.compile("'(?:''|[^'])*'|\\w+|.", Pattern.DOTALL);

  private static final Pattern LITERAL = Pattern.compile("'.*'|\\d+", Pattern.DOTALL);

  public ResetKeys {
    all = Map.copyOf(all);
    known = Map.copyOf(known);
  }

  /**
   * True if texts of calls differ at most in literals that are keys which the reset has generated.
   *
   * @param now texts of the execution that began with these keys
   * @param before texts of an earlier execution
   * @param keysBefore the keys that it began with
   */
  public boolean areSame(List<String> now, List<String> before, ResetKeys keysBefore) {
    return areSame(now, before, token -> isGenerated(token, keysBefore.all));
  }

  /**
   * The same for texts of an execution whose keys are not known, such as one of another process.
   */
  public boolean areSame(List<String> now, List<String> before) {
    return areSame(now, before, token -> true);
  }

  private boolean areSame(List<String> now, List<String> before, Predicate<String> mayBeKey) {
    if (now.size() != before.size()) {
      return false;
    }
    for (int i = 0; i < now.size(); i++) {
      if (!isSame(now.get(i), before.get(i), mayBeKey)) {
        return false;
      }
    }
    return true;
  }

  boolean isSame(String now, String before, ResetKeys keysBefore) {
    return isSame(now, before, token -> isGenerated(token, keysBefore.all));
  }

  private boolean isSame(String now, String before, Predicate<String> mayBeKey) {
    if (now.equals(before)) {
      return true;
    }
    List<String> tokens = tokens(now);
    List<String> tokensBefore = tokens(before);
    if (tokens.size() != tokensBefore.size()) {
      return false;
    }
    for (int i = 0; i < tokens.size(); i++) {
      String token = tokens.get(i);
      String tokenBefore = tokensBefore.get(i);
      if (!token.equals(tokenBefore)
          && !(isGenerated(token, all)
              && LITERAL.matcher(tokenBefore).matches()
              && mayBeKey.test(tokenBefore))) {
        return false;
      }
    }
    return true;
  }

  /** True if a token is a literal, and a key among some that is not the same in each execution. */
  private boolean isGenerated(String token, Map<String, Set<String>> keys) {
    if (!LITERAL.matcher(token).matches()) {
      return false;
    }
    String value = token.startsWith("'") ? token.substring(1, token.length() - 1) : token;
    return keys.entrySet().stream()
        .anyMatch(
            domain ->
                domain.getValue().contains(value)
                    && !known.getOrDefault(domain.getKey(), Set.of()).contains(value));
  }

  private static List<String> tokens(String text) {
    List<String> tokens = new ArrayList<>();
    Matcher matcher = TOKEN.matcher(text);
    while (matcher.find()) {
      tokens.add(matcher.group());
    }
    return tokens;
  }
}
