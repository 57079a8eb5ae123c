package io.txwatch.oracle.troc;

import io.txwatch.dbms.Semantics;
import io.txwatch.schedule.StepOutcome;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/**
 * When a transaction took its snapshot: of all tables at once, or of each at a time of its own.
 *
 * @param ofAll the moment of all tables that have none of their own; {@link #NONE} if there is none
 * @param ofTables the moments of single tables
 */
record SnapshotTimes(int ofAll, Map<String, Integer> ofTables) {

  /** No snapshot has been taken. */
  static final int NONE = -1;

  /** A transaction without a snapshot. */
  static final SnapshotTimes NO_SNAPSHOT = new SnapshotTimes(NONE, Map.of());

  /** A snapshot of all tables. */
  static SnapshotTimes at(int moment) {
    return new SnapshotTimes(moment, Map.of());
  }

  /** The moment of a table's snapshot; {@link #NONE} if it has none. */
  int of(String table) {
    return ofTables.getOrDefault(table, ofAll);
  }

  /** The same with a snapshot of these tables, of those that have none yet. */
  SnapshotTimes with(Set<String> tables, int moment) {
    Map<String, Integer> all = new HashMap<>(ofTables);
    tables.forEach(table -> all.putIfAbsent(table, moment));
    return new SnapshotTimes(ofAll, all);
  }

  /**
   * The snapshot of a transaction after a statement began, whose snapshot was this one before that.
   *
   * @param moment when the statement began
   */
  SnapshotTimes after(
      Semantics semantics,
      StatementForm form,
      StepOutcome outcome,
      int moment,
      TableReads tableReads) {
    if (semantics.snapshot() == Semantics.Snapshot.FIRST_READ_OF_TABLE) {
      return with(tableReads.of(form), moment);
    }
    return ofAll == NONE && takesSnapshot(semantics, form, outcome) ? at(moment) : this;
  }

  /** True if a statement takes the snapshot of its transaction, if there is none yet. */
  private static boolean takesSnapshot(
      Semantics semantics, StatementForm form, StepOutcome outcome) {
    return switch (semantics.snapshot()) {
      case BEGIN -> true;
      case FIRST_STATEMENT ->
          form.kind() != StatementForm.Kind.SAVEPOINT && form.kind() != StatementForm.Kind.OTHER;
      case FIRST_READ -> form.kind() == StatementForm.Kind.READ && outcome.succeeded();
      case FIRST_READ_OF_TABLE -> false;
    };
  }
}
