package io.txwatch.proof;

import io.txwatch.anomaly.Anomaly;
import io.txwatch.anomaly.Phenomenon;
import io.txwatch.dbms.Dbms;
import io.txwatch.dbms.Failure;
import io.txwatch.history.IsolationLevel;
import io.txwatch.interleave.Interleaved;
import io.txwatch.interleave.Interleaved.Verdict;
import io.txwatch.predict.CoincidingKeys;
import io.txwatch.predict.ComparedLists;
import io.txwatch.predict.DependentValues;
import io.txwatch.predict.ObservedOperation;
import io.txwatch.predict.OperationSample;
import io.txwatch.predict.OperationTemplate;
import io.txwatch.predict.ProofInstance;
import io.txwatch.predict.RaceCandidate;
import io.txwatch.predict.ValueOrigins;
import io.txwatch.proof.CandidateCase.NotPossibleException;
import io.txwatch.proof.RaceProof.Result;
import io.txwatch.proof.RaceProof.TriedRepair;
import io.txwatch.schedule.CaseInterleaver;
import io.txwatch.schedule.ObservedPath.LeftException;
import io.txwatch.schedule.ObservedPath.Strictness;
import io.txwatch.schedule.ScheduleExecutor.SetupException;
import io.txwatch.sql.dialect.Dialect;
import io.txwatch.testcase.Step;
import io.txwatch.testcase.TestCase;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Executes candidates in every order of their statements, in a schema of its own.
 *
 * <p>An operation repeats a transaction that was observed. It goes on with a write only as long as
 * everything that it has read is what it reads when it is alone; otherwise the application might
 * have done something else. So an order that shows a race is one that the application can take. A
 * candidate is refuted if no order shows one even without this condition.
 */
public final class RaceProver {

  private static final String NO_ORDER =
      "no order of the statements gives what no order of whole operations gives";
  private static final String ONLY_IF =
      "it is a race only if an operation goes on although it has read something else than observed";
  private static final String ONLY_IF_COUNTED =
      "it is a race only if an operation goes on although a statement has found more or fewer rows"
          + " than observed";
  private static final String NO_VALUES =
      "for no transaction whose values are recorded the keys can be made equal";

  private static final String KEYS_DIFFER =
      "no order shows a race with arguments with which the keys, which are read, may be equal";

  private static final String EQUAL_KEYS =
      "both insert rows with a key that selects rows, too: no order shows a race, but rows with"
          + " different keys might";

  private static final String LISTS_DIFFER =
      "no order shows a race, but the lists that rows are chosen by have no value in common";

  private static final String LEFT = "throws " + LeftException.class.getName();

  /** In how many ways a candidate's operations are given values. */
  private static final int MAX_ATTEMPTS = 8;

  /** How many of these ways are transactions that had equal keys. */
  private static final int MAX_AS_OBSERVED = 2;

  private static final int MAX_COMBINATIONS = 100;

  /** In how many ways, if it is not known whether the keys are equal. */
  private static final int MAX_PERHAPS_EQUAL = 4;

  /** How many transactions of an operation are searched whose rows are still there. */
  private static final int MAX_WITH_ROWS = 3;

  /** The most time of all orders of a candidate, and again of its repairs, where people wait. */
  public static final Duration MAX_TIME = Duration.ofSeconds(10);

  /**
   * How many orders of a repair are executed. One that has more is not known to prevent the race,
   * however many of them do not show it: its time is left to the repairs after it.
   */
  private static final int MAX_ORDERS_OF_REPAIR = 60;

  private static final Duration MIN_TIME_OF_REPAIR = Duration.ofSeconds(1);

  private static final String TOO_LONG = "its orders take more than %d s";

  private final Dbms dbms;
  private final Connection source;
  private final CaseInterleaver interleaver;
  private final Duration maxTime;
  private final Duration maxTimeOfRepairs;
  private final Map<OperationTemplate, List<OperationSample>> samples = new IdentityHashMap<>();
  private final Map<OperationTemplate, List<OperationSample>> ordered = new IdentityHashMap<>();

  /**
   * A prover.
   *
   * @param source a connection to the database that has the tables; only read
   * @param operations those that candidates are made of
   * @param maxTime the most time of all orders of a candidate
   * @param maxTimeOfRepairs the most time of its repairs; none is tried if it is zero
   */
  public RaceProver(
      Dbms dbms,
      Connection source,
      CaseInterleaver interleaver,
      List<ObservedOperation> operations,
      Duration maxTime,
      Duration maxTimeOfRepairs) {
    this.dbms = dbms;
    this.source = source;
    this.interleaver = interleaver;
    this.maxTime = maxTime;
    this.maxTimeOfRepairs = maxTimeOfRepairs;
    operations.forEach(one -> samples.put(one.template(), one.samples()));
  }

