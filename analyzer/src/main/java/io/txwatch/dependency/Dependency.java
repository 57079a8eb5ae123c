package io.txwatch.dependency;

import java.util.List;

/**
 * A direct dependency: an edge of the graph. In every equivalent serial order the target follows
 * the source.
 *
 * @param from the source transaction
 * @param to the target transaction
 * @param kind ww, wr, rw, so or rt
 * @param table the table of the row through which it runs; empty for so and rt
 * @param row the row's id; 0 for so and rt
 * @param key the value of the row's primary key, for display; empty if it is not known
 * @param fromStatement the number of the statement in the source that wrote (ww, wr) or read (rw)
 *     the earlier version; 0 if unknown
 * @param toStatement the number of the statement in the target that wrote (ww, rw) or read (wr) the
 *     later version; 0 if unknown
 * @param evidence the evidence for it
 * @param columns the columns of the row that both statements used; empty if the whole row is the
 *     item
 */
public record Dependency(
    long from,
    long to,
    DependencyKind kind,
    String table,
    long row,
    String key,
    int fromStatement,
    int toStatement,
    EdgeEvidence evidence,
    List<String> columns) {

  /** A dependency through a whole row whose key is not known. */
  public Dependency(
      long from,
      long to,
      DependencyKind kind,
      String table,
      long row,
      int fromStatement,
      int toStatement,
      EdgeEvidence evidence) {
    this(from, to, kind, table, row, "", fromStatement, toStatement, evidence, List.of());
  }
}
