package io.txwatch.dbms;

import io.txwatch.history.RecordedArray;
import io.txwatch.history.RecordedValue;
import java.math.BigDecimal;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.Locale;
import java.util.stream.Collectors;

/** Writes values as literals, as standard SQL does. */
public final class SqlLiterals {

  private SqlLiterals() {}

  /**
   * The literal.
   *
   * @throws IllegalArgumentException if the value is not known
   */
  public static String of(RecordedValue value) {
    String text = value.text();
    return switch (value.type()) {
      case NULL -> "NULL";
      case BOOLEAN -> text.toUpperCase(Locale.ROOT);
      case INTEGER -> text;
      case DECIMAL -> new BigDecimal(text).toPlainString();
      case DOUBLE -> text.contains("E") ? text : text + "E0";
      case TEXT, UUID -> quoted(text);
      case BYTES -> "X" + quoted(text);
      case DATE -> "DATE " + quoted(text);
      case TIME -> "TIME " + quoted(text);
      case TIMESTAMP -> "TIMESTAMP " + quoted(text.replace('T', ' '));
      case TIMESTAMP_WITH_TIME_ZONE -> "TIMESTAMP WITH TIME ZONE " + quoted(utc(text) + "+00:00");
      case ARRAY -> array(RecordedArray.of(value));
      case UNKNOWN -> throw new IllegalArgumentException("the value is not known");
    };
  }

  private static String array(RecordedArray array) {
    return array.elements().stream()
        .map(SqlLiterals::of)
        .collect(Collectors.joining(", ", array.opening(), array.closing()));
  }

  /** The local time of a moment in UTC, with a blank before the time. */
  public static String utc(String moment) {
    return OffsetDateTime.parse(moment)
        .withOffsetSameInstant(ZoneOffset.UTC)
        .toLocalDateTime()
        .toString()
        .replace('T', ' ');
  }

  /** A text in single quotes. */
  public static String quoted(String text) {
    return "'" + text.replace("'", "''") + "'";
  }
}
