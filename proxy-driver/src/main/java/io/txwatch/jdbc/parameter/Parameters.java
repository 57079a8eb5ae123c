package io.txwatch.jdbc.parameter;

import io.txwatch.plan.SideRead;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The application's parameters of one execution, to be set once more for the reads beside it.
 *
 * @param setters what set each of them; null if none was set
 * @param hashes the hashes of their values, if the plan has version sets
 * @param complete false if one of them is a stream, which can be read once only
 */
public record Parameters(
    @Nullable ParameterSetter @Nullable [] setters, long @Nullable [] hashes, boolean complete) {

  /** Of a text without parameters. */
  public static final Parameters NONE = new Parameters(null, null, true);

  private static final long[] NO_VALUES = new long[0];

  /** A copy that neither the application's next setters change nor what it makes of its values. */
  public Parameters copy() {
    return setters == null && hashes == null
        ? this
        : new Parameters(
            setters == null ? null : each(setters, ParameterSetter::now),
            hashes == null ? null : hashes.clone(),
            complete);
  }

  /** Others in their places, where there are any. */
  public static @Nullable ParameterSetter[] each(
      @Nullable ParameterSetter[] setters, UnaryOperator<ParameterSetter> other) {
    @Nullable ParameterSetter[] others = setters.clone();
    for (int i = 0; i < others.length; i++) {
      ParameterSetter setter = others[i];
      others[i] = setter == null ? null : other.apply(setter);
    }
    return others;
  }

  /**
   * Sets the parameters of a side read.
   *
   * @return false if one of them cannot be set a second time
   */
  public boolean bind(SideRead read, PreparedStatement statement, String token)
      throws SQLException {
    int[] wanted = read.parameters();
    for (int i = 0; i < wanted.length; i++) {
      int number = wanted[i];
      if (number == SideRead.TOKEN) {
        statement.setString(i + 1, token);
        continue;
      }
      ParameterSetter setter =
          !complete || setters == null || number < 1 || number > setters.length
              ? null
              : setters[number - 1];
      if (setter == null) {
        return false;
      }
      setter.set(statement, i + 1);
    }
    return true;
  }

  /** The hashes of all values; null if one is not known. */
  public long @Nullable [] values() {
    if (!complete) {
      return null;
    }
    if (hashes != null) {
      return hashes;
    }
    return setters == null ? NO_VALUES : null; // set under a plan that needs no hashes
  }
}
