package io.txwatch.rewrite;

import io.txwatch.plan.Assumed;
import io.txwatch.plan.AssumedValue;
import io.txwatch.plan.Catalog;
import io.txwatch.plan.PlanRequest.Assuming;
import io.txwatch.sql.syntax.Assignment;
import io.txwatch.sql.syntax.Span;
import io.txwatch.sql.syntax.TokenKind;
import io.txwatch.sql.syntax.Tokens;
import io.txwatch.statement.AnalyzedStatement;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Appends the writer to an UPDATE of one table at half the cost of {@link ChangeGuard}: by one
 * assignment, the first, which compares the old values with the new ones.
 *
 * <pre>
 *   SET txw_wl = if(a &lt;=&gt; ? and b is null, txw_wl, right(concat(txw_wl, TOKEN), 112)),
 *       a = ?, b = b + 1
 * </pre>
 *
 * That shows only for values that are stored just as they are given, so of the parameters their
 * kind is {@linkplain Assumed assumed}, and of the session that it refuses what does not fit a
 * column, instead of making it fit. What is added to a column changes it unless it is zero, or the
 * column is null. So where one assignment adds something to a column that is never null, each row
 * changes whatever the others assign, and there is nothing to compare:
 *
 * <pre>
 *   SET txw_wl = right(concat(txw_wl, TOKEN), 112), a = ?, b = b + 1
 * </pre>
 *
 * It fits the forms below.
 */
final class ValueGuard {

  private static final Pattern TYPE = Pattern.compile("([a-z]+)(?:\\((\\d+)(?:,(\\d+))?\\))?");

  private final Tokens tokens;
  private final Catalog.Traits traits;
  private final int[] numbers;

  private ValueGuard(Tokens tokens, Catalog.Traits traits) {
    this.tokens = tokens;
    this.traits = traits;
    this.numbers = ParameterNumbers.of(tokens);
  }

  /**
   * When an assignment leaves its column as it is.
   *
   * @param unchanged a condition on the row before; empty if there is no such row
   * @param assumed what it takes for granted, by the parameters' numbers
   */
  private record Comparison(String unchanged, Map<Integer, AssumedValue> assumed) {
    boolean changesAlways() {
      return unchanged.isEmpty();
    }
  }

  /** The {@link WriteStrategy}. */
  static Optional<Rewrite> append(AssignmentList assignments) {
    return decisiveAssignments(assignments)
        .map(
            decisive ->
                assignments
                    .context()
                    .before(assignments.from(), assignment(decisive))
                    .and(Rewrite.assuming(assumed(decisive))));
  }

  private static String assignment(List<Comparison> decisive) {
    String unchanged =
        decisive.stream().map(Comparison::unchanged).collect(Collectors.joining(" and "));
    String appended = Auxiliary.appended(Auxiliary.WL);
    return unchanged.isEmpty()
        ? "%s = %s, ".formatted(Auxiliary.WL, appended)
        : "%1$s = if(%2$s, %1$s, %3$s), ".formatted(Auxiliary.WL, unchanged, appended);
  }

  /** What it would assume; nothing if it cannot be done. */
  static Assumed assumed(AssignmentList assignments) {
    return decisiveAssignments(assignments).map(ValueGuard::assumed).orElse(Assumed.NOTHING);
  }

  private static Assumed assumed(List<Comparison> decisive) {
    Map<Integer, AssumedValue> values = new HashMap<>();
    decisive.forEach(one -> values.putAll(one.assumed()));
    return Assumed.storesAsGiven(values);
  }

  private static Optional<List<Comparison>> decisiveAssignments(AssignmentList assignments) {
    RewriteContext context = assignments.context();
    return assignments.isOfUpdate()
            && context.mayAssume(Assuming.VALUES)
            && context.tables().storeAsGiven()
            && context.alone()
            && !isLenient(context.statement(), assignments.from())
        ? new ValueGuard(context.tokens(), assignments.table().traits())
            .decisiveAssignments(assignments.assignments())
        : Optional.empty();
  }

