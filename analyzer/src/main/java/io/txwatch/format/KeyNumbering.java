package io.txwatch.format;

import io.txwatch.register.RegisterHistory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Numbers keys from 0, and maps non-integer values to integers. Integers, which nearly all keys and
 * values are, are not boxed.
 */
final class KeyNumbering implements RegisterHistory.Keys {

  /** Non-integer values are numbered from here, where no integer is expected. */
  private static final long FIRST_TEXT = Long.MIN_VALUE + 1;

  private long[] slots = new long[64];
  private int[] numbers = new int[64];
  private long[] integers = new long[64];
  private @Nullable String[] names = new @Nullable String[64];
  private int size;
  private final Map<String, Integer> texts = new HashMap<>();
  private final List<String> values = new ArrayList<>();
  private final Map<String, Long> valueNumbers = new HashMap<>();

  /** The number of an integer key, assigned in the order of occurrence. */
  int key(long integer) {
    int mask = slots.length - 1;
    int i = slot(integer, mask);
    while (numbers[i] != 0) {
      if (slots[i] == integer) {
        return numbers[i] - 1;
      }
      i = i + 1 & mask;
    }
    slots[i] = integer;
    numbers[i] = add(integer, null) + 1;
    if (2 * size > slots.length) {
      grow();
    }
    return size - 1;
  }

  /** The number of a non-integer key: {@code :x}. */
  int key(String text) {
    Integer known = texts.get(text);
    if (known != null) {
      return known;
    }
    int number = add(0, text);
    texts.put(text, number);
    return number;
  }

  @Override
  public int keys() {
    return size;
  }

  /** The integer of a key; 0 if it is not an integer. */
  @Override
  public long row(int key) {
    return names[key] == null ? integers[key] : 0;
  }

  /**
   * The table name of a key: its own name if it is not an integer, otherwise {@code ofIntegers}.
   */
  @Override
  public String table(int key, String ofIntegers) {
    String text = names[key];
    return text == null ? ofIntegers : text.equals(ofIntegers) ? "'" + text + "'" : text;
  }

  /** The integer that stands for a non-integer value. */
  long value(String text) {
    return valueNumbers.computeIfAbsent(
        text,
        t -> {
          values.add(t);
          return FIRST_TEXT + values.size();
        });
  }

  /** A value as written in the file. */
  @Override
  public String valueText(long value) {
    long number = value - FIRST_TEXT;
    return number > 0 && number <= values.size()
        ? values.get((int) number - 1)
        : Long.toString(value);
  }

  private int add(long integer, @Nullable String text) {
    if (size == integers.length) {
      integers = Arrays.copyOf(integers, size * 2);
      names = Arrays.copyOf(names, size * 2);
    }
    integers[size] = integer;
    names[size] = text;
    return size++;
  }

  private void grow() {
    long[] oldSlots = slots;
    int[] oldNumbers = numbers;
    slots = new long[oldSlots.length * 2];
    numbers = new int[oldSlots.length * 2];
    int mask = slots.length - 1;
    for (int j = 0; j < oldSlots.length; j++) {
      if (oldNumbers[j] != 0) {
        int i = slot(oldSlots[j], mask);
        while (numbers[i] != 0) {
          i = i + 1 & mask;
        }
        slots[i] = oldSlots[j];
        numbers[i] = oldNumbers[j];
      }
    }
  }

  private static int slot(long key, int mask) {
    return (int) (key * 0x9E37_79B9_7F4A_7C15L >>> 32) & mask;
  }
}
