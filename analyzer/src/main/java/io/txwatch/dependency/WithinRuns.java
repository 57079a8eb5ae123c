package io.txwatch.dependency;

/**
 * Passes on what relates transactions of one run of a server, and drops everything else.
 *
 * <p>A crash or a failover may lose transactions whose commit was acknowledged. What is read
 * afterwards then lacks their writes, and others write the same rows again: each looks like an
 * anomaly of concurrent transactions, and none is one. A token that is read in a later run proves
 * that its version survived, but nothing about the versions between.
 */
final class WithinRuns implements DependencyListener {

  private final DependencyListener out;

  WithinRuns(DependencyListener out) {
    this.out = out;
  }

  @Override
  public void committed(Transaction transaction) {
    out.committed(transaction);
  }

  @Override
  public void dependency(Edge edge) {
    if (isOfOneRun(edge.from(), edge.to())) {
      out.dependency(edge);
    }
  }

  @Override
  public void wrongRead(WrongRead why, Edge read) {
    if (isOfOneRun(read.from(), read.to())) {
      out.wrongRead(why, read);
    }
  }

  @Override
  public void forkedWrite(
      Transaction first, Transaction second, Row row, int firstStatement, int secondStatement) {
    if (isOfOneRun(first, second)) {
      out.forkedWrite(first, second, row, firstStatement, secondStatement);
    }
  }

  private static boolean isOfOneRun(Transaction one, Transaction other) {
    return one.database().run().equals(other.database().run());
  }
}
