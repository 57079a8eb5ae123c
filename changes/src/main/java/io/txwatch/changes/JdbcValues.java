package io.txwatch.changes;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.sql.Timestamp;
import java.time.Duration;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.Year;
import java.time.ZoneId;
import java.time.zone.ZoneOffsetTransition;
import java.util.Arrays;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Normalizes what JDBC drivers read, and what applications set, to the values of row images. What
 * is not certainly the value that the DBMS stores is {@link UnknownValue#NOT_COMPARABLE}.
 */
public final class JdbcValues {

  /** Before, dates of {@code java.sql} are in another calendar than those of {@code java.time}. */
  static final int MIN_YEAR = 1583;

  /**
   * With all six digits of the fraction or none: MariaDB's driver omits the zeros after the point
   * in the binary protocol, so that shorter fractions have two meanings.
   */
  private static final Pattern CERTAIN_DATE_TIME =
      Pattern.compile("\\d{4}-\\d{2}-\\d{2} \\d{2}:\\d{2}:\\d{2}(?:\\.\\d{6})?");

  private static final Pattern TIME =
      Pattern.compile("(-?)(\\d{1,3}):(\\d{2}):(\\d{2})(?:\\.(\\d{6}))?");

  private JdbcValues() {}

  /**
   * True if both are known and certainly the same value. NULL is the same as NULL.
   *
   * @return false also if they may be equal: see {@link #mayBeSame}
   */
  public static boolean isSame(@Nullable Object one, @Nullable Object other) {
    return !(one instanceof UnknownValue)
        && !(other instanceof UnknownValue)
        && (one instanceof byte[] bytes && other instanceof byte[] others
            ? Arrays.equals(bytes, others)
            : Objects.equals(one, other));
  }

  /** False if they are certainly different: both are known, and not equal. */
  public static boolean mayBeSame(@Nullable Object one, @Nullable Object other) {
    return one instanceof UnknownValue || other instanceof UnknownValue || isSame(one, other);
  }

  /**
   * Normalizes the result of a getter.
   *
   * @param type of the column that was read
   * @param read what {@code getObject}, {@code getString}, {@code getInt} or another getter
   *     returned, for which {@code wasNull} was queried
   * @return the value; null for NULL; {@link UnknownValue#NOT_COMPARABLE}
   */
  public static @Nullable Object normalized(ColumnType type, @Nullable Object read) {
    if (read == null) {
      return null;
    }
    try {
      Object value = known(type, read);
      return value == null ? UnknownValue.NOT_COMPARABLE : value;
    } catch (ArithmeticException | IllegalArgumentException | java.time.DateTimeException e) {
      return UnknownValue.NOT_COMPARABLE;
    }
  }

  private static @Nullable Object known(ColumnType type, Object read) {
    return switch (type) {
      case INTEGER -> integer(read);
      case BOOLEAN -> zeroOrOne(read);
      case DECIMAL -> decimal(read);
      case DOUBLE -> doubleValue(read);
      case TEXT, LABEL -> read instanceof String text ? text : null;
      case PADDED_TEXT -> read instanceof String text ? withoutTrailingSpaces(text) : null;
      case BYTES -> read instanceof byte[] bytes ? bytes : null;
      case DATE -> date(read);
      case DATE_TIME -> dateTime(read);
      case DURATION -> duration(read);
      case YEAR -> year(read);
      case BITS -> bits(read);
      case INSTANT, OTHER -> null;
    };
  }

  private static @Nullable Object integer(Object read) {
    if (read instanceof Long
        || read instanceof Integer
        || read instanceof Short
        || read instanceof Byte) {
      return ((Number) read).longValue();
    }
    if (read instanceof BigInteger big) {
      return fitting(big);
    }
    if (read instanceof BigDecimal big) {
      return fitting(big.toBigIntegerExact());
    }
    return read instanceof String text ? fitting(new BigInteger(text)) : null;
  }

  /** As {@link Long} if it fits. */
  public static Object fitting(BigInteger value) {
    return value.bitLength() < Long.SIZE ? (Object) value.longValue() : value;
  }

  private static @Nullable Object zeroOrOne(Object read) {
    if (read instanceof Boolean bool) {
      return bool ? 1L : 0L;
    }
    Object value = integer(read);
    return value instanceof Long number && (number == 0 || number == 1) ? value : null;
  }

  private static @Nullable Object decimal(Object read) {
    if (read instanceof BigDecimal value) {
      return plain(value);
    }
    if (read instanceof String text) {
      return plain(new BigDecimal(text));
    }
    // A narrower getter may have rounded.
    return null;
  }

  /** A decimal number as row images have it. */
  public static BigDecimal plain(BigDecimal value) {
    return value.signum() == 0 ? BigDecimal.ZERO : value.stripTrailingZeros();
  }

  private static @Nullable Object doubleValue(Object read) {
    return read instanceof Double value ? Double.valueOf(value + 0.0) : null;
  }

  /** Text as the images of CHAR columns have it. */
  public static String withoutTrailingSpaces(String text) {
    int end = text.length();
    while (end > 0 && text.charAt(end - 1) == ' ') {
      end--;
    }
    return text.substring(0, end);
  }

  private static @Nullable Object date(Object read) {
    LocalDate date =
        read instanceof java.sql.Date day
            ? day.toLocalDate()
            : read instanceof LocalDate local
                ? local
                : read instanceof String text ? LocalDate.parse(text) : null;
    return date != null && date.getYear() >= MIN_YEAR ? date : null;
  }

  /**
   * A {@code java.sql.Timestamp} cannot represent a local time that its zone skips; drivers move
   * it. What may have been moved, and what a driver may have converted between zones, is not
   * certain.
   */
  private static @Nullable Object dateTime(Object read) {
    LocalDateTime time =
        read instanceof LocalDateTime local
            ? local
            : read instanceof Timestamp timestamp
                ? unlessMoved(timestamp.toLocalDateTime())
                : read instanceof String text && CERTAIN_DATE_TIME.matcher(text).matches()
                    ? LocalDateTime.parse(text.replace(' ', 'T'))
                    : null;
    return time != null && time.getYear() >= MIN_YEAR ? time : null;
  }

  private static @Nullable LocalDateTime unlessMoved(LocalDateTime time) {
    ZoneOffsetTransition before =
        ZoneId.systemDefault()
            .getRules()
            .previousTransition(time.atZone(ZoneId.systemDefault()).toInstant().plusSeconds(1));
    boolean moved =
        before != null
            && before.isGap()
            && time.isBefore(before.getDateTimeAfter().plus(before.getDuration()));
    return moved ? null : time;
  }

  private static @Nullable Object duration(Object read) {
    if (read instanceof Duration duration) {
      return duration;
    }
    if (read instanceof LocalTime time) {
      return Duration.ofNanos(time.toNanoOfDay());
    }
    // A java.sql.Time has neither a sign nor microseconds.
    if (!(read instanceof String text)) {
      return null;
    }
    Matcher parts = TIME.matcher(text);
    if (!parts.matches()) {
      return null;
    }
    long seconds =
        Long.parseLong(parts.group(2)) * 3600
            + Long.parseLong(parts.group(3)) * 60
            + Long.parseLong(parts.group(4));
    long micros = parts.group(5) == null ? 0 : Long.parseLong(parts.group(5));
    Duration amount = Duration.ofSeconds(seconds, micros * 1000);
    return parts.group(1).isEmpty() ? amount : amount.negated();
  }

  private static @Nullable Object year(Object read) {
    long year;
    if (read instanceof java.sql.Date date) {
      year = date.toLocalDate().getYear();
    } else if (read instanceof LocalDate date) {
      year = date.getYear();
    } else if (read instanceof Year value) {
      year = value.getValue();
    } else if (integer(read.toString().length() > 4 ? "0" : read.toString()) instanceof Long v) {
      year = v;
    } else {
      return null;
    }
    return year < 1901 || year > 2155 ? null : (Object) year;
  }

  private static @Nullable Object bits(Object read) {
    if (read instanceof Boolean bool) {
      return bool ? 1L : 0L;
    }
    if (read instanceof byte[] bytes) {
      return fitting(new BigInteger(1, bytes));
    }
    // A long of 64 bits may be negative.
    return read instanceof Number number && number.longValue() >= 0 ? integer(read) : null;
  }
}
