package io.txwatch.campaign;

import io.txwatch.campaign.DbmsComparison.Result;
import io.txwatch.dbms.Dbms;
import io.txwatch.dbms.Failure;
import io.txwatch.history.IsolationLevel;
import io.txwatch.oracle.ServerCaseExecutor;
import io.txwatch.schedule.CaseExecution;
import io.txwatch.schedule.ScheduleExecutor;
import io.txwatch.schedule.StepOutcome;
import io.txwatch.testcase.StatementText;
import io.txwatch.testcase.TestCase;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A DBMS beside the one under test, on which cases of findings are executed to compare the results.
 * Thread-safe; one case at a time.
 *
 * <p>A comparison never fails and takes a bounded time: a DBMS that is lost, or does not respond,
 * is the reason of a comparison without a result. One that did not respond is not used again, so it
 * delays a campaign once.
 */
public final class OtherDbms implements AutoCloseable {

  private static final Duration MAX_COMPARISON = Duration.ofSeconds(15);
  private static final Duration QUIESCENCE_TIMEOUT = Duration.ofSeconds(5);

  private final Dbms dbms;
  private final Duration maxComparison;

  /** Executes all cases: a thread that waits for the DBMS cannot be ended, but left alone. */
  private final ExecutorService thread;

  /** The open executor; only the thread uses it. */
  private @Nullable ServerCaseExecutor executor;

  private volatile boolean isResponsive = true;

  /** Creates the access to a DBMS, which is opened when the first case is executed. */
  public OtherDbms(Dbms dbms) {
    this(dbms, MAX_COMPARISON);
  }

  OtherDbms(Dbms dbms, Duration maxComparison) {
    this.dbms = dbms;
    this.maxComparison = maxComparison;
    this.thread =
        Executors.newSingleThreadExecutor(
            task -> {
              Thread worker = new Thread(task, "comparison with " + dbms.describe());
              worker.setDaemon(true);
              return worker;
            });
  }

  /** False if it has not responded in time once. */
  public boolean isResponsive() {
    return isResponsive;
  }

  /**
   * Executes a case and compares the results.
   *
   * @param testCase the case, with the placeholders of the dialects
   * @param here its execution on the DBMS under test
   */
  public synchronized DbmsComparison compare(TestCase testCase, CaseExecution here) {
    IsolationLevel level = here.level();
    if (!isResponsive) {
      return notComparable(level, "it did not respond before and is not used any more");
    }
    Optional<IsolationLevel> missing = missingLevel(testCase, level);
    if (missing.isPresent()) {
      return notComparable(
          level,
          "it has no separate level %s (it has %s)"
              .formatted(
                  words(missing.get()),
                  levels().map(OtherDbms::words).collect(Collectors.joining(", "))));
    }
    if (here.undecided().isPresent()) {
      return notComparable(level, "the outcome of the case is undecided here");
    }
    try {
      return withinTime(() -> execute(testCase, here));
    } catch (TimeoutException e) {
      isResponsive = false;
      thread.shutdownNow();
      return notComparable(
          level,
          "no response for %d s; it is not used any more".formatted(maxComparison.toSeconds()));
    } catch (ExecutionException e) {
      return notComparable(level, "the case was not executed: " + firstLine(e.getCause()));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return notComparable(level, "the campaign was stopped");
    }
  }

  private DbmsComparison execute(TestCase testCase, CaseExecution here)
      throws SQLException, InterruptedException {
    ServerCaseExecutor open = executor;
    if (open == null) {
      open = new ServerCaseExecutor(dbms, QUIESCENCE_TIMEOUT);
      executor = open;
    }
    try {
      TestCase accepted = withoutForeignSettings(testCase);
      CaseExecution there = open.execute(accepted, here.level());
      if (isLost(there)) {
        throw new SQLException("the connection was lost", "08000");
      }
      OutcomeDifferences differences = new OutcomeDifferences(testCase, here, there);
      Optional<String> obstacle = differences.obstacle();
      if (obstacle.isPresent()) {
        return notComparable(here.level(), obstacle.get());
      }
      List<String> all = differences.all();
      return new DbmsComparison(
          dbms.describe(), here.level(), all.isEmpty() ? Result.SAME : Result.DIFFERENT, all);
    } catch (ScheduleExecutor.SetupException e) {
      return notComparable(here.level(), firstLine(e));
    } catch (SQLException | RuntimeException e) {
      executor = null; // the next case gets new connections
      closeQuietly(open);
      throw e;
    }
  }

  /** True if a session ended with the server, so that what follows is no result of the case. */
  private static boolean isLost(CaseExecution execution) {
    return execution.outcomes().stream()
        .map(StepOutcome::failure)
        .anyMatch(failure -> failure != null && failure.kind() == Failure.Kind.CONNECTION_LOST);
  }

  /** The settings of a case are those of one product. */
  private TestCase withoutForeignSettings(TestCase testCase) {
    boolean hasAll =
        testCase.settings().keySet().stream().allMatch(dbms.database().settings()::containsKey);
    return hasAll ? testCase : testCase.withoutHeader(StatementText.SETTINGS_HEADER);
  }

  /** A level of the case that this DBMS does not distinguish from others. */
  private Optional<IsolationLevel> missingLevel(TestCase testCase, IsolationLevel level) {
    List<IsolationLevel> known = levels().toList();
    return testCase.sessions().stream()
        .map(session -> testCase.levelOf(session, level))
        .filter(each -> !known.contains(each))
        .findFirst();
  }

  private Stream<IsolationLevel> levels() {
    return Stream.concat(dbms.levelsOnRequest().stream(), dbms.levels().stream());
  }

  private DbmsComparison notComparable(IsolationLevel level, String why) {
    return new DbmsComparison(dbms.describe(), level, Result.NOT_COMPARABLE, List.of(why));
  }

  private <T> T withinTime(Callable<T> task)
      throws ExecutionException, InterruptedException, TimeoutException {
    Future<T> result = thread.submit(task);
    try {
      return result.get(maxComparison.toMillis(), TimeUnit.MILLISECONDS);
    } finally {
      result.cancel(true);
    }
  }

  /** Drops its workspaces, if it responds. */
  @Override
  public synchronized void close() {
    if (isResponsive) {
      try {
        withinTime(
            () -> {
              if (executor != null) {
                closeQuietly(executor);
              }
              return true;
            });
      } catch (ExecutionException | TimeoutException e) {
        isResponsive = false;
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
    thread.shutdownNow();
  }

  private static void closeQuietly(ServerCaseExecutor open) {
    try {
      open.close();
    } catch (SQLException e) {
      // It is lost; the server drops the connections.
    }
  }

  private static String words(IsolationLevel level) {
    return level.name().replace('_', ' ');
  }

  private static String firstLine(@Nullable Throwable failure) {
    String message = failure == null ? null : failure.getMessage();
    return message == null
        ? String.valueOf(failure)
        : message.strip().lines().findFirst().orElse("");
  }
}
