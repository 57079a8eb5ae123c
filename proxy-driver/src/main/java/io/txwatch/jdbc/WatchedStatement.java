package io.txwatch.jdbc;

import io.txwatch.history.GapReason;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A statement whose texts are rewritten on the way to the driver, and whose results are read over
 * the application's shoulder on the way back.
 *
 * <p>A write that was made to return its rows is run as a query, and its result is read to the end
 * before the application goes on: {@link #drained} then holds the update count that the application
 * would have got from the driver.
 */
class WatchedStatement extends DelegatingStatement {

  /** The driver itself has the result or the update count. */
  private static final long NOT_DRAINED = -2;

  private static final long NO_MORE_RESULTS = -1;
  private static final int MOST_TRIES_TO_CANCEL = 1000;

  final WatchedConnection connection;
  final StatementOptions options;

  private @Nullable Execution last;
  private long drained = NOT_DRAINED;
  private @Nullable ResultSet behind;
  private @Nullable ResultSet shown;
  private boolean rowsLimited;
  private int queryTimeout;

  /** True while a read of ours goes before the application's statement. */
  private volatile boolean starting;

  private boolean closesOnCompletion;
  private @Nullable List<String> batch;

  WatchedStatement(Statement delegate, WatchedConnection connection, StatementOptions options) {
    super(delegate);
    this.connection = connection;
    this.options = options;
  }

  /** Something that is done with a text. */
  interface Call<T> {
    T on(String sql) throws SQLException;
  }

  // ---------------------------------------------------------------- executing a text

  @Override
  public ResultSet executeQuery(String sql) throws SQLException {
    CachedPlan cached = plan(sql, false);
    return showResult(run(sql, cached, text -> delegate.executeQuery(text)));
  }

  @Override
  public int executeUpdate(String sql) throws SQLException {
    CachedPlan cached = plan(sql, true);
    Call<Integer> call = text -> delegate.executeUpdate(text);
    if (cached.returnsWrittenRows()) {
      Integer raw = runWrite(sql, cached, call);
      return raw == null ? (int) drained : (int) counted(raw);
    }
    return (int) counted(run(sql, cached, call));
  }

  @Override
  public long executeLargeUpdate(String sql) throws SQLException {
    CachedPlan cached = plan(sql, true);
    Call<Long> call = text -> delegate.executeLargeUpdate(text);
    if (cached.returnsWrittenRows()) {
      Long raw = runWrite(sql, cached, call);
      return raw == null ? drained : counted(raw);
    }
    return counted(run(sql, cached, call));
  }

  @Override
  public boolean execute(String sql) throws SQLException {
    CachedPlan cached = plan(sql, true);
    Call<Boolean> call = text -> delegate.execute(text);
    if (cached.returnsWrittenRows()) {
      Boolean raw = runWrite(sql, cached, call);
      return raw != null && hasResult(raw);
    }
    return hasResult(run(sql, cached, call));
  }

  @Override
  public int executeUpdate(String sql, int keys) throws SQLException {
    return keys == NO_GENERATED_KEYS
        ? executeUpdate(sql)
        : (int) counted(run(sql, plan(sql, false), text -> delegate.executeUpdate(text, keys)));
  }

  @Override
  public int executeUpdate(String sql, int[] keys) throws SQLException {
    return (int) counted(run(sql, plan(sql, false), text -> delegate.executeUpdate(text, keys)));
  }

  @Override
  public int executeUpdate(String sql, String[] keys) throws SQLException {
    return (int) counted(run(sql, plan(sql, false), text -> delegate.executeUpdate(text, keys)));
  }

  @Override
  public long executeLargeUpdate(String sql, int keys) throws SQLException {
    return keys == NO_GENERATED_KEYS
        ? executeLargeUpdate(sql)
        : counted(run(sql, plan(sql, false), text -> delegate.executeLargeUpdate(text, keys)));
  }

  @Override
  public long executeLargeUpdate(String sql, int[] keys) throws SQLException {
    return counted(run(sql, plan(sql, false), text -> delegate.executeLargeUpdate(text, keys)));
  }

  @Override
  public long executeLargeUpdate(String sql, String[] keys) throws SQLException {
    return counted(run(sql, plan(sql, false), text -> delegate.executeLargeUpdate(text, keys)));
  }

  @Override
  public boolean execute(String sql, int keys) throws SQLException {
    return keys == NO_GENERATED_KEYS
        ? execute(sql)
        : hasResult(run(sql, plan(sql, false), text -> delegate.execute(text, keys)));
  }

  @Override
  public boolean execute(String sql, int[] keys) throws SQLException {
    return hasResult(run(sql, plan(sql, false), text -> delegate.execute(text, keys)));
  }

  @Override
  public boolean execute(String sql, String[] keys) throws SQLException {
    return hasResult(run(sql, plan(sql, false), text -> delegate.execute(text, keys)));
  }

  // ---------------------------------------------------------------- the way of an execution

  /** The plan for a text; {@code writtenRows} if a write may be made to return its rows. */
  private CachedPlan plan(String sql, boolean writtenRows) {
    CachedPlan cached = connection.plan(sql, options);
    return writtenRows && mayDrain()
        ? connection.atThisLevel(cached)
        : connection.withoutWrittenRows(cached);
  }

  /**
   * True if running a write as a query leaves no trace: a limit would cut its rows, closing its
   * result would close this statement, and some DBMS does not read the same in it.
   */
  final boolean mayDrain() {
    return !rowsLimited
        && !closesOnCompletion
        && !options.keysAsked()
        && connection.mayReturnWrittenRows();
  }

  /** Sends a text, rewritten, and if the DBMS refuses the rewriting, as it was. */
  private <T> T run(String sql, CachedPlan cached, Call<T> call) throws SQLException {
    Execution execution = start(cached);
    try {
      T result = call.on(execution.immediateSql());
      cached.prove();
      connection.unguard();
      return result;
    } catch (SQLException e) {
      if (!connection.mayBeOurFault(cached, e)) {
        execution.failed(e);
        throw VendorErrors.of(e, execution.cached());
      }
      return runAsItWas(sql, execution, e, call);
    }
  }

  private <T> T runAsItWas(String sql, Execution execution, SQLException ours, Call<T> call)
      throws SQLException {
    if (!connection.canTryAgain()) {
      connection.doNotRewrite(execution.cached(), ours);
      execution.failed(ours);
      throw VendorErrors.of(ours, execution.cached());
    }
    T result;
    try {
      result = call.on(sql);
    } catch (SQLException e) {
      execution.failed(e); // not our fault: the application's own text gives it
      throw VendorErrors.theApplications(ours, e);
    }
    last = connection.goOnWithout(execution, ours);
    return result;
  }

  /**
   * Runs a write that was made to return its rows.
   *
   * @param asItWas what is done with the application's own text if the DBMS refuses ours
   * @return what that gave; null if it was not needed, and the count is {@link #drained}
   */
  private <T> @Nullable T runWrite(String sql, CachedPlan cached, Call<T> asItWas)
      throws SQLException {
    Execution execution = start(cached);
    try {
      String text = execution.immediateSql();
      drained =
          connection.write(
              execution,
              () ->
                  connection.mayAnswerWithoutRows()
                      ? (delegate.execute(text) ? delegate.getResultSet() : null)
                      : delegate.executeQuery(text));
      connection.unguard();
    } catch (SQLException e) {
      if (!connection.mayBeOurFault(cached, e)) {
        execution.failed(e);
        throw VendorErrors.of(e, execution.cached());
      }
      return runAsItWas(sql, execution, e, asItWas);
    }
    execution.after(drained);
    execution.succeeded(true);
    return null;
  }

  /** A statement is about to be executed: what was open is closed by it. */
  final Execution start(CachedPlan cached) throws SQLException {
    endLast();
    drained = NOT_DRAINED;
    behind = null;
    shown = null;
    connection.beforeNext(cached);
    Execution execution = Execution.begin(connection, cached);
    last = execution;
    KnownKey key = cached.key();
    if (key != null) {
      execution.key(bits(key));
    }
    if (cached.sideReads() != null) {
      readBeside(execution);
    }
    try {
      connection.guard(cached);
    } catch (SQLException e) {
      execution.failed(e);
      throw e;
    }
    return execution;
  }

  private void readBeside(Execution execution) {
    starting = true;
    execution.timeout(queryTimeout);
    try {
      connection.sideReads().before(execution, parameters(), true);
    } catch (RuntimeException e) {
      connection.fault(e);
    } finally {
      starting = false;
    }
  }

  /** The bits of a key with the parameters that are set now; 0 if they are not known. */
  long bits(KnownKey key) {
    return key.bits();
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
    execution().counted(count);
    return count;
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
    if (!result && execution().cached().countTellsOfWrites()) {
      counted(countOfLast());
      return false;
    }
    execution().after(-1);
    if (!result || !execution().cached().hidesColumns()) {
      execution().succeeded(false);
    }
    return result;
  }

  /** The update count that the driver has ready; asking for it leaves it there. */
  private long countOfLast() {
    try {
      return delegate.getUpdateCount();
    } catch (SQLException | RuntimeException e) {
      connection.fault(e);
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
    CachedPlan cached = execution.cached();
    execution.after(-1);
    if (cached.hidesColumns()) {
      try {
        return WatchedResultSet.of(result, this, execution);
      } catch (SQLException | RuntimeException e) {
        connection.fault(e);
      }
    }
    execution.succeeded(false);
    return new PlainResultSet(result, this);
  }

  /** A row was written through a result. */
  final void writtenThrough() {
    connection.gap(GapReason.OPAQUE, "row written through a result");
  }

  // ---------------------------------------------------------------- results

  @Override
  public @Nullable ResultSet getResultSet() throws SQLException {
    if (drained != NOT_DRAINED) {
      return null;
    }
    ResultSet result = delegate.getResultSet();
    if (result == null) {
      return null;
    }
    ResultSet known = shown;
    if (known != null && result == behind) {
      return known;
    }
    // A further result of several statements, or of a call: of which one is not known.
    return last == null ? WatchedResultSet.ofNames(result, this) : showResult(result);
  }

  @Override
  public int getUpdateCount() throws SQLException {
    return drained == NOT_DRAINED ? delegate.getUpdateCount() : (int) drained;
  }

  @Override
  public long getLargeUpdateCount() throws SQLException {
    return drained == NOT_DRAINED ? delegate.getLargeUpdateCount() : drained;
  }

  @Override
  public boolean getMoreResults() throws SQLException {
    if (drained != NOT_DRAINED) {
      drained = NO_MORE_RESULTS;
      return false;
    }
    endLast();
    return delegate.getMoreResults();
  }

  @Override
  public boolean getMoreResults(int current) throws SQLException {
    if (drained != NOT_DRAINED) {
      drained = NO_MORE_RESULTS;
      return false;
    }
    if (current != KEEP_CURRENT_RESULT) {
      endLast();
    }
    last = null;
    return delegate.getMoreResults(current);
  }

  @Override
  public @Nullable ResultSet getGeneratedKeys() throws SQLException {
    ResultSet keys = delegate.getGeneratedKeys();
    return keys == null ? null : WatchedResultSet.ofKeys(keys, this);
  }

  // ---------------------------------------------------------------- batches

  @Override
  public void addBatch(String sql) throws SQLException {
    if (sql == null || delegate.isClosed()) {
      delegate.addBatch(sql); // for the driver's own error
      return;
    }
    if (batch == null) {
      batch = new ArrayList<>();
    }
    batch.add(sql);
  }

  @Override
  public void clearBatch() throws SQLException {
    batch = null;
    delegate.clearBatch();
  }

  @Override
  public int[] executeBatch() throws SQLException {
    Batch sent = sendBatch();
    return sent.run(() -> Batch.widen(delegate.executeBatch()), Batch::narrow);
  }

  @Override
  public long[] executeLargeBatch() throws SQLException {
    Batch sent = sendBatch();
    return sent.run(() -> delegate.executeLargeBatch(), counts -> counts);
  }

  /** Hands the texts that were collected to the driver. */
  private Batch sendBatch() throws SQLException {
    endLast();
    drained = NOT_DRAINED;
    List<String> texts = batch == null ? List.of() : batch;
    batch = null;
    List<CachedPlan> plans = new ArrayList<>();
    boolean control = false;
    for (String sql : texts) {
      CachedPlan cached = connection.withoutWrittenRows(connection.plan(sql, options));
      plans.add(cached);
      control |= cached.isControl();
    }
    Batch sending = new Batch(connection);
    for (int i = 0; i < texts.size(); i++) {
      CachedPlan cached = plans.get(i);
      if (control) {
        // Where one item ends the transaction, the next one's position is not known beforehand.
        cached = connection.asItIs(cached, GapReason.SHAPE, "batch with transaction control");
        delegate.addBatch(texts.get(i));
        sending.addWithoutPosition(cached);
      } else {
        KnownKey key = cached.key();
        delegate.addBatch(sending.add(cached, key == null ? 0 : key.bits()).immediateSql());
      }
    }
    return sending;
  }

  // ---------------------------------------------------------------- the rest

  /**
   * A read of ours that is in the way is cancelled too, and the statement then, as soon as it has
   * been sent: the application's wish is for that one.
   */
  @Override
  public void cancel() throws SQLException {
    delegate.cancel();
    for (int i = 0; starting && i < MOST_TRIES_TO_CANCEL; i++) {
      connection.sideReads().cancel();
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
  public void setQueryTimeout(int seconds) throws SQLException {
    delegate.setQueryTimeout(seconds);
    queryTimeout = seconds;
  }

  @Override
  public void setMaxRows(int max) throws SQLException {
    delegate.setMaxRows(max);
    rowsLimited = max > 0;
  }

  @Override
  public void setLargeMaxRows(long max) throws SQLException {
    delegate.setLargeMaxRows(max);
    rowsLimited = max > 0;
  }

  @Override
  public void closeOnCompletion() throws SQLException {
    delegate.closeOnCompletion();
    closesOnCompletion = true;
  }

  @Override
  public void close() throws SQLException {
    endLast();
    delegate.close();
  }

  @Override
  public Connection getConnection() throws SQLException {
    delegate.getConnection(); // for the driver's own error if it is closed
    return connection;
  }

  @Override
  public <T> T unwrap(Class<T> type) throws SQLException {
    return Unwrap.unwrap(this, delegate, type, connection);
  }
}
