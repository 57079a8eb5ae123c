package org.example;

import java.util.function.Supplier;

/** A service of an application. */
public final class CalledService {

  /** Calls what executes a statement. */
  public <T> T sell(Supplier<T> statement) {
    return statement.get();
  }

  /** The same by another method. */
  public <T> T sellAnother(Supplier<T> statement) {
    return sell(statement);
  }
}
