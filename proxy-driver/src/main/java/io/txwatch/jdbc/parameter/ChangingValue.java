package io.txwatch.jdbc.parameter;

import io.txwatch.dialect.DriverTraits;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Calendar;
import java.util.Date;
import org.jspecify.annotations.Nullable;

/**
 * A value that the application set, and may change afterwards: a {@code Timestamp} that it sets for
 * each row of a batch again, a buffer that it fills again. Drivers differ in when they take over
 * what is in it: some when it is set, others when the row is added to the batch, others when it is
 * sent. Set once more, on another text, it has to be what it would have been on the first.
 *
 * @param value the value, copied if the driver had taken it over
 * @param setting sets it
 */
public record ChangingValue<T extends @Nullable Object>(T value, Setting<T> setting)
    implements ParameterSetter {

  /** How it is set. */
  public interface Setting<T extends @Nullable Object> {
    /** Sets the parameter at a place. */
    void set(PreparedStatement statement, int place, T value) throws SQLException;
  }

  /** A value as the DBMS's driver has it once it was set. */
  public static <T extends @Nullable Object> T whenSet(DriverTraits driver, T value) {
    return value != null && driver.copiesWhenSet(value) ? copy(value) : value;
  }

  @Override
  public void set(PreparedStatement statement, int place) throws SQLException {
    setting.set(statement, place, value);
  }

  @Override
  public ParameterSetter added(DriverTraits driver) {
    return value != null && driver.copiesWhenAdded(value) ? now() : this;
  }

  @Override
  public ParameterSetter now() {
    T copy = copy(value);
    return copy == value ? this : new ChangingValue<>(copy, setting);
  }

  @SuppressWarnings("unchecked") // a clone is of the same class
  private static <T extends @Nullable Object> T copy(T value) {
    if (value instanceof Date date) {
      return (T) date.clone();
    }
    if (value instanceof Calendar calendar) {
      return (T) calendar.clone();
    }
    return value instanceof byte[] bytes ? (T) bytes.clone() : value;
  }
}
