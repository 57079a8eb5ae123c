package io.txwatch.oracle.troc;

import io.txwatch.oracle.troc.ChangeHistory.Writer;
import io.txwatch.schedule.StepOutcome;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A transaction under way. */
final class OpenTransaction {

  /** No snapshot has been taken. */
  static final int NO_SNAPSHOT = -1;

  /**
   * A plain query.
   *
   * @param moment when it was
   * @param newestOwnVersion the number of the newest version then: later ones of its transaction it
   *     did not see
   */
  record Read(StepOutcome outcome, StatementForm shape, int moment, int newestOwnVersion) {}

  final Writer writer = new Writer();
  final boolean explicit;
  final Map<String, Integer> savepoints = new HashMap<>();

  /** When the snapshot was taken. */
  int snapshot = NO_SNAPSHOT;

  /** What was read since, while it may be that no read has needed a snapshot yet. */
  final List<Read> reads = new ArrayList<>();

  OpenTransaction(boolean explicit) {
    this.explicit = explicit;
  }
}
