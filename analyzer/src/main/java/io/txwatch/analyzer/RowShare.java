package io.txwatch.analyzer;

import io.txwatch.history.RowAccess;
import io.txwatch.history.VersionSet;
import io.txwatch.history.WriterToken;
import java.util.ArrayList;
import java.util.List;

/**
 * The share of the rows that is analyzed: all, a half, a quarter …, selected by a hash of table and
 * row. The rows of each share are among those of the next larger one.
 *
 * @param halvings the share is one in 2 to the power of this
 */
record RowShare(int halvings) {

  static final RowShare ALL = new RowShare(0);
  static final int MAX_HALVINGS = 16;

  private static final long MIX = 0x9E3779B97F4A7C15L;

  boolean isAll() {
    return halvings == 0;
  }

  /** Whether a row belongs to the share. */
  boolean contains(String table, long row) {
    long hash = (row * MIX ^ table.hashCode()) * MIX;
    return hash >>> Long.SIZE - MAX_HALVINGS << halvings >>> MAX_HALVINGS == 0;
  }

  /** The accesses to rows of the share: the given list if it contains no others. */
  List<RowAccess> of(List<RowAccess> rows) {
    int others = 0;
    for (int i = 0; i < rows.size(); i++) {
      others += contains(rows.get(i).table(), rows.get(i).row()) ? 0 : 1;
    }
    if (others == 0) {
      return rows;
    }
    if (others == rows.size()) {
      return List.of();
    }
    List<RowAccess> kept = new ArrayList<>(rows.size() - others);
    for (RowAccess access : rows) {
      if (contains(access.table(), access.row())) {
        kept.add(access);
      }
    }
    return kept;
  }

  /** The rows of the share in a version set. A row that is not in the share is in no set. */
  VersionSet of(VersionSet set) {
    long[] rows = new long[set.size()];
    StringBuilder writers = new StringBuilder();
    int kept = 0;
    for (int i = 0; i < set.size(); i++) {
      if (contains(set.table(), set.rows()[i])) {
        rows[kept++] = set.rows()[i];
        writers.append(set.writers(), i * WriterToken.LENGTH, (i + 1) * WriterToken.LENGTH);
      }
    }
    return kept == rows.length
        ? set
        : new VersionSet(
            set.table(),
            set.predicate(),
            java.util.Arrays.copyOf(rows, kept),
            writers.toString(),
            set.certain());
  }

  /** For people: "1/4". */
  @Override
  public String toString() {
    return "1/" + (1 << halvings);
  }
}
