package io.txwatch.oracle.txcheck;

import io.txwatch.oracle.txcheck.TracedVersion.Row;
import java.util.Map;

/**
 * The rows of a table that a statement could use (VSR).
 *
 * @param source how it is known
 * @param rows by row, the version
 */
record TracedVersionSet(String table, Source source, Map<Row, TracedVersion> rows) {

  /** How a version set is known. */
  enum Source {
    /** A query of the statement's own transaction just before the statement. */
    TRANSACTION,
    /** The committed versions and those of the own transaction, computed from all writes so far. */
    CURRENT
  }

  boolean contains(TracedVersion version) {
    return version.equals(rows.get(version.row()));
  }
}