  /** The transactions of an operation; those whose rows are no longer there come first. */
  private List<OperationSample> leastPromisingFirst(OperationTemplate template) {
    return ordered.computeIfAbsent(
        template,
        one -> {
          List<OperationSample> known = samples.getOrDefault(one, List.of());
          if (known.size() < 2) {
            return known;
          }
          List<OperationSample> gone = new ArrayList<>();
          int there = 0;
          for (int i = known.size() - 1; i >= 0 && there < MAX_WITH_ROWS; i--) {
            if (CandidateCase.hasRowsOf(instance(one, known.get(i), known, true), dbms, source)) {
              there++;
            } else {
              gone.add(0, known.get(i));
            }
          }
          List<OperationSample> all = new ArrayList<>(gone);
          known.stream().filter(sample -> !gone.contains(sample)).forEach(all::add);
          return all;
        });
  }

  /**
   * Executes a candidate.
   *
   * @param levels the level of each of its operations
   * @throws SQLException if the DBMS cannot be reached
   */
  public RaceProof prove(RaceCandidate candidate, List<IsolationLevel> levels)
      throws SQLException, InterruptedException {
    Attempts attempts = new Attempts(candidate, levels);
    List<List<ProofInstance>> later = new ArrayList<>();
    List<CandidateCase> open = new ArrayList<>();
    Set<List<ProofInstance>> all = instances(candidate);
    if (all.isEmpty()) {
      all = perhapsEqual(candidate);
      attempts.refuteNothing(KEYS_DIFFER);
    }
    for (List<ProofInstance> instances : all) {
      if (attempts.isHalfOver()) {
        later.add(instances);
        continue;
      }
      Optional<CandidateCase> made = attempts.make(instances);
      if (made.isPresent()) {
        RaceProof found =
            attempts.execute(made.get(), () -> attempts.executeDescribed(made.get(), open));
        if (found != null) {
          return found;
        }
      }
    }
    attempts.beginAllOrders();
    for (int i = 0; i < open.size() + later.size() && !attempts.isTooLong(); i++) {
      Optional<CandidateCase> made =
          i < open.size() ? Optional.of(open.get(i)) : attempts.make(later.get(i - open.size()));
      if (made.isPresent()) {
        RaceProof found = attempts.execute(made.get(), () -> attempts.executeAll(made.get()));
        if (found != null) {
          return found;
        }
      }
    }
    return attempts.unproven();
  }

  /** The ways to give the operations values, the most promising first. */
  private Set<List<ProofInstance>> instances(RaceCandidate candidate) {
    Set<List<ProofInstance>> all = new LinkedHashSet<>(asObserved(candidate));
    for (int back = 0; back < 2; back++) {
      for (boolean differently : new boolean[] {true, false}) {
        for (boolean sameSample : new boolean[] {true, false}) {
          for (boolean namesakesAlone : new boolean[] {true, false}) {
            observed(candidate, back, sameSample, namesakesAlone)
                .flatMap(one -> CoincidingKeys.of(candidate, one, differently, !namesakesAlone))
                .filter(one -> all.size() < MAX_ATTEMPTS)
                .ifPresent(all::add);
          }
        }
      }
    }
    return all;
  }

  /** As {@link #instances}, with keys of which it is not known whether they are equal. */
  private Set<List<ProofInstance>> perhapsEqual(RaceCandidate candidate) {
    Set<List<ProofInstance>> all = new LinkedHashSet<>();
    for (int back = 0; back < MAX_PERHAPS_EQUAL; back++) {
      observed(candidate, back, true, false)
          .flatMap(one -> CoincidingKeys.perhaps(candidate, one))
          .ifPresent(all::add);
    }
    return all;
  }

