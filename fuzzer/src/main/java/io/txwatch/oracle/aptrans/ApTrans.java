package io.txwatch.oracle.aptrans;

import io.txwatch.anomaly.AdyaLevel;
import io.txwatch.anomaly.Phenomenon;
import io.txwatch.dbms.Failure;
import io.txwatch.dbms.WriteRecording;
import io.txwatch.guarantee.Guarantee;
import io.txwatch.guarantee.Judge;
import io.txwatch.history.Database;
import io.txwatch.history.IsolationLevel;
import io.txwatch.oracle.CaseExecutor;
import io.txwatch.oracle.ForeignKeyGraph;
import io.txwatch.oracle.Oracle;
import io.txwatch.oracle.OracleKind;
import io.txwatch.oracle.OracleVerdict;
import io.txwatch.oracle.OracleVerdict.PatternOutcome;
import io.txwatch.oracle.OracleVerdict.Result;
import io.txwatch.oracle.ServerCrashException;
import io.txwatch.oracle.UnsupportedCase;
import io.txwatch.oracle.aptrans.RecordedCase.NotRecordableException;
import io.txwatch.pattern.AnomalyPattern;
import io.txwatch.pattern.PatternFile;
import io.txwatch.pattern.PatternMatch;
import io.txwatch.pattern.PatternMatcher;
import io.txwatch.pattern.RecordedOperation;
import io.txwatch.rules.registry.RulesRegistry;
import io.txwatch.schedule.CaseExecution;
import io.txwatch.schedule.ScheduleExecutor;
import io.txwatch.schedule.StepOutcome;
import io.txwatch.testcase.TestCase;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Searches an execution for anomaly patterns that its level rules out (APTrans, section 3.5).
 *
 * <p>The case is executed again with row ids, versions and triggers. The first phase reports
 * explicit errors: a lost connection, a failed assertion, an internal error. The second phase
 * builds the dependencies of the transactions and reports a pattern that they match.
 *
 * <p>The paper reports each pattern of its tables. That is correct where the DBMS promises what the
 * standard demands; MySQL and H2, for example, permit a lost update at REPEATABLE READ. So a
 * pattern is a violation only if the documentation of the DBMS rules out one of its phenomena, for
 * this version and these settings ({@link Judge#DBMS}), or by the tables alone ({@link
 * Judge#ADYA}).
 */
public final class ApTrans implements Oracle {

  /** The header of a case with the pattern that it was generated from. */
  public static final String PATTERN_HEADER = "pattern";

  /** Errors that mean a fault of the DBMS. */
  private static final Pattern INTERNAL_ERROR =
      Pattern.compile("(?i)\\bassert(ion)?\\b|\\binternal error\\b|\\bcorrupt");

  private final Judge judge;
  private final List<AnomalyPattern> patterns;

  /** Creates an oracle with the patterns of the resource. */
  public ApTrans(Judge judge) {
    this(judge, PatternFile.all());
  }

  /** Creates an oracle with other patterns. */
  public ApTrans(Judge judge, List<AnomalyPattern> patterns) {
    this.judge = judge;
    this.patterns = List.copyOf(patterns);
  }

  @Override
  public String name() {
    return OracleKind.APTRANS.id();
  }

  @Override
  public boolean needsPatterns() {
    return true;
  }

  /** True for the cases that were generated from a pattern. */
  @Override
  public boolean judges(TestCase testCase) {
    return testCase.header(PATTERN_HEADER).isPresent();
  }

  @Override
  public boolean judgesMixedLevels() {
    return false;
  }

  @Override
  public OracleVerdict judge(CaseExecution execution, CaseExecutor executor)
      throws SQLException, ScheduleExecutor.SetupException, InterruptedException {
    Database database = executor.database(execution.testCase());
    Optional<WriteRecording> dialect = executor.dbms().writeRecording();
    if (dialect.isEmpty()) {
      return verdict(Result.UNSUPPORTED, "writes on this DBMS cannot be recorded");
    }
    if (execution.testCase().mixesLevels(execution.level())) {
      return verdict(Result.UNSUPPORTED, UnsupportedCase.MIXED_LEVELS);
    }
    if (UnsupportedCase.setsLevels(execution.testCase())) {
      return verdict(Result.UNSUPPORTED, UnsupportedCase.OWN_LEVEL);
    }
    if (hasUnloggedWrites(execution.testCase(), dialect.get())) {
      return verdict(
          Result.UNSUPPORTED, "the actions of foreign keys cannot be recorded on this DBMS");
    }
    if (!dialect.get().undoesFailedWrites() && hasFailedStatement(execution)) {
      return verdict(
          Result.UNSUPPORTED, "a statement fails, and the DBMS does not undo it if it is recorded");
    }
    try {
      RecordedCase recorded =
          RecordedCase.of(
              execution.testCase(), dialect.get(), executor.dbms().requiresPrimaryKeys());
      CaseExecution run = executor.executeRecorded(recorded.testCase(), execution.level());
      ServerCrashException.throwIfLost(run);
      return judge(recorded, run, dialect.get(), database);
    } catch (NotRecordableException e) {
      return verdict(Result.UNSUPPORTED, String.valueOf(e.getMessage()));
    } catch (ScheduleExecutor.SetupException e) {
      return verdict(Result.UNSUPPORTED, "the recording was rejected: " + e.getMessage());
    }
  }

  private static boolean hasFailedStatement(CaseExecution execution) {
    return execution.outcomes().stream()
        .map(StepOutcome::failure)
        .anyMatch(failure -> failure != null && failure.kind() == Failure.Kind.STATEMENT);
  }

  /** InnoDB runs no trigger for a foreign key's action, and H2 returns no row that it changes. */
  private static boolean hasUnloggedWrites(TestCase testCase, WriteRecording dialect) {
    return !dialect.recordsForeignKeyActions() && ForeignKeyGraph.of(testCase.setup()).hasActions();
  }

  private OracleVerdict judge(
      RecordedCase recorded, CaseExecution execution, WriteRecording dialect, Database database) {
    Optional<StepOutcome> explicit =
        execution.outcomes().stream().filter(ApTrans::isInternalError).findFirst();
    if (explicit.isPresent()) {
      return new OracleVerdict(
          name(),
          Result.VIOLATION,
          "'" + explicit.get().step().sql() + "' failed: " + explicit.get().message(),
          Optional.of(explicit.get().step()));
    }
    if (execution.undecided().isPresent()) {
      return verdict(Result.UNDECIDED, execution.undecided().get());
    }
    Recording recording =
        Recording.of(
            recorded,
            execution,
            dialect,
            RulesRegistry.of(database.product()).writesMayHideRows(execution.level()));
    if (recording.gap().isPresent()) {
      return verdict(Result.UNDECIDED, recording.gap().get());
    }
    OracleVerdict verdict = judge(recording.operations(), execution.level(), database);
    OracleVerdict.Patterns patterns = verdict.patterns().orElseThrow();
    return verdict.with(
        new OracleVerdict.Patterns(
            patterns.forbidden(),
            patterns.permitted(),
            execution
                .testCase()
                .header(PATTERN_HEADER)
                .map(pattern -> outcome(pattern, patterns, execution))));
  }

  private static boolean isInternalError(StepOutcome outcome) {
    Failure failure = outcome.failure();
    return failure != null
        && (outcome.sqlState().startsWith("XX")
            || INTERNAL_ERROR.matcher(outcome.message()).find());
  }

  private static PatternOutcome outcome(
      String pattern, OracleVerdict.Patterns patterns, CaseExecution execution) {
    if (patterns.forbidden().contains(pattern)) {
      return PatternOutcome.VIOLATED;
    }
    if (patterns.permitted().contains(pattern)) {
      return PatternOutcome.SHOWN;
    }
    boolean isAborted =
        execution.outcomes().stream()
            .map(StepOutcome::failure)
            .anyMatch(failure -> failure != null && failure.endsTransaction());
    return isAborted
        ? PatternOutcome.ABORTED
        : execution.hadBlocking() ? PatternOutcome.BLOCKED : PatternOutcome.AVOIDED;
  }

  /**
   * Judges what an execution has recorded.
   *
   * @param history its operations, in the order of their moments
   */
  OracleVerdict judge(List<RecordedOperation> history, IsolationLevel level, Database database) {
    List<PatternMatch> forbidden = new ArrayList<>();
    List<PatternMatch> permitted = new ArrayList<>();
    for (AnomalyPattern pattern : patterns) {
      PatternMatcher.find(pattern, history)
          .ifPresent(
              match -> (isForbidden(match, level, database) ? forbidden : permitted).add(match));
    }
    OracleVerdict verdict =
        forbidden.isEmpty()
            ? verdict(
                Result.CLEAN,
                permitted.isEmpty()
                    ? "no pattern"
                    : "permitted at this level: " + String.join(", ", ids(permitted)))
            : verdict(Result.VIOLATION, describe(forbidden));
    return verdict.with(
        new OracleVerdict.Patterns(ids(forbidden), ids(permitted), Optional.empty()));
  }

  private static String describe(List<PatternMatch> forbidden) {
    PatternMatch first = forbidden.get(0);
    List<String> others = ids(forbidden.subList(1, forbidden.size()));
    return first.pattern().describe()
        + ": "
        + first
        + (others.isEmpty() ? "" : "; also " + String.join(", ", others));
  }

  private static List<String> ids(List<PatternMatch> matches) {
    return matches.stream().map(match -> match.pattern().id()).toList();
  }

  private boolean isForbidden(PatternMatch match, IsolationLevel level, Database database) {
    if (!match.pattern().isForbiddenAt(level)) {
      return false;
    }
    if (judge == Judge.ADYA) {
      return !match.isByPredicate() || AdyaLevel.of(level) == AdyaLevel.PL_3;
    }
    Guarantee guarantee = Guarantee.of(database, level);
    Set<Phenomenon> phenomena = match.pattern().phenomena(match.isByPredicate());
    return phenomena.stream()
        .anyMatch(phenomenon -> guarantee.rulesOut(phenomenon, match.readsPlainly()));
  }

  private OracleVerdict verdict(Result result, String reason) {
    return new OracleVerdict(name(), result, reason);
  }
}
