package io.txwatch.version;

import io.txwatch.history.RowChange;
import io.txwatch.history.RowCondition;
import io.txwatch.history.RowCondition.Comparison;
import io.txwatch.history.RowCondition.Operand;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.format.DateTimeParseException;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What a condition may be for a row: a set of true, false and NULL. A set with several elements
 * means that only the DBMS can decide; it never lacks what the DBMS would say.
 *
 * <p>Numbers and dates are compared by value. Texts that are equal are equal in every collation.
 * They are different in every collation if they are printable ASCII and differ in more than case,
 * blanks, punctuation, and letters that some alphabets do not distinguish. The order of texts is
 * not known.
 */
public final class ConditionValue {

  public static final int TRUE = 1;
  public static final int FALSE = 2;
  public static final int NULL = 4;

  private static final int NOT_NULL = TRUE | FALSE;
  static final int ANY = TRUE | FALSE | NULL;
  private static final Pattern DATE = Pattern.compile("\\d{4}-\\d\\d-\\d\\d");
  private static final Pattern DATE_TIME =
      Pattern.compile("\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d");

  private final List<String> columns;
  private final @Nullable Object @Nullable [] values;
  private final List<@Nullable Object> constants;

  private ConditionValue(
      List<String> columns,
      @Nullable Object @Nullable [] values,
      List<@Nullable Object> constants) {
    this.columns = columns;
    this.values = values;
    this.constants = constants;
  }

  /**
   * What a condition may be.
   *
   * @param values the row's, in the order of {@code columns}; null if none is known
   * @param constants the condition's
   * @return {@link #TRUE}, {@link #FALSE} and {@link #NULL}, added
   */
  public static int of(
      RowCondition condition,
      List<String> columns,
      @Nullable Object @Nullable [] values,
      List<@Nullable Object> constants) {
    return new ConditionValue(columns, values, constants).of(condition);
  }

  private int of(RowCondition condition) {
    if (condition instanceof RowCondition.Compare compare) {
      return compared(value(compare.left()), compare.comparison(), value(compare.right()));
    } else if (condition instanceof RowCondition.IsNull test) {
      Object value = value(test.operand());
      return value == RowChange.WITHHELD ? NOT_NULL : value == null ? TRUE : FALSE;
    } else if (condition instanceof RowCondition.And and) {
      int all = TRUE;
      for (RowCondition one : and.conditions()) {
        all = both(all, of(one));
      }
      return all;
    } else if (condition instanceof RowCondition.Or or) {
      int any = FALSE;
      for (RowCondition one : or.conditions()) {
        any = negated(both(negated(any), negated(of(one))));
      }
      return any;
    } else if (condition instanceof RowCondition.Not not) {
      return negated(of(not.condition()));
    }
    return ANY;
  }

  private static int both(int one, int other) {
    int result = (one | other) & FALSE;
    result |= one & other & TRUE;
    boolean mayBeNull =
        (one & NULL) != 0 && (other & (TRUE | NULL)) != 0
            || (other & NULL) != 0 && (one & (TRUE | NULL)) != 0;
    return mayBeNull ? result | NULL : result;
  }

  private static int negated(int value) {
    return value & NULL | (value & TRUE) << 1 | (value & FALSE) >> 1;
  }

  private @Nullable Object value(Operand operand) {
    if (operand instanceof RowCondition.Constant constant) {
      return constants.get(constant.index());
    } else if (operand instanceof RowCondition.Remainder remainder) {
      return remainder(value(remainder.dividend()), value(remainder.divisor()));
    }
    @Nullable Object[] known = values;
    if (known != null && operand instanceof RowCondition.Column column) {
      for (int i = 0; i < known.length; i++) {
        if (columns.get(i).equalsIgnoreCase(column.name())) {
          return known[i];
        }
      }
    }
    return RowChange.WITHHELD;
  }

