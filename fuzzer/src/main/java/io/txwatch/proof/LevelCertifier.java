package io.txwatch.proof;

import io.txwatch.dbms.Dbms;
import io.txwatch.history.IsolationLevel;
import io.txwatch.predict.AllocatedLevel;
import io.txwatch.predict.AllocatedLevel.PreventedLevel;
import io.txwatch.predict.ConflictingPairs;
import io.txwatch.predict.LevelAllocation;
import io.txwatch.predict.OperationTemplate;
import io.txwatch.predict.RaceCandidate;
import io.txwatch.proof.RaceProof.Result;
import io.txwatch.proof.RaceProof.TriedRepair;
import io.txwatch.rules.DbmsRules;
import io.txwatch.rules.Promise;
import io.txwatch.rules.registry.RulesRegistry;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Finds the weakest level of each operation, by {@link LevelAllocation}, and tests the levels.
 *
 * <p>Candidates that no execution shows are no reason against a level, nor are longer cycles of the
 * same operations: that is a test, not a proof, and is stated with the level. Then each pair of
 * operations with a conflict is executed at the levels that were found.
 */
public final class LevelCertifier {

  /** How often the search is repeated without the candidates that were refuted. */
  private static final int MAX_ROUNDS = 12;

  /** Candidates of more operations are not executed, and stay reasons. */
  private static final int MAX_OPERATIONS = 3;

  private record Executed(RaceCandidate candidate, IsolationLevel level) {}

  /** What the pairs of one operation have shown. */
  private static final class Tests {
    private int tested;
    private int untested;
    private final List<String> contradictions = new ArrayList<>();
  }

  private final Dbms dbms;
  private final RaceProver prover;
  private final Map<Executed, RaceProof> proofs = new HashMap<>();

  public LevelCertifier(Dbms dbms, RaceProver prover) {
    this.dbms = dbms;
    this.prover = prover;
  }

  /** A candidate that was executed already: it is not executed again. */
  public void add(RaceProof proof) {
    Set<IsolationLevel> levels = new HashSet<>(proof.levels());
    if (levels.size() == 1) {
      proofs.put(new Executed(proof.candidate(), proof.levels().get(0)), proof);
    }
  }

  /**
   * The level of each operation.
   *
   * @throws SQLException if the DBMS cannot be reached
   */
  public List<CertifiedLevel> certify(List<OperationTemplate> operations)
      throws SQLException, InterruptedException {
    Map<IsolationLevel, Set<RaceCandidate>> refuted = new EnumMap<>(IsolationLevel.class);
    List<AllocatedLevel> byTables = allocate(operations, refuted);
    List<AllocatedLevel> allocated = byTables;
    for (int i = 0; i < MAX_ROUNDS && refute(allocated, refuted); i++) {
      allocated = allocate(operations, refuted);
    }
    Map<OperationTemplate, Tests> tests = test(operations, allocated);
    List<CertifiedLevel> certified = new ArrayList<>();
    for (int i = 0; i < allocated.size(); i++) {
      AllocatedLevel one = allocated.get(i);
      Tests of = tests.getOrDefault(one.operation(), new Tests());
      Optional<PreventedLevel> weaker = last(one.prevented());
      if (weaker.isPresent()) {
        weaker = Optional.of(withoutRefuted(weaker.get()));
      }
      certified.add(
          new CertifiedLevel(
              one.operation(),
              one.level(),
              byTables.get(i).level(),
              weaker.map(this::reasons).orElse(List.of()),
              weaker.map(this::changes).orElse(List.of()),
              of.tested,
              of.untested,
              of.contradictions));
    }
    return certified;
  }

  private List<AllocatedLevel> allocate(
      List<OperationTemplate> operations, Map<IsolationLevel, Set<RaceCandidate>> refuted) {
    DbmsRules rules = RulesRegistry.of(dbms.database().product());
    Map<IsolationLevel, Promise.Kind> promises = new EnumMap<>(IsolationLevel.class);
    for (IsolationLevel level : dbms.levels()) {
      promises.put(level, rules.promise(level, dbms.database()).kind());
    }
    return LevelAllocation.of(operations, promises, locksReads(promises), refuted);
  }

  /** Where all levels seem to lock, it is not known which do. */
  private boolean locksReads(Map<IsolationLevel, Promise.Kind> promises) {
    return promises.keySet().stream().anyMatch(level -> !dbms.plainReadsLock(level))
        && promises.entrySet().stream()
            .filter(one -> one.getValue() == Promise.Kind.SERIALIZABLE)
            .allMatch(one -> dbms.plainReadsLock(one.getKey()));
  }

  /** Executes what prevents a weaker level; whether one more candidate is refuted. */
  private boolean refute(
      List<AllocatedLevel> allocated, Map<IsolationLevel, Set<RaceCandidate>> refuted)
      throws SQLException, InterruptedException {
    boolean more = false;
    for (AllocatedLevel one : allocated) {
      for (PreventedLevel prevented : one.prevented()) {
        Set<RaceCandidate> ofLevel =
            refuted.computeIfAbsent(prevented.searchedAt(), level -> new HashSet<>());
        int before = ofLevel.size();
        boolean isPrevented = isPrevented(prevented, ofLevel);
        more |= ofLevel.size() > before;
        if (!isPrevented) {
          break; // the operation may be allocated this level
        }
      }
    }
    return more;
  }

