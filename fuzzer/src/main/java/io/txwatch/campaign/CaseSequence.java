package io.txwatch.campaign;

import io.txwatch.dbms.Dbms;
import io.txwatch.generator.CaseGenerator;
import io.txwatch.generator.CaseKind;
import io.txwatch.generator.GeneratedDialect;
import io.txwatch.generator.Weights;
import io.txwatch.history.IsolationLevel;
import io.txwatch.oracle.Oracle;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/** The cases of a campaign: the {@code n}-th one is the same for each worker. */
final class CaseSequence {

  /** The number of consecutive cases of one kind. */
  private static final long CASES_PER_KIND = CaseKind.PATTERNS.casesPerSchema();

  private static final int PERCENT_WITH_MIXED_LEVELS = 10;

  private final Dbms dbms;
  private final Campaign.Plan plan;

  /** The kinds of its cases; batches of cases have them in turn. */
  private final List<CaseKind> caseKinds;

  private final GeneratedDialect dialect;
  private final Map<CaseKind, CaseGenerator> generators = new EnumMap<>(CaseKind.class);

  CaseSequence(Dbms dbms, GeneratedDialect dialect, Campaign.Plan plan) {
    this.dbms = dbms;
    this.dialect = dialect;
    this.plan = plan;
    this.caseKinds = caseKinds(plan.oracles());
  }

  /**
   * The number of consecutive cases that a worker takes: those with the same tables, if there are
   * enough.
   */
  static long batchSize(Campaign.Plan plan) {
    return Math.max(
        1,
        Math.min(caseKinds(plan.oracles()).get(0).casesPerSchema(), plan.cases() / plan.workers()));
  }

  /** Generates a case. */
  CaseGenerator.GeneratedCase generate(long number, Weights weights) {
    CaseGenerator.GeneratedCase generated =
        generators
            .computeIfAbsent(
                kindOf(number),
                kind ->
                    new CaseGenerator(
                        plan.seed(),
                        dialect,
                        plan.maxStatements(),
                        kind,
                        dbms.requiresPrimaryKeys()))
            .generate(number, weights)
            .forServerWith(dbms.database().settings().keySet());
    if (dbms.definitionsMayHang()) {
      generated = generated.withoutDefinitionsBesideForeignKeys();
    }
    return withMixedLevels(generated, number, level(number));
  }

  /** The level of a case. */
  IsolationLevel level(long number) {
    return plan.levels().get((int) (number % plan.levels().size()));
  }

  /**
   * The kind that an oracle needs, if each oracle needs the same. Otherwise, of four batches one
   * follows patterns, and one has transactions that use the same rows, if an oracle needs them.
   */
  private static List<CaseKind> caseKinds(List<Oracle> oracles) {
    if (!oracles.isEmpty() && oracles.stream().allMatch(Oracle::needsWatchedConnections)) {
      return List.of(CaseKind.HISTORIES);
    }
    if (!oracles.isEmpty() && oracles.stream().allMatch(Oracle::needsPatterns)) {
      return List.of(CaseKind.PATTERNS);
    }
    boolean histories = oracles.stream().anyMatch(Oracle::needsWatchedConnections);
    boolean patterns = oracles.stream().anyMatch(Oracle::needsPatterns);
    return List.of(
        CaseKind.STATEMENTS,
        patterns ? CaseKind.PATTERNS : CaseKind.STATEMENTS,
        CaseKind.STATEMENTS,
        histories ? CaseKind.HISTORIES : CaseKind.STATEMENTS);
  }

  /**
   * Gives the sessions of a tenth of the cases levels of their own, if an oracle judges such cases.
   * Those that follow a pattern have one level, which decides what becomes of the pattern.
   */
  private CaseGenerator.GeneratedCase withMixedLevels(
      CaseGenerator.GeneratedCase generated, long number, IsolationLevel level) {
    SplittableRandom random = new SplittableRandom(plan.seed() * 31 + number);
    if (plan.levels().size() == 1
        || kindOf(number) == CaseKind.PATTERNS
        || plan.oracles().stream().noneMatch(Oracle::judgesMixedLevels)
        || random.nextInt(100) >= PERCENT_WITH_MIXED_LEVELS) {
      return generated;
    }
    Map<String, IsolationLevel> mixed = new LinkedHashMap<>();
    for (String session : generated.testCase().sessions()) {
      IsolationLevel own = plan.levels().get(random.nextInt(plan.levels().size()));
      if (own != level) {
        mixed.put(session, own);
      }
    }
    return generated.withLevels(mixed);
  }

  /** The kind of a case. Consecutive cases with the same tables have the same kind. */
  CaseKind kindOf(long number) {
    long block = number / CASES_PER_KIND;
    return caseKinds.get((int) (block % caseKinds.size()));
  }

  /**
   * True if an oracle judges this case, whatever the others state. One that judges only some does
   * so for consecutive cases: these have the same tables, and defining tables is expensive. All
   * levels are used equally.
   */
  boolean isDue(Oracle oracle, long number) {
    return plan.oracles().size() == 1
        || (oracle.needsWatchedConnections() && kindOf(number) == CaseKind.HISTORIES)
        || number / CaseKind.STATEMENTS.casesPerSchema() % oracle.mixInterval() == 0;
  }
}