  /**
   * Transactions of different operations that had equal keys when they were observed, the last ones
   * first: nothing has to be replaced.
   */
  private Set<List<ProofInstance>> asObserved(RaceCandidate candidate) {
    Set<List<ProofInstance>> all = new LinkedHashSet<>();
    if (Set.copyOf(candidate.operations()).size() < candidate.operations().size()) {
      return all; // one transaction is repeated by both
    }
    List<List<ProofInstance>> combinations = new ArrayList<>(List.of(List.of()));
    for (OperationTemplate template : candidate.operations()) {
      List<OperationSample> known = leastPromisingFirst(template);
      List<List<ProofInstance>> longer = new ArrayList<>();
      for (List<ProofInstance> shorter : combinations) {
        for (int i = known.size() - 1; i >= 0 && longer.size() < MAX_COMBINATIONS; i--) {
          List<ProofInstance> instances = new ArrayList<>(shorter);
          instances.add(instance(template, known.get(i), known, true));
          longer.add(instances);
        }
      }
      combinations = longer;
    }
    for (List<ProofInstance> instances : combinations) {
      CoincidingKeys.of(candidate, instances, false, false)
          .filter(one -> all.size() < MAX_AS_OBSERVED)
          .ifPresent(all::add);
    }
    return all;
  }

  private static ProofInstance instance(
      OperationTemplate template,
      OperationSample sample,
      List<OperationSample> known,
      boolean namesakesAlone) {
    return new ProofInstance(
        template, sample, ValueOrigins.of(template, sample, known, namesakesAlone), Map.of());
  }

  /**
   * The operations as they were observed.
   *
   * @param back how many samples before the last one
   * @param sameSample whether two instances of one operation repeat the same transaction
   * @param namesakesAlone as in {@link ValueOrigins#of}
   */
  private Optional<List<ProofInstance>> observed(
      RaceCandidate candidate, int back, boolean sameSample, boolean namesakesAlone) {
    Map<OperationTemplate, Integer> used = new HashMap<>();
    List<ProofInstance> instances = new ArrayList<>();
    for (OperationTemplate template : candidate.operations()) {
      List<OperationSample> known = leastPromisingFirst(template);
      int index =
          known.size() - 1 - back - (sameSample ? 0 : used.merge(template, 1, Integer::sum) - 1);
      if (index < 0) {
        return Optional.empty();
      }
      OperationSample sample = known.get(index);
      instances.add(instance(template, sample, known, namesakesAlone));
    }
    return Optional.of(instances);
  }

  /** The executions of one candidate. */
  private final class Attempts {
    private final RaceCandidate candidate;
    private final List<IsolationLevel> levels;
    private int executions;
    private boolean isExecuted;
    private boolean mayRace;
    private boolean mayRaceUncounted;
    private boolean stopped;
    private boolean isOutOfTime;
    private long began = System.nanoTime();
    private String undecided = "";
    private String notRefuted = "";

    Attempts(RaceCandidate candidate, List<IsolationLevel> levels) {
      this.candidate = candidate;
      this.levels = levels;
    }

    /** The case with these values; empty if the application would not execute them together. */
    Optional<CandidateCase> make(List<ProofInstance> instances) {
      Optional<String> dependent = dependent(instances);
      if (dependent.isPresent()) {
        undecide(dependent.get());
        return Optional.empty();
      }
      try {
        return Optional.of(CandidateCase.of(instances, levels, dbms, source));
      } catch (NotPossibleException e) {
        undecide(String.valueOf(e.getMessage()));
        return Optional.empty();
      }
    }

    /** The executions of a case; null if they do not show a race. */
    private interface Executions {
      @Nullable Interleaved run() throws SQLException, SetupException, InterruptedException;
    }

    /** Executes a case; null if that proves nothing. */
    @Nullable RaceProof execute(CandidateCase made, Executions some)
        throws SQLException, InterruptedException {
      try {
        Interleaved race = some.run();
        if (race == null) {
          return null;
        }
        if (!made.notAsFound().isEmpty()) {
          undecide(made.notAsFound());
          return null;
        }
        return confirmed(made, race);
      } catch (SetupException e) {
        undecide(String.valueOf(e.getMessage()));
      } catch (SQLException e) {
        if (dbms.failure(e).equals(Failure.CONNECTION_LOST)) {
          throw e;
        }
        undecide("a statement fails although its operation is alone: " + e.getMessage());
      } catch (LeftException e) {
        undecide(
            made.inPart().isEmpty()
                ? "the rows are no longer as the operation found them: " + e.getMessage()
                : made.inPart() + ": " + e.getMessage());
      }
      return null;
    }

    /**
     * Executes the orders that the candidate describes: if it is a race, most often one of them
     * shows it.
     *
     * @param open takes the case if others have to be executed
     */
    @Nullable Interleaved executeDescribed(CandidateCase made, List<CandidateCase> open)
        throws SQLException, SetupException, InterruptedException {
      Interleaved found =
          interleaver
              .only(DescribedOrders.of(candidate, made))
              .within(timeLeft())
              .interleave(made.testCase(), made.level(), made.paths(), Strictness.VALUES);
      executions += found.executions();
      if (found.verdict() == Verdict.RACE) {
        return found;
      }
      open.add(made);
      return null;
    }

