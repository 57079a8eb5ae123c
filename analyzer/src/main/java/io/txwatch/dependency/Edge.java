package io.txwatch.dependency;

import java.util.List;

/**
 * A dependency between two transactions, with its row and the statements at its ends: an edge of
 * the graph.
 *
 * @param from the source
 * @param to the target
 * @param kind its kind
 * @param row the row
 * @param fromStatement the statement of the source
 * @param toStatement the statement of the target
 * @param evidence the evidence for it
 * @param columns the columns of the row that both statements used, as bits; -1 if the whole row is
 *     the item
 */
public record Edge(
    Transaction from,
    Transaction to,
    DependencyKind kind,
    Row row,
    int fromStatement,
    int toStatement,
    EdgeEvidence evidence,
    long columns) {

  /** An edge through a whole row. */
  public Edge(
      Transaction from,
      Transaction to,
      DependencyKind kind,
      Row row,
      int fromStatement,
      int toStatement,
      EdgeEvidence evidence) {
    this(from, to, kind, row, fromStatement, toStatement, evidence, ColumnBits.ALL);
  }

  /** The names of the columns through which it runs; empty if the whole row is the item. */
  public List<String> columnNames() {
    return row.columnNames(columns);
  }

  /**
   * The edges of two writes of the same next version: each overwrote what the other replaced, an rw
   * edge either way.
   */
  public static List<Edge> ofForkedWrite(
      Transaction first, Transaction second, Row row, int firstStatement, int secondStatement) {
    return List.of(
        new Edge(
            first,
            second,
            DependencyKind.RW,
            row,
            firstStatement,
            secondStatement,
            EdgeEvidence.ITEM),
        new Edge(
            second,
            first,
            DependencyKind.RW,
            row,
            secondStatement,
            firstStatement,
            EdgeEvidence.ITEM));
  }

  /** The wr edge, by item, from the writer of a version to its reader. */
  static Edge ofRead(
      Transaction writer, Transaction reader, Row row, int writeStatement, int readStatement) {
    return new Edge(
        writer, reader, DependencyKind.WR, row, writeStatement, readStatement, EdgeEvidence.ITEM);
  }

  /** The edge without references to its transactions and its row. */
  public Dependency dependency() {
    return new Dependency(
        from.id(),
        to.id(),
        kind,
        row.table(),
        row.id(),
        row.key(),
        fromStatement,
        toStatement,
        evidence,
        columnNames());
  }

  /** Whether one of its transactions was discarded. */
  public boolean isDiscarded() {
    return from.isDiscarded() || to.isDiscarded();
  }

  /**
   * The number of suppositions that it adds to a path: that the dependency exists, if it is {@link
   * EdgeEvidence#possible}, and that its target commits, if that is not known.
   */
  public int suppositions() {
    return (evidence.possible() ? 1 : 0) + (to.isUndecided() ? 1 : 0);
  }

  /** Whether its source is not known to have committed. */
  public boolean isFromUndecided() {
    return from.isUndecided();
  }

  /** Whether it is an rw edge by predicate. */
  public boolean missesByPredicate() {
    return kind == DependencyKind.RW && evidence.byPredicate();
  }
}
