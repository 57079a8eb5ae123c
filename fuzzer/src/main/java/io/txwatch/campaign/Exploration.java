package io.txwatch.campaign;

import io.txwatch.campaign.WeightLearner.Observation;
import io.txwatch.generator.Weights;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;

/**
 * What the cases of a campaign have shown so far, and the weights of the next ones. Thread-safe.
 *
 * <p>The weights change after each epoch of so many cases, {@value #CASES_PER_EPOCH} in a campaign.
 * Those of an epoch depend on all epochs but the one before it, which other workers may still
 * execute, and on the cases' order by number. So they do not depend on the number of workers or on
 * their speed, as long as the DBMS behaves the same.
 */
final class Exploration {

  /** A multiple of the number of consecutive cases with the same tables, of any kind. */
  static final long CASES_PER_EPOCH = 512;

  /** The most texts that are remembered of a kind; beyond that nothing of the kind is new. */
  private static final int MAX_FEATURES = 1 << 17;

  private static final long POLL_INTERVAL_MILLIS = 100;

  private final boolean isLearning;
  private final long casesPerEpoch;
  private final long first;
  private final long end;
  private final Map<NoveltyKind, Set<String>> seen = new EnumMap<>(NoveltyKind.class);

  /** The cases of incomplete epochs, by number. */
  private final SortedMap<Long, Executed> executed = new TreeMap<>();

  /** By epoch, the weights that are known and may still be needed. */
  private final Map<Long, Weights> weights = new HashMap<>();

  private WeightLearner learner = WeightLearner.NOTHING;

  /** The first epoch that is not complete. */
  private long epoch;

  private record Executed(Set<String> productions, Map<NoveltyKind, Set<String>> features) {}

  /**
   * Creates the exploration of a campaign.
   *
   * @param isLearning false if all cases have the fixed weights
   * @param casesPerEpoch the number of cases with the same weights
   * @param first the number of the first case
   * @param end the number after that of the last case
   */
  Exploration(boolean isLearning, long casesPerEpoch, long first, long end) {
    this.isLearning = isLearning;
    this.casesPerEpoch = casesPerEpoch;
    this.first = first;
    this.end = end;
    this.epoch = first / casesPerEpoch;
    for (NoveltyKind kind : NoveltyKind.values()) {
      seen.put(kind, new HashSet<>());
    }
    weights.put(epoch, Weights.FIXED);
    weights.put(epoch + 1, Weights.FIXED);
  }

  /**
   * The weights of a case. Waits for the cases that they depend on.
   *
   * @param isOver true if the campaign ends before these are executed
   */
  synchronized Weights weights(long number, BooleanSupplier isOver) throws InterruptedException {
    if (!isLearning) {
      return Weights.FIXED;
    }
    long wanted = number / casesPerEpoch;
    while (!weights.containsKey(wanted) && !isOver.getAsBoolean()) {
      wait(POLL_INTERVAL_MILLIS);
    }
    return weights.getOrDefault(wanted, Weights.FIXED);
  }

  /**
   * Records an executed case.
   *
   * @param productions the productions that were made for it
   * @param features what it shows
   */
  synchronized void executed(
      long number, Set<String> productions, Map<NoveltyKind, Set<String>> features) {
    if (!isLearning) {
      novelties(features);
      return;
    }
    executed.put(number, new Executed(productions, features));
    while (!executed.isEmpty() && executed.headMap(endOf(epoch)).size() == size(epoch)) {
      completeEpoch();
    }
  }

  private void completeEpoch() {
    SortedMap<Long, Executed> complete = executed.headMap(endOf(epoch));
    learner =
        learner.after(
            complete.values().stream()
                .map(one -> new Observation(one.productions(), novelties(one.features())))
                .toList());
    complete.clear();
    weights.remove(epoch);
    epoch++;
    weights.put(epoch + 1, learner.weights());
    notifyAll();
  }

  private long endOf(long ofEpoch) {
    return Math.min(end, (ofEpoch + 1) * casesPerEpoch);
  }

  private long size(long ofEpoch) {
    return endOf(ofEpoch) - Math.max(first, ofEpoch * casesPerEpoch);
  }

  /** The kinds of which a case shows something new, which is not new from now on. */
  private Set<NoveltyKind> novelties(Map<NoveltyKind, Set<String>> features) {
    Set<NoveltyKind> novelties = EnumSet.noneOf(NoveltyKind.class);
    features.forEach(
        (kind, texts) -> {
          Set<String> known = Objects.requireNonNull(seen.get(kind));
          for (String text : texts) {
            if (known.size() < MAX_FEATURES && known.add(text)) {
              novelties.add(kind);
            }
          }
        });
    return novelties;
  }

  /** How many different things of each kind the cases have shown. */
  synchronized Map<NoveltyKind, Integer> counts() {
    Map<NoveltyKind, Integer> counts = new EnumMap<>(NoveltyKind.class);
    seen.forEach(
        (kind, known) -> {
          Set<String> more = new HashSet<>();
          executed
              .values()
              .forEach(one -> more.addAll(one.features().getOrDefault(kind, Set.of())));
          more.removeAll(known);
          counts.put(kind, known.size() + more.size());
        });
    return counts;
  }
}
