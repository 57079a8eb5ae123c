package io.txwatch.predict;

import io.txwatch.history.IsolationLevel;
import io.txwatch.predict.AllocatedLevel.PreventedLevel;
import io.txwatch.predict.TemplateAccess.Effect;
import io.txwatch.rules.Promise;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/**
 * Allocates to each operation the weakest level at which all of them stay serializable (Vandevoort,
 * Ketsman, Neven: Allocating Isolation Levels to Transactions in a Multiversion Setting, PODS
 * 2023).
 *
 * <p>If operations at different levels can produce a cycle, then they can in a schedule in which
 * one operation is split, and the others run in its gap one after the other (definition 3.1 there).
 * Which gaps are possible depends on the level of the split operation alone, so:
 *
 * <ul>
 *   <li>Below snapshot isolation an operation may run at a level if no candidate of that level
 *       splits it.
 *   <li>At snapshot isolation it may if it is the pivot of no dangerous structure.
 *   <li>Serializable snapshot isolation aborts a dangerous structure only if all three of its
 *       operations run at it. So the neighbours of a pivot need SERIALIZABLE as well, even if they
 *       may be split nowhere. Where SERIALIZABLE locks what it reads, the pivot alone needs it.
 * </ul>
 *
 * <p>A weaker level of one operation does not depend on the levels of the others, so the weakest
 * allocation is the weakest level of each.
 *
 * <p>The theorem takes statements for atomic. So where a statement does not read from a snapshot
 * (COMMITTED and REPEATABLE), only operations whose statements use one row each are allocated. No
 * operation is allocated a level at which uncommitted data may be read, or that promises nothing.
 */
public final class LevelAllocation {

  private static final String NOTHING_PROMISED =
      "its documentation promises too little at this level";
  private static final String SEVERAL_ROWS =
      "a statement uses several rows, and is not promised to read from a snapshot";
  private static final String INCOMPLETE = "there are too many groups of operations to search all";

  private final List<OperationTemplate> operations;
  private final Map<IsolationLevel, Promise.Kind> promises;
  private final Map<IsolationLevel, FoundSplits> found = new EnumMap<>(IsolationLevel.class);

  /** Where the dangerous structures are found; empty if they need not be known. */
  private final Optional<IsolationLevel> structures;

  private LevelAllocation(
      List<OperationTemplate> operations,
      Map<IsolationLevel, Promise.Kind> promises,
      boolean readsLock,
      Map<IsolationLevel, Set<RaceCandidate>> refuted) {
    this.operations = operations;
    this.promises = promises;
    boolean hasSerializable = promises.containsValue(Promise.Kind.SERIALIZABLE);
    promises.forEach(
        (level, promise) ->
            found.put(level, search(promise, refuted.getOrDefault(level, Set.of()))));
    this.structures =
        hasSerializable && !readsLock
            ? Optional.of(structures(refuted.getOrDefault(IsolationLevel.SNAPSHOT, Set.of())))
            : Optional.empty();
  }

  /**
   * Allocates levels.
   *
   * @param promises what each level of the DBMS promises
   * @param readsLock whether plain queries lock what they read where SERIALIZABLE is promised
   * @param refuted by level: the candidates that are no reason, as executions did not show them
   */
  public static List<AllocatedLevel> of(
      List<OperationTemplate> operations,
      Map<IsolationLevel, Promise.Kind> promises,
      boolean readsLock,
      Map<IsolationLevel, Set<RaceCandidate>> refuted) {
    LevelAllocation allocation =
        new LevelAllocation(operations, new EnumMap<>(promises), readsLock, refuted);
    List<AllocatedLevel> levels = new ArrayList<>();
    for (int i = 0; i < operations.size(); i++) {
      levels.add(allocation.level(i));
    }
    return levels;
  }

  private FoundSplits search(Promise.Kind promise, Set<RaceCandidate> refuted) {
    FoundSplits splits =
        new FoundSplits(operations.size(), promise == Promise.Kind.SNAPSHOT, refuted);
    if (!promisesTooLittle(promise)) {
      CandidateSearch.search(operations, promise, splits);
    }
    return splits;
  }

  /** The level at which dangerous structures were searched. */
  private IsolationLevel structures(Set<RaceCandidate> refuted) {
    for (Map.Entry<IsolationLevel, Promise.Kind> one : promises.entrySet()) {
      if (one.getValue() == Promise.Kind.SNAPSHOT) {
        return one.getKey();
      }
    }
    found.put(IsolationLevel.SNAPSHOT, search(Promise.Kind.SNAPSHOT, refuted));
    return IsolationLevel.SNAPSHOT;
  }

  private AllocatedLevel level(int index) {
    List<PreventedLevel> prevented = new ArrayList<>();
    for (IsolationLevel level : promises.keySet()) {
      Optional<PreventedLevel> reason = prevented(index, level);
      if (reason.isEmpty()) {
        return new AllocatedLevel(operations.get(index), Optional.of(level), prevented);
      }
      prevented.add(reason.get());
    }
    return new AllocatedLevel(operations.get(index), Optional.empty(), prevented);
  }

  private Optional<PreventedLevel> prevented(int index, IsolationLevel level) {
    Promise.Kind promise = promises.getOrDefault(level, Promise.Kind.NONE);
    if (promise == Promise.Kind.SERIALIZABLE) {
      return Optional.empty();
    } else if (promisesTooLittle(promise)) {
      return Optional.of(new PreventedLevel(level, level, List.of(), NOTHING_PROMISED));
    }
    FoundSplits splits = splits(level);
    Optional<PreventedLevel> reason = reason(level, level, splits.splits(index), splits);
    if (reason.isPresent()) {
      return reason;
    } else if (!readsFromSnapshots(promise) && !usesSingleRows(operations.get(index))) {
      return Optional.of(new PreventedLevel(level, level, List.of(), SEVERAL_ROWS));
    }
    return structures.flatMap(at -> reason(level, at, splits(at).memberships(index), splits(at)));
  }

  private FoundSplits splits(IsolationLevel level) {
    return Objects.requireNonNull(found.get(level));
  }

  private static Optional<PreventedLevel> reason(
      IsolationLevel level,
      IsolationLevel searchedAt,
      List<RaceCandidate> candidates,
      FoundSplits splits) {
    return candidates.isEmpty() && !splits.isIncomplete()
        ? Optional.empty()
        : Optional.of(
            new PreventedLevel(
                level, searchedAt, candidates, candidates.isEmpty() ? INCOMPLETE : ""));
  }

  private static boolean promisesTooLittle(Promise.Kind promise) {
    return promise == Promise.Kind.NONE || promise == Promise.Kind.DIRTY;
  }

  private static boolean readsFromSnapshots(Promise.Kind promise) {
    return promise != Promise.Kind.COMMITTED && promise != Promise.Kind.REPEATABLE;
  }

  private static boolean usesSingleRows(OperationTemplate operation) {
    return operation.statements().stream()
        .map(TemplateStatement::accesses)
        .allMatch(
            accesses ->
                accesses.size() <= 1
                    && accesses.stream()
                        .allMatch(one -> one.key().unique() || one.effect() == Effect.INSERTED));
  }
}
