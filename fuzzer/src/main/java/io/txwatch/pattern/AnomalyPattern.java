package io.txwatch.pattern;

import io.txwatch.anomaly.Phenomenon;
import io.txwatch.history.IsolationLevel;
import io.txwatch.pattern.PatternOperation.Type;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * An anomaly pattern.
 *
 * @param id its name or number in the paper's tables
 * @param operations its operations, in their order
 * @param forbiddenAt the levels that rule it out, by the paper
 * @param note what the reader should know; empty if nothing
 */
public record AnomalyPattern(
    String id, List<PatternOperation> operations, Set<IsolationLevel> forbiddenAt, String note) {

  /** Copies its arguments. */
  public AnomalyPattern {
    operations = List.copyOf(operations);
    forbiddenAt = Set.copyOf(forbiddenAt);
  }

  /** Its conflicts, in the order of their second operations. */
  public List<Conflict> conflicts() {
    List<Conflict> conflicts = new ArrayList<>();
    for (int i = 0; i < operations.size(); i++) {
      for (int j = 0; j < i; j++) {
        PatternOperation first = operations.get(j);
        PatternOperation second = operations.get(i);
        if (areInConflict(first, second)) {
          conflicts.add(
              new Conflict(
                  Conflict.kindOf(first, second),
                  first.transaction(),
                  second.transaction(),
                  second.item()));
        }
      }
    }
    return conflicts;
  }

  /** True if the second operation reads or overwrites the version of the first. */
  private static boolean areInConflict(PatternOperation first, PatternOperation second) {
    if (first.transaction() == second.transaction()
        || !first.type().accessesItem()
        || !first.item().equals(second.item())) {
      return false;
    }
    return second.type().makesVersion()
        ? second.version() == first.version() + 1
        : first.type().makesVersion() && second.version() == first.version();
  }

  /** True if each transaction depends on the other one. */
  public boolean isCycle() {
    return conflicts().stream().mapToInt(Conflict::from).distinct().count() == 2;
  }

  /** True if a level rules it out, by the paper. Snapshot isolation is its REPEATABLE READ. */
  public boolean isForbiddenAt(IsolationLevel level) {
    return forbiddenAt.contains(
        level == IsolationLevel.SNAPSHOT ? IsolationLevel.REPEATABLE_READ : level);
  }

  /**
   * The phenomena that the pattern shows: a DBMS that rules out one of them rules out the pattern.
   *
   * @param byPredicate true if a read saw a version by the absence of its row
   */
  public Set<Phenomenon> phenomena(boolean byPredicate) {
    Set<Phenomenon> phenomena = EnumSet.noneOf(Phenomenon.class);
    if (has(Type.DRAW)) {
      phenomena.add(Phenomenon.G2); // only serializability orders the draws of a sequence
      return phenomena;
    }
    if (overwritesUncommitted()) {
      phenomena.add(Phenomenon.DIRTY_WRITE);
    }
    if (readsUncommitted()) {
      phenomena.add(Phenomenon.ABORTED_READ); // what is not committed may still be rolled back
    }
    if (has(Type.SNAPSHOT)) {
      phenomena.add(Phenomenon.READ_SKEW);
    } else if (isCycle()) {
      phenomena.add(cycle(byPredicate));
    }
    return phenomena;
  }

  private Phenomenon cycle(boolean byPredicate) {
    List<Conflict> conflicts = conflicts();
    boolean isOneItem = conflicts.stream().map(Conflict::item).distinct().count() == 1;
    boolean reads = conflicts.stream().anyMatch(conflict -> conflict.kind() == Conflict.Kind.WR);
    long missed = conflicts.stream().filter(c -> c.kind() == Conflict.Kind.RW).count();
    if (missed == 0) {
      return reads ? Phenomenon.CIRCULAR_INFORMATION_FLOW : Phenomenon.DIRTY_WRITE;
    }
    if (missed > 1) {
      return byPredicate ? Phenomenon.G2 : Phenomenon.WRITE_SKEW;
    }
    if (!reads) {
      return isOneItem ? Phenomenon.LOST_UPDATE : Phenomenon.READ_WRITE_SKEW;
    }
    if (!isOneItem) {
      return Phenomenon.READ_SKEW;
    }
    if (readsUncommitted()) {
      return Phenomenon.INTERMEDIATE_READ;
    }
    return byPredicate ? Phenomenon.PHANTOM : Phenomenon.NON_REPEATABLE_READ;
  }

  private boolean overwritesUncommitted() {
    return accessesUncommitted(Type.WRITE, 1);
  }

  private boolean readsUncommitted() {
    return accessesUncommitted(Type.READ, 0);
  }

  /**
   * True if an operation follows the other transaction's write before that one ends.
   *
   * @param distance how many versions later the operation's version is
   */
  private boolean accessesUncommitted(Type type, int distance) {
    for (int i = 0; i < operations.size(); i++) {
      PatternOperation write = operations.get(i);
      for (int j = i + 1; j < operations.size() && write.type() == Type.WRITE; j++) {
        PatternOperation next = operations.get(j);
        if (next.transaction() == write.transaction() && isEnd(next)) {
          break;
        }
        if (next.transaction() != write.transaction()
            && next.type() == type
            && next.item().equals(write.item())
            && next.version() == write.version() + distance) {
          return true;
        }
      }
    }
    return false;
  }

  private boolean has(Type type) {
    return operations.stream().anyMatch(operation -> operation.type() == type);
  }

  private static boolean isEnd(PatternOperation operation) {
    return operation.type() == Type.COMMIT || operation.type() == Type.ABORT;
  }

  /** Its operations: {@code R1[x0] W2[x1] C2 W1[x2] C1}. */
  @Override
  public String toString() {
    return operations.stream().map(PatternOperation::toString).collect(Collectors.joining(" "));
  }

  /** Its id and operations, as reports show it. */
  public String describe() {
    boolean isNumber = id.chars().allMatch(Character::isDigit);
    return String.format(Locale.ROOT, "%s%s (%s)", isNumber ? "pattern " : "", id, this);
  }
}
