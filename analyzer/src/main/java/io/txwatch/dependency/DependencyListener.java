package io.txwatch.dependency;

/**
 * What {@link DependencyInference} tells. All transactions in it have committed and were seen in
 * full, but for the writer of an aborted read.
 */
public interface DependencyListener {

  /** A transaction committed. Told before anything else about it. */
  void committed(Transaction transaction);

  /** A dependency: an edge of the graph. Told once for each read and write that it comes from. */
  void dependency(
      Transaction from,
      Transaction to,
      DependencyKind kind,
      Row row,
      int fromStatement,
      int toStatement,
      Basis basis);

  /** {@code reader} read what {@code writer} rolled back, in whole or to a savepoint (G1a). */
  void abortedRead(
      Transaction writer, Transaction reader, Row row, int writeStatement, int readStatement);

  /** {@code reader} read a version that {@code writer} replaced itself (G1b). */
  void intermediateRead(
      Transaction writer, Transaction reader, Row row, int writeStatement, int readStatement);

  /**
   * A transaction read an older version of a row than the one that it had written.
   *
   * @param writeStatement the statement that wrote it
   * @param readStatement the later statement that did not see that
   */
  void internalRead(Transaction transaction, Row row, int writeStatement, int readStatement);

  /**
   * Two transactions wrote the next version of one and the same version: one of the writes is not
   * in the row's list.
   */
  void forkedWrite(
      Transaction first, Transaction second, Row row, int firstStatement, int secondStatement);
}
