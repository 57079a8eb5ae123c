package io.txwatch.predict;

import io.txwatch.history.RecordedValue;
import io.txwatch.history.RecordedValue.Type;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.UUID;

/** Compares values that were recorded, whatever types drivers have represented them by. */
public final class ValueComparison {

  private ValueComparison() {}

  /** Whether a value is known and not NULL. */
  public static boolean isValue(RecordedValue value) {
    return value.type() != Type.UNKNOWN && value.type() != Type.NULL;
  }

  /** Whether two values are known and equal. */
  public static boolean areEqual(RecordedValue one, RecordedValue other) {
    if (!isValue(one) || !isValue(other)) {
      return false;
    }
    Optional<BigDecimal> number = number(one);
    return number.isPresent()
        ? number(other).filter(second -> second.compareTo(number.get()) == 0).isPresent()
        : one.text().equals(other.text());
  }

  /** The value as a number; empty if it is none. */
  static Optional<BigDecimal> number(RecordedValue value) {
    return switch (value.type()) {
      case INTEGER, DECIMAL, DOUBLE -> parse(value.text());
      default -> Optional.empty();
    };
  }

  private static Optional<BigDecimal> parse(String text) {
    try {
      return Optional.of(new BigDecimal(text));
    } catch (NumberFormatException e) {
      return Optional.empty(); // NaN, Infinity
    }
  }

  /**
   * A value for another row's key.
   *
   * @param number which of them, from 1
   * @return empty if values of that type are not varied
   */
  static Optional<RecordedValue> another(RecordedValue value, int number) {
    return switch (value.type()) {
      case INTEGER, DECIMAL ->
          number(value)
              .map(one -> one.add(BigDecimal.valueOf(1_000L + number)))
              .map(one -> new RecordedValue(value.type(), one.toPlainString()));
      case TEXT -> Optional.of(new RecordedValue(Type.TEXT, value.text() + number));
      case UUID ->
          Optional.of(
              new RecordedValue(
                  Type.UUID,
                  UUID.nameUUIDFromBytes((value.text() + number).getBytes(StandardCharsets.UTF_8))
                      .toString()));
      default -> Optional.empty();
    };
  }
}
