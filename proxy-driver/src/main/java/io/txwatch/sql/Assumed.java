package io.txwatch.sql;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a text takes for granted of the session ({@link Catalog#storesAsGiven}) and of the values of
 * its parameters. Where it does not hold, another text is sent that assumes nothing.
 */
public final class Assumed {

  /** Nothing. */
  public static final Assumed NOTHING = new Assumed(Map.of(), false);

  private final @Nullable AssumedValue[] values;
  private final boolean anything;

  private Assumed(Map<Integer, AssumedValue> values, boolean anything) {
    int most = values.keySet().stream().mapToInt(Integer::intValue).max().orElse(0);
    this.values = new AssumedValue[most];
    values.forEach((number, value) -> this.values[number - 1] = value);
    this.anything = anything;
  }

  /**
   * Of the session that it stores values as they are given.
   *
   * @param values by the parameters' numbers, from 1
   */
  static Assumed storesAsGiven(Map<Integer, AssumedValue> values) {
    return new Assumed(values, true);
  }

  /** True if nothing is. */
  public boolean isNothing() {
    return !anything;
  }

  /** The last parameter of which something is assumed; 0 if there is none. */
  public int parameters() {
    return values.length;
  }

  /** What is assumed of a parameter, numbered from 1; null for nothing. */
  public @Nullable AssumedValue of(int number) {
    return number >= 1 && number <= values.length ? values[number - 1] : null;
  }
}
