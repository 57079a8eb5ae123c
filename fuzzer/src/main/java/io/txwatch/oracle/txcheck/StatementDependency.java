package io.txwatch.oracle.txcheck;

/**
 * A dependency between two statements: in an equivalent sequence, {@code to} follows {@code from}.
 *
 * @param from the step id of the earlier statement
 * @param to the step id of the statement that depends on it
 */
record StatementDependency(int from, int to, Kind kind) implements Comparable<StatementDependency> {

  /** The seven kinds (TxCheck, definitions 2 to 8). */
  enum Kind {
    /** It reads a version that the other one wrote. */
    ITEM_READ,
    /** It replaces a version that the other one wrote. */
    ITEM_WRITE,
    /** It replaces a version that the other one read. */
    ITEM_ANTI,
    /** A query whose version set includes what the other one wrote. */
    PREDICATE_READ,
    /**
     * A write that selects rows from versions that the other one wrote, or that replaces versions
     * from which the other write selected.
     */
    PREDICATE_WRITE,
    /** It replaces a version in the version set of the other one, a query. */
    PREDICATE_ANTI,
    /** As {@link #PREDICATE_WRITE}, for the values that a write stores instead of its selection. */
    VALUE_WRITE;

    /** True if it is exact: it follows from rows that a statement returned or changed. */
    boolean isByItem() {
      return this == ITEM_READ || this == ITEM_WRITE || this == ITEM_ANTI;
    }
  }

  @Override
  public int compareTo(StatementDependency other) {
    int order = Integer.compare(from, other.from);
    order = order != 0 ? order : Integer.compare(to, other.to);
    return order != 0 ? order : kind.compareTo(other.kind);
  }

  /** One line: {@code 3 -ITEM_ANTI-> 5}. */
  @Override
  public String toString() {
    return from + " -" + kind + "-> " + to;
  }
}
