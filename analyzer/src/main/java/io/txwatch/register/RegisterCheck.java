package io.txwatch.register;

import io.txwatch.anomaly.Anomaly;
import io.txwatch.anomaly.Phenomenon;
import io.txwatch.anomaly.Verdict;
import io.txwatch.history.IsolationLevel;
import io.txwatch.register.ReadsFrom.Choice;
import io.txwatch.register.ReadsFrom.Read;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Checks a register history: reads that are wrong by themselves, then the order of its writes.
 *
 * <p>At READ_UNCOMMITTED and READ_COMMITTED every history whose read-from edges form no cycle has
 * an order of writes that agrees with them. REPEATABLE_READ equals SERIALIZABLE here, since there
 * are no predicates.
 *
 * <p>Where a value was written more than once, each choice of writers is tried; if there are more
 * than {@value #MAX_CHOICES}, a valid history may stay undecided.
 */
public final class RegisterCheck {

  private static final int MAX_CHOICES = 256;

  private final RegisterHistory history;
  private final RegisterDemand demand;
  private final Budget budget;
  private final ReadsFrom readsFrom;
  private final RegisterAnomalies anomalies;
  private final Consumer<Anomaly> found;
  private boolean violated;

  private RegisterCheck(RegisterHistory history, RegisterDemand demand, Consumer<Anomaly> found) {
    this.history = history;
    this.demand = demand;
    this.found = found;
    this.budget = new Budget(demand.budget());
    this.readsFrom = new ReadsFrom(history, demand.level() != IsolationLevel.READ_UNCOMMITTED);
    this.anomalies = new RegisterAnomalies(history, demand.level());
  }

  /**
   * The result of a check.
   *
   * @param valid whether the history satisfies its level; empty if undecided
   * @param reason why not, or what the result rests on; for display
   */
  public record Result(Optional<Boolean> valid, String reason) {}

  /**
   * Checks a history.
   *
   * @param found receives each anomaly
   */
  public static Result check(
      RegisterHistory history, RegisterDemand demand, Consumer<Anomaly> found) {
    return new RegisterCheck(history, demand, found).check();
  }

  private Result check() {
    readsFrom.wrong().forEach(wrong -> report(anomalies.of(wrong)));
    List<Read> reads = readsFrom.reads();
    ExplanationSearch certain = new ExplanationSearch(history, readsFrom, reads, demand, budget);
    certain.certainCycles().forEach(cycle -> report(anomalies.of(cycle)));
    if (violated) {
      return new Result(Optional.of(false), "");
    } else if (certain.dependencies() == 0 && readsFrom.choices().isEmpty()) {
      return new Result(Optional.empty(), "no transaction depends on another");
    } else if (readsFrom.unresolved() > 0) {
      return new Result(
          Optional.empty(),
          readsFrom.unresolved()
              + " reads of values that a transaction of unknown outcome and another one may have"
              + " written: nothing certain is wrong, and nothing more can be said");
    } else if (readsFrom.choices().isEmpty()) {
      return decided(certain.search());
    }
    return choose(certain);
  }

  private void report(Anomaly anomaly) {
    violated |= anomaly.verdict() == Verdict.VIOLATION;
    found.accept(anomaly);
  }

  private Result decided(ExplanationSearch.Result result) {
    result.cycles().forEach(cycle -> report(anomalies.of(cycle)));
    return new Result(result.valid(), result.reason());
  }

  /** Tries each choice of a writer for the reads that have several candidates. */
  private Result choose(ExplanationSearch certain) {
    List<Choice> choices = new ArrayList<>();
    long combinations = 1;
    for (Choice choice : readsFrom.choices()) {
      Choice left = new Candidates(certain, choice).plausibleFirst();
      choices.add(left);
      combinations = Math.min(combinations * left.writes().length, MAX_CHOICES + 1);
    }
    ExplanationSearch.Result first = null;
    boolean undecided = combinations > MAX_CHOICES;
    for (int combination = 0;
        combination < (undecided ? 1 : combinations) && !budget.isExhausted();
        combination++) {
      ExplanationSearch.Result result = explain(choices, combination);
      if (result.valid().equals(Optional.of(true))) {
        return decided(result);
      }
      undecided |= result.valid().isEmpty();
      first = first == null ? result : first;
    }
    if (first != null && !undecided && !budget.isExhausted()) {
      return decided(
          new ExplanationSearch.Result(
              Optional.of(false),
              first.cycles(),
              "no choice of writers and no order of the writes explains all reads; the cycle is"
                  + " that of one of them"));
    }
    return new Result(
        Optional.empty(),
        choices.size()
            + " reads of values that more than one transaction may have written: nothing certain is"
            + " wrong, and nothing more can be said");
  }

  private ExplanationSearch.Result explain(List<Choice> choices, int combination) {
    List<Read> reads = new ArrayList<>(readsFrom.reads());
    int rest = combination;
    for (Choice choice : choices) {
      int write = choice.writes()[rest % choice.writes().length];
      rest /= choice.writes().length;
      int writer = write < 0 ? ReadsFrom.INITIAL : readsFrom.owner(write);
      reads.add(new Read(choice.reader(), choice.op(), writer, write));
    }
    ExplanationSearch explanation =
        new ExplanationSearch(history, readsFrom, reads, demand, budget);
    List<List<Cycles.Edge>> cycles = explanation.certainCycles();
    return cycles.isEmpty()
        ? explanation.search()
        : new ExplanationSearch.Result(Optional.of(false), cycles, "");
  }

  /** The candidates of a read that what is certain does not exclude; all, if it excludes all. */
  private final class Candidates {
    private final ExplanationSearch certain;
    private final Choice choice;

    Candidates(ExplanationSearch certain, Choice choice) {
      this.certain = certain;
      this.choice = choice;
    }

    /** The last one before the read, in a plausible order, first. */
    Choice plausibleFirst() {
      int key = history.key(choice.op());
      List<Integer> left = new ArrayList<>();
      for (int write : choice.writes()) {
        if (!certain.isExcluded(choice.reader(), key, write)) {
          left.add(write);
        }
      }
      if (left.isEmpty()) {
        left.add(choice.writes()[0]);
      }
      left.sort((one, other) -> Long.compare(distance(one), distance(other)));
      return new Choice(
          choice.reader(), choice.op(), left.stream().mapToInt(Integer::intValue).toArray());
    }

    private long distance(int write) {
      long reader = certain.rank(choice.reader());
      long writer = write < 0 ? -1 : certain.rank(readsFrom.owner(write));
      return writer <= reader ? reader - writer : Integer.MAX_VALUE + writer;
    }
  }

  /** Whether a phenomenon violates a level. */
  static boolean isProscribed(Phenomenon phenomenon, IsolationLevel level) {
    return io.txwatch.anomaly.AdyaLevel.of(level).compareTo(phenomenon.proscribedFrom()) >= 0
        || level == IsolationLevel.SNAPSHOT
            && phenomenon != Phenomenon.WRITE_SKEW
            && phenomenon != Phenomenon.G2_ITEM;
  }
}
