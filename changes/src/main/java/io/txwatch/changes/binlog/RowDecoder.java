package io.txwatch.changes.binlog;

import io.txwatch.changes.ColumnType;
import io.txwatch.changes.JdbcValues;
import io.txwatch.changes.UnknownValue;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads the images of rows. */
final class RowDecoder {

  private static final int MIN_YEAR = 1583;
  private static final int BASE_YEAR = 1900;
  private static final int[] BYTES_OF_DIGITS = {0, 1, 1, 2, 2, 3, 3, 4, 4, 4};
  private static final int DIGITS_PER_WORD = 9;
  private static final int DIGITS_OF_LONG = 18;
  private static final int WORD = 1_000_000_000;
  private static final int[] POWERS_OF_TEN = {
    1, 10, 100, 1000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000, WORD
  };
  private static final int MICRO_DIGITS = 6;
  private static final long NANOS_PER_MICRO = 1000;

  /** Bytes to which MySQL's latin1 and Java's windows-1252 give different characters. */
  private static final List<Integer> UNDEFINED_1252 = List.of(0x81, 0x8d, 0x8f, 0x90, 0x9d);

  private RowDecoder() {}

  /** Reads one image: the included columns; the others are absent. */
  static @Nullable Object[] image(
      EventBytes in, TableMap map, TableDescription description, BitSet included) {
    int visible = description.columns().size();
    @Nullable Object[] image = new @Nullable Object[visible];
    BitSet nulls = in.bits(included.cardinality());
    int ordinal = 0;
    for (int i = 0; i < map.types.length; i++) {
      Object value;
      if (!included.get(i)) {
        value = UnknownValue.ABSENT;
      } else if (nulls.get(ordinal++)) {
        value = null;
      } else if (i < visible) {
        value = value(in, map.types[i], map.metadata[i], description.columns().get(i));
      } else {
        skip(in, map.types[i], map.metadata[i]);
        continue;
      }
      if (i < visible) {
        image[i] = value;
      }
    }
    return image;
  }

  private static void skip(EventBytes in, int type, int meta) {
    value(in, type, meta, SKIPPED);
  }

  private static final TableDescription.Stored SKIPPED =
      new TableDescription.Stored(ColumnType.OTHER, "", false, null, List.of());

  private static Object value(EventBytes in, int type, int meta, TableDescription.Stored column) {
    boolean signed = !column.isUnsigned();
    Object value =
        switch (type) {
          case TableMap.TINY -> integer(in, 1, signed, column.type());
          case TableMap.SHORT -> integer(in, 2, signed, column.type());
          case TableMap.INT24 -> integer(in, 3, signed, column.type());
          case TableMap.LONG -> integer(in, 4, signed, column.type());
          case TableMap.LONGLONG -> integer(in, 8, signed, column.type());
          case TableMap.FLOAT -> Float.intBitsToFloat((int) in.littleEndian(4));
          case TableMap.DOUBLE -> Double.longBitsToDouble(in.littleEndian(8)) + 0.0;
          case TableMap.NEWDECIMAL -> decimal(in, meta >> 8, meta & 0xff);
          case TableMap.YEAR -> year(in.unsignedByte());
          case TableMap.DATE -> date((int) in.littleEndian(3));
          case TableMap.TIME2 -> time(in, meta);
          case TableMap.DATETIME2 -> dateTime(in, meta);
          case TableMap.TIMESTAMP2 -> timestamp(in, meta);
          case TableMap.TIME -> skipped(in, 3);
          case TableMap.DATETIME -> skipped(in, 8);
          case TableMap.TIMESTAMP -> skipped(in, 4);
          case TableMap.BIT -> bits(in, meta);
          case TableMap.ENUM -> label((int) in.littleEndian(meta), column);
          case TableMap.SET -> labels(in.littleEndian(meta), column);
          case TableMap.STRING ->
              text(in.take((int) in.littleEndian(meta > 255 ? 2 : 1)), meta, column);
          case TableMap.VARCHAR ->
              text(in.take((int) in.littleEndian(meta > 255 ? 2 : 1)), 0, column);
          case TableMap.BLOB -> text(in.take((int) in.littleEndian(meta)), 0, column);
          case TableMap.MARIADB_VARCHAR_COMPRESSED ->
              skipped(in, (int) in.littleEndian(meta > 255 ? 2 : 1));
          case TableMap.GEOMETRY,
              TableMap.JSON,
              TableMap.VECTOR,
              TableMap.MARIADB_BLOB_COMPRESSED ->
              skipped(in, (int) in.littleEndian(meta));
          default -> throw new MalformedEvent("column type " + type);
        };
    return column.type() == ColumnType.OTHER ? UnknownValue.NOT_COMPARABLE : value;
  }