    /** Executes all orders. */
    @Nullable Interleaved executeAll(CandidateCase made)
        throws SQLException, SetupException, InterruptedException {
      Interleaved found = interleaveOnce(made);
      if (found == null || found.verdict() != Verdict.RACE) {
        found = interleave(made, Strictness.VALUES);
      }
      if (found.verdict() == Verdict.RACE) {
        return found;
      }
      if (found.verdict() == Verdict.SAFE) {
        found = interleave(made, Strictness.COUNTS);
      }
      switch (found.verdict()) {
        case SAFE -> {
          if (!made.notAsFound().isEmpty()) {
            undecide(made.notAsFound());
            break;
          }
          if (!made.inPart().isEmpty()) {
            undecide("no order shows a race, but " + made.inPart());
            break;
          }
          if (!made.unchanged().isEmpty()) {
            undecide("no order shows a race, but " + made.unchanged());
            break;
          }
          if (CoincidingKeys.insertEqualKeys(candidate, made.instances())) {
            undecide(EQUAL_KEYS);
            break;
          }
          if (ComparedLists.chooseOtherRows(candidate, made.instances())) {
            undecide(LISTS_DIFFER);
            break;
          }
          if (!isExecuted) {
            mayRaceUncounted = mayRaceIfItGoesOn(made);
          }
          isExecuted = true;
        }
        case UNDECIDED -> {
          isOutOfTime |= timeLeft().isZero();
          undecide(found.reason());
        }
        case RACE -> mayRace = true;
      }
      return null;
    }

    /** Why the application would not execute these values together. */
    private Optional<String> dependent(List<ProofInstance> instances) {
      for (int i = 0; i < instances.size(); i++) {
        ProofInstance instance = instances.get(i);
        Optional<String> reason =
            DependentValues.of(
                instance, samples.getOrDefault(instance.template(), List.of()), "T" + (i + 1));
        if (reason.isPresent()) {
          return reason;
        }
      }
      return Optional.empty();
    }

    /**
     * Of three operations and more there are many orders. Most cycles need only those in which one
     * operation is interrupted once, by all others; null if there are only two operations.
     */
    private @Nullable Interleaved interleaveOnce(CandidateCase made)
        throws SQLException, SetupException, InterruptedException {
      if (made.instances().size() == 2) {
        return null;
      }
      Interleaved found =
          interleaver
              .withPreemptions(1)
              .within(timeLeft())
              .interleave(made.testCase(), made.level(), made.paths(), Strictness.VALUES);
      executions += found.executions();
      return found;
    }

    private Interleaved interleave(CandidateCase made, Strictness strictness)
        throws SQLException, SetupException, InterruptedException {
      Interleaved found =
          interleaver
              .within(timeLeft())
              .interleave(made.testCase(), made.level(), made.paths(), strictness);
      executions += found.executions();
      return found;
    }

    /** Whether an operation races that writes after a statement has found other rows. */
    private boolean mayRaceIfItGoesOn(CandidateCase made)
        throws SQLException, SetupException, InterruptedException {
      return interleave(made, Strictness.LAST_COUNT).verdict() == Verdict.RACE;
    }

    private String tooLong() {
      return String.format(Locale.ROOT, TOO_LONG, maxTime.toSeconds());
    }

    private Duration timeLeft() {
      return left(maxTime, began);
    }

    /** All orders have as much time as if none had been executed. */
    void beginAllOrders() {
      began = System.nanoTime();
    }

    /** Whether no other values are given to the orders that the candidate describes. */
    boolean isHalfOver() {
      return timeLeft().compareTo(maxTime.dividedBy(2)) < 0;
    }

    /** No order that shows no race refutes the candidate. */
    void refuteNothing(String reason) {
      notRefuted = reason;
    }

    /** Whether no other values are tried: a candidate that is not executed is not refuted. */
    boolean isTooLong() {
      boolean isTooLong = timeLeft().isZero();
      isOutOfTime |= isTooLong;
      stopped |= isTooLong;
      return isTooLong;
    }

    private void undecide(String reason) {
      if (undecided.isEmpty()) {
        undecided = reason;
      }
    }

