package io.txwatch.jdbc.plan;

import io.txwatch.capture.PredicateHash;
import io.txwatch.plan.KeyedRow;
import io.txwatch.plan.KeyedRow.IntegerLiteral;
import io.txwatch.plan.KeyedRow.Parameter;
import io.txwatch.plan.KeyedRow.Role;
import io.txwatch.plan.KeyedRow.TextLiteral;
import io.txwatch.plan.KeyedRow.Value;
import java.util.List;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * Hashes the key by which a statement finds a row: table, columns and values in 64 bits. 0 stands
 * for "not known". What is not the same integer or the same text by the same columns has, nearly
 * surely, other bits; equal integers have equal ones, however they were set.
 */
public final class KeyedRowHasher {

  private static final long TEXT = 1;

  private final KeyedRow row;
  private final long seed;

  /** For each column the parameter, from 1; 0 for a literal. */
  private final int[] parameters;

  private final boolean[] texts;

  /** For each column the literal's bits. */
  private final long[] literals;

  private KeyedRowHasher(KeyedRow row) {
    this.row = row;
    this.seed = PredicateHash.value(0, row.table() + row.columns());
    List<Value> values = row.values();
    this.parameters = new int[values.size()];
    this.texts = new boolean[values.size()];
    this.literals = new long[values.size()];
    for (int i = 0; i < parameters.length; i++) {
      Value value = values.get(i);
      texts[i] = value.isText();
      if (value instanceof Parameter parameter) {
        parameters[i] = parameter.number();
      } else if (value instanceof IntegerLiteral literal) {
        literals[i] = bits(literal.value());
      } else if (value instanceof TextLiteral literal) {
        literals[i] = bits(literal.value());
      }
    }
  }

  /** Null for a statement that has nothing to do with keys. */
  public static @Nullable KeyedRowHasher of(KeyedRow row) {
    return row.role() == Role.NONE ? null : new KeyedRowHasher(row);
  }

  public Role role() {
    return row.role();
  }

  public String table() {
    return row.table();
  }

  /** True for an UPDATE of the one row of the key, or of none. */
  public boolean writes() {
    return row.writes();
  }

  /** Stands for the table and the key's columns. */
  public long columns() {
    return seed;
  }

  /** The key's bits where all values stand in the text. */
  public long bits() {
    return bits((long[]) null);
  }

  /**
   * The key's bits.
   *
   * @param values the bits of the parameters
   */
  public long bits(long @Nullable [] values) {
    if (parameters.length == 0) {
      return 0;
    }
    long bits = seed;
    for (int i = 0; i < parameters.length; i++) {
      int parameter = parameters[i];
      long value = parameter == 0 ? literals[i] : values == null ? 0 : values[parameter - 1];
      if (value == 0) {
        return 0;
      }
      bits = mix(bits ^ value);
    }
    return bits;
  }

  /** The value of a key of one integer; empty for other keys. */
  public OptionalLong integer(long bits) {
    return parameters.length == 1 && !texts[0] && bits != 0
        ? OptionalLong.of(unmix(unmix(bits) ^ seed) - 1)
        : OptionalLong.empty();
  }

  /** True if a parameter is a value of the key. */
  public boolean takes(int parameter) {
    for (int taken : parameters) {
      if (taken == parameter) {
        return true;
      }
    }
    return false;
  }

  /** The bits of an integer for a parameter that is {@linkplain #takes taken}. */
  public long of(int parameter, long value) {
    return isText(parameter) ? 0 : bits(value);
  }

  /** The bits of a value for a parameter that is {@linkplain #takes taken}. */
  public long of(int parameter, @Nullable Object value) {
    if (value instanceof String text) {
      return isText(parameter) ? bits(text) : 0;
    }
    boolean integer =
        value instanceof Integer
            || value instanceof Long
            || value instanceof Short
            || value instanceof Byte;
    return integer && value instanceof Number number && !isText(parameter)
        ? bits(number.longValue())
        : 0;
  }

  private boolean isText(int parameter) {
    for (int i = 0; i < parameters.length; i++) {
      if (parameters[i] == parameter) {
        return texts[i];
      }
    }
    return false;
  }

  /** One to one. */
  private static long bits(long integer) {
    return mix(integer + 1);
  }

  /** Other text than ASCII may be compared in another character set than the column's. */
  private static long bits(String text) {
    for (int i = 0; i < text.length(); i++) {
      if (text.charAt(i) >= 128) {
        return 0;
      }
    }
    return PredicateHash.value(TEXT, text);
  }

  /** MurmurHash3's finalizer (Appleby): one to one, 0 to 0. */
  static long mix(long bits) {
    long mixed = (bits ^ bits >>> 33) * 0xff51afd7ed558ccdL;
    mixed = (mixed ^ mixed >>> 33) * 0xc4ceb9fe1a85ec53L;
    return mixed ^ mixed >>> 33;
  }

  /** The inverse of {@link #mix}: a shift by 33 is its own inverse, and the factors have one. */
  private static long unmix(long mixed) {
    long bits = (mixed ^ mixed >>> 33) * 0x9cb4b2f8129337dbL;
    bits = (bits ^ bits >>> 33) * 0x4f74430c22a54005L;
    return bits ^ bits >>> 33;
  }
}
