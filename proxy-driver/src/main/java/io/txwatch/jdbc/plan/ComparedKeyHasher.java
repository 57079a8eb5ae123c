package io.txwatch.jdbc.plan;

import io.txwatch.history.KeyValues;
import io.txwatch.history.ValueHash;
import io.txwatch.plan.ComparedKey;
import io.txwatch.plan.KeyColumn;
import io.txwatch.plan.ValuePlan.Literal;
import io.txwatch.plan.ValuePlan.Parameter;
import io.txwatch.plan.ValuePlan.Place;
import io.txwatch.sql.syntax.UuidText;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Hashes the values of a key's columns in the rows that an execution chooses or inserts. Values
 * that the DBMS may compare as equal have equal hashes.
 */
public final class ComparedKeyHasher {

  private final ComparedKey key;
  private final BitSet parameters = new BitSet(0);
  private final ValueHash hash = ValueHash.ofThisProcess();

  /** Hashes values of that key. */
  public ComparedKeyHasher(ComparedKey key) {
    this.key = key;
    for (ComparedKey.Column column : key.columns()) {
      for (Place place : column.places()) {
        if (place instanceof Parameter parameter) {
          parameters.set(parameter.number());
        }
      }
    }
  }

  /** True if a parameter is such a value. */
  boolean takes(int parameter) {
    return parameters.get(parameter);
  }

  /** The values of each column, if all of them are known. */
  public List<KeyValues> of(PinnedValues parameters) {
    if (key.columns().isEmpty()) {
      return List.of();
    }
    List<KeyValues> known = new ArrayList<>(key.columns().size());
    for (ComparedKey.Column column : key.columns()) {
      List<Long> hashes = new ArrayList<>(column.places().size());
      for (Place place : column.places()) {
        long wide = of(column, place, parameters);
        if (wide != 0) {
          hashes.add(wide);
        }
      }
      if (hashes.size() == column.places().size()) {
        known.add(new KeyValues(key.table(), column.column().name(), hashes));
      }
    }
    return known;
  }

  /** 0 if the value is not known, or may be converted. */
  private long of(ComparedKey.Column of, Place place, PinnedValues parameters) {
    if (place instanceof Parameter parameter && parameters.isInteger(parameter.number())) {
      return integer(of, parameters.integer(parameter.number()));
    }
    Object value =
        place instanceof Parameter parameter
            ? parameters.value(parameter.number())
            : place instanceof Literal literal ? literal.value() : null;
    return value instanceof Long integer ? integer(of, integer) : text(of.column(), value);
  }

  private long integer(ComparedKey.Column of, long value) {
    boolean isNumber =
        switch (of.column().kind()) {
          case INTEGER, NUMBER -> true;
          case UUID, TEXT, PADDED_TEXT, OTHER -> false;
        };
    return isNumber && !(value == 0 && of.generatesForZero()) ? hash.wide(value) : 0;
  }

  private long text(KeyColumn column, @Nullable Object value) {
    if (value instanceof UUID uuid) {
      return column.kind() == KeyColumn.Kind.UUID ? hash.wide(uuid.toString()) : 0;
    }
    if (!(value instanceof String text)) {
      return 0;
    }
    return switch (column.kind()) {
      case UUID -> UuidText.is(text) ? hash.wide(text.toLowerCase(Locale.ROOT)) : 0;
      case TEXT, PADDED_TEXT -> isAscii(text) ? hash.wide(folded(column, text)) : 0;
      case INTEGER, NUMBER, OTHER -> 0;
    };
  }

  /** Other text may be compared in another character set than the column's. */
  private static boolean isAscii(String text) {
    return text.chars().allMatch(c -> c < 128);
  }

  private static String folded(KeyColumn column, String text) {
    return column.comparesExactly() ? text.stripTrailing() : folded(text);
  }

  /**
   * Text that is equal for all texts that a collation may take for equal: it may ignore case,
   * blanks, punctuation and zeros in front of a number, and take V and W for one letter, or I and
   * Y.
   */
  private static String folded(String text) {
    StringBuilder folded = new StringBuilder(text.length());
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      switch (c) {
        case 'u', 'U', 'v', 'V', 'w', 'W' -> folded.append('v');
        case 'i', 'I', 'j', 'J', 'y', 'Y' -> folded.append('i');
        case '0' -> {}
        default -> {
          if (Character.isLetterOrDigit(c)) {
            folded.append(Character.toLowerCase(c));
          }
        }
      }
    }
    return folded.toString();
  }
}
