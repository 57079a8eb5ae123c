package io.txwatch.jdbc.parameter;

import io.txwatch.history.RecordedValue;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.sql.JDBCType;
import java.sql.SQLType;
import java.sql.Timestamp;
import java.sql.Types;
import java.time.LocalDateTime;
import java.util.Calendar;
import org.jspecify.annotations.Nullable;

/** Records parameters as the application sets them. Never fails. */
public final class RecordedParameters {

  private RecordedParameters() {}

  /** A value that is to be sent as a type of {@link Types}. */
  public static RecordedValue of(@Nullable Object value, int type) {
    if (!(value instanceof String text)) {
      return RecordedValue.of(value);
    }
    try {
      return switch (type) {
        case Types.CHAR,
            Types.NCHAR,
            Types.VARCHAR,
            Types.NVARCHAR,
            Types.LONGVARCHAR,
            Types.LONGNVARCHAR ->
            RecordedValue.of(text);
        case Types.TINYINT, Types.SMALLINT, Types.INTEGER, Types.BIGINT ->
            RecordedValue.of(new BigInteger(text.strip()));
        case Types.DECIMAL, Types.NUMERIC -> RecordedValue.of(new BigDecimal(text.strip()));
        default -> RecordedValue.UNKNOWN;
      };
    } catch (RuntimeException e) {
      return RecordedValue.UNKNOWN;
    }
  }

  /** A value that is to be sent as a type. */
  public static RecordedValue of(@Nullable Object value, SQLType type) {
    return type instanceof JDBCType known
        ? of(value, (int) known.getVendorTypeNumber())
        : RecordedValue.UNKNOWN;
  }

  /** A time that is to be sent as it is in a calendar's zone. */
  public static RecordedValue of(@Nullable Object value, @Nullable Calendar calendar) {
    if (value == null || calendar == null) {
      return RecordedValue.of(value);
    }
    try {
      return value instanceof Timestamp time
          ? RecordedValue.of(
              LocalDateTime.ofInstant(time.toInstant(), calendar.getTimeZone().toZoneId()))
          : RecordedValue.UNKNOWN;
    } catch (RuntimeException e) {
      return RecordedValue.UNKNOWN;
    }
  }
}
