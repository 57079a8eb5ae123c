package io.txwatch.predict;

import io.txwatch.history.Database;
import io.txwatch.history.IsolationLevel;
import io.txwatch.rules.Promise;
import io.txwatch.rules.registry.RulesRegistry;
import java.util.ArrayList;
import java.util.List;

/**
 * Finds the cycles that instances of operations may form at a level of a DBMS, by what its
 * documentation promises there.
 */
public final class CandidateSearch {

  private CandidateSearch() {}

  /** The candidates among operations that all run at this level. */
  public static Prediction search(
      List<OperationTemplate> operations, Database database, IsolationLevel level) {
    return search(operations, RulesRegistry.of(database.product()).promise(level, database).kind());
  }

  /**
   * The candidates under a promise.
   *
   * <p>Where no level is known, what READ COMMITTED allows is searched. A DBMS whose statements do
   * not read from a snapshot each allows more than that.
   */
  public static Prediction search(List<OperationTemplate> operations, Promise.Kind promise) {
    return search(operations, promise, false);
  }

  /** The candidates of two operations alone, which take much less time to find. */
  public static Prediction searchPairs(
      List<OperationTemplate> operations, Database database, IsolationLevel level) {
    return search(
        operations, RulesRegistry.of(database.product()).promise(level, database).kind(), true);
  }

  private static Prediction search(
      List<OperationTemplate> operations, Promise.Kind promise, boolean pairsOnly) {
    FoundRaces found = new FoundRaces(pairsOnly);
    search(operations, promise, found);
    return found.prediction();
  }

  static void search(List<OperationTemplate> operations, Promise.Kind promise, FoundRaces found) {
    List<Instance> instances = new ArrayList<>();
    operations.forEach(one -> instances.add(Instance.of(instances.size(), one)));
    switch (promise) {
      case SERIALIZABLE -> {}
      case SNAPSHOT -> new SnapshotSearch(instances, found).search();
      case NONE, DIRTY, COMMITTED, COMMITTED_BY_STATEMENT ->
          new SplitScheduleSearch(instances, SplitScheduleSearch.Reads.NEWEST, found).search();
      case REPEATABLE ->
          new SplitScheduleSearch(instances, SplitScheduleSearch.Reads.REPEATABLE, found).search();
      case CONSISTENT_READS, SNAPSHOT_READS ->
          new SplitScheduleSearch(instances, SplitScheduleSearch.Reads.SNAPSHOT, found).search();
    }
  }
}
