package io.txwatch.plan;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a text takes for granted: of the session how it stores values ({@link
 * Catalog#storesAsGiven}) and of its parameters their kinds, or that the statement is a transaction
 * of its own ({@link Catalog#writtenAnewUnseen}). Where it does not hold, another text is sent that
 * assumes less.
 */
public final class Assumed {

  /** Nothing. */
  public static final Assumed NOTHING = new Assumed(new AssumedValue[0], false, false);

  private final @Nullable AssumedValue[] values;
  private final boolean anything;
  private final boolean autocommitted;

  private Assumed(@Nullable AssumedValue[] values, boolean anything, boolean autocommitted) {
    this.values = values;
    this.anything = anything;
    this.autocommitted = autocommitted;
  }

  /**
   * Of the session that it stores values as they are given.
   *
   * @param values by the parameters' numbers, from 1
   */
  public static Assumed storesAsGiven(Map<Integer, AssumedValue> values) {
    int most = values.keySet().stream().mapToInt(Integer::intValue).max().orElse(0);
    @Nullable AssumedValue[] byNumber = new AssumedValue[most];
    values.forEach((number, value) -> byNumber[number - 1] = value);
    return new Assumed(byNumber, true, false);
  }

  /**
   * That the statement is a transaction of its own.
   *
   * @param otherwise what the text assumes that is sent where it is not
   */
  public static Assumed autocommitted(Assumed otherwise) {
    return new Assumed(otherwise.values, true, true);
  }

  /**
   * True if the statement must be a transaction of its own. Nothing is assumed of its parameters
   * then: {@link #of} is about the text that is sent where it is not.
   */
  public boolean isAutocommitted() {
    return autocommitted;
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