  private static @Nullable Object remainder(@Nullable Object dividend, @Nullable Object divisor) {
    if (dividend instanceof Long one && divisor instanceof Long other && other != 0) {
      return one % other;
    }
    return RowChange.WITHHELD;
  }

  private static int compared(
      @Nullable Object left, Comparison comparison, @Nullable Object right) {
    if (left == null || right == null) {
      return NULL;
    } else if (left == RowChange.WITHHELD || right == RowChange.WITHHELD) {
      return ANY;
    } else if (left instanceof String one && right instanceof String other) {
      return texts(one, comparison, other);
    }
    Integer order = order(left, right);
    return order == null ? NOT_NULL : holds(order, comparison) ? TRUE : FALSE;
  }

  private static int texts(String one, Comparison comparison, String other) {
    boolean equal = comparison == Comparison.EQUAL;
    if (!equal && comparison != Comparison.NOT_EQUAL) {
      return NOT_NULL;
    } else if (one.equals(other)) {
      return equal ? TRUE : FALSE;
    }
    return mayBeEqual(one, other) ? NOT_NULL : equal ? FALSE : TRUE;
  }

  private static boolean mayBeEqual(String one, String other) {
    return !isPrintable(one) || !isPrintable(other) || skeleton(one).equals(skeleton(other));
  }

  /** The letters and digits, each as one that stands for all that some alphabet takes for it. */
  private static String skeleton(String text) {
    StringBuilder skeleton = new StringBuilder(text.length());
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (Character.isLetterOrDigit(c)) {
        skeleton.append(letter(c));
      }
    }
    return skeleton.toString();
  }

  private static boolean isPrintable(String text) {
    return text.chars().allMatch(c -> c >= ' ' && c < 127);
  }

  private static char letter(char c) {
    return switch (c) {
      case 'I', 'J', 'Y', 'j', 'y' -> 'i';
      case 'V', 'W', 'w' -> 'v';
      default -> c >= 'A' && c <= 'Z' ? (char) (c + ('a' - 'A')) : c;
    };
  }

  /** How two values compare, as {@link Comparable#compareTo} says it; null if not by value. */
  private static @Nullable Integer order(Object left, Object right) {
    if (left instanceof Long one && right instanceof Long other) {
      return one.compareTo(other);
    }
    BigDecimal number = number(left);
    BigDecimal otherNumber = number(right);
    if (number != null && otherNumber != null) {
      return number.compareTo(otherNumber);
    }
    LocalDateTime time = time(left, right);
    LocalDateTime otherTime = time(right, left);
    return time == null || otherTime == null ? null : time.compareTo(otherTime);
  }

  private static @Nullable BigDecimal number(Object value) {
    if (value instanceof Long integer) {
      return BigDecimal.valueOf(integer);
    } else if (value instanceof BigInteger integer) {
      return new BigDecimal(integer);
    }
    return value instanceof BigDecimal decimal ? decimal : null;
  }

  /** A date as its first moment; a text is one if it is compared with a date. */
  private static @Nullable LocalDateTime time(Object value, Object other) {
    if (value instanceof LocalDate date) {
      return date.atStartOfDay();
    } else if (value instanceof LocalDateTime dateTime) {
      return dateTime;
    }
    try {
      if (value instanceof String text && other instanceof LocalDate) {
        return DATE.matcher(text).matches() ? LocalDate.parse(text).atStartOfDay() : null;
      } else if (value instanceof String text && other instanceof LocalDateTime) {
        return DATE_TIME.matcher(text).matches()
            ? LocalDateTime.parse(text.replace(' ', 'T'))
            : null;
      }
    } catch (DateTimeParseException e) {
      return null; // such as February 30
    }
    return null;
  }

  private static boolean holds(int order, Comparison comparison) {
    return switch (comparison) {
      case EQUAL -> order == 0;
      case NOT_EQUAL -> order != 0;
      case LESS -> order < 0;
      case LESS_OR_EQUAL -> order <= 0;
      case GREATER -> order > 0;
      case GREATER_OR_EQUAL -> order >= 0;
    };
  }
}
