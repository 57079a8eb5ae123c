package io.txwatch.endtoend;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The language of the header {@code # anomaly:}: a predicate over the labelled results and the
 * final state of a run.
 *
 * <pre>
 *   or    = and ("||" and)*
 *   and   = term ("&amp;&amp;" term)*
 *   term  = "committed(" session ")" | "nonserial" | name ("==" | "!=" | "~") "\"" text "\""
 * </pre>
 *
 * A name is a label or {@code final}. {@code ~} matches the whole value against a regular
 * expression. A label whose statement never ran or failed has no value: every comparison with it is
 * false, {@code !=} included.
 */
interface OutcomePredicate {

  /** The facts that the predicate is evaluated on. */
  interface Facts {

    boolean committed(String session);

    /** The value of a label, or of {@code final}. */
    Optional<String> value(String name);

    /** True if no serial order of the committed transactions explains the outcome. */
    boolean nonserial();
  }

  boolean holds(Facts facts);

  /**
   * Reads a predicate.
   *
   * @throws IllegalArgumentException if the text is not of the language
   */
  static OutcomePredicate parse(String text) {
    return new Parser(text).parse();
  }

  /** One pass over the text, a method for each rule. */
  final class Parser {

    private static final Pattern TOKEN =
        Pattern.compile("\\s*(\\|\\||&&|==|!=|~|\\(|\\)|\"[^\"]*\"|\\w+)\\s*");

    private final String text;
    private final Matcher matcher;
    private String token = "";

    private Parser(String text) {
      this.text = text;
      this.matcher = TOKEN.matcher(text);
      advance();
    }

    private OutcomePredicate parse() {
      OutcomePredicate predicate = or();
      require(token.isEmpty());
      return predicate;
    }

    private OutcomePredicate or() {
      OutcomePredicate left = and();
      while (accept("||")) {
        OutcomePredicate first = left;
        OutcomePredicate second = and();
        left = facts -> first.holds(facts) || second.holds(facts);
      }
      return left;
    }

    private OutcomePredicate and() {
      OutcomePredicate left = term();
      while (accept("&&")) {
        OutcomePredicate first = left;
        OutcomePredicate second = term();
        left = facts -> first.holds(facts) && second.holds(facts);
      }
      return left;
    }

    private OutcomePredicate term() {
      String name = word();
      if (name.equals("nonserial")) {
        return Facts::nonserial;
      }
      if (name.equals("committed")) {
        require(accept("("));
        String session = word();
        require(accept(")"));
        return facts -> facts.committed(session);
      }
      String operator = token;
      advance();
      String literal = literal();
      return switch (operator) {
        case "==" -> facts -> facts.value(name).filter(literal::equals).isPresent();
        case "!=" -> facts -> facts.value(name).filter(value -> !value.equals(literal)).isPresent();
        case "~" -> {
          Pattern pattern = Pattern.compile(literal);
          yield facts ->
              facts.value(name).filter(value -> pattern.matcher(value).matches()).isPresent();
        }
        default -> throw error();
      };
    }

    private String word() {
      String word = token;
      require(word.matches("\\w+"));
      advance();
      return word;
    }

    private String literal() {
      String literal = token;
      require(literal.startsWith("\""));
      advance();
      return literal.substring(1, literal.length() - 1);
    }

    private boolean accept(String expected) {
      boolean found = token.equals(expected);
      if (found) {
        advance();
      }
      return found;
    }

    private void advance() {
      int position = token.isEmpty() ? 0 : matcher.end();
      if (position == text.length()) {
        token = "";
        return;
      }
      matcher.region(position, text.length());
      if (!matcher.lookingAt()) {
        throw error();
      }
      token = matcher.group(1);
    }

    private void require(boolean condition) {
      if (!condition) {
        throw error();
      }
    }

    private IllegalArgumentException error() {
      return new IllegalArgumentException("not a predicate at '" + token + "': " + text);
    }
  }
}