  /** Executes candidates up to one that is not refuted. */
  private boolean isPrevented(PreventedLevel prevented, Set<RaceCandidate> refuted)
      throws SQLException, InterruptedException {
    for (RaceCandidate candidate : prevented.candidates()) {
      if (!isRefuted(candidate, prevented.searchedAt())) {
        return true;
      }
      refuted.add(candidate);
    }
    return !prevented.reason().isEmpty();
  }

  private boolean isRefuted(RaceCandidate candidate, IsolationLevel level)
      throws SQLException, InterruptedException {
    return isExecutable(candidate, level) && prove(candidate, level).result() == Result.REFUTED;
  }

  private boolean isExecutable(RaceCandidate candidate, IsolationLevel level) {
    return candidate.operations().size() <= MAX_OPERATIONS && dbms.levels().contains(level);
  }

  private RaceProof prove(RaceCandidate candidate, IsolationLevel level)
      throws SQLException, InterruptedException {
    Executed key = new Executed(candidate, level);
    RaceProof known = proofs.get(key);
    if (known == null) {
      known = prover.prove(candidate, Collections.nCopies(candidate.operations().size(), level));
      proofs.put(key, known);
    }
    return known;
  }

  // ---------------------------------------------------------------- reasons

  private PreventedLevel withoutRefuted(PreventedLevel prevented)
      throws SQLException, InterruptedException {
    List<RaceCandidate> left = new ArrayList<>();
    for (RaceCandidate candidate : prevented.candidates()) {
      if (!isRefuted(candidate, prevented.searchedAt())) {
        left.add(candidate);
      }
    }
    return left.isEmpty()
        ? prevented // the rounds have ended before all candidates were executed
        : new PreventedLevel(prevented.level(), prevented.searchedAt(), left, prevented.reason());
  }

  private static Optional<PreventedLevel> last(List<PreventedLevel> levels) {
    return levels.isEmpty() ? Optional.empty() : Optional.of(levels.get(levels.size() - 1));
  }

  private List<String> reasons(PreventedLevel prevented) {
    if (!prevented.reason().isEmpty()) {
      return List.of(prevented.level().words() + ": " + prevented.reason());
    }
    return prevented.candidates().stream()
        .map(
            one ->
                String.format(
                    Locale.ROOT,
                    "%s at %s (%s)",
                    one,
                    prevented.searchedAt().words(),
                    Optional.ofNullable(proofs.get(new Executed(one, prevented.searchedAt())))
                        .map(proof -> proof.result().name().toLowerCase(Locale.ROOT))
                        .orElse("not executed")))
        .distinct()
        .toList();
  }

  /** Of each candidate the first change that removes it; nothing if one has none. */
  private List<String> changes(PreventedLevel prevented) {
    List<String> changes = new ArrayList<>();
    for (RaceCandidate candidate : prevented.candidates()) {
      Optional<String> change =
          Optional.ofNullable(proofs.get(new Executed(candidate, prevented.searchedAt())))
              .flatMap(
                  proof ->
                      proof.repairs().stream()
                          .filter(TriedRepair::removes)
                          .map(TriedRepair::advice)
                          .filter(advice -> !advice.startsWith(Repair.RUN_AT))
                          .findFirst());
      if (change.isEmpty()) {
        return List.of();
      }
      if (!changes.contains(change.get())) {
        changes.add(change.get());
      }
    }
    return changes;
  }

  // ---------------------------------------------------------------- tests

  private Map<OperationTemplate, Tests> test(
      List<OperationTemplate> operations, List<AllocatedLevel> allocated)
      throws SQLException, InterruptedException {
    Map<OperationTemplate, IsolationLevel> levels = new IdentityHashMap<>();
    allocated.forEach(one -> one.level().ifPresent(level -> levels.put(one.operation(), level)));
    Map<OperationTemplate, Tests> tests = new IdentityHashMap<>();
    for (List<RaceCandidate> ways : ConflictingPairs.of(operations)) {
      List<OperationTemplate> both = ways.isEmpty() ? List.of() : ways.get(0).operations();
      if (!ways.isEmpty() && levels.keySet().containsAll(both)) {
        test(ways, both.stream().map(levels::get).toList(), tests);
      }
    }
    return tests;
  }

  private void test(
      List<RaceCandidate> ways, List<IsolationLevel> levels, Map<OperationTemplate, Tests> tests)
      throws SQLException, InterruptedException {
    boolean isTested = false;
    List<String> contradictions = new ArrayList<>();
    for (RaceCandidate way : ways) {
      RaceProof proof = prover.prove(way, levels);
      isTested |= proof.result() != Result.UNDECIDED;
      if (proof.result() == Result.CONFIRMED) {
        contradictions.add(contradiction(proof));
      }
    }
    Set<OperationTemplate> both = Collections.newSetFromMap(new IdentityHashMap<>());
    both.addAll(ways.get(0).operations());
    for (OperationTemplate operation : both) {
      Tests of = tests.computeIfAbsent(operation, key -> new Tests());
      of.tested += isTested ? 1 : 0;
      of.untested += isTested ? 0 : 1;
      of.contradictions.addAll(contradictions);
    }
  }

  private static String contradiction(RaceProof proof) {
    return String.format(
        Locale.ROOT,
        "%s: %s at %s and %s at %s: %s",
        proof.term(),
        proof.candidate().operations().get(0),
        proof.levels().get(0).words(),
        proof.candidate().operations().get(1),
        proof.levels().get(1).words(),
        proof.reason());
  }
}
