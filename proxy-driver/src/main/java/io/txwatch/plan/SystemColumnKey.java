package io.txwatch.plan;

import java.util.List;
import java.util.Set;

/**
 * What identifies a row of a table whose versions are in the DBMS's system columns.
 *
 * @param columns the columns of its key, as stored: the primary key, or another unique one without
 *     nulls; empty if it has none, and each version is identified by its place in the table
 * @param isInteger true if it is one column of an integer type
 * @param replaced the ways in which a write can return the version that it replaced
 * @param partitionedBy the columns of a partitioned table whose values decide in which partition a
 *     row is; all columns if others may decide, too; empty if it is not partitioned
 */
public record SystemColumnKey(
    List<String> columns, boolean isInteger, Set<Replaced> replaced, Set<String> partitionedBy) {

  /** How a write can return the version that it replaced. */
  public enum Replaced {
    /** RETURNING contains the row before, named {@code old}: PostgreSQL 18. */
    RETURNED,
    /** Its condition keeps it in a setting of the session, which RETURNING reads. */
    KEPT
  }

  /**
   * True if an INSERT returns the system columns of its rows. In a partitioned table PostgreSQL
   * raises an error instead.
   */
  public boolean returnsInserted() {
    return partitionedBy.isEmpty();
  }

  /** True if the rows have a key. */
  public boolean exists() {
    return !columns.isEmpty();
  }
}
