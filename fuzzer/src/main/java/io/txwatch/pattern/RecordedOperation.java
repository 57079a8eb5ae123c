package io.txwatch.pattern;

import io.txwatch.pattern.PatternOperation.Type;

/**
 * An operation that an execution has recorded.
 *
 * @param type the type
 * @param transaction the transaction
 * @param item the item, a row or a sequence; empty if the operation accesses none
 * @param version the position of the version in the version order of the item; each version that a
 *     write of an aborted transaction made has a negative number of its own, followed by no other
 *     version
 * @param moment when it took place: the operations of one statement have the same moment
 * @param step the step of the case
 * @param access how a read sees the version
 */
public record RecordedOperation(
    Type type, String transaction, String item, int version, int moment, int step, Access access) {

  /** How an operation accesses its version. */
  public enum Access {
    /** A plain query returned the row, or the operation is no read. */
    PLAIN,
    /** A locking query returned the row. */
    LOCKING,
    /** A plain query of the whole table did not return the row. */
    ABSENT,
    /** A locking query of the whole table did not return the row. */
    ABSENT_LOCKING;

    /** True if the read takes no locks by its text. */
    public boolean isPlain() {
      return this == PLAIN || this == ABSENT;
    }

    /** True if the absence of the row shows the version. */
    public boolean isByPredicate() {
      return this == ABSENT || this == ABSENT_LOCKING;
    }
  }
}
