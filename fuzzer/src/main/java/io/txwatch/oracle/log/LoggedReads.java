package io.txwatch.oracle.log;

import io.txwatch.changes.JdbcValues;
import io.txwatch.changes.UnknownValue;
import io.txwatch.history.IsolationLevel;
import io.txwatch.schedule.LoggedExecution;
import io.txwatch.schedule.StepOutcome;
import io.txwatch.schedule.StepTimes.Interval;
import io.txwatch.schedule.StoredRows;
import io.txwatch.schedule.Values;
import io.txwatch.testcase.SqlText;
import io.txwatch.testcase.Step;
import io.txwatch.testcase.TestCase;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Compares the rows that committed transactions read with the versions of the log: each row must be
 * a version that was committed before the statement's snapshot could be taken last, and was not
 * replaced before it could be taken first, or one that the transaction itself wrote.
 *
 * <p>The times at which steps were sent and had returned bound snapshots and commits. They are
 * those of one clock, so that no statement is sent to determine them, and no wait is changed.
 */
final class LoggedReads {

  private static final int MAX_SHOWN_VERSIONS = 5;

  private static final String[] WORK = {
    "SELECT", "INSERT", "UPDATE", "DELETE", "REPLACE", "WITH", "SAVEPOINT", "ROLLBACK", "RELEASE"
  };

  private final LoggedExecution logged;
  private final Map<String, LoggedTable> tables;
  private final List<CaseTransaction> committed;
  private final Map<String, List<String>> columns = new HashMap<>();

  /** The queries that are not judged, by reason. */
  private final Map<String, Integer> skipped = new TreeMap<>();

  private int judgedRows;

  /** A statement that read what it must not. */
  record Violation(Step statement, String reason) {}

  /** The versions of a table's rows, in comparable columns. */
  private record Versions(List<String> columns, List<LoggedVersion> rows, Conversion conversion) {}

  /** Makes a value of a result comparable with those of versions. */
  private interface Conversion {
    @Nullable Object convert(int column, @Nullable Object value);
  }

  /** When the snapshot of a statement was taken, and whether only committed rows are in it. */
  private record Snapshot(Interval time, boolean isCommitted) {}

  /**
   * Reads of an execution whose log was applied without a difference.
   *
   * @param tables those of which the log has images
   */
  LoggedReads(LoggedExecution logged, Map<String, LoggedTable> tables) {
    this.logged = logged;
    this.tables = tables;
    this.committed = CaseTransaction.of(logged.execution(), logged.times());
    logged.before().forEach((name, rows) -> columns.put(name, rows.columns()));
  }

  /** The first row that is no version it may be; empty if all are. */
  Optional<Violation> violation() throws SQLException {
    Optional<String> obstacle = obstacle();
    Optional<CommitTimes> times =
        obstacle.isPresent()
            ? Optional.empty()
            : CommitTimes.of(logged.transactions().size(), committed, logged.before().keySet());
    for (CaseTransaction transaction : committed) {
      for (StepOutcome outcome : transaction.work()) {
        if (!outcome.isQuery()) {
          continue;
        }
        if (times.isEmpty()) {
          skip(obstacle.orElse("the commits of the log are not certain"));
          continue;
        }
        Optional<Violation> found = violation(transaction, outcome, times.get());
        if (found.isPresent()) {
          return found;
        }
      }
    }
    return Optional.empty();
  }

  private void skip(String reason) {
    skipped.merge(reason, 1, Integer::sum);
  }

  /** What was judged, and what was not, as the end of a sentence; empty without queries. */
  String summary() {
    String judged =
        judgedRows == 0
            ? ""
            : judgedRows == 1
                ? "; 1 row that was read is a version of it"
                : "; " + judgedRows + " rows that were read are versions of it";
    return judged
        + skipped.entrySet().stream()
            .map(
                each ->
                    "; "
                        + each.getValue()
                        + (each.getValue() == 1 ? " query" : " queries")
                        + " not judged: "
                        + each.getKey())
            .collect(Collectors.joining());
  }

