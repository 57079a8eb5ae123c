package io.txwatch.sql;

import io.txwatch.history.WriterList;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Keeps an UPDATE of one table of MySQL or MariaDB that changes nothing from changing something, as
 * {@link ChangeGuard} does, at half the cost: by a first assignment that compares what is there
 * with what is going to be.
 *
 * <pre>
 *   SET txw_wl = if(a &lt;=&gt; ? and b is null, txw_wl, right(concat(txw_wl, TOKEN), 112)),
 *       a = ?, b = b + 1
 * </pre>
 *
 * It can be told so only of values that are stored just as they are given, so of the parameters
 * their kind is {@linkplain Assumed assumed}, and of the session that it refuses what does not fit
 * a column, instead of making it fit. What is added to a column changes it unless it is zero, or
 * the column is null. Whatever is not among the forms below is left to {@link ChangeGuard}.
 */
final class ValueGuard {

  private static final Pattern TYPE = Pattern.compile("([a-z]+)(?:\\((\\d+)(?:,(\\d+))?\\))?");

  private final Draft draft;
  private final Tokens tokens;
  private final Map<String, String> types;
  private final int[] numbers;
  private final Map<Integer, AssumedValue> assumed = new HashMap<>();
  private final Set<String> assigned = new HashSet<>();
  private final List<String> unchanged = new ArrayList<>();

  private ValueGuard(Draft draft, Map<String, String> types) {
    this.draft = draft;
    this.tokens = draft.tokens;
    this.types = types;
    this.numbers = draft.splices.numbers();
  }

  /**
   * Appends the writer to the assignments of an UPDATE of one table.
   *
   * @param types of the table's columns
   * @return false if it cannot be done: nothing was added
   */
  static boolean append(Draft draft, Map<String, String> types, int from, int to) {
    if (!draft.tables.storeAsGiven() || !draft.alone || isLenient(draft)) {
      return false;
    }
    ValueGuard guard = new ValueGuard(draft, types);
    if (!guard.understands(from, to)) {
      return false;
    }
    draft.splices.before(
        from,
        "%1$s = if(%2$s, %1$s, right(concat(%1$s, %3$s), %4$d)), "
            .formatted(
                Auxiliary.WL,
                String.join(" and ", guard.unchanged),
                Auxiliary.TOKEN,
                WriterList.WINDOW_LENGTH));
    draft.assumed = Assumed.storesAsGiven(guard.assumed);
    return true;
  }

  /** True if the statement itself may change how values are stored. */
  private static boolean isLenient(Draft draft) {
    for (int i = draft.shape.verb; i < draft.shape.set; i++) {
      if (draft.tokens.isWord(i, "IGNORE")) {
        return true;
      }
    }
    return draft.tokens.text().toUpperCase(Locale.ROOT).contains("SET_VAR");
  }

  private boolean understands(int from, int to) {
    return tokens.items(from, to).stream().allMatch(one -> assignment(one.from(), one.to()));
  }

  /** {@code column = value}. */
  private boolean assignment(int from, int to) {
    int equals = tokens.nameEnd(from);
    if (equals == from || !tokens.isOperator(equals, '=')) {
      return false;
    }
    String column = column(equals - 1);
    Matcher type = TYPE.matcher(types.getOrDefault(column, ""));
    if (!assigned.add(column) || !type.matches()) {
      return false; // twice, or with words behind its type
    }
    boolean quoted = !tokens.is(equals - 1, TokenKind.WORD);
    String name = quoted ? tokens.text(equals - 1) : '`' + tokens.text(equals - 1) + '`';
    Optional<String> test =
        switch (type.group(1)) {
          case "tinyint", "smallint", "mediumint", "int", "bigint" ->
              whole(name, column, ComparedGuard.bits(type.group(1)), equals + 1, to);
          case "decimal" -> decimal(name, column, number(type, 2), number(type, 3), equals + 1, to);
          case "varchar" -> text(name, number(type, 2), equals + 1, to);
          default -> Optional.empty();
        };
    test.ifPresent(unchanged::add);
    return test.isPresent();
  }

  private static int number(Matcher type, int group) {
    String digits = type.group(group);
    return digits == null ? 0 : Integer.parseInt(digits);
  }

  private Optional<String> whole(String name, String column, int bits, int from, int to) {
    long most = Long.MAX_VALUE >> (64 - bits);
    if (isParameter(from, to)) {
      assume(from, new AssumedValue.Whole(-most - 1, most, false));
      return Optional.of(name + " <=> " + again(from));
    }
    if (tokens.isShortInteger(from, to) && Long.parseLong(tokens.text(from)) <= most) {
      return Optional.of(name + " <=> " + tokens.text(from));
    }
    int operand = operand(column, from);
    if (isParameter(operand, to) && bits < 64) {
      assume(operand, new AssumedValue.Whole(Integer.MIN_VALUE, Integer.MAX_VALUE, false));
      return Optional.of(name + " <=> " + draft.splices.sliceAgain(from, to));
    }
    if (isParameter(operand, to)) {
      assume(operand, new AssumedValue.Whole(Long.MIN_VALUE + 1, Long.MAX_VALUE, true));
      return Optional.of(name + " is null");
    }
    return nonzero(name, operand, to);
  }

  private Optional<String> decimal(
      String name, String column, int digits, int scale, int from, int to) {
    if (isParameter(from, to)) {
      assume(from, new AssumedValue.Exact(scale));
      return Optional.of(name + " <=> " + again(from));
    }
    if (tokens.isShortInteger(from, to)) {
      return Optional.of(name + " <=> " + tokens.text(from));
    }
    int operand = operand(column, from);
    if (isParameter(operand, to)) {
      assume(operand, new AssumedValue.Change(digits, scale));
      return Optional.of(name + " is null");
    }
    return nonzero(name, operand, to);
  }

  /** Byte by byte, without a collation. */
  private Optional<String> text(String name, int length, int from, int to) {
    if (!isParameter(from, to)) {
      return Optional.empty();
    }
    assume(from, new AssumedValue.Text(length));
    return Optional.of(name + " <=> cast(" + again(from) + " as binary)");
  }

  /** What a literal is added to, or taken from. */
  private Optional<String> nonzero(String name, int operand, int to) {
    return tokens.isShortInteger(operand, to) && Long.parseLong(tokens.text(operand)) != 0
        ? Optional.of(name + " is null")
        : Optional.empty();
  }

  /** Of {@code column + value} or {@code column - value} the value; -1 if it is neither. */
  private int operand(String column, int from) {
    int operator = tokens.nameEnd(from);
    return operator > from
            && column(operator - 1).equals(column)
            && (tokens.isOperator(operator, '+') || tokens.isOperator(operator, '-'))
        ? operator + 1
        : -1;
  }

  private boolean isParameter(int from, int to) {
    return to == from + 1 && tokens.is(from, TokenKind.PARAMETER);
  }

  private void assume(int token, AssumedValue value) {
    assumed.put(numbers[token], value);
  }

  private String again(int token) {
    return Auxiliary.again(numbers[token]);
  }

  private String column(int token) {
    return QueryScanner.fold(tokens.text(token)).toLowerCase(Locale.ROOT);
  }
}
