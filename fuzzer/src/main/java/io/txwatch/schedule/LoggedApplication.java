package io.txwatch.schedule;

import io.txwatch.changes.ChangeGap;
import io.txwatch.changes.ChangeListener;
import io.txwatch.changes.ChangeSource;
import io.txwatch.changes.ChangedTransaction;
import io.txwatch.changes.LogPosition;
import io.txwatch.changes.SchemaChange;
import io.txwatch.dbms.ChangeLog;
import io.txwatch.dbms.Workspace;
import io.txwatch.testcase.StatementText;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * An application that reads the log of the DBMS: what its sessions commit is compared with what the
 * log has of it. For the sessions of one executor.
 */
public final class LoggedApplication implements ScheduleExecutor.Application {

  /** How long the source may take to read to the end of the log. */
  private static final Duration MAX_DELAY = Duration.ofSeconds(20);

  private final ChangeLog log;
  private final Duration maxDelay;
  private final Collector collector = new Collector();
  private @Nullable Connection session;
  private @Nullable ChangeSource source;
  private @Nullable Workspace workspace;
  private Optional<String> incomplete = Optional.empty();
  private Optional<String> gap = Optional.empty();

  /** The source has not connected in that time: the next cases do not wait for it. */
  private boolean isUnreadable;

  private Map<String, StoredRows> before = Map.of();

  /** Creates an application whose log is read from the first case on. */
  public LoggedApplication(ChangeLog log) {
    this(log, MAX_DELAY);
  }

  LoggedApplication(ChangeLog log, Duration maxDelay) {
    this.log = log;
    this.maxDelay = maxDelay;
  }

  /** Reads the tables, and the log up to here. */
  @Override
  public void prepare(Workspace given, boolean isNew) throws SQLException {
    Connection reader = session;
    if (reader == null) {
      reader = given.connect();
      session = reader;
      workspace = given;
    }
    gap = Optional.empty();
    before = Map.of();
    incomplete = log.whyIncompleteFor(reader);
    if (incomplete.isPresent()) {
      return;
    }
    try {
      ChangeSource started = started();
      log.prepare(reader);
      before = read(given, reader);
      gap = readToEnd(started);
      collector.take(log.schema(reader));
    } catch (IOException e) {
      incomplete = Optional.of(String.valueOf(e.getMessage()));
    }
  }

  private ChangeSource started() throws IOException {
    ChangeSource known = source;
    if (known != null) {
      return known;
    }
    Optional<String> why = log.whyIncomplete();
    if (why.isPresent()) {
      throw new IOException(why.get());
    }
    ChangeSource opened = log.open();
    opened.start(collector);
    source = opened;
    return opened;
  }

  @Override
  public Connection connect(Workspace given, String name) throws SQLException {
    return given.connect();
  }

  /**
   * The execution with what the log has of it; to be called before the next case is set up.
   *
   * @param times when its steps were executed
   */
  public LoggedExecution completed(CaseExecution execution, StepTimes times) throws SQLException {
    Connection reader = session;
    ChangeSource reading = source;
    Workspace used = workspace;
    if (incomplete.isPresent() || reader == null || reading == null || used == null) {
      return LoggedExecution.incomplete(execution, incomplete.orElse("the log is not read"));
    }
    if (gap.isPresent() || execution.undecided().isPresent()) {
      return LoggedExecution.withGap(
          execution, gap.or(execution::undecided).orElse("the case did not end"));
    }
    try {
      Optional<String> late = readToEnd(reading);
      Taken taken = collector.take(log.schema(reader));
      if (taken.definition().isPresent()) {
        return LoggedExecution.incomplete(execution, taken.definition().get());
      }
      Optional<String> missing = late.or(taken::gap);
      return missing.isPresent()
          ? LoggedExecution.withGap(execution, missing.get())
          : new LoggedExecution(
              execution,
              times,
              Optional.empty(),
              Optional.empty(),
              before,
              taken.transactions(),
              read(used, reader));
    } catch (IOException e) {
      return LoggedExecution.withGap(execution, String.valueOf(e.getMessage()));
    }
  }

  private static Map<String, StoredRows> read(Workspace workspace, Connection session)
      throws SQLException {
    Map<String, StoredRows> tables = new LinkedHashMap<>();
    for (String table : workspace.tables()) {
      tables.put(StatementText.unquoted(table), StoredRows.read(session, table));
    }
    return tables;
  }

  /** Waits until the source has delivered all that has been committed; returns why it has not. */
  Optional<String> readToEnd(ChangeSource source) throws IOException {
    LogPosition end = source.endOfLog();
    long start = System.nanoTime();
    while (source.position().compareTo(end) < 0) {
      boolean isReading = source.state() == ChangeSource.State.READING;
      long limit = isUnreadable && !isReading ? 0 : maxDelay.toNanos();
      if (System.nanoTime() - start >= limit) {
        isUnreadable = !isReading;
        return Optional.of(
            isReading
                ? "the log was not read to its end within " + maxDelay.toSeconds() + " s"
                : source.problem());
      }
      try {
        Thread.sleep(1);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return Optional.of("interrupted while the log was read");
      }
    }
    return Optional.empty();
  }

  /** Ends the reading of the log; the sessions close their own connections. */
  @Override
  public void close() throws SQLException {
    ChangeSource reading = source;
    if (reading != null) {
      reading.close();
    }
    Connection reader = session;
    if (reader != null) {
      reader.close();
    }
  }

  /**
   * What the source has delivered of one schema.
   *
   * @param definition the statement that changed definitions; empty if there was none
   */
  private record Taken(
      List<ChangedTransaction> transactions, Optional<String> gap, Optional<String> definition) {}

  /** Collects what the source delivers, of all schemas. */
  private static final class Collector implements ChangeListener {

    private final List<ChangedTransaction> transactions = new ArrayList<>();
    private final List<ChangeGap> gaps = new ArrayList<>();
    private final List<SchemaChange> definitions = new ArrayList<>();

    @Override
    public synchronized void transaction(ChangedTransaction transaction) {
      transactions.add(transaction);
    }

    @Override
    public synchronized void gap(ChangeGap gap) {
      gaps.add(gap);
    }

    @Override
    public synchronized void schemaChange(SchemaChange change) {
      definitions.add(change);
    }

    /** Removes what was collected and returns what concerns a schema. */
    synchronized Taken take(String schema) {
      Taken taken =
          new Taken(
              transactions.stream()
                  .filter(
                      each ->
                          each.changes().stream()
                              .anyMatch(row -> row.table().schema().equals(schema)))
                  .toList(),
              gaps.stream()
                  .filter(each -> each.schema().isEmpty() || each.schema().equals(schema))
                  .findFirst()
                  .map(each -> "changes are missing: " + each.detail()),
              definitions.stream()
                  .filter(each -> each.schema().equals(schema))
                  .findFirst()
                  .map(each -> "a statement changes definitions: " + each.text()));
      transactions.clear();
      gaps.clear();
      definitions.clear();
      return taken;
    }
  }
}
