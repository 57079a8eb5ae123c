package io.txwatch.predict;

import io.txwatch.history.Database;
import io.txwatch.history.IsolationLevel;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.Function;

/**
 * A candidate with the level of each of its operations.
 *
 * @param candidate the candidate
 * @param levels the levels, in the order of its operations
 */
public record LevelledCandidate(RaceCandidate candidate, List<IsolationLevel> levels) {

  public LevelledCandidate {
    levels = List.copyOf(levels);
  }

  /** The candidates among operations that all run at one level. */
  public static List<LevelledCandidate> at(
      List<OperationTemplate> operations, Database database, IsolationLevel level) {
    return CandidateSearch.search(operations, database, level).candidates().stream()
        .map(
            one ->
                new LevelledCandidate(
                    one, one.operations().stream().map(operation -> level).toList()))
        .toList();
  }

  /** The candidates among operations at the levels that they were seen at, the weakest first. */
  public static List<LevelledCandidate> asSeen(
      List<OperationTemplate> operations, Database database) {
    return asSeen(
        operations, level -> CandidateSearch.search(operations, database, level).candidates());
  }

  /** Those of two operations alone. */
  public static List<LevelledCandidate> pairsAsSeen(
      List<OperationTemplate> operations, Database database) {
    return asSeen(
        operations, level -> CandidateSearch.searchPairs(operations, database, level).candidates());
  }

  private static List<LevelledCandidate> asSeen(
      List<OperationTemplate> operations, Function<IsolationLevel, List<RaceCandidate>> search) {
    SortedSet<IsolationLevel> all = new TreeSet<>();
    operations.forEach(one -> all.addAll(one.levels()));
    all.remove(IsolationLevel.UNKNOWN);
    Map<String, LevelledCandidate> found = new LinkedHashMap<>();
    for (IsolationLevel level : all) {
      for (RaceCandidate one : search.apply(level)) {
        if (one.operations().stream().anyMatch(operation -> operation.levels().contains(level))) {
          List<IsolationLevel> levels =
              one.operations().stream().map(operation -> level(operation, level)).toList();
          found.putIfAbsent(one + " " + one.keys() + levels, new LevelledCandidate(one, levels));
        }
      }
    }
    return List.copyOf(found.values());
  }

  private static IsolationLevel level(OperationTemplate operation, IsolationLevel preferred) {
    return operation.levels().contains(preferred)
        ? preferred
        : operation.levels().stream()
            .filter(level -> level != IsolationLevel.UNKNOWN)
            .findFirst()
            .orElse(preferred);
  }
}
