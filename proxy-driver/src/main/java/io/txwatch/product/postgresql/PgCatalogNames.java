package io.txwatch.product.postgresql;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Qualifies the names of operators, functions, types and collations that SQL for PostgreSQL uses,
 * so that each is the one of {@code pg_catalog} whatever the path of the session is, and whatever
 * operators and functions its users have defined:
 *
 * <pre>
 *   strpos(n::text, ?) > 0
 *   pg_catalog.strpos(n::pg_catalog.text, ?) OPERATOR(pg_catalog.>) 0
 * </pre>
 *
 * <p>Otherwise {@code tgtype & 19} is ambiguous beside a user's {@code &(numeric, integer)}, {@code
 * to_json(t)} is a user's {@code to_json(t)}, and after {@code SET search_path = mine, pg_catalog}
 * every name is first looked up in {@code mine}: a stranger's function would run with the rights of
 * the application (PostgreSQL, "Typical Usage of the Schema Search Path", CVE-2018-1058). A path of
 * txwatch's own is no way out: a driver that sees the path change discards the statements that the
 * session has prepared.
 *
 * <p>{@code OPERATOR()} has one precedence for all operators. A text in which that could matter is
 * refused. So is one with a construct that looks up {@code =} in the path and cannot name it:
 * {@code IN}, {@code LIKE}, {@code BETWEEN}, {@code USING}, {@code IS DISTINCT FROM}. {@code CASE x
 * WHEN} and {@code NULLIF}, which are frequent in views, are written out. Tables are left as they
 * are.
 */
public final class PgCatalogNames {

  private static final Pattern TOKEN =
      Pattern.compile(
          "\\s+|[Ee]'(?:[^'\\\\]|\\\\.|'')*'|'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\""
              + "|\\d[\\w.]*|[\\w$]+|::|[-+*/<>=~!@#%^&|]+|.",
          Pattern.DOTALL);

  private static final Pattern OPERATOR = Pattern.compile("[-+*/<>=~!@#%^&|]+");

  private static final Pattern NAME = Pattern.compile("[\\p{L}_][\\w$]*|\".*\"", Pattern.DOTALL);

  /** Words of the grammar, which stand before a parenthesis without being a function. */
  private static final Set<String> NOT_FUNCTIONS =
      words(
          """
          and or not exists any all some row array case when then else end select from
          where on by as lateral values coalesce greatest least extract substring
          overlay trim operator is limit filter over union with
          """);

  /** Types whose names are words of the grammar. */
  private static final Set<String> TYPE_WORDS =
      words(
          """
          bigint int integer smallint boolean real float double precision decimal
          numeric dec character char nchar national varchar varying bit time timestamp
          interval
          """);

  private static final Set<String> LOOK_UP_EQUALITY =
      words(
          """
          in like ilike similar between using natural cast
          """);

  /** Words that are no part of an operand. */
  private static final Set<String> BETWEEN_OPERANDS =
      words(
          """
          and or not select from where on when then else end case as by is having limit
          union order group join left cross
          """);

  private final List<String> tokens = new ArrayList<>();
  private final StringBuilder out = new StringBuilder();

  /** The operator of the operands that are being read, for each open parenthesis; or empty. */
  private final Deque<String> operators = new ArrayDeque<>(List.of(""));

  private static Set<String> words(String list) {
    return Set.of(list.strip().split("\\s+"));
  }

  private PgCatalogNames(String sql) {
    Matcher token = TOKEN.matcher(sql);
    while (token.find()) {
      tokens.add(token.group());
    }
    HiddenEquality.writeOut(tokens);
  }

  /**
   * Qualifies the names in a text.
   *
   * @throws IllegalArgumentException if not all can be qualified
   */
  public static String qualify(String sql) {
    PgCatalogNames names = new PgCatalogNames(sql);
    for (int i = 0; i < names.tokens.size(); i++) {
      names.add(i);
    }
    return names.out.toString();
  }

  private void add(int i) {
    String token = tokens.get(i);
    String word = token.toLowerCase(Locale.ROOT);
    refuse(i, word);
    if (isOperator(i)) {
      addOperator(token);
      return;
    }
    boolean qualified = near(i, -1).equals(".") || next(i).equals(".");
    boolean isName = NAME.matcher(token).matches() && !qualified;
    if (isName
        && (isFunction(i, word) || isType(i, word) || near(i, -1).equalsIgnoreCase("collate"))) {
      out.append("pg_catalog.");
    }
    out.append(token);
    if (token.equals("(")) {
      operators.push("");
    } else if (token.equals(")")) {
      operators.pop();
    } else if (token.equals(",") || BETWEEN_OPERANDS.contains(word)) {
      operators.pop();
      operators.push("");
    }
  }

  private void addOperator(String operator) {
    String before = operators.pop();
    if (!before.isEmpty() && !before.equals(operator)) {
      throw new IllegalArgumentException(
          "parentheses decide between " + before + " and " + operator + ": " + this);
    }
    operators.push(operator);
    out.append("OPERATOR(pg_catalog.").append(operator).append(')');
  }

  private void refuse(int i, String word) {
    boolean distinctFrom = word.equals("distinct") && near(i, 1).equalsIgnoreCase("from");
    boolean isColumn = near(i, -1).equals(".");
    if (!isColumn && (LOOK_UP_EQUALITY.contains(word) || distinctFrom)) {
      throw new IllegalArgumentException(word + " looks up = in the path: " + this);
    }
  }

  /** True for an operator, unless it has a schema already; {@code *} may mean all columns. */
  private boolean isOperator(int i) {
    String token = tokens.get(i);
    if (!OPERATOR.matcher(token).matches() || near(i, -1).equals(".")) {
      return false;
    }
    String before = near(i, -1);
    return !token.equals("*")
        || !(before.equals("(") || before.equals(",") || before.equalsIgnoreCase("select"));
  }

  private boolean isFunction(int i, String word) {
    return next(i).equals("(")
        && !NOT_FUNCTIONS.contains(word)
        && !TYPE_WORDS.contains(word)
        && !near(i, -1).equals("::")
        && !near(i, -1).equalsIgnoreCase("as")
        && !isCommonTable(i);
  }

  private boolean isType(int i, String word) {
    return near(i, -1).equals("::") && !TYPE_WORDS.contains(word);
  }

  /** {@code family(oid) AS (SELECT …)}. */
  private boolean isCommonTable(int i) {
    int close = i + 1;
    while (close < tokens.size() && !tokens.get(close).equals(")")) {
      close++;
    }
    return near(close, 1).equalsIgnoreCase("as") && near(close, 2).equals("(");
  }

  private String next(int i) {
    return next(tokens, i);
  }

  private String near(int i, int places) {
    return near(tokens, i, places);
  }

  /** The token right behind one; empty if there is none. */
  static String next(List<String> tokens, int i) {
    return i + 1 < tokens.size() ? tokens.get(i + 1) : "";
  }

  /** The token so many places before or behind one, not counting blanks; empty if there is none. */
  static String near(List<String> tokens, int i, int places) {
    int step = Integer.signum(places);
    int at = i;
    for (int left = Math.abs(places); left > 0; left--) {
      at += step;
      while (at >= 0 && at < tokens.size() && tokens.get(at).isBlank()) {
        at += step;
      }
    }
    return at >= 0 && at < tokens.size() ? tokens.get(at) : "";
  }

  @Override
  public String toString() {
    return String.join("", tokens);
  }
}