  /** Why no read of the case is judged. */
  private Optional<String> obstacle() {
    TestCase testCase = logged.execution().testCase();
    if (testCase.beginsWithinTransaction()) {
      return Optional.of("a BEGIN in a transaction");
    }
    return testCase.steps().stream()
        .filter(step -> step.role() == Step.Role.WORK)
        .map(step -> SqlText.of(step.sql()))
        .filter(text -> !text.startsWithAny(WORK))
        .findFirst()
        .map(text -> "a statement that does more than read or write rows");
  }

  private Optional<Violation> violation(
      CaseTransaction transaction, StepOutcome outcome, CommitTimes times) throws SQLException {
    PlainRead.Parsed parsed = PlainRead.of(outcome.step().sql(), columns);
    if (parsed.read().isEmpty()) {
      skip(parsed.obstacle());
      return Optional.empty();
    }
    PlainRead read = parsed.read().get();
    Versions versions = versions(read.table());
    if (read.columns().values().stream().noneMatch(versions.columns()::contains)) {
      skip("a type whose values cannot be compared with certainty");
      return Optional.empty();
    }
    Optional<Interval> time = logged.times().of(outcome.step());
    boolean mayReadOwn = transaction.mayWriteBefore(outcome);
    Optional<Integer> own = mayReadOwn ? times.index(transaction) : Optional.empty();
    if (time.isEmpty() || (mayReadOwn && (own.isEmpty() || transaction.hasSavepoints()))) {
      skip("the transaction had written, and its own versions are not certain");
      return Optional.empty();
    }
    Optional<Snapshot> snapshot = snapshot(transaction, outcome, read, time.get());
    if (snapshot.isEmpty()) {
      skip("rows of transactions that rolled back may be read");
      return Optional.empty();
    }
    Visible visible = new Visible(versions, times, snapshot.get(), own);
    for (List<@Nullable Object> row : outcome.rows()) {
      Optional<String> problem = visible.problem(read, row);
      if (problem.isPresent()) {
        return Optional.of(
            new Violation(outcome.step(), outcome.step().session() + " reads " + problem.get()));
      }
      judgedRows++;
    }
    return Optional.empty();
  }

  @SuppressWarnings("ReferenceEquality") // another execution may be equal
  private Optional<Snapshot> snapshot(
      CaseTransaction transaction, StepOutcome outcome, PlainRead read, Interval time) {
    IsolationLevel level =
        logged.execution().testCase().levelOf(outcome.step().session(), logged.execution().level());
    if (level.compareTo(IsolationLevel.READ_COMMITTED) < 0) {
      return hasUncommittedWrites()
          ? Optional.empty()
          : Optional.of(new Snapshot(Interval.ALWAYS, false));
    }
    if (level == IsolationLevel.READ_COMMITTED || transaction.begin().isEmpty()) {
      return Optional.of(new Snapshot(time, true));
    }
    long start = transaction.begin().get().start();
    if (read.isLocking() || level == IsolationLevel.SERIALIZABLE) {
      // A read that locks may read the newest version or that of the snapshot.
      return Optional.of(new Snapshot(new Interval(start, time.end()), true));
    }
    for (StepOutcome each : transaction.work()) {
      Optional<Interval> earlier = logged.times().of(each.step());
      // A query without rows need not have taken the snapshot.
      if (earlier.isPresent()
          && !each.rows().isEmpty()
          && PlainRead.of(each.step().sql(), columns)
              .read()
              .filter(any -> !any.isLocking())
              .isPresent()) {
        return Optional.of(new Snapshot(new Interval(start, earlier.get().end()), true));
      }
      if (each == outcome) {
        break;
      }
    }
    return Optional.of(new Snapshot(new Interval(start, time.end()), true));
  }

  /** Whether versions may have been there that the log does not have. */
  private boolean hasUncommittedWrites() {
    List<StepOutcome> certain = committed.stream().flatMap(each -> each.work().stream()).toList();
    return committed.stream().anyMatch(CaseTransaction::hasSavepoints)
        || logged.execution().outcomes().stream()
            .filter(each -> each.step().role() == Step.Role.WORK)
            .anyMatch(
                each ->
                    !SqlText.of(each.step().sql()).startsWith("SELECT")
                        && (!each.succeeded() || !certain.contains(each)));
  }

