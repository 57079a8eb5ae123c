package io.txwatch.history;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.StringLength;
import org.junit.jupiter.api.Test;

/** Equal values have equal hashes in every representation; others, and other keys, differ. */
class ValueHashTest {

  private static final ValueHash HASH = new ValueHash(41);

  @Test
  void equalNumbersAreEqualInEveryRepresentation() {
    for (Object five :
        List.of(5, 5L, (short) 5, (byte) 5, BigInteger.valueOf(5), new BigDecimal("5.00"))) {
      assertThat(HASH.wide(five)).as(five.getClass().getName()).isEqualTo(HASH.wide(5L));
      assertThat(HASH.of(five)).isEqualTo(HASH.of(5L));
    }
    assertThat(HASH.of(true)).isEqualTo(HASH.of(1L));
    assertThat(HASH.of(new BigDecimal("0E+30"))).isEqualTo(HASH.of(0L));
    assertThat(HASH.of(new BigDecimal("1.50"))).isEqualTo(HASH.of(new BigDecimal("1.5")));
    assertThat(HASH.of(new BigDecimal("18446744073709551615.0")))
        .isEqualTo(HASH.of(new BigInteger("18446744073709551615")));
    assertThat(HASH.of(-0.0)).isEqualTo(HASH.of(0.0));
  }

  @Test
  void theSameTextOfAKeyGivesTheSameHashes() {
    int hash = ValueHash.ofKeyText("a key of 16 letters").of("Alice");
    assertThat(ValueHash.ofKeyText("a key of 16 letters").of("Alice")).isEqualTo(hash);
    assertThat(ValueHash.ofKeyText("a key of 17 letters").of("Alice")).isNotEqualTo(hash);
  }

  @Test
  void theKeyOfAProcessDoesNotChange() {
    assertThat(ValueHash.useInThisProcess("")).isTrue();
    int hash = ValueHash.ofThisProcess().of("Alice");
    assertThat(ValueHash.useInThisProcess("a key of 16 letters")).isFalse();
    assertThat(ValueHash.ofThisProcess().of("Alice")).isEqualTo(hash);
  }

  @Test
  void aDecimalWithAHugeExponentIsNotExpanded() {
    assertThat(HASH.of(new BigDecimal("1E+1000000000")))
        .isEqualTo(HASH.of(new BigDecimal("1.0E+1000000000")));
  }

  @Test
  void valuesThatDifferInKindOrContentDiffer() {
    Object[] values = {
      null,
      "",
      "5",
      "a",
      "A",
      "a ",
      new byte[0],
      new byte[] {5},
      5L,
      0L,
      -5L,
      new BigDecimal("0.5"),
      new BigDecimal("0.05"),
      5.0,
      LocalDate.EPOCH,
      LocalTime.MIDNIGHT,
      LocalDateTime.of(LocalDate.EPOCH, LocalTime.MIDNIGHT)
    };
    Set<Integer> hashes = new HashSet<>();
    for (Object value : values) {
      hashes.add(HASH.of(value));
    }
    assertThat(hashes).hasSize(values.length).doesNotContain(ValueHash.UNKNOWN);
  }

  @Test
  void aValueOfAnotherClassIsUnknown() {
    assertThat(HASH.of(new Object())).isEqualTo(ValueHash.UNKNOWN);
    assertThat(HASH.ofKey(1, new Object())).isZero();
  }

  @Property
  void keysDependOnTheOrderAndNumberOfTheirColumns(@ForAll long a, @ForAll long b) {
    assertThat(HASH.ofKey(a)).isEqualTo(HASH.ofKey((Object) a)).isNotEqualTo(HASH.ofKey(a, b));
    if (a != b) {
      assertThat(HASH.ofKey(a, b)).isNotEqualTo(HASH.ofKey(b, a));
    }
  }

  @Property
  void anotherSecretGivesOtherHashes(@ForAll long value, @ForAll String text) {
    ValueHash other = new ValueHash(42);
    assertThat(other.wide(value)).isNotEqualTo(HASH.wide(value));
    assertThat(other.wide(text)).isNotEqualTo(HASH.wide(text));
  }

  /** Also where the characters that differ, or are zero, are in different steps of the hash. */
  @Property
  void textsThatDifferInLengthOrInACharacterDiffer(
      @ForAll @StringLength(max = 20) String text,
      @ForAll char other,
      @ForAll @IntRange(max = 19) int at) {
    assertThat(HASH.wide(text)).isNotIn(HASH.wide(text + '\0'), HASH.wide('\0' + text));
    if (at < text.length() && text.charAt(at) != other) {
      assertThat(HASH.wide(text.substring(0, at) + other + text.substring(at + 1)))
          .isNotEqualTo(HASH.wide(text));
    }
  }

  /** Whatever the key: a hash by shifts and multiplication by a constant alone has such texts. */
  @Test
  void noBitsOfTwoCharactersCancelEachOther() {
    List<String> texts = new ArrayList<>();
    for (int first = 0; first < 64; first++) {
      texts.add(flipped(first, -1));
      for (int second = 64; second < 128; second++) {
        texts.add(flipped(first, second));
      }
    }
    assertThat(texts.stream().map(HASH::wide).distinct()).hasSameSizeAs(texts);
  }

  /** Eight characters, two of their bits flipped. */
  private static String flipped(int first, int second) {
    char[] characters = "account8".toCharArray();
    for (int bit : new int[] {first, second}) {
      if (bit >= 0) {
        characters[bit / 16] ^= (char) (1 << bit % 16);
      }
    }
    return new String(characters);
  }

  @Property
  void bytesAndTextsWithTheSameContentAreEqual(@ForAll byte[] bytes, @ForAll String text) {
    assertThat(HASH.of(Arrays.copyOf(bytes, bytes.length))).isEqualTo(HASH.of(bytes));
    assertThat(HASH.of(new StringBuilder(text).toString())).isEqualTo(HASH.of(text));
  }
}