  /** True if the statement itself may change how values are stored. */
  private static boolean isLenient(AnalyzedStatement statement, int set) {
    return statement.tokens().hasAnyWord(statement.tree().verb(), set, "IGNORE")
        || statement.tokens().text().toUpperCase(Locale.ROOT).contains("SET_VAR");
  }

  /** The assignments that show whether the row changes: one that always does, or all of them. */
  private Optional<List<Comparison>> decisiveAssignments(List<Assignment> assignments) {
    List<Optional<Comparison>> all = new ArrayList<>();
    Set<String> assigned = new HashSet<>();
    for (Assignment assignment : assignments) {
      Span one = assignment.span();
      int equals = tokens.nameEnd(one.from());
      if (equals == one.from()
          || !tokens.isOperator(equals, '=')
          || !assigned.add(tokens.folded(equals - 1))) { // twice
        return Optional.empty();
      }
      all.add(assignment(equals, one.to()));
    }
    Optional<Comparison> always =
        all.stream()
            .flatMap(Optional::stream)
            .filter(Comparison::changesAlways)
            .min(Comparator.comparing(one -> one.assumed().size()));
    if (always.isPresent()) {
      return always.map(List::of);
    }
    return all.stream().allMatch(Optional::isPresent)
        ? Optional.of(all.stream().flatMap(Optional::stream).toList())
        : Optional.empty();
  }

  /** {@code column = value}; empty if its value does not show it. */
  private Optional<Comparison> assignment(int equals, int to) {
    String column = tokens.folded(equals - 1);
    Matcher type = TYPE.matcher(traits.types().getOrDefault(column, ""));
    if (!type.matches()) {
      return Optional.empty(); // with words behind it
    }
    return switch (type.group(1)) {
      case "tinyint", "smallint", "mediumint", "int", "bigint" ->
          whole(equals, bits(type.group(1)), to);
      case "decimal" -> decimal(equals, number(type, 2), number(type, 3), to);
      case "varchar" -> text(equals, number(type, 2), to);
      case "datetime" -> moment(equals, number(type, 2), UnaryOperator.identity(), to);
      case "timestamp" -> moment(equals, number(type, 2), ColumnText::instant, to);
      case "date" -> day(equals, to);
      default -> Optional.empty();
    };
  }

  private static int number(Matcher type, int group) {
    String digits = type.group(group);
    return digits == null ? 0 : Integer.parseInt(digits);
  }

  /** How many bits an integer of a type has. */
  private static int bits(String type) {
    return switch (type) {
      case "tinyint" -> 8;
      case "smallint" -> 16;
      case "mediumint" -> 24;
      case "int" -> 32;
      default -> 64;
    };
  }

  private Optional<Comparison> whole(int equals, int bits, int to) {
    int from = equals + 1;
    long most = Long.MAX_VALUE >> (64 - bits);
    if (isParameter(from, to)) {
      return same(equals, again(from), from, new AssumedValue.Whole(-most - 1, most, false));
    }
    if (tokens.isShortInteger(from, to) && Long.parseLong(tokens.text(from)) <= most) {
      return same(equals, tokens.text(from));
    }
    int operand = operand(equals);
    if (isParameter(operand, to) && bits < 64) {
      return same(
          equals,
          new EditedText(tokens, Edits.NONE).copyAgain(from, to),
          operand,
          new AssumedValue.Whole(Integer.MIN_VALUE, Integer.MAX_VALUE, false));
    }
    if (isParameter(operand, to)) {
      return added(
          equals, operand, new AssumedValue.Whole(Long.MIN_VALUE + 1, Long.MAX_VALUE, true));
    }
    return addedLiteral(equals, operand, to);
  }