  private static Object skipped(EventBytes in, int length) {
    in.skip(length);
    return UnknownValue.NOT_COMPARABLE;
  }

  private static Object integer(EventBytes in, int length, boolean signed, ColumnType type) {
    long raw = in.littleEndian(length);
    int unused = Long.SIZE - length * Byte.SIZE;
    if (signed) {
      raw = raw << unused >> unused;
    } else if (raw < 0) {
      return new BigInteger(Long.toUnsignedString(raw));
    }
    return type == ColumnType.BOOLEAN && raw != 0 && raw != 1 ? UnknownValue.NOT_COMPARABLE : raw;
  }

  /** Groups of nine digits in four bytes; the first and the last group may be shorter. */
  private static Object decimal(EventBytes in, int precision, int scale) {
    int whole = precision - scale;
    int length =
        whole / DIGITS_PER_WORD * 4
            + BYTES_OF_DIGITS[whole % DIGITS_PER_WORD]
            + scale / DIGITS_PER_WORD * 4
            + BYTES_OF_DIGITS[scale % DIGITS_PER_WORD];
    byte[] raw = in.take(length);
    boolean negative = (raw[0] & 0x80) == 0;
    raw[0] ^= (byte) 0x80;
    if (negative) {
      for (int i = 0; i < raw.length; i++) {
        raw[i] = (byte) ~raw[i];
      }
    }
    EventBytes digits = new EventBytes(raw);
    BigDecimal value =
        precision <= DIGITS_OF_LONG
            ? BigDecimal.valueOf(unscaledLong(digits, whole, scale), scale)
            : new BigDecimal(unscaled(digits, whole, scale), scale);
    return JdbcValues.plain(negative ? value.negate() : value);
  }

  private static long unscaledLong(EventBytes in, int whole, int scale) {
    long value = group(in, whole % DIGITS_PER_WORD);
    for (int i = 0; i < whole / DIGITS_PER_WORD + scale / DIGITS_PER_WORD; i++) {
      value = value * WORD + group(in, DIGITS_PER_WORD);
    }
    int last = scale % DIGITS_PER_WORD;
    return value * POWERS_OF_TEN[last] + group(in, last);
  }

  private static BigInteger unscaled(EventBytes in, int whole, int scale) {
    BigInteger value = BigInteger.valueOf(group(in, whole % DIGITS_PER_WORD));
    for (int i = 0; i < whole / DIGITS_PER_WORD + scale / DIGITS_PER_WORD; i++) {
      value = with(value, DIGITS_PER_WORD, group(in, DIGITS_PER_WORD));
    }
    int last = scale % DIGITS_PER_WORD;
    return with(value, last, group(in, last));
  }

  private static BigInteger with(BigInteger value, int digits, long group) {
    return value.multiply(BigInteger.valueOf(POWERS_OF_TEN[digits])).add(BigInteger.valueOf(group));
  }

  private static long group(EventBytes in, int digits) {
    return in.bigEndian(BYTES_OF_DIGITS[digits]);
  }

  private static Object year(int raw) {
    return raw == 0 ? UnknownValue.NOT_COMPARABLE : (Object) (long) (BASE_YEAR + raw);
  }

  private static Object date(int raw) {
    int year = raw >> 9;
    try {
      return year < MIN_YEAR
          ? UnknownValue.NOT_COMPARABLE
          : LocalDate.of(year, raw >> 5 & 15, raw & 31);
    } catch (DateTimeException e) {
      return UnknownValue.NOT_COMPARABLE; // days such as 2026-02-00
    }
  }

