package io.txwatch.slice;

import io.txwatch.anomaly.ContextRead;
import io.txwatch.dependency.Dependency;

/** A row of a table. */
record RowId(String table, long row) {

  static RowId of(Dependency edge) {
    return new RowId(edge.table(), edge.row());
  }

  static RowId of(ContextRead read) {
    return new RowId(read.table(), read.row());
  }
}
