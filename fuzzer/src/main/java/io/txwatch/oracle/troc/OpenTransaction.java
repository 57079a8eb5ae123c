package io.txwatch.oracle.troc;

import io.txwatch.dbms.Semantics;
import io.txwatch.history.IsolationLevel;
import io.txwatch.oracle.troc.ChangeHistory.Writer;
import io.txwatch.schedule.StepOutcome;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** An open transaction. */
final class OpenTransaction {

  /**
   * A plain query.
   *
   * @param moment when it was executed
   * @param newestOwnVersion the number of the newest version at that time: it did not see later
   *     ones of its own transaction
   */
  record Read(StepOutcome outcome, StatementForm form, int moment, int newestOwnVersion) {}

  final Writer writer = new Writer();
  final IsolationLevel level;

  /** The visibility rules of its level. */
  final Semantics semantics;

  final boolean explicit;
  final Map<String, Integer> savepoints = new HashMap<>();

  /** When the snapshot was taken. */
  SnapshotTimes snapshot = SnapshotTimes.NO_SNAPSHOT;

  /** The tables of which it may have no snapshot yet, with the moments of those assumed. */
  final Map<String, Integer> uncertainSnapshots = new HashMap<>();

  /** The plain queries so far, as long as possibly none of them has taken a snapshot. */
  final List<Read> reads = new ArrayList<>();

  OpenTransaction(SessionSemantics session, boolean explicit) {
    this.level = session.level();
    this.semantics = session.semantics();
    this.explicit = explicit;
  }
}