  private Versions versions(String name) throws SQLException {
    LoggedTable table = tables.get(name);
    if (table == null) {
      return unchanged(Objects.requireNonNull(logged.before().get(name)));
    }
    return new Versions(
        table.comparedColumns(),
        table.versions(),
        (column, value) ->
            switch (table.type(column)) {
              case INTEGER, BOOLEAN, DECIMAL, TEXT, PADDED_TEXT, LABEL ->
                  LoggedTable.comparable(JdbcValues.normalized(table.type(column), value));
              // The texts of times depend on the driver and on time zones.
              default -> UnknownValue.NOT_COMPARABLE;
            });
  }

  /** A table of which the log has no image: all its rows were there before, and are. */
  private static Versions unchanged(StoredRows before) throws SQLException {
    List<Integer> certain = new ArrayList<>();
    for (int i = 0; i < before.columns().size(); i++) {
      int column = i;
      if (before.rows().stream().allMatch(row -> isCertain(row.get(column)))) {
        certain.add(i);
      }
    }
    List<LoggedVersion> rows = new ArrayList<>();
    for (List<@Nullable Object> row : before.rows()) {
      List<@Nullable Object> values = new ArrayList<>();
      for (int column : certain) {
        values.add(Values.value(row.get(column)));
      }
      rows.add(new LoggedVersion(values, LoggedVersion.NONE));
    }
    return new Versions(
        certain.stream().map(before.columns()::get).toList(), rows, (column, value) -> value);
  }

  private static boolean isCertain(@Nullable Object value) {
    return value == null
        || value instanceof Integer
        || value instanceof Long
        || value instanceof Short
        || value instanceof BigInteger
        || value instanceof BigDecimal
        || value instanceof String
        || value instanceof Boolean;
  }

  /** The versions that a statement may read. */
  private record Visible(
      Versions versions, CommitTimes times, Snapshot snapshot, Optional<Integer> own) {

    /** Why a row cannot be read; empty if it can. */
    Optional<String> problem(PlainRead read, List<@Nullable Object> row) {
      Map<Integer, @Nullable Object> values = new LinkedHashMap<>();
      read.columns()
          .forEach(
              (position, column) -> {
                int index = versions.columns().indexOf(column);
                if (index >= 0 && position < row.size()) {
                  Object value = versions.conversion().convert(index, row.get(position));
                  if (!(value instanceof UnknownValue)) {
                    values.put(index, value);
                  }
                }
              });
      List<LoggedVersion> same =
          versions.rows().stream()
              .filter(
                  version ->
                      values.entrySet().stream()
                          .allMatch(
                              each ->
                                  Objects.equals(
                                      version.values().get(each.getKey()), each.getValue())))
              .toList();
      if (same.stream().anyMatch(this::mayBeRead)) {
        return Optional.empty();
      }
      String shown =
          values.keySet().stream()
                  .map(versions.columns()::get)
                  .collect(Collectors.joining(", ", read.table() + "(", ") "))
              + values.values();
      return Optional.of(
          shown
              + (same.isEmpty()
                  ? ", which is no version of the log"
                  : same.stream()
                      .limit(MAX_SHOWN_VERSIONS)
                      .map(this::reason)
                      .distinct()
                      .collect(Collectors.joining("; ", ", a version ", ""))));
    }

    private boolean mayBeRead(LoggedVersion version) {
      if (own.isPresent() && version.creator() == own.get()) {
        return true;
      }
      return !snapshot.isCommitted()
          || (!version.isIntermediate() && !isLater(version) && !isReplaced(version));
    }

    private boolean isLater(LoggedVersion version) {
      return version.creator() != LoggedVersion.NONE
          && times.of(version.creator()).start() > snapshot.time().end();
    }

    private boolean isReplaced(LoggedVersion version) {
      return version.remover() != LoggedVersion.NONE
          && times.of(version.remover()).end() < snapshot.time().start();
    }

    private String reason(LoggedVersion version) {
      return version.isIntermediate()
          ? "that was never committed"
          : isLater(version)
              ? "that was committed after the snapshot"
              : "that had been replaced before the snapshot";
    }
  }
}