  private static Object dateTime(EventBytes in, int digits) {
    long raw = in.bigEndian(5) - 0x8000000000L;
    long micros = fraction(in, digits);
    int yearMonth = (int) (raw >> 22);
    int year = yearMonth / 13;
    try {
      return year < MIN_YEAR
          ? UnknownValue.NOT_COMPARABLE
          : LocalDateTime.of(
              year,
              yearMonth % 13,
              (int) (raw >> 17 & 31),
              (int) (raw >> 12 & 31),
              (int) (raw >> 6 & 63),
              (int) (raw & 63),
              (int) (micros * NANOS_PER_MICRO));
    } catch (DateTimeException e) {
      return UnknownValue.NOT_COMPARABLE;
    }
  }

  private static Object timestamp(EventBytes in, int digits) {
    long seconds = in.bigEndian(4);
    long micros = fraction(in, digits);
    return seconds == 0 && micros == 0
        ? UnknownValue.NOT_COMPARABLE // zero, no instant
        : Instant.ofEpochSecond(seconds, micros * NANOS_PER_MICRO);
  }

  private static long fraction(EventBytes in, int digits) {
    int length = (digits + 1) / 2;
    long value = in.bigEndian(length);
    for (int i = length * 2; i < MICRO_DIGITS; i++) {
      value *= 10;
    }
    return value;
  }

  /**
   * Hours, minutes and seconds in 24 bits above the fraction; the whole is negated as one number.
   */
  private static Object time(EventBytes in, int digits) {
    int length = (digits + 1) / 2;
    int fractionBits = length * Byte.SIZE;
    long raw = in.bigEndian(3 + length) - (0x800000L << fractionBits);
    long magnitude = Math.abs(raw);
    long clock = magnitude >> fractionBits;
    long micros = magnitude & (1L << fractionBits) - 1;
    for (int i = length * 2; i < MICRO_DIGITS; i++) {
      micros *= 10;
    }
    long seconds = (clock >> 12 & 0x3ff) * 3600 + (clock >> 6 & 63) * 60 + (clock & 63);
    Duration amount = Duration.ofSeconds(seconds, micros * NANOS_PER_MICRO);
    return raw < 0 ? amount.negated() : amount;
  }

  private static Object bits(EventBytes in, int bits) {
    return JdbcValues.fitting(new BigInteger(1, in.take((bits + 7) / 8)));
  }

  private static Object label(int index, TableDescription.Stored column) {
    List<String> labels = column.labels();
    return index < 1 || index > labels.size() ? UnknownValue.NOT_COMPARABLE : labels.get(index - 1);
  }

  private static Object labels(long bits, TableDescription.Stored column) {
    List<String> labels = column.labels();
    if (labels.isEmpty() || labels.size() < Long.SIZE && bits >>> labels.size() != 0) {
      return UnknownValue.NOT_COMPARABLE;
    }
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < labels.size(); i++) {
      if ((bits >>> i & 1) != 0) {
        text.append(text.isEmpty() ? "" : ",").append(labels.get(i));
      }
    }
    return text.toString();
  }

  private static Object text(byte[] raw, int padTo, TableDescription.Stored column) {
    return switch (column.type()) {
      case BYTES -> raw.length < padTo ? Arrays.copyOf(raw, padTo) : raw;
      case TEXT -> decoded(raw, column.charset());
      case PADDED_TEXT ->
          decoded(raw, column.charset()) instanceof String text
              ? JdbcValues.withoutTrailingSpaces(text)
              : UnknownValue.NOT_COMPARABLE;
      default -> UnknownValue.NOT_COMPARABLE;
    };
  }

  private static Object decoded(byte[] raw, @Nullable Charset charset) {
    if (charset == null) {
      return UnknownValue.NOT_COMPARABLE;
    }
    boolean isUtf8 = charset.equals(StandardCharsets.UTF_8);
    if (isUtf8 && isAscii(raw)) {
      return new String(raw, StandardCharsets.ISO_8859_1);
    }
    if (!isUtf8) {
      for (byte b : raw) {
        if (UNDEFINED_1252.contains(b & 0xff) && charset.newEncoder().maxBytesPerChar() == 1) {
          return UnknownValue.NOT_COMPARABLE;
        }
      }
    }
    try {
      return charset.newDecoder().decode(ByteBuffer.wrap(raw)).toString();
    } catch (CharacterCodingException e) {
      return UnknownValue.NOT_COMPARABLE;
    }
  }

  private static boolean isAscii(byte[] raw) {
    for (byte b : raw) {
      if (b < 0) {
        return false;
      }
    }
    return true;
  }
}
