package io.txwatch.oracle.txcheck;

import io.txwatch.oracle.txcheck.TracedVersion.Row;
import java.util.Optional;

/**
 * What a statement did to a row.
 *
 * @param replaced the version before (BWR); empty if it inserted the row
 * @param written the version after (AWR); empty if it deleted the row
 */
record RowWrite(Row row, Optional<TracedVersion> replaced, Optional<TracedVersion> written) {

  boolean isInsert() {
    return replaced.isEmpty();
  }

  boolean isDelete() {
    return written.isEmpty();
  }
}
