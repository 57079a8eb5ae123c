package io.txwatch.capture;

import java.math.BigDecimal;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.Collection;

/**
 * Computes ids of predicates: equal 64-bit ids for the same text with the same parameters ({@link
 * io.txwatch.history.VersionSet#predicate()}).
 *
 * <p>The id must not reveal the values. An unkeyed hash would: account numbers, for example, can be
 * found by exhaustive search. So the hash is keyed (SipHash-2-4; Aumasson and Bernstein, 2012) with
 * 128 bits that are drawn when the JVM starts and never leave it. The cost: the same predicate has
 * different ids in different JVMs, so the predicates of two nodes are never recognized as equal.
 * The analyzer then lacks a proof, which can hide an anomaly but not create one.
 *
 * <p>0 means unknown, for a value that cannot be compared (a stream, a driver's object).
 */
public final class PredicateHash {

  private static final int MAX_ZEROS = 1000;

  private static final PredicateHash OF_THIS_JVM = new PredicateHash(new SecureRandom());

  private final long k0;
  private final long k1;

  private PredicateHash(SecureRandom random) {
    this.k0 = random.nextLong();
    this.k1 = random.nextLong();
  }

  /**
   * Returns the id of a text with its parameters; 0 if one of them is 0.
   *
   * @param text {@link #value(long, Object) hash} of the text
   * @param values the parameters' hashes
   */
  public static long predicate(long text, long[] values) {
    long[] words = new long[values.length + 1];
    words[0] = text;
    for (int i = 0; i < values.length; i++) {
      if (values[i] == 0) {
        return 0;
      }
      words[i + 1] = values[i];
    }
    return OF_THIS_JVM.sip(words);
  }

  /**
   * The hash of a parameter.
   *
   * @param setter identifies the setter: the same value set by another setter may have another
   *     meaning
   */
  public static long value(long setter, long value) {
    return OF_THIS_JVM.sip(new long[] {setter, value});
  }

  /** The hash of a parameter. */
  public static long value(long setter, double value) {
    return value(setter, Double.doubleToLongBits(value));
  }

  /** The hash of a parameter. */
  public static long value(long setter, boolean value) {
    return value(setter, value ? 1L : 2L);
  }

  /** The hash of a parameter; 0 if it cannot be compared. */
  public static long value(
      long setter, @org.jspecify.annotations.Nullable Object value, Object... more) {
    String text = text(value);
    if (text == null) {
      return 0;
    }
    int extra = more.length == 0 ? 0 : Arrays.deepToString(more).hashCode();
    int length = text.length();
    long[] words = new long[3 + (length + 3) / 4];
    words[0] = setter;
    words[1] = extra;
    words[2] = length;
    for (int i = 0; i < length; i++) {
      words[3 + i / 4] |= (long) text.charAt(i) << 16 * (i % 4);
    }
    return OF_THIS_JVM.sip(words);
  }

  /** A number with an exponent, such as 1E+1000000, is not expanded. */
  private static String text(BigDecimal number) {
    return Math.abs((long) number.scale()) > MAX_ZEROS ? number.toString() : number.toPlainString();
  }

  /** Returns a text that is equal only for equal values; null if there is none. */
  private static @org.jspecify.annotations.Nullable String text(
      @org.jspecify.annotations.Nullable Object value) {
    if (value == null) {
      return "null";
    }
    if (value instanceof String || value instanceof Number && isOfPlatform(value)) {
      return value instanceof BigDecimal number
          ? "BigDecimal " + text(number)
          : value.getClass().getSimpleName() + " " + value;
    }
    if (value instanceof byte[] bytes) {
      return "bytes " + Arrays.toString(bytes);
    }
    boolean plain = isOfPlatform(value) && !(value instanceof Collection);
    return plain ? value.getClass().getName() + " " + value : null;
  }

  /** True for JDK classes whose string form is their value. */
  private static boolean isOfPlatform(Object value) {
    String name = value.getClass().getName();
    return name.startsWith("java.lang.")
        || name.startsWith("java.math.")
        || name.startsWith("java.time.")
        || name.equals("java.util.UUID")
        || name.equals("java.sql.Date")
        || name.equals("java.sql.Time")
        || name.equals("java.sql.Timestamp");
  }

  /** The hash of a text. Allocates nothing that lasts. */
  public static long text(String text) {
    Sip sip = OF_THIS_JVM.new Sip();
    int length = text.length();
    sip.add(length);
    for (int i = 0; i < length; i += 4) {
      long word = 0;
      for (int k = i; k < Math.min(i + 4, length); k++) {
        word |= (long) text.charAt(k) << 16 * (k - i);
      }
      sip.add(word);
    }
    return sip.end(1 + (length + 3) / 4);
  }

  private long sip(long[] words) {
    Sip sip = new Sip();
    for (long word : words) {
      sip.add(word);
    }
    return sip.end(words.length);
  }

  /** The state of a hash. */
  private final class Sip {

    private long v0 = k0 ^ 0x736f6d6570736575L;
    private long v1 = k1 ^ 0x646f72616e646f6dL;
    private long v2 = k0 ^ 0x6c7967656e657261L;
    private long v3 = k1 ^ 0x7465646279746573L;

    void add(long word) {
      v3 ^= word;
      rounds(2);
      v0 ^= word;
    }

    /** The last word holds the length in its top byte; then the four finalization rounds. */
    long end(int words) {
      add((long) (8 * words) << 56);
      v2 ^= 0xff;
      rounds(4);
      long hash = v0 ^ v1 ^ v2 ^ v3;
      return hash == 0 ? 1 : hash;
    }

    private void rounds(int count) {
      for (int round = count; round > 0; round--) {
        v0 += v1;
        v1 = Long.rotateLeft(v1, 13) ^ v0;
        v0 = Long.rotateLeft(v0, 32);
        v2 += v3;
        v3 = Long.rotateLeft(v3, 16) ^ v2;
        v0 += v3;
        v3 = Long.rotateLeft(v3, 21) ^ v0;
        v2 += v1;
        v1 = Long.rotateLeft(v1, 17) ^ v2;
        v2 = Long.rotateLeft(v2, 32);
      }
    }
  }
}
