package io.txwatch.changes.debezium;

import io.txwatch.changes.ColumnType;
import io.txwatch.changes.JdbcValues;
import io.txwatch.changes.UnknownValue;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.Arrays;
import java.util.Base64;
import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The type of a field of an envelope, and its values as row images have them.
 *
 * <p>A schema does not state the type of the column, unless {@code column.propagate.source.type}
 * makes Debezium add it. So a value that columns of several types have, and that drivers read
 * differently from them, is not comparable.
 */
final class FieldType {

  /** Stands for a long value of PostgreSQL that an UPDATE did not change. */
  private static final String UNAVAILABLE = "__debezium_unavailable_value";

  private static final Pattern NUMBER = Pattern.compile("[-+]?\\d+(\\.\\d+)?([eE][-+]?\\d+)?");
  private static final int MIN_YEAR = 1583;
  private static final int MAX_YEAR = 9999;
  private static final long MICROS = 1_000_000;
  private static final int NANOS_PER_MICRO = 1000;
  private static final int MIN_TINYINT = -128;
  private static final int MAX_UNSIGNED_TINYINT = 255;

  private final String name;
  private final ColumnType type;

  /** Of the schema: {@code int64}, {@code io.debezium.time.Date}. */
  private final String encoding;

  /** As the DBMS has it, in upper case; empty if it is not stated. */
  private final String declared;

  private final boolean hasLength;
  private final int scale;
  private final boolean isOptional;
  private final boolean isPostgres;

  private FieldType(String name, String encoding, Object schema, boolean isPostgres) {
    Object parameters = JsonTree.get(schema, "parameters");
    String declared = JsonTree.text(parameters, "__debezium.source.column.type");
    String scale = JsonTree.text(parameters, "scale");
    this.name = name;
    this.encoding = encoding;
    this.declared = declared == null ? "" : declared.toUpperCase(Locale.ROOT);
    this.hasLength = JsonTree.text(parameters, "__debezium.source.column.length") != null;
    this.scale = scale == null ? 0 : Integer.parseInt(scale);
    this.isOptional = Boolean.TRUE.equals(JsonTree.get(schema, "optional"));
    this.isPostgres = isPostgres;
    this.type = columnType();
  }

  /** The type of a field of a schema. */
  static FieldType of(Object schema, boolean isPostgres) {
    String name = JsonTree.text(schema, "field");
    String semantic = JsonTree.text(schema, "name");
    String type = JsonTree.text(schema, "type");
    return new FieldType(
        name == null ? "" : name,
        semantic != null ? semantic : type == null ? "" : type,
        schema,
        isPostgres);
  }

  String name() {
    return name;
  }

  ColumnType type() {
    return type;
  }

  /** The type for people. */
  String declared() {
    return declared.isEmpty() ? encoding : declared.toLowerCase(Locale.ROOT);
  }

  boolean isOptional() {
    return isOptional;
  }

  private boolean isDecimalText() {
    return declared.startsWith("DECIMAL") || declared.startsWith("NUMERIC");
  }

  private ColumnType columnType() {
    return switch (encoding) {
      case "int8", "int16", "int32", "int64" -> ColumnType.INTEGER;
      case "boolean" -> ColumnType.BOOLEAN;
      case "double" -> isExactDouble() ? ColumnType.DOUBLE : ColumnType.OTHER;
      case "string" -> isDecimalText() ? ColumnType.DECIMAL : ColumnType.TEXT;
      case "bytes" -> ColumnType.BYTES;
      case "org.apache.kafka.connect.data.Decimal", "io.debezium.data.VariableScaleDecimal" ->
          ColumnType.DECIMAL;
      case "io.debezium.data.Bits" -> isPostgres ? ColumnType.OTHER : ColumnType.BITS;
      case "io.debezium.data.Enum", "io.debezium.data.EnumSet" -> ColumnType.LABEL;
      case "io.debezium.time.Year" -> ColumnType.YEAR;
      case "io.debezium.time.Date", "org.apache.kafka.connect.data.Date" -> ColumnType.DATE;
      case "io.debezium.time.Timestamp",
          "io.debezium.time.MicroTimestamp",
          "io.debezium.time.NanoTimestamp" ->
          ColumnType.DATE_TIME;
      case "io.debezium.time.MicroTime", "io.debezium.time.NanoTime" -> ColumnType.DURATION;
      case "io.debezium.time.ZonedTimestamp" -> ColumnType.INSTANT;
      // Among them times of Kafka Connect, which are cut to milliseconds, FLOAT, JSON and UUID.
      default -> ColumnType.OTHER;
    };
  }

  /** One that is rounded when it is read, and a decimal number, are encoded in the same way. */
  private boolean isExactDouble() {
    return isPostgres || declared.equals("DOUBLE") && !hasLength;
  }

  /** The value as row images have it. */
  @Nullable Object value(@Nullable Object json) {
    if (json == null) {
      // Dates such as 0000-00-00 are written as NULL.
      return !isPostgres && isDateOrTime() ? UnknownValue.NOT_COMPARABLE : null;
    }
    if (type == ColumnType.OTHER) {
      return UnknownValue.NOT_COMPARABLE;
    }
    try {
      Object value = known(json);
      return value == null ? UnknownValue.NOT_COMPARABLE : value;
    } catch (DateTimeException | ArithmeticException | IllegalArgumentException e) {
      return UnknownValue.NOT_COMPARABLE;
    }
  }