    private RaceProof confirmed(CandidateCase made, Interleaved found)
        throws SQLException, InterruptedException {
      return new RaceProof(
          candidate,
          Result.CONFIRMED,
          phenomenon(made, found),
          levels,
          found.reason().replace(LEFT, "stops, as it finds something else than observed"),
          executions,
          found.schedule(),
          found.anomalies(),
          Optional.of(inOrder(made.testCase(), found.schedule())),
          made.assumptions(),
          repairs(candidate, made));
    }

    /** The predicted one if it was executed, else the first that was; empty if none is proven. */
    private Optional<Phenomenon> phenomenon(CandidateCase made, Interleaved race) {
      List<Phenomenon> found = race.anomalies().stream().map(Anomaly::phenomenon).toList();
      if (found.isEmpty()) {
        Dialect dialect = Dialect.of(dbms.database().product().name());
        return PhenomenonOfOrder.of(made, race.schedule(), dialect);
      }
      return Optional.of(
          found.contains(candidate.phenomenon()) ? candidate.phenomenon() : found.get(0));
    }

    /** Refuted if the ways to give it values that could be executed show nothing. */
    RaceProof unproven() {
      boolean isRefuted =
          isExecuted && !mayRace && !mayRaceUncounted && !stopped && notRefuted.isEmpty();
      return new RaceProof(
          candidate,
          isRefuted ? Result.REFUTED : Result.UNDECIDED,
          Optional.of(candidate.phenomenon()),
          levels,
          isRefuted ? NO_ORDER : whyUndecided(),
          executions,
          List.of(),
          List.of(),
          Optional.empty(),
          List.of(),
          List.of());
    }

    private String whyUndecided() {
      if (mayRace) {
        return ONLY_IF;
      }
      if (mayRaceUncounted) {
        return ONLY_IF_COUNTED;
      }
      if (isOutOfTime) {
        return tooLong(); // which other reasons are found before depends on the machine
      }
      if (undecided.isEmpty()) {
        return isExecuted ? notRefuted : NO_VALUES;
      }
      return undecided;
    }
  }

  private static Duration left(Duration of, long began) {
    Duration left = of.minusNanos(System.nanoTime() - began);
    return left.isNegative() ? Duration.ZERO : left;
  }

  private List<TriedRepair> repairs(RaceCandidate candidate, CandidateCase made)
      throws SQLException, InterruptedException {
    List<TriedRepair> tried = new ArrayList<>();
    long began = System.nanoTime();
    for (Repair repair : Repair.of(candidate, made, dbms)) {
      if (left(maxTimeOfRepairs, began).compareTo(MIN_TIME_OF_REPAIR) < 0) {
        break;
      }
      CandidateCase changed = repair.changed();
      try {
        Interleaved found =
            interleaver
                .first(DescribedOrders.of(candidate, changed))
                .withExecutions(MAX_ORDERS_OF_REPAIR)
                .within(left(maxTimeOfRepairs, began).dividedBy(2))
                .interleave(
                    changed.testCase(), changed.level(), changed.paths(), Strictness.COUNTS);
        tried.add(new TriedRepair(repair.advice(), found.verdict() == Verdict.SAFE, cost(found)));
      } catch (SetupException | LeftException e) {
        tried.add(new TriedRepair(repair.advice(), false, String.valueOf(e.getMessage())));
      } catch (SQLException e) {
        if (dbms.failure(e).equals(Failure.CONNECTION_LOST)) {
          throw e;
        }
        tried.add(new TriedRepair(repair.advice(), false, String.valueOf(e.getMessage())));
      }
    }
    return tried;
  }

  private static String cost(Interleaved found) {
    return found.notes().stream().anyMatch(note -> note.contains(" throws "))
        ? "in some orders one of them is rolled back, and has to be repeated"
        : "";
  }

  /** The case with the statements of a schedule, as they were executed there. */
  static TestCase inOrder(TestCase testCase, List<String> schedule) {
    List<Step> steps = new ArrayList<>();
    Set<String> begun = new HashSet<>();
    for (String line : schedule) {
      int colon = line.indexOf(": ");
      String session = line.substring(0, colon);
      String sql = line.substring(colon + 2);
      if (begun.add(session)) {
        steps.add(new Step(steps.size() + 1, session, Optional.empty(), "BEGIN"));
      }
      steps.add(
          new Step(
              steps.size() + 1,
              session,
              Optional.empty(),
              sql.equals("commit") ? "COMMIT" : sql.equals("rollback") ? "ROLLBACK" : sql));
    }
    return testCase.withSteps(steps);
  }
}
