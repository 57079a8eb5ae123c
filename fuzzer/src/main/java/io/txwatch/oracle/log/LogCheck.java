package io.txwatch.oracle.log;

import io.txwatch.oracle.CaseExecutor;
import io.txwatch.oracle.Oracle;
import io.txwatch.oracle.OracleKind;
import io.txwatch.oracle.OracleVerdict;
import io.txwatch.oracle.OracleVerdict.Result;
import io.txwatch.oracle.ServerCrashException;
import io.txwatch.schedule.CaseExecution;
import io.txwatch.schedule.LoggedExecution;
import io.txwatch.schedule.ScheduleExecutor;
import io.txwatch.testcase.StatementText;
import io.txwatch.testcase.Step;
import io.txwatch.testcase.TestCase;
import java.sql.SQLException;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Compares what transactions have read and left behind with the log of the DBMS: a replica that
 * applies the images of the log in its order must find each row as it was before the change, and
 * must end with the rows of the server.
 *
 * <p>The case is executed again while the log is read. No level, and no wait, changes what must
 * hold: the log's order of two transactions that change one row is the order in which they changed
 * it. Then the rows that queries returned are compared with the versions of the log.
 *
 * <p>It does not apply where the log has not all whole images: with other settings, tables without
 * transactions, actions of foreign keys, generated columns, and changes of definitions.
 */
public final class LogCheck implements Oracle {

  /** What a case may set so that its changes are not in the log, or not whole. */
  private static final String[] SETTINGS = {"binlog", "sql_log"};

  @Override
  public String name() {
    return OracleKind.LOG.id();
  }

  /** Each judgement takes one more execution. */
  @Override
  public int mixInterval() {
    return 3;
  }

  @Override
  public OracleVerdict judge(CaseExecution execution, CaseExecutor executor)
      throws SQLException, ScheduleExecutor.SetupException, InterruptedException {
    if (executor.dbms().changeLog().isEmpty()) {
      return verdict(Result.UNSUPPORTED, "no log of this DBMS is read, or not by this connection");
    }
    Optional<String> unlogged = unlogged(execution.testCase());
    if (unlogged.isPresent()) {
      return verdict(Result.UNSUPPORTED, unlogged.get());
    }
    LoggedExecution logged = execute(execution, executor);
    // Definitions of other sessions at that time may hide a table's changes once.
    return judge(logged.gap().isPresent() ? execute(execution, executor) : logged);
  }

  private static LoggedExecution execute(CaseExecution execution, CaseExecutor executor)
      throws SQLException, ScheduleExecutor.SetupException, InterruptedException {
    LoggedExecution logged = executor.executeLogged(execution.testCase(), execution.level());
    ServerCrashException.throwIfLost(logged.execution());
    return logged;
  }

  private static Optional<String> unlogged(TestCase testCase) {
    if (testCase.steps().stream().map(Step::sql).anyMatch(StatementText::changesDefinitions)) {
      return Optional.of("a statement changes definitions");
    }
    boolean sets =
        Stream.of(
                testCase.settings().keySet().stream(),
                testCase.setup().stream(),
                testCase.steps().stream().map(Step::sql))
            .flatMap(texts -> texts)
            .map(text -> text.toLowerCase(Locale.ROOT))
            .anyMatch(text -> Stream.of(SETTINGS).anyMatch(text::contains));
    return sets ? Optional.of("the case sets what is logged") : Optional.empty();
  }

  /** Judges what the log has of an execution. */
  OracleVerdict judge(LoggedExecution logged) throws SQLException {
    if (logged.incomplete().isPresent()) {
      return verdict(Result.UNSUPPORTED, logged.incomplete().get());
    }
    if (logged.gap().isPresent()) {
      return verdict(Result.UNDECIDED, logged.gap().get());
    }
    LogReplay replay = new LogReplay(logged);
    Optional<String> obstacle = replay.obstacle();
    if (obstacle.isPresent()) {
      return verdict(Result.UNSUPPORTED, obstacle.get());
    }
    Optional<String> difference = replay.difference();
    if (difference.isPresent()) {
      return verdict(Result.VIOLATION, difference.get());
    }
    LoggedReads reads = new LoggedReads(logged, replay.tables());
    return reads
        .violation()
        .map(
            found ->
                new OracleVerdict(
                    name(), Result.VIOLATION, found.reason(), Optional.of(found.statement())))
        .orElseGet(
            () ->
                verdict(
                    Result.CLEAN,
                    "a replica would hold the same after "
                        + replay.size()
                        + (replay.size() == 1 ? " transaction" : " transactions")
                        + reads.summary()));
  }

  private OracleVerdict verdict(Result result, String reason) {
    return new OracleVerdict(name(), result, reason);
  }
}
