package io.txwatch.pattern;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Finds a pattern in recorded operations (section 3.5.2).
 *
 * <p>The paper searches a path of dependencies of the same kinds. Here the operations themselves
 * have to match: each operation of the pattern is a recorded one of the same type, in the same
 * order; the pattern's transactions and items are different recorded ones; and the versions of each
 * item follow each other as in the pattern. So each dependency is a direct one, and what the
 * pattern states of commits holds in the execution.
 */
public final class PatternMatcher {

  private final AnomalyPattern pattern;
  private final List<RecordedOperation> history;
  private final List<RecordedOperation> chosen = new ArrayList<>();

  /** The recorded transaction of each of the pattern's transactions. */
  private final Map<Integer, String> transactions = new HashMap<>();

  /** The recorded item of each of the pattern's items. */
  private final Map<String, String> items = new HashMap<>();

  /** By the pattern's item, the position of its version 0 in the item's version order. */
  private final Map<String, Integer> origins = new HashMap<>();

  private PatternMatcher(AnomalyPattern pattern, List<RecordedOperation> history) {
    this.pattern = pattern;
    this.history = history;
  }

  /**
   * Finds a pattern.
   *
   * @param history the recorded operations, in the order of their moments
   */
  public static Optional<PatternMatch> find(
      AnomalyPattern pattern, List<RecordedOperation> history) {
    PatternMatcher matcher = new PatternMatcher(pattern, history);
    return matcher.matchFrom(0)
        ? Optional.of(new PatternMatch(pattern, matcher.chosen))
        : Optional.empty();
  }

  private boolean matchFrom(int index) {
    if (index == pattern.operations().size()) {
      return true;
    }
    PatternOperation wanted = pattern.operations().get(index);
    for (RecordedOperation candidate : history) {
      if (candidate.type() == wanted.type()
          && follows(candidate)
          && choose(wanted, candidate, index)) {
        return true;
      }
    }
    return false;
  }

  /** True if it comes after the last chosen operation, or belongs to the same statement. */
  private boolean follows(RecordedOperation candidate) {
    if (chosen.isEmpty()) {
      return true;
    }
    RecordedOperation last = chosen.get(chosen.size() - 1);
    return candidate.moment() > last.moment()
        || candidate.moment() == last.moment() && !chosen.contains(candidate);
  }

  /** Binds an operation and matches the rest; reverts the binding if that fails. */
  private boolean choose(PatternOperation wanted, RecordedOperation candidate, int index) {
    @Nullable String transaction = transactions.get(wanted.transaction());
    boolean bindsTransaction = transaction == null;
    if (bindsTransaction
        ? transactions.containsValue(candidate.transaction())
        : !candidate.transaction().equals(transaction)) {
      return false;
    }
    boolean bindsItem = false;
    if (wanted.type().accessesItem()) {
      @Nullable String item = items.get(wanted.item());
      bindsItem = item == null;
      if (bindsItem ? items.containsValue(candidate.item()) : !isVersion(wanted, candidate)) {
        return false;
      }
    }
    if (bindsTransaction) {
      transactions.put(wanted.transaction(), candidate.transaction());
    }
    if (bindsItem) {
      items.put(wanted.item(), candidate.item());
      origins.put(wanted.item(), candidate.version() - wanted.version());
    }
    chosen.add(candidate);
    if (matchFrom(index + 1)) {
      return true;
    }
    chosen.remove(chosen.size() - 1);
    if (bindsItem) {
      items.remove(wanted.item());
      origins.remove(wanted.item());
    }
    if (bindsTransaction) {
      transactions.remove(wanted.transaction());
    }
    return false;
  }

  private boolean isVersion(PatternOperation wanted, RecordedOperation candidate) {
    return candidate.item().equals(items.get(wanted.item()))
        && candidate.version() - wanted.version() == origins.getOrDefault(wanted.item(), 0);
  }
}
