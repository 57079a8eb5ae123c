package io.txwatch.plan;

import java.math.BigDecimal;
import java.sql.Date;
import java.sql.Timestamp;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.util.Set;

/**
 * What the value of a parameter must be for a text to mean what it should. What is not known to be
 * it is not.
 */
public sealed interface AssumedValue {

  /** True for an integer that fits. */
  default boolean fits(long value) {
    return false;
  }

  /** True for a number that fits. */
  default boolean fits(double value) {
    return false;
  }

  /** True for an object that fits; for null there is {@link #fitsNull}. */
  boolean fits(Object value);

  /** True if NULL fits. */
  boolean fitsNull();

  private static boolean isWhole(Object value) {
    return value instanceof Integer
        || value instanceof Long
        || value instanceof Short
        || value instanceof Byte;
  }

  /**
   * An integer.
   *
   * @param notZero true if neither 0 nor NULL will do
   */
  record Whole(long least, long most, boolean notZero) implements AssumedValue {
    @Override
    public boolean fits(long value) {
      return value >= least && value <= most && (value != 0 || !notZero);
    }

    @Override
    public boolean fits(Object value) {
      return isWhole(value) && fits(((Number) value).longValue());
    }

    @Override
    public boolean fitsNull() {
      return !notZero;
    }
  }

  /**
   * A decimal number that a column need not round.
   *
   * @param scale how many digits it has behind the point
   */
  record Exact(int scale) implements AssumedValue {
    @Override
    public boolean fits(long value) {
      return true;
    }

    @Override
    public boolean fits(Object value) {
      return isWhole(value)
          || (value instanceof BigDecimal decimal
              && decimal.scale() >= 0
              && decimal.scale() <= scale);
    }

    @Override
    public boolean fitsNull() {
      return true;
    }
  }

  /**
   * A number that changes whatever decimal number of a column it is added to or taken from, however
   * the sum is rounded: the least that the column distinguishes, or more.
   *
   * @param digits how many the column has
   * @param scale how many of them stand behind the point
   */
  record Change(int digits, int scale) implements AssumedValue {

    /** With more digits a sum of {@code double}s may be nearer to the one number than it should. */
    private static final int DIGITS_OF_A_DOUBLE = 14;

    @Override
    public boolean fits(long value) {
      return value != 0;
    }

    @Override
    public boolean fits(double value) {
      return digits <= DIGITS_OF_A_DOUBLE && Math.abs(value) >= Math.pow(10, -scale);
    }

    @Override
    public boolean fits(Object value) {
      return isWhole(value)
          ? fits(((Number) value).longValue())
          : value instanceof BigDecimal decimal
              && decimal.abs().compareTo(BigDecimal.ONE.movePointLeft(scale)) >= 0;
    }

    @Override
    public boolean fitsNull() {
      return false;
    }
  }

  /**
   * ASCII text that a column has room for.
   *
   * @param length how many characters the column takes
   */
  record Text(int length) implements AssumedValue {
    @Override
    public boolean fits(Object value) {
      if (!(value instanceof String text) || text.length() > length) {
        return false;
      }
      for (int i = 0; i < text.length(); i++) {
        if (text.charAt(i) < ' ' || text.charAt(i) > '~') {
          return false;
        }
      }
      return true;
    }

    @Override
    public boolean fitsNull() {
      return true;
    }
  }

  /**
   * Day and time, to the second or with more digits, or a day.
   *
   * @param classes what the driver sends so; no subclass of them
   * @param orNull true if NULL will do
   */
  record Time(Set<Class<?>> classes, boolean orNull) implements AssumedValue {

    /** A day and time. */
    public static Time moment(boolean orNull) {
      return new Time(Set.of(Timestamp.class, LocalDateTime.class), orNull);
    }

    /** A day. */
    public static Time day(boolean orNull) {
      return new Time(Set.of(Date.class, LocalDate.class), orNull);
    }

    @Override
    public boolean fits(Object value) {
      return classes.contains(value.getClass());
    }

    @Override
    public boolean fitsNull() {
      return orNull;
    }
  }
}
