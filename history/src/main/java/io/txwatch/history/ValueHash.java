package io.txwatch.history;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Keyed hashes of column values: a read and the DBMS's record of the write that made the version
 * read are compared by them, so that no value is stored. Thread-safe.
 *
 * <p>Equal values have equal hashes, however a driver or a log represents them: integers of any
 * width, a decimal whose fraction is zero and that integer, a boolean and 0 or 1. Values that are
 * not equal have equal 32-bit hashes with a probability of 2<sup>-32</sup>. A value of any other
 * class is {@link #UNKNOWN}: it is compared with nothing.
 *
 * <p>Without the key, hashes do not reveal values that can be guessed. Histories contain hashes
 * only, never the key.
 */
public final class ValueHash {

  /** The hash of what cannot be compared: a value that was not recorded, or of another class. */
  public static final int UNKNOWN = 0;

  private static final long MULTIPLIER = 0x9E37_79B9_7F4A_7C15L;

  /** So many characters are 64 bits. */
  private static final int CHARS_PER_STEP = 4;

  private static final int TEXT = 1;
  private static final int BINARY = 2;
  private static final int INTEGER = 3;
  private static final int DECIMAL = 4;
  private static final int FLOATING = 5;
  private static final int DATE = 6;
  private static final int TIME = 7;
  private static final int DATE_TIME = 8;
  private static final int NULL = 9;

  private static final AtomicReference<@Nullable ValueHash> OF_THIS_PROCESS =
      new AtomicReference<>();

  private final long secret;

  /** Another secret for values of several bytes: with the same, that of the empty one vanishes. */
  private final long start;

  /** An odd secret. */
  private final long factor;

  /** Hashes with a given key; the same key gives the same hashes. */
  public ValueHash(long secret) {
    this.secret = mix(secret + MULTIPLIER);
    this.start = mix(this.secret + MULTIPLIER);
    this.factor = mix(start + MULTIPLIER) | 1;
  }

  /**
   * Sets the key of this process, unless it has one. Called before anything is hashed with it.
   *
   * @param text {@code txwatch.value-key}; if it is empty, nothing is set
   * @return false if the process already hashes with another key
   */
  public static boolean useInThisProcess(String text) {
    if (text.isEmpty()) {
      return true;
    }
    ValueHash hash = ofKeyText(text);
    return OF_THIS_PROCESS.compareAndSet(null, hash) || hash.secret == ofThisProcess().secret;
  }

  /**
   * The hashes of this process, one key for what is read and what is recorded as changed: the one
   * that was set, or a random one.
   */
  public static ValueHash ofThisProcess() {
    ValueHash known = OF_THIS_PROCESS.get();
    if (known != null) {
      return known;
    }
    OF_THIS_PROCESS.compareAndSet(null, random());
    return Objects.requireNonNull(OF_THIS_PROCESS.get());
  }

  /** Hashes with the key that a text stands for; the same text gives the same hashes. */
  public static ValueHash ofKeyText(String text) {
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      return new ValueHash(
          ByteBuffer.wrap(digest.digest(text.getBytes(StandardCharsets.UTF_8))).getLong());
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e); // every JDK has it
    }
  }

  /** Hashes with a random key. */
  public static ValueHash random() {
    return new ValueHash(new SecureRandom().nextLong());
  }

  /** The hash of a value, for comparisons; {@link #UNKNOWN} if values of its class are not. */
  public int of(@Nullable Object value) {
    return folded(wide(value));
  }

  /** The hash of an integer, as by {@link #of(Object)}. */
  public int of(long value) {
    return folded(wide(value));
  }

  /** The hash of a text, as by {@link #of(Object)}. */
  public int of(String value) {
    return folded(wide(value));
  }

  /**
   * The hash of a row's key: of the values of its columns, in the key's order.
   *
   * @return 0 if one of them is {@link #UNKNOWN}
   */
  public long ofKey(@Nullable Object... values) {
    long key = 0;
    for (Object value : values) {
      key = addedToKey(key, wide(value));
      if (key == 0) {
        return 0;
      }
    }
    return key;
  }

  /** The hash of a key of one integer column, as by {@link #ofKey(Object...)}. */
  public long ofKey(long value) {
    return addedToKey(0, wide(value));
  }

  /**
   * Adds a column to the hash of a key.
   *
   * @param key the hash of the columns before, 0 if there is none
   * @param wide the column's {@link #wide} hash
   * @return 0 if the column is {@link #UNKNOWN}
   */
  public static long addedToKey(long key, long wide) {
    if (wide == 0) {
      return 0;
    }
    long sum = mix(key * MULTIPLIER + wide);
    return sum == 0 ? 1 : sum;
  }

  /** The 64-bit hash of a value; 0 if it is {@link #UNKNOWN}. */
  public long wide(@Nullable Object value) {
    if (value == null) {
      return wideNull();
    } else if (value instanceof String text) {
      return wide(text);
    } else if (value instanceof Long
        || value instanceof Integer
        || value instanceof Short
        || value instanceof Byte) {
      return wide(((Number) value).longValue());
    } else if (value instanceof Boolean flag) {
      return wide(flag ? 1L : 0L);
    } else if (value instanceof BigInteger integer) {
      return wide(integer);
    } else if (value instanceof BigDecimal decimal) {
      return wide(decimal);
    } else if (value instanceof Double number) {
      return finished(FLOATING, Double.doubleToLongBits(number + 0.0)); // -0.0 equals 0.0
    } else if (value instanceof byte[] bytes) {
      return wide(bytes);
    } else if (value instanceof LocalDate date) {
      return finished(DATE, date.toEpochDay());
    } else if (value instanceof LocalTime time) {
      return finished(TIME, time.toNanoOfDay());
    } else if (value instanceof LocalDateTime time) {
      return finished(
          DATE_TIME, mix(time.toLocalDate().toEpochDay()) + time.toLocalTime().toNanoOfDay());
    }
    return 0;
  }

  /** The 64-bit hash of NULL, as by {@link #wide(Object)}. */
  public long wideNull() {
    return finished(NULL, 0);
  }

  /** The 64-bit hash of an integer, as by {@link #wide(Object)}. */
  public long wide(long value) {
    return finished(INTEGER, value);
  }

  /** The 64-bit hash of a text, as by {@link #wide(Object)}. */
  public long wide(String text) {
    int length = text.length();
    long hash = start;
    int i = 0;
    for (; i <= length - CHARS_PER_STEP; i += CHARS_PER_STEP) {
      hash =
          stirred(
              hash
                  ^ text.charAt(i)
                  ^ (long) text.charAt(i + 1) << 16
                  ^ (long) text.charAt(i + 2) << 32
                  ^ (long) text.charAt(i + 3) << 48);
    }
    long rest = 0;
    for (; i < length; i++) {
      rest = rest << 16 | text.charAt(i);
    }
    return finished(TEXT, stirred(hash ^ rest) + length);
  }

  /**
   * The product with a secret, both of its halves, as in wyhash: one step for several characters.
   */
  private long stirred(long bits) {
    return Math.multiplyHigh(bits, factor) ^ (bits * factor);
  }

  private long wide(byte[] bytes) {
    long hash = start;
    for (byte b : bytes) {
      hash = (hash ^ (b & 0xff)) * MULTIPLIER;
      hash ^= hash >>> 29;
    }
    return finished(BINARY, hash);
  }

  private long wide(BigInteger integer) {
    return integer.bitLength() < Long.SIZE
        ? wide(integer.longValue())
        : finished(DECIMAL, hashOf(integer));
  }

  private long wide(BigDecimal decimal) {
    if (decimal.signum() == 0) {
      return wide(0L);
    }
    BigDecimal shortest = decimal.stripTrailingZeros();
    if (shortest.scale() <= 0 && shortest.precision() - shortest.scale() <= MAX_DIGITS) {
      return wide(shortest.toBigInteger());
    }
    return finished(DECIMAL, hashOf(shortest.unscaledValue()) + shortest.scale());
  }

  /** A decimal of more digits, such as 1E+1000000, is not expanded. */
  private static final int MAX_DIGITS = 128;

  private long hashOf(BigInteger integer) {
    return wide(integer.toByteArray());
  }

  private long finished(int kind, long bits) {
    long hash = mix((bits ^ secret) * MULTIPLIER + kind);
    return hash == 0 ? 1 : hash;
  }

  /** The 32-bit hash of a {@link #wide} one. */
  public static int folded(long wide) {
    if (wide == 0) {
      return UNKNOWN;
    }
    int hash = (int) (wide >>> 32);
    return hash == UNKNOWN ? 1 : hash;
  }

  private static long mix(long bits) { // Stafford's variant 13 of MurmurHash3's finalizer
    long hash = (bits ^ (bits >>> 30)) * 0xBF58_476D_1CE4_E5B9L;
    hash = (hash ^ (hash >>> 27)) * 0x94D0_49BB_1331_11EBL;
    return hash ^ (hash >>> 31);
  }
}
