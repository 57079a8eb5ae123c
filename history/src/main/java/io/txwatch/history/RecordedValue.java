package io.txwatch.history;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A parameter of a statement or a value of its result, in clear text. Only {@link
 * Event.ValuesRecorded} contains such values: a report of events must not contain them.
 *
 * @param type its type
 * @param text the value; empty if it is NULL or unknown
 */
public record RecordedValue(Type type, String text) {

  /** The SQL value NULL. */
  public static final RecordedValue NULL = new RecordedValue(Type.NULL, "");

  /** A value that is not known. */
  public static final RecordedValue UNKNOWN = new RecordedValue(Type.UNKNOWN, "");

  /** The maximum length of a text. A longer value is {@link Type#UNKNOWN}. */
  public static final int MAX_CHARACTERS = 4000;

  /** The types of values. */
  public enum Type {
    NULL,
    BOOLEAN,
    INTEGER,
    DECIMAL,
    DOUBLE,
    TEXT,
    /** In hexadecimal digits. */
    BYTES,
    DATE,
    TIME,
    TIMESTAMP,
    TIMESTAMP_WITH_TIME_ZONE,
    UUID,
    /** A {@link RecordedArray}. */
    ARRAY,
    /** Of a class that is not known, or longer than {@link #MAX_CHARACTERS}, or not read. */
    UNKNOWN
  }

  /** Records a value as JDBC accepts or returns it. Never fails, and reads no stream. */
  public static RecordedValue of(@Nullable Object value) {
    if (value == null) {
      return NULL;
    }
    try {
      return ofKnown(value);
    } catch (RuntimeException e) { // of a class that an application derived
      return UNKNOWN;
    }
  }

  private static RecordedValue ofKnown(Object value) {
    if (value instanceof String || value instanceof Character) {
      return of(Type.TEXT, value.toString());
    } else if (value instanceof Integer
        || value instanceof Long
        || value instanceof Short
        || value instanceof Byte
        || value instanceof BigInteger) {
      return of(Type.INTEGER, value.toString());
    } else if (value instanceof BigDecimal) {
      return of(Type.DECIMAL, value.toString());
    } else if (value instanceof Double || value instanceof Float) {
      return of(Type.DOUBLE, Double.toString(((Number) value).doubleValue()));
    } else if (value instanceof Boolean) {
      return of(Type.BOOLEAN, value.toString());
    } else if (value instanceof byte[] bytes) {
      return bytes.length > MAX_CHARACTERS / 2
          ? UNKNOWN
          : of(Type.BYTES, HexFormat.of().formatHex(bytes));
    } else if (value instanceof UUID) {
      return of(Type.UUID, value.toString());
    } else if (value instanceof java.sql.Array array) {
      return RecordedArray.record(array);
    } else if (value.getClass().isArray()) {
      return ofArray(value);
    }
    return ofTime(value);
  }

  private static RecordedValue ofArray(Object value) {
    if (value instanceof Object[] values) {
      return RecordedArray.record(values);
    } else if (value instanceof int[] values) {
      return values.length > RecordedArray.MAX_ELEMENTS
          ? UNKNOWN
          : RecordedArray.record(Arrays.stream(values).boxed().toArray());
    } else if (value instanceof long[] values) {
      return values.length > RecordedArray.MAX_ELEMENTS
          ? UNKNOWN
          : RecordedArray.record(Arrays.stream(values).boxed().toArray());
    }
    return UNKNOWN;
  }

  private static RecordedValue ofTime(Object value) {
    if (value instanceof java.sql.Timestamp timestamp) {
      return of(Type.TIMESTAMP, timestamp.toLocalDateTime().toString());
    } else if (value instanceof java.sql.Date date) {
      return of(Type.DATE, date.toLocalDate().toString());
    } else if (value instanceof java.sql.Time time) {
      int millis = (int) Math.floorMod(time.getTime(), 1000L);
      return of(Type.TIME, time.toLocalTime().withNano(millis * 1_000_000).toString());
    } else if (value instanceof java.util.Date date) {
      return ofTime(new java.sql.Timestamp(date.getTime()));
    } else if (value instanceof LocalDate) {
      return of(Type.DATE, value.toString());
    } else if (value instanceof LocalTime) {
      return of(Type.TIME, value.toString());
    } else if (value instanceof LocalDateTime) {
      return of(Type.TIMESTAMP, value.toString());
    } else if (value instanceof OffsetDateTime) {
      return of(Type.TIMESTAMP_WITH_TIME_ZONE, value.toString());
    } else if (value instanceof ZonedDateTime zoned) {
      return of(Type.TIMESTAMP_WITH_TIME_ZONE, zoned.toOffsetDateTime().toString());
    } else if (value instanceof Instant instant) {
      return of(Type.TIMESTAMP_WITH_TIME_ZONE, instant.atOffset(ZoneOffset.UTC).toString());
    }
    return UNKNOWN;
  }

  private static RecordedValue of(Type type, String text) {
    return text.length() > MAX_CHARACTERS ? UNKNOWN : new RecordedValue(type, text);
  }

  /**
   * Returns the value as an object that JDBC accepts as a parameter: integers are {@link Long} or
   * {@link BigInteger}, times those of {@code java.time}; null if it is NULL or unknown.
   *
   * @throws IllegalArgumentException if the text is no value of the type
   */
  public @Nullable Object toObject() {
    try {
      return switch (type) {
        case NULL, UNKNOWN -> null;
        case BOOLEAN -> Boolean.valueOf(text);
        case INTEGER -> integer(new BigInteger(text));
        case DECIMAL -> new BigDecimal(text);
        case DOUBLE -> Double.valueOf(text);
        case TEXT -> text;
        case BYTES -> HexFormat.of().parseHex(text);
        case DATE -> LocalDate.parse(text);
        case TIME -> LocalTime.parse(text);
        case TIMESTAMP -> LocalDateTime.parse(text);
        case TIMESTAMP_WITH_TIME_ZONE -> OffsetDateTime.parse(text);
        case UUID -> UUID.fromString(text);
        case ARRAY ->
            RecordedArray.of(this).elements().stream().map(RecordedValue::toObject).toArray();
      };
    } catch (RuntimeException e) {
      throw new IllegalArgumentException("a recorded value is no " + type, e);
    }
  }

  private static Object integer(BigInteger value) {
    return value.bitLength() < Long.SIZE ? (Object) value.longValue() : value;
  }

  /** Without the value. */
  @Override
  public String toString() {
    return type.toString();
  }
}
