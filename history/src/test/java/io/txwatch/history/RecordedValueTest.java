package io.txwatch.history;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.txwatch.history.RecordedValue.Type;
import java.io.InputStream;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.sql.Date;
import java.sql.Time;
import java.sql.Timestamp;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.Arrays;
import java.util.UUID;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;

/** Values are recorded so that an equal value can be set as a parameter. */
class RecordedValueTest {

  @Provide
  Arbitrary<Object> values() {
    Arbitrary<Long> longs = Arbitraries.longs();
    Arbitrary<LocalDateTime> times =
        Arbitraries.longs()
            .between(-100_000_000_000L, 200_000_000_000L)
            .map(
                at ->
                    LocalDateTime.ofEpochSecond(at, (int) Math.floorMod(at, 1000), ZoneOffset.UTC));
    return Arbitraries.oneOf(
        longs.map(value -> value),
        Arbitraries.bigIntegers().map(value -> value.bitLength() < 64 ? value.longValue() : value),
        Arbitraries.bigDecimals().map(value -> value),
        Arbitraries.doubles().map(value -> value),
        Arbitraries.of(true, false).map(value -> value),
        Arbitraries.strings().ofMaxLength(100).map(value -> value),
        Arbitraries.bytes().array(byte[].class).ofMaxSize(100).map(value -> value),
        longs.map(value -> new UUID(value, ~value)),
        times.map(LocalDateTime::toLocalDate),
        times.map(LocalDateTime::toLocalTime),
        times.map(value -> value),
        times.map(value -> value.atOffset(ZoneOffset.ofHoursMinutes(5, 30))));
  }

  @Property(tries = 1000, edgeCases = EdgeCasesMode.MIXIN)
  void recordedValueIsTheValue(@ForAll("values") Object value) {
    assertThat(RecordedValue.of(value).toObject()).isEqualTo(value);
  }

  @Test
  void valuesOfOtherClassesAreConverted() {
    assertThat(RecordedValue.of((short) 7).toObject()).isEqualTo(7L);
    assertThat(RecordedValue.of(0.1f).toObject()).isEqualTo((double) 0.1f);
    assertThat(RecordedValue.of(BigInteger.ONE.shiftLeft(64)).toObject())
        .isEqualTo(BigInteger.ONE.shiftLeft(64));
    assertThat(RecordedValue.of(new BigDecimal("12.50")))
        .isEqualTo(new RecordedValue(Type.DECIMAL, "12.50"));
    assertThat(RecordedValue.of(Date.valueOf("2024-02-29")).toObject())
        .isEqualTo(LocalDate.of(2024, 2, 29));
    assertThat(RecordedValue.of(Time.valueOf("23:59:58")).toObject())
        .isEqualTo(LocalTime.of(23, 59, 58));
    assertThat(RecordedValue.of(Timestamp.valueOf("2024-02-29 23:59:58.5")).toObject())
        .isEqualTo(LocalDateTime.of(2024, 2, 29, 23, 59, 58, 500_000_000));
    assertThat(RecordedValue.of(Instant.EPOCH).toObject())
        .isEqualTo(OffsetDateTime.of(1970, 1, 1, 0, 0, 0, 0, ZoneOffset.UTC));
  }

  @Test
  void arrayIsOneOfSimpleElements() {
    for (Object[] values :
        new Object[][] {
          {1, null, -2},
          {Long.MAX_VALUE},
          {"", "NULL", "a,b", "{\"\\}"},
          {new BigDecimal("1.50"), null},
          {true, false},
          {0.5},
          {new UUID(1, 2)},
          {LocalDate.of(2024, 2, 29)}
        }) {
      RecordedValue value = RecordedValue.of(values);
      assertThat(value.type()).isEqualTo(Type.ARRAY);
      assertThat(RecordedArray.of(value).elements())
          .isEqualTo(Arrays.stream(values).map(RecordedValue::of).toList());
      assertThat(RecordedArray.of(value).toValue()).isEqualTo(value);
    }
    assertThat((Object[]) RecordedValue.of(new int[] {7, 9}).toObject()).containsExactly(7L, 9L);
    assertThat(RecordedValue.of(new Object[] {1, "a"})).isEqualTo(RecordedValue.UNKNOWN);
    assertThat(RecordedValue.of(new Object[] {new Integer[] {1}})).isEqualTo(RecordedValue.UNKNOWN);
    assertThat(RecordedValue.of(new int[100]).type()).isEqualTo(Type.ARRAY);
    assertThat(RecordedValue.of(new int[101])).isEqualTo(RecordedValue.UNKNOWN);
    assertThatThrownBy(() -> new RecordedValue(Type.ARRAY, "{1}").toObject())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("a recorded value is no ARRAY");
  }

  @Test
  void valueThatCannotBeSetAgainIsUnknown() {
    assertThat(RecordedValue.of(null)).isEqualTo(RecordedValue.NULL);
    assertThat(RecordedValue.of(InputStream.nullInputStream())).isEqualTo(RecordedValue.UNKNOWN);
    assertThat(RecordedValue.of("x".repeat(4001))).isEqualTo(RecordedValue.UNKNOWN);
    assertThat(RecordedValue.of(new byte[2001])).isEqualTo(RecordedValue.UNKNOWN);
    assertThat(RecordedValue.UNKNOWN.toObject()).isNull();
    assertThatThrownBy(() -> new RecordedValue(Type.DATE, "yesterday").toObject())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("a recorded value is no DATE");
  }
}
