package io.txwatch.dependency;

/**
 * What {@link DependencyInference} tells. All transactions in it have committed and were seen in
 * full, but for the writer of an aborted read.
 */
public interface DependencyListener {

  /** A transaction committed. Told before anything else about it. */
  void committed(Transaction transaction);

  /** A dependency. Told once for each read and write that it comes from. */
  void dependency(Edge edge);

  /**
   * A read that is wrong whatever else happened.
   *
   * @param read the wr edge from the writer of the version that was read, or should have been, to
   *     the reader; from the reader to itself if internal
   */
  void wrongRead(WrongRead why, Edge read);

  /**
   * Two transactions wrote the next version of one and the same version: one of the writes is not
   * in the row's list.
   */
  void forkedWrite(
      Transaction first, Transaction second, Row row, int firstStatement, int secondStatement);
}
