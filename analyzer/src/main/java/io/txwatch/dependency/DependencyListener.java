package io.txwatch.dependency;

/**
 * Receives what {@link DependencyInference} emits. All transactions have committed and were
 * observed in full, except the writer of an aborted read.
 */
public interface DependencyListener {

  /** A transaction committed. Precedes everything else about it. */
  void committed(Transaction transaction);

  /** A dependency. Emitted once for each read and write that it follows from. */
  void dependency(Edge edge);

  /**
   * A read that is wrong whatever else happened.
   *
   * @param read the wr edge from the writer of the version that was read, or should have been, to
   *     the reader; from the reader to itself if internal
   */
  void wrongRead(WrongRead why, Edge read);

  /**
   * Two transactions wrote the next version of the same version: one of the writes is missing from
   * the row's list.
   */
  void forkedWrite(
      Transaction first, Transaction second, Row row, int firstStatement, int secondStatement);
}
