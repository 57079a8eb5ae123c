package io.txwatch.dependency;

/**
 * Drops possible dependencies that are opposite to the order in which their transactions ran.
 *
 * <p>A possible dependency rests on what a read did not show. Where events were lost, or rows were
 * identified differently, a read may lack what a transaction did that had ended before the reader
 * began: that is no sign of the opposite order. So transactions that never overlap are in no cycle
 * with possible dependencies, whatever is lost: every dependency that remains follows time.
 */
final class PossibleInTime implements DependencyListener {

  private final DependencyListener out;

  PossibleInTime(DependencyListener out) {
    this.out = out;
  }

  @Override
  public void committed(Transaction transaction) {
    out.committed(transaction);
  }

  @Override
  public void dependency(Edge edge) {
    if (!edge.evidence().possible() || edge.to().endedAt >= edge.from().beganAt) {
      out.dependency(edge);
    }
  }

  @Override
  public void wrongRead(WrongRead why, Edge read) {
    out.wrongRead(why, read);
  }

  @Override
  public void forkedWrite(
      Transaction first, Transaction second, Row row, int firstStatement, int secondStatement) {
    out.forkedWrite(first, second, row, firstStatement, secondStatement);
  }
}
