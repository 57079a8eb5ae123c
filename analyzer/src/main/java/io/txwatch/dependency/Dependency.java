package io.txwatch.dependency;

/**
 * One direct dependency: an edge of the graph. The target must come after the source in every
 * equivalent serial order.
 *
 * @param from the source transaction
 * @param to the target transaction
 * @param kind ww, wr, rw or so
 * @param table the table of the row through which it runs; empty for so
 * @param row the row's id; 0 for so
 * @param fromStatement the number of the statement in the source that wrote (ww, wr) or read (rw)
 *     the earlier version; 0 if not known
 * @param toStatement the number of the statement in the target that wrote (ww, rw) or read (wr) the
 *     later version; 0 if not known
 * @param evidence what it rests on
 */
public record Dependency(
    long from,
    long to,
    DependencyKind kind,
    String table,
    long row,
    int fromStatement,
    int toStatement,
    EdgeEvidence evidence) {

  /** A dependency by item. */
  public Dependency(
      long from,
      long to,
      DependencyKind kind,
      String table,
      long row,
      int fromStatement,
      int toStatement) {
    this(from, to, kind, table, row, fromStatement, toStatement, EdgeEvidence.ITEM);
  }
}
