package io.txwatch.jdbc.parameter;

import io.txwatch.dialect.DriverTraits;
import java.sql.PreparedStatement;
import java.sql.SQLException;

/** A setter of a parameter that the application has called, with its value. */
public interface ParameterSetter {
  /** Sets the parameter at a place. */
  void set(PreparedStatement statement, int place) throws SQLException;

  /** The same for a row of a batch, which has been added. */
  default ParameterSetter added(DriverTraits driver) {
    return this;
  }

  /** The same with what its value is now. */
  default ParameterSetter now() {
    return this;
  }
}
