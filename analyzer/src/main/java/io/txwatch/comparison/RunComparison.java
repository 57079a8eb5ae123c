package io.txwatch.comparison;

import io.txwatch.baseline.Fingerprint;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * What a run has that an earlier one had not.
 *
 * @param before the earlier run
 * @param after the later one
 * @param added the kinds that only the later one has
 * @param gone the kinds that only the earlier one has
 * @param renamed the kinds whose operations have other names now
 * @param more the kinds that occur more often in as many transactions, at least twice as often, and
 *     not by chance
 * @param reason why the runs cannot be compared; empty if they can
 */
public record RunComparison(
    ObservedRun before,
    ObservedRun after,
    List<RunKind> added,
    List<RunKind> gone,
    List<Pair> renamed,
    List<Pair> more,
    Optional<String> reason) {

  /**
   * Below this share of the earlier run's transactions nothing is concluded from what is absent.
   */
  private static final double MIN_SHARE = 0.1;

  /** A kind that is expected less often may be absent by chance: in one run of twenty. */
  private static final double EXPECTED = 3;

  /** The points of observed statements that a later run may have fewer. */
  private static final double POINTS = 5;

  /** By so many standard deviations a kind is more frequent: by chance in one of 30 000. */
  private static final double DEVIATIONS = 4;

  private static final double TWICE = 2;

  /**
   * A kind in both runs.
   *
   * @param before as the earlier run has it
   * @param after as the later one has it
   */
  public record Pair(RunKind before, RunKind after) {}

  /** What a comparison shows. */
  public enum Result {
    /** Nothing is new. */
    SAME,
    /** A kind is new. */
    NEW,
    /** Nothing is new, which may be because of how much the runs observed. */
    INCONCLUSIVE
  }

  public RunComparison {
    added = List.copyOf(added);
    gone = List.copyOf(gone);
    renamed = List.copyOf(renamed);
    more = List.copyOf(more);
  }

  /** Compares two runs. */
  public static RunComparison of(ObservedRun before, ObservedRun after) {
    List<RunKind> added = new ArrayList<>(missing(after, before));
    List<RunKind> gone = new ArrayList<>(missing(before, after));
    List<Pair> renamed = new ArrayList<>();
    Fingerprint.renamed(ids(gone), ids(added))
        .forEach((id, old) -> renamed.add(new Pair(kind(before, old), kind(after, id))));
    renamed.forEach(
        pair -> {
          added.remove(pair.after());
          gone.remove(pair.before());
        });
    List<Pair> more = new ArrayList<>();
    for (RunKind kind : after.kinds().values()) {
      RunKind old = before.kinds().get(kind.id());
      if (old != null) {
        addIfMore(new Pair(old, kind), before, after, more);
      }
    }
    renamed.forEach(pair -> addIfMore(pair, before, after, more));
    return new RunComparison(before, after, added, gone, renamed, more, reason(before, after));
  }

  /** What it shows. */
  public Result result() {
    return !added.isEmpty() ? Result.NEW : reason.isPresent() ? Result.INCONCLUSIVE : Result.SAME;
  }

  /**
   * Whether a kind may be gone by chance: because the later run has too few transactions to expect
   * it for certain.
   */
  public boolean mayBeChance(RunKind goneKind) {
    return before.traffic().isPresent()
        && after.traffic().isPresent()
        && goneKind.count() * (double) after.traffic().get().transactions()
            < EXPECTED * before.traffic().get().transactions();
  }

  private static RunKind kind(ObservedRun in, Fingerprint id) {
    return Objects.requireNonNull(in.kinds().get(id));
  }

  private static List<Fingerprint> ids(List<RunKind> kinds) {
    return kinds.stream().map(RunKind::id).toList();
  }

  private static List<RunKind> missing(ObservedRun in, ObservedRun from) {
    Map<Fingerprint, RunKind> other = from.kinds();
    return in.kinds().values().stream().filter(kind -> !other.containsKey(kind.id())).toList();
  }

  /**
   * Given how often a kind occurred in both runs together, its occurrences in the later one are
   * binomial if the rate is the same.
   */
  private static void addIfMore(Pair pair, ObservedRun before, ObservedRun after, List<Pair> more) {
    if (before.traffic().isEmpty() || after.traffic().isEmpty()) {
      return;
    }
    double earlier = before.traffic().get().transactions();
    double later = after.traffic().get().transactions();
    if (earlier == 0 || later == 0) {
      return;
    }
    double share = later / (earlier + later);
    double all = pair.before().count() + pair.after().count();
    double excess = pair.after().count() - all * share;
    boolean isTwice = pair.after().count() / later >= TWICE * pair.before().count() / earlier;
    if (isTwice && excess > DEVIATIONS * Math.sqrt(all * share * (1 - share))) {
      more.add(pair);
    }
  }

  private static Optional<String> reason(ObservedRun before, ObservedRun after) {
    for (ObservedRun run : List.of(before, after)) {
      if (run.traffic().isEmpty()) {
        return Optional.of(run.name() + " does not state how much was observed");
      } else if (run.traffic().get().transactions() == 0) {
        return Optional.of(run.name() + ": no transaction was observed");
      }
    }
    Traffic earlier = before.traffic().orElseThrow();
    Traffic later = after.traffic().orElseThrow();
    double share = (double) later.transactions() / earlier.transactions();
    if (later.lost() > 0) {
      return Optional.of(after.name() + ": events are missing (" + later.lost() + ")");
    } else if (earlier.observedPercent() - later.observedPercent() > POINTS) {
      return Optional.of(
          String.format(
              Locale.ROOT,
              "%s: %.0f %% of the statements were observed, %.0f %% before",
              after.name(),
              later.observedPercent(),
              earlier.observedPercent()));
    } else if (share < MIN_SHARE) {
      return Optional.of(
          String.format(
              Locale.ROOT,
              "%s has %d transactions, %d before",
              after.name(),
              later.transactions(),
              earlier.transactions()));
    }
    return Optional.empty();
  }
}
