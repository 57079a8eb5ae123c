package io.txwatch.oracle.troc;

import io.txwatch.oracle.troc.RowVersions.Writer;
import io.txwatch.schedule.StepOutcome;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A transaction under way. */
final class Transaction {

  /** No snapshot has been taken. */
  static final int NONE = -1;

  /**
   * A plain query.
   *
   * @param moment when it was
   * @param ownUpTo the number of the newest version then: later ones of its transaction it did not
   *     see
   */
  record Read(StepOutcome outcome, Shape shape, int moment, int ownUpTo) {}

  final Writer writer = new Writer();
  final boolean explicit;
  final Map<String, Integer> savepoints = new HashMap<>();

  /** When the snapshot was taken. */
  int snapshot = NONE;

  /** What was read since, while it may be that no read has needed a snapshot yet. */
  final List<Read> reads = new ArrayList<>();

  Transaction(boolean explicit) {
    this.explicit = explicit;
  }
}