  private boolean isDateOrTime() {
    return type == ColumnType.DATE || type == ColumnType.DATE_TIME || type == ColumnType.INSTANT;
  }

  private @Nullable Object known(Object json) {
    return switch (type) {
      case INTEGER -> integer(json);
      case BOOLEAN -> bool(json);
      case DECIMAL -> decimal(json);
      case DOUBLE -> json instanceof Number number ? number.doubleValue() + 0.0 : null;
      case TEXT -> text(json);
      case LABEL -> json instanceof String label && !label.isEmpty() ? label : null;
      case BYTES -> bytes(json);
      case BITS -> bits(json);
      case YEAR -> number(json) >= 1901 && number(json) <= 2155 ? number(json) : null;
      case DATE -> date(json);
      case DATE_TIME -> dateTime(json);
      case DURATION -> Duration.ofNanos(Math.multiplyExact(number(json), nanosOfUnit()));
      case INSTANT -> json instanceof String text ? Instant.parse(text) : null;
      case PADDED_TEXT, OTHER -> null;
    };
  }

  private static long number(Object json) {
    if (json instanceof Integer || json instanceof Long) {
      return ((Number) json).longValue();
    }
    throw new IllegalArgumentException("no integer");
  }

  private @Nullable Object integer(Object json) {
    long value = number(json);
    if (isPostgres) {
      return value;
    }
    boolean mayBeBoolean = encoding.equals("int16") && (declared.isEmpty() || isTinyInt());
    if (mayBeBoolean && value >= MIN_TINYINT && value <= MAX_UNSIGNED_TINYINT) {
      return value == 0 || value == 1 ? (Object) value : null; // TINYINT(1)
    }
    // An unsigned one over 2^63 is written as a negative one.
    boolean mayBeUnsigned =
        encoding.equals("int64") && (declared.isEmpty() || declared.contains("UNSIGNED"));
    return mayBeUnsigned && value < 0 ? null : (Object) value;
  }

  private boolean isTinyInt() {
    return declared.startsWith("TINYINT");
  }

  /** A TINYINT(1) of 2 is written as true. */
  private @Nullable Object bool(Object json) {
    if (!(json instanceof Boolean value)) {
      return null;
    }
    boolean isExact = isPostgres || !value || declared.equals("BIT");
    return isExact ? (Object) (value ? 1L : 0L) : null;
  }

  private @Nullable Object decimal(Object json) {
    if (encoding.equals("string")) {
      return json instanceof String text ? JdbcValues.plain(new BigDecimal(text)) : null;
    }
    Object unscaled = json;
    int digits = scale;
    if (encoding.equals("io.debezium.data.VariableScaleDecimal")) {
      unscaled = JsonTree.get(json, "value");
      digits = (int) JsonTree.number(json, "scale", 0);
    }
    return unscaled instanceof String text
        ? JdbcValues.plain(new BigDecimal(new BigInteger(Base64.getDecoder().decode(text)), digits))
        : null;
  }

  /** A decimal number may be written as a text, too. */
  private @Nullable Object text(Object json) {
    if (!(json instanceof String text)) {
      return null;
    }
    if (text.equals(UNAVAILABLE)) {
      return UnknownValue.ABSENT;
    }
    return declared.isEmpty() && NUMBER.matcher(text).matches() ? null : text;
  }

  private static @Nullable Object bytes(Object json) {
    if (!(json instanceof String text)) {
      return null;
    }
    byte[] bytes = Base64.getDecoder().decode(text);
    return Arrays.equals(bytes, UNAVAILABLE.getBytes(java.nio.charset.StandardCharsets.UTF_8))
        ? UnknownValue.ABSENT
        : bytes;
  }

  /** The lowest bits come first. */
  private static @Nullable Object bits(Object json) {
    if (!(json instanceof String text)) {
      return null;
    }
    byte[] bytes = Base64.getDecoder().decode(text);
    byte[] reversed = new byte[bytes.length];
    for (int i = 0; i < bytes.length; i++) {
      reversed[bytes.length - 1 - i] = bytes[i];
    }
    return JdbcValues.fitting(new BigInteger(1, reversed));
  }

  private @Nullable Object date(Object json) {
    LocalDate date = LocalDate.ofEpochDay(number(json));
    return isCertain(date) ? date : null;
  }

  private @Nullable Object dateTime(Object json) {
    long nanos = nanosOfUnit();
    long value = number(json);
    long unitsPerSecond = MICROS * NANOS_PER_MICRO / nanos;
    LocalDateTime time =
        LocalDateTime.ofEpochSecond(
            Math.floorDiv(value, unitsPerSecond),
            (int) (Math.floorMod(value, unitsPerSecond) * nanos),
            ZoneOffset.UTC);
    return isCertain(time.toLocalDate()) ? time : null;
  }

  /** A date such as 0000-00-00 is written as 1970-01-01 where NULL is not allowed. */
  private boolean isCertain(LocalDate date) {
    return date.getYear() >= MIN_YEAR
        && date.getYear() <= MAX_YEAR
        && (isPostgres || isOptional || date.toEpochDay() != 0);
  }

  private long nanosOfUnit() {
    if (encoding.endsWith(".Timestamp")) {
      return NANOS_PER_MICRO * 1000L;
    }
    return encoding.startsWith("io.debezium.time.Nano") ? 1 : NANOS_PER_MICRO;
  }
}