  private Optional<Comparison> decimal(int equals, int digits, int scale, int to) {
    int from = equals + 1;
    if (isParameter(from, to)) {
      return same(equals, again(from), from, new AssumedValue.Exact(scale));
    }
    if (tokens.isShortInteger(from, to)) {
      return same(equals, tokens.text(from));
    }
    int operand = operand(equals);
    if (isParameter(operand, to)) {
      return added(equals, operand, new AssumedValue.Change(digits, scale));
    }
    return addedLiteral(equals, operand, to);
  }

  /** Byte by byte, without a collation. */
  private Optional<Comparison> text(int equals, int length, int to) {
    int from = equals + 1;
    return isParameter(from, to)
        ? same(equals, "cast(" + again(from) + " as binary)", from, new AssumedValue.Text(length))
        : Optional.empty();
  }

  /**
   * Cast to what the column holds: what comes behind is cut off or rounded, as it is when it is
   * stored.
   *
   * @param digits how many of a second's the column has behind the point
   * @param compared what is compared of either
   */
  private Optional<Comparison> moment(
      int equals, int digits, UnaryOperator<String> compared, int to) {
    int from = equals + 1;
    if (!isParameter(from, to)) {
      return Optional.empty();
    }
    String type = digits == 0 ? "datetime" : "datetime(" + digits + ")";
    String given = "cast(%s as %s)".formatted(again(from), type);
    return Optional.of(
        new Comparison(
            compared.apply(name(equals)) + " <=> " + compared.apply(given),
            Map.of(numbers[from], AssumedValue.Time.moment(!isNotNull(equals)))));
  }

  private Optional<Comparison> day(int equals, int to) {
    int from = equals + 1;
    return isParameter(from, to)
        ? same(equals, again(from), from, AssumedValue.Time.day(!isNotNull(equals)))
        : Optional.empty();
  }

  /** Unchanged if the column is what is assigned. */
  private Optional<Comparison> same(int equals, String value) {
    return Optional.of(new Comparison(name(equals) + " <=> " + value, Map.of()));
  }

  private Optional<Comparison> same(int equals, String value, int parameter, AssumedValue assumed) {
    return Optional.of(
        new Comparison(name(equals) + " <=> " + value, Map.of(numbers[parameter], assumed)));
  }

  /** What is not zero is added to the column, or taken from it: unchanged if that is null. */
  private Optional<Comparison> added(int equals, int parameter, AssumedValue assumed) {
    return Optional.of(new Comparison(isNull(equals), Map.of(numbers[parameter], assumed)));
  }

  private Optional<Comparison> addedLiteral(int equals, int operand, int to) {
    return tokens.isShortInteger(operand, to) && Long.parseLong(tokens.text(operand)) != 0
        ? Optional.of(new Comparison(isNull(equals), Map.of()))
        : Optional.empty();
  }

  /** A condition; empty if the column never is. */
  private String isNull(int equals) {
    return isNotNull(equals) ? "" : name(equals) + " is null";
  }

  private boolean isNotNull(int equals) {
    return traits.notNull().contains(tokens.folded(equals - 1));
  }

  /** Of {@code column + value} or {@code column - value} the value; -1 if it is neither. */
  private int operand(int equals) {
    int operator = tokens.nameEnd(equals + 1);
    return operator > equals + 1
            && tokens.folded(operator - 1).equals(tokens.folded(equals - 1))
            && (tokens.isOperator(operator, '+') || tokens.isOperator(operator, '-'))
        ? operator + 1
        : -1;
  }

  private boolean isParameter(int from, int to) {
    return to == from + 1 && tokens.is(from, TokenKind.PARAMETER);
  }

  private String again(int token) {
    return Auxiliary.again(numbers[token]);
  }

  /** The assigned column, so that it is taken for nothing else. */
  private String name(int equals) {
    String name = tokens.text(equals - 1);
    return tokens.is(equals - 1, TokenKind.WORD) ? '`' + name + '`' : name;
  }
}
