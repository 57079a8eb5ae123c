package io.txwatch.oracle.txcheck;

import io.txwatch.oracle.txcheck.TracedVersion.Row;
import io.txwatch.testcase.Step;
import java.util.List;
import java.util.Set;

/**
 * What the reads around a statement have shown.
 *
 * @param step the statement
 * @param form what kind of statement it is
 * @param transaction its transaction
 * @param position its place among all completed steps of the execution
 * @param read the versions of the rows that it returned, if it returns whole rows
 * @param versionSets what it could use, at least
 * @param writes what it changed
 * @param judgesRowsSeparately true if it is a write that decides for each row, by this row alone,
 *     whether to change it
 */
record StatementTrace(
    Step step,
    Form form,
    TransactionSpan transaction,
    int position,
    Set<TracedVersion> read,
    List<TracedVersionSet> versionSets,
    List<RowWrite> writes,
    boolean judgesRowsSeparately) {

  /** The forms that matter for the kind of a dependency. */
  enum Form {
    /** A query, locking or not. */
    QUERY,
    /** A write that stores new rows: what it reads determines their values. */
    INSERT,
    /** A write that selects rows and stores values. */
    UPDATE,
    /** A write that selects rows. */
    DELETE;

    boolean isWrite() {
      return this != QUERY;
    }
  }

  /**
   * A committed transaction; an autocommitted statement is one as well.
   *
   * @param number its number in the order of commits
   * @param session its session
   * @param begin the position of its first step
   * @param end the position of its commit
   */
  record TransactionSpan(int number, String session, int begin, int end) {}

  int id() {
    return step.id();
  }

  /** True if the statement has the same result without a row, because the row does not match. */
  boolean isIndependentOf(Row row) {
    return judgesRowsSeparately && writes.stream().noneMatch(write -> write.row().equals(row));
  }
}
