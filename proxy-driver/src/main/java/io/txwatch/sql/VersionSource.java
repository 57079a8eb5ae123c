package io.txwatch.sql;

import io.txwatch.history.StatementKind;

/**
 * Where the versions of a table's rows come from: the expressions by which a statement returns the
 * identity of a row and its version. Nothing else in the rewriter depends on the kind.
 */
sealed interface VersionSource permits AuxiliaryVersionSource, SystemVersionSource {

  /**
   * The row's id, a {@code bigint} that is not null.
   *
   * @param qualifier the table's alias with its dot, or empty
   */
  String row(String qualifier);

  /** The text that identifies the row's version and its writers. */
  String version(String qualifier);

  /** The same for a write that returns its rows. */
  String written(StatementKind kind, String qualifier, Written how);

  /**
   * What a write may do to the rows that it returns.
   *
   * @param mayUpdate true for an INSERT that may update a row instead
   * @param mayChangeKey true if it may change what identifies a row
   * @param hidesOld true if {@code old} or {@code new} names something else in the statement
   */
  record Written(boolean mayUpdate, boolean mayChangeKey, boolean hidesOld) {}

  /** True if a write that changes a row's key returns the row before, too. */
  default boolean returnsChangedKeys() {
    return true;
  }

  /** True if a write must add its token to the row, so that its version is recognized. */
  boolean marksWrites();

  /** Row and version, in a list of columns, under names that are hidden from the application. */
  default String pair(String qualifier) {
    return row(qualifier)
        + " as "
        + Auxiliary.RID
        + ", "
        + version(qualifier)
        + " as "
        + Auxiliary.WL;
  }
}
