package io.txwatch.jdbc.wrap;

import io.txwatch.history.RecordedValue;
import io.txwatch.jdbc.execution.Execution;
import io.txwatch.jdbc.execution.ExecutionContext;
import io.txwatch.jdbc.execution.GatedStatements;
import io.txwatch.jdbc.parameter.Parameters;
import io.txwatch.jdbc.plan.CachedPlan;
import io.txwatch.jdbc.plan.KeyedRowHasher;
import io.txwatch.jdbc.plan.PinnedValues;
import io.txwatch.jdbc.plan.StatementOptions;
import io.txwatch.jdbc.read.StatementReads;
import io.txwatch.jdbc.value.RecordedResult;
import io.txwatch.jdbc.value.StatementValues;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A statement from the beginning of an execution to the end of its results, whatever its text is.
 *
 * <p>A write that was made to return its rows is run as a query, and its result is read to the end
 * before the application goes on: {@link #drained} then holds the update count that the application
 * would have got from the driver.
 */
abstract class ExecutingStatement extends DelegatingStatement {

  /** The driver itself has the result or the update count. */
  private static final long NOT_DRAINED = -2;

  private static final long NO_MORE_RESULTS = -1;
  private static final int MAX_CANCEL_ATTEMPTS = 1000;

  final ExecutionContext context;
  final StatementOptions options;

  private @Nullable Execution last;
  private long drained = NOT_DRAINED;
  private @Nullable ResultSet behind;
  private @Nullable ResultSet shown;
  private StatementResultSet.@Nullable Origin results;
  private int queryTimeout;

  /** True if the driver cuts long values. */
  private boolean cutsValues;

  /** Whether its results may have fewer rows than its text returns. */
  boolean rowsLimited;

  /** True while a read of ours goes before the application's statement. */
  private volatile boolean starting;

  ExecutingStatement(Statement delegate, ExecutionContext context, StatementOptions options) {
    super(delegate);
    this.context = context;
    this.options = options;
  }

  // ---------------------------------------------------------------- the way of an execution

  /**
   * A statement is about to be executed: what was open is closed by it. Called straight from the
   * method that the application calls: the place in the application is looked up from here, and
   * that costs by the frame in between.
   */
  final Execution start(CachedPlan cached) throws SQLException {
    String callSite = cached.isControl() ? "" : cached.place().usual();
    if (callSite.isEmpty() && !cached.isControl()) {
      callSite = cached.place().found(context.callSites().current());
    }
    GatedStatements.before(context, cached, pinned(), callSite);
    endLast();
    drained = NOT_DRAINED;
    behind = null;
    shown = null;
    context.beforeNext(cached);
    Execution execution = Execution.begin(context, cached, callSite);
    last = execution;
    if (cutsValues) {
      execution.valuesAreCut();
    }
    KeyedRowHasher key = cached.key();
    if (key != null) {
      execution.key(bits(key));
    }
    execution.pinned(pinned());
    execution.keyValues(context.keyValues(cached, pinned()));
    StatementReads reads = execution.reads();
    if (reads != null && cached.sideReads() != null) {
      readBeside(execution, reads);
    }
    try {
      context.guard().set(cached);
    } catch (SQLException e) {
      execution.failed(e);
      throw e;
    }
    if (context.writesUnderTransactionId(cached)) {
      execution.writesUnderTransactionId();
    }
    StatementValues values = context.values(cached, pinned());
    if (values != null) {
      execution.values(values);
    }
    if (context.recordsValues() && !cached.isControl() && execution.recordsValues(cached)) {
      execution.records(context.recording(cached, recordedParameters()));
    }
    return execution;
  }

  /** The application's parameters as they are recorded. */
  List<RecordedValue> recordedParameters() {
    return List.of();
  }

  private void readBeside(Execution execution, StatementReads reads) {
    starting = true;
    reads.timeout(queryTimeout);
    try {
      execution.before(parameters(), true);
    } catch (RuntimeException e) {
      context.fault(e);
    } finally {
      starting = false;
    }
  }

  /** The bits of a key with the parameters that are set now; 0 if they are not known. */
  long bits(KeyedRowHasher key) {
    return key.bits();
  }

  /** The parameters that are values of keys. */
  PinnedValues pinned() {
    return PinnedValues.NONE;
  }

  /** The application's parameters, as they are set now. */
  Parameters parameters() {
    return Parameters.NONE;
  }

  final void endLast() {
    Execution execution = last;
    if (execution != null) {
      execution.over();
      last = null;
    }
  }

  final Execution execution() {
    return java.util.Objects.requireNonNull(last);
  }

  final void goOnWith(Execution execution) {
    last = execution;
  }

  /** The driver itself has what the next execution gives. */
  final void notDrained() {
    drained = NOT_DRAINED;
  }

  final long counted(long count) {
    execution().after(count);
    if (hasRowsInKeys()) {
      execution().awaitRows(count);
    } else {
      execution().counted(count);
    }
    return count;
  }

  /** True if the rows that were written are in the generated keys. */
  private boolean hasRowsInKeys() {
    return options.keysAsked() && last != null && last.cached().appendsWrittenRows();
  }

  final void drained(long count) {
    drained = count;
    execution().after(count);
    execution().succeeded(true);
  }

  /** The update count of a write whose rows were read. */
  final long drainedCount() {
    return drained;
  }

  final boolean hasResult(boolean result) {
    if (!result && execution().cached().countsWrites()) {
      counted(countOfLast());
      return false;
    }
    Execution execution = execution();
    execution.after(-1);
    if (!result
        || !(execution.cached().hidesColumns()
            || execution.readsValues()
            || execution.choosesRows())) {
      execution.valuesNotRead("");
      execution.succeeded(false);
    }
    return result;
  }

  /** The update count that the driver has ready; asking for it leaves it there. */
  private long countOfLast() {
    try {
      return delegate.getUpdateCount();
    } catch (SQLException | RuntimeException e) {
      context.fault(e);
      return -1;
    }
  }

  /** Wraps a result of the last execution. */
  final ResultSet showResult(ResultSet result) {
    ResultSet wrapped = wrap(result);
    behind = result;
    shown = wrapped;
    return wrapped;
  }

  private ResultSet wrap(ResultSet result) {
    Execution execution = execution();
    RecordedResult recorded = execution.recorded();
    if (recorded != null) {
      recorded.opened(options.scrollable() || options.updatable());
    }
    CachedPlan cached = execution.cached();
    execution.after(-1);
    if (cached.hidesColumns()) {
      try {
        return WatchedResultSet.of(result, results(), execution);
      } catch (SQLException | RuntimeException e) {
        context.fault(e);
      }
    }
    if (execution.readsValues() && options.updatable()) {
      execution.valuesNotRead("a result that rows are written through");
    } else if (execution.readsValues() && cutsValues) {
      execution.valuesNotRead("values that are cut");
    } else if (execution.readsValues() || execution.choosesRows()) {
      return new ValueResultSet(result, results(), execution, rowsLimited);
    } else {
      execution.valuesNotRead("");
    }
    execution.succeeded(false);
    return recorded == null || options.updatable()
        ? new PlainResultSet(result, results())
        : new RecordedResultSet(result, results(), recorded);
  }

  /** What its results need of it. */
  final StatementResultSet.Origin results() {
    StatementResultSet.Origin known = results;
    if (known == null) {
      known = new StatementResultSet.Origin(this, context, options.scrollable());
      results = known;
    }
    return known;
  }

  // ---------------------------------------------------------------- results

  /** The driver's statement that was executed last: it has the results. */
  Statement executed() {
    return delegate;
  }

  @Override
  public @Nullable ResultSet getResultSet() throws SQLException {
    if (drained != NOT_DRAINED) {
      return null;
    }
    ResultSet result = executed().getResultSet();
    if (result == null) {
      return null;
    }
    ResultSet known = shown;
    if (known != null && result == behind) {
      return known;
    }
    // A further result of several statements, or of a call: of which one is not known.
    return last == null ? new PlainResultSet(result, results()) : showResult(result);
  }

  @Override
  public int getUpdateCount() throws SQLException {
    return drained == NOT_DRAINED ? executed().getUpdateCount() : (int) drained;
  }

  @Override
  public long getLargeUpdateCount() throws SQLException {
    return drained == NOT_DRAINED ? executed().getLargeUpdateCount() : drained;
  }

  @Override
  public boolean getMoreResults() throws SQLException {
    if (drained != NOT_DRAINED) {
      drained = NO_MORE_RESULTS;
      return false;
    }
    endLast();
    return executed().getMoreResults();
  }

  @Override
  public boolean getMoreResults(int current) throws SQLException {
    if (drained != NOT_DRAINED) {
      executed().getMoreResults(current); // for the driver's own error
      drained = NO_MORE_RESULTS;
      return false;
    }
    if (current != KEEP_CURRENT_RESULT) {
      endLast();
    }
    last = null;
    return executed().getMoreResults(current);
  }

  @Override
  public @Nullable ResultSet getGeneratedKeys() throws SQLException {
    ResultSet keys = executed().getGeneratedKeys();
    if (keys == null) {
      return null;
    }
    RecordedResult recorded = last == null ? null : last.recorded();
    if (recorded != null) {
      recorded.opened(false);
    }
    return hasRowsInKeys()
        ? WatchedResultSet.of(keys, results(), execution())
        : WatchedResultSet.ofKeys(keys, results(), recorded);
  }

  // ---------------------------------------------------------------- its time

  /**
   * A read of ours that is in the way is cancelled too, and the statement then, as soon as it has
   * been sent: the application's wish is for that one.
   */
  @Override
  public void cancel() throws SQLException {
    delegate.cancel();
    for (int i = 0; starting && i < MAX_CANCEL_ATTEMPTS; i++) {
      context.sideReads().cancel();
      try {
        Thread.sleep(1);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return;
      }
      if (!starting) {
        delegate.cancel();
      }
    }
  }

  @Override
  public void setMaxFieldSize(int bytes) throws SQLException {
    delegate.setMaxFieldSize(bytes);
    cutsValues = bytes > 0;
  }

  @Override
  public void setQueryTimeout(int seconds) throws SQLException {
    delegate.setQueryTimeout(seconds);
    context.state().catalog().settingChanged();
    queryTimeout = seconds;
  }
}
