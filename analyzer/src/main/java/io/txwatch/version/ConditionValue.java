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
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What a condition may be for a row: a set of true, false and NULL. A set with several elements
 * means that only the DBMS can decide; it never lacks what the DBMS would state.
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

  private final RowCondition condition;
  private final List<@Nullable Object> constants;

  /** The conditions of one column that a row must fulfil. */
  private final List<RowCondition> required = new ArrayList<>();

  /** The row's. */
  private List<String> columns = List.of();

  private @Nullable Object @Nullable [] values;

  private final ColumnPlaces places;

  /**
   * The values of a condition.
   *
   * @param constants the condition's
   * @param places where columns are found
   */
  ConditionValue(RowCondition condition, List<@Nullable Object> constants, ColumnPlaces places) {
    this.condition = condition;
    this.constants = constants;
    this.places = places;
    require(condition);
  }

  private void require(RowCondition part) {
    if (part instanceof RowCondition.And and) {
      and.conditions().forEach(this::require);
    } else if (part instanceof RowCondition.Compare compare
        && !(compare.left() instanceof RowCondition.Column
            && compare.right() instanceof RowCondition.Column)
        && !(compare.left() instanceof RowCondition.Remainder)
        && !(compare.right() instanceof RowCondition.Remainder)) {
      required.add(compare);
    }
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
    return new ConditionValue(condition, constants, new ColumnPlaces()).of(columns, values);
  }

  /**
   * What the condition may be for a row.
   *
   * @param ofRow its values, in the order of {@code ofColumns}; null if none is known
   * @return {@link #TRUE}, {@link #FALSE} and {@link #NULL}, added
   */
  int of(List<String> ofColumns, @Nullable Object @Nullable [] ofRow) {
    row(ofColumns, ofRow);
    return of(condition);
  }

  private void row(List<String> ofColumns, @Nullable Object @Nullable [] ofRow) {
    columns = ofColumns;
    values = ofRow;
  }

  /**
   * Whether the condition is true for none of some versions of a row, nor for one that has the
   * values of several of them: a column that it compares with a constant has no such value.
   */
  boolean isTrueForNone(List<RowVersion> versions) {
    for (RowCondition one : required) {
      boolean isTrueForOne = false;
      for (int i = 0; i < versions.size() && !isTrueForOne; i++) {
        isTrueForOne = mayBeTrue(one, versions.get(i));
      }
      if (!isTrueForOne) {
        return true;
      }
    }
    return false;
  }

  private boolean mayBeTrue(RowCondition part, RowVersion version) {
    if (version.moved || version.deletion) {
      return version.moved;
    }
    row(version.plainColumns, version.plain);
    return (of(part) & TRUE) != 0;
  }

  private int of(RowCondition part) {
    if (part instanceof RowCondition.Compare compare) {
      return compared(value(compare.left()), compare.comparison(), value(compare.right()));
    } else if (part instanceof RowCondition.IsNull test) {
      Object value = value(test.operand());
      return value == RowChange.WITHHELD ? NOT_NULL : value == null ? TRUE : FALSE;
    } else if (part instanceof RowCondition.And and) {
      int all = TRUE;
      for (RowCondition one : and.conditions()) {
        all = both(all, of(one));
      }
      return all;
    } else if (part instanceof RowCondition.Or or) {
      int any = FALSE;
      for (RowCondition one : or.conditions()) {
        any = negated(both(negated(any), negated(of(one))));
      }
      return any;
    } else if (part instanceof RowCondition.Not not) {
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
      int place = places.of(columns, column.name());
      return place < 0 || place >= known.length ? RowChange.WITHHELD : known[place];
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
    return !isPrintable(one) || !isPrintable(other) || haveSameLetters(one, other);
  }

  private static boolean isPrintable(String text) {
    for (int i = 0; i < text.length(); i++) {
      if (text.charAt(i) < ' ' || text.charAt(i) >= 127) {
        return false;
      }
    }
    return true;
  }

  /** Whether the letters and digits of two texts are the same in some alphabet. */
  private static boolean haveSameLetters(String one, String other) {
    int i = nextLetter(one, 0);
    int j = nextLetter(other, 0);
    while (i < one.length() && j < other.length()) {
      if (letter(one.charAt(i)) != letter(other.charAt(j))) {
        return false;
      }
      i = nextLetter(one, i + 1);
      j = nextLetter(other, j + 1);
    }
    return i == one.length() && j == other.length();
  }

  private static int nextLetter(String text, int from) {
    int i = from;
    while (i < text.length() && !Character.isLetterOrDigit(text.charAt(i))) {
      i++;
    }
    return i;
  }

  /** The one letter that stands for all that some alphabet takes for this one. */
  private static char letter(char c) {
    return switch (c) {
      case 'I', 'J', 'Y', 'j', 'y' -> 'i';
      case 'V', 'W', 'w' -> 'v';
      default -> c >= 'A' && c <= 'Z' ? (char) (c + ('a' - 'A')) : c;
    };
  }

  /** How two values compare, as {@link Comparable#compareTo} states it; null if not by value. */
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
