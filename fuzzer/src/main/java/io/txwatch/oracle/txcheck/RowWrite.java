package io.txwatch.oracle.txcheck;

import io.txwatch.oracle.txcheck.RowVersion.Row;
import java.util.Optional;

/**
 * What a statement did to a row.
 *
 * @param replaced the version before (BWR); empty if it inserted the row
 * @param written the version after (AWR); empty if it deleted the row
 */
record RowWrite(Row row, Optional<RowVersion> replaced, Optional<RowVersion> written) {

  boolean isInsert() {
    return replaced.isEmpty();
  }

  boolean isDelete() {
    return written.isEmpty();
  }
}
