package io.txwatch.oracle.log;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** A version of a row: its values, and the transactions of the log that wrote and replaced it. */
final class LoggedVersion {

  /** The index where there is no transaction. */
  static final int NONE = -1;

  private final List<@Nullable Object> values;
  private final int creator;
  private int remover = NONE;

  /**
   * A version that nothing has replaced.
   *
   * @param creator the index of the transaction that wrote it; {@link #NONE} if it was there before
   */
  LoggedVersion(List<@Nullable Object> values, int creator) {
    this.values = values;
    this.creator = creator;
  }

  void removeBy(int transaction) {
    remover = transaction;
  }

  List<@Nullable Object> values() {
    return values;
  }

  int creator() {
    return creator;
  }

  /** The index of the transaction that replaced or deleted it; {@link #NONE} if none has. */
  int remover() {
    return remover;
  }

  boolean isCurrent() {
    return remover == NONE;
  }

  /** True if the transaction that wrote it has also replaced it, so that it was never committed. */
  boolean isIntermediate() {
    return creator != NONE && creator == remover;
  }
}
