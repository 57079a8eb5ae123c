package io.txwatch.jdbc.wrap;

import io.txwatch.history.GapReason;
import io.txwatch.jdbc.error.SentText;
import io.txwatch.jdbc.error.VendorErrors;
import io.txwatch.jdbc.execution.Batch;
import io.txwatch.jdbc.execution.Execution;
import io.txwatch.jdbc.execution.ExecutionContext;
import io.txwatch.jdbc.plan.CachedPlan;
import io.txwatch.jdbc.plan.KeyedRowHasher;
import io.txwatch.jdbc.plan.PinnedValues;
import io.txwatch.jdbc.plan.StatementOptions;
import io.txwatch.plan.RewritePlan;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A statement whose texts are rewritten on the way to the driver, and whose results are read over
 * the application's shoulder on the way back.
 */
class WatchedStatement extends ExecutingStatement {

  private boolean closesOnCompletion;
  private boolean escapes = true;

  /** What the driver's statement is set to while a batch is handed over. */
  private boolean escaping = true;

  /** Where the driver's statement looks names up. */
  final BoundNames names;

  private @Nullable List<Item> batch;

  /** What was set that drivers do not give back, in its order: for another statement of ours. */
  private @Nullable Map<String, Setting> settings;

  /**
   * A text of a batch.
   *
   * @param escapes whether its escapes were to be replaced when it was added: some drivers do so
   *     then, others when it is sent
   */
  private record Item(String sql, boolean escapes) {}

  /** Something that was set on a statement. */
  private interface Setting {
    void set(Statement statement) throws SQLException;
  }

  WatchedStatement(Statement delegate, ExecutionContext context, StatementOptions options) {
    super(delegate, context, options);
    this.names = BoundNames.of(context, delegate);
  }

  /** Something that is done with a text. */
  interface Call<T> {
    T on(String sql) throws SQLException;
  }

  // ---------------------------------------------------------------- executing a text

  @Override
  public ResultSet executeQuery(String sql) throws SQLException {
    CachedPlan cached = plan(sql, false);
    return showResult(run(sql, start(cached), text -> delegate.executeQuery(text)));
  }

  @Override
  public int executeUpdate(String sql) throws SQLException {
    return update(sql, text -> delegate.executeUpdate(text));
  }

  private int update(String sql, Call<Integer> call) throws SQLException {
    Integer raw = runWrite(sql, start(plan(sql, true)), call);
    return (int) (raw == null ? drainedCount() : counted(raw));
  }

  @Override
  public long executeLargeUpdate(String sql) throws SQLException {
    return updateLarge(sql, text -> delegate.executeLargeUpdate(text));
  }

  private long updateLarge(String sql, Call<Long> call) throws SQLException {
    Long raw = runWrite(sql, start(plan(sql, true)), call);
    return raw == null ? drainedCount() : counted(raw);
  }

  @Override
  public boolean execute(String sql) throws SQLException {
    return execute(sql, text -> delegate.execute(text));
  }

  private boolean execute(String sql, Call<Boolean> call) throws SQLException {
    Boolean raw = runWrite(sql, start(plan(sql, true)), call);
    return raw != null && hasResult(raw);
  }

  @Override
  public int executeUpdate(String sql, int keys) throws SQLException {
    return keys == NO_GENERATED_KEYS
        ? update(sql, text -> delegate.executeUpdate(text, keys))
        : (int)
            counted(run(sql, start(plan(sql, false)), text -> delegate.executeUpdate(text, keys)));
  }

  @Override
  public int executeUpdate(String sql, int[] keys) throws SQLException {
    return (int)
        counted(run(sql, start(plan(sql, false)), text -> delegate.executeUpdate(text, keys)));
  }

  @Override
  public int executeUpdate(String sql, String[] keys) throws SQLException {
    return (int)
        counted(run(sql, start(plan(sql, false)), text -> delegate.executeUpdate(text, keys)));
  }

  @Override
  public long executeLargeUpdate(String sql, int keys) throws SQLException {
    return keys == NO_GENERATED_KEYS
        ? updateLarge(sql, text -> delegate.executeLargeUpdate(text, keys))
        : counted(
            run(sql, start(plan(sql, false)), text -> delegate.executeLargeUpdate(text, keys)));
  }

  @Override
  public long executeLargeUpdate(String sql, int[] keys) throws SQLException {
    return counted(
        run(sql, start(plan(sql, false)), text -> delegate.executeLargeUpdate(text, keys)));
  }

  @Override
  public long executeLargeUpdate(String sql, String[] keys) throws SQLException {
    return counted(
        run(sql, start(plan(sql, false)), text -> delegate.executeLargeUpdate(text, keys)));
  }

  @Override
  public boolean execute(String sql, int keys) throws SQLException {
    return keys == NO_GENERATED_KEYS
        ? execute(sql, text -> delegate.execute(text, keys))
        : hasResult(run(sql, start(plan(sql, false)), text -> delegate.execute(text, keys)));
  }

  @Override
  public boolean execute(String sql, int[] keys) throws SQLException {
    return hasResult(run(sql, start(plan(sql, false)), text -> delegate.execute(text, keys)));
  }

  @Override
  public boolean execute(String sql, String[] keys) throws SQLException {
    return hasResult(run(sql, start(plan(sql, false)), text -> delegate.execute(text, keys)));
  }

  // ---------------------------------------------------------------- the way of an execution

  /** The plan for a text; {@code writtenRows} if a write may be made to return its rows. */
  private CachedPlan plan(String sql, boolean writtenRows) throws SQLException {
    // What a prepared statement makes of a text is its driver's own, and so are its keys.
    boolean isOther = this instanceof PreparedStatement;
    CachedPlan planned = context.plans().toSend(sql, isOther ? options.ofOtherText() : options);
    if (names.isElsewhere()) {
      return elsewhere(planned);
    }
    return context.plans().ofWrite(planned, writtenRows && mayDrain() && !isOther);
  }

  /** The text as it is: the plan is one for the tables of the session's database. */
  static CachedPlan elsewhere(CachedPlan planned) {
    return planned.asItIs(GapReason.SHAPE, "statement of another database than the session's");
  }

  /**
   * True if running a write as a query leaves no trace: a limit would cut its rows, closing its
   * result would close this statement, and some DBMS does not read the same in it.
   */
  final boolean mayDrain() {
    return !rowsLimited
        && !closesOnCompletion
        && !options.keysAsked()
        && context.returning().mayReturn();
  }

  /** Sends a text, rewritten, and if the DBMS refuses the rewriting, as it was. */
  private <T> T run(String sql, Execution execution, Call<T> call) throws SQLException {
    CachedPlan cached = execution.cached();
    String text = sql == null ? sql : execution.immediateSql();
    try {
      execution.sent();
      T result = call.on(text);
      execution.returned();
      cached.usage().prove();
      context.guard().release();
      return result;
    } catch (SQLException e) {
      execution.returned();
      if (!context.mayBeOurFault(cached, e)) {
        execution.failed(e);
        throw VendorErrors.of(e, new SentText(cached.plan(), text, false));
      }
      return runAsItWas(sql, execution, e, call);
    }
  }

  private <T> T runAsItWas(String sql, Execution execution, SQLException ours, Call<T> call)
      throws SQLException {
    if (!context.guard().goBack()) {
      context.plans().failed(execution.cached(), ours);
      execution.failed(ours);
      RewritePlan plan = execution.cached().plan();
      throw VendorErrors.of(ours, new SentText(plan, execution.immediateSql(), false));
    }
    T result;
    try {
      result = call.on(sql);
    } catch (SQLException e) {
      execution.failed(e); // not our fault: the application's own text gives it
      throw e;
    }
    goOnWith(execution.withoutRewriting(ours));
    return result;
  }

  /**
   * Runs a statement that may be a write that was made to return its rows, which are read here.
   *
   * @param asItWas what is done with another statement, and with the application's own text if the
   *     DBMS refuses ours
   * @return what that gave; null if rows were read, and the count is {@link #drainedCount}
   */
  private <T> @Nullable T runWrite(String sql, Execution execution, Call<T> asItWas)
      throws SQLException {
    if (!execution.cached().returnsWrittenRows()) {
      return run(sql, execution, asItWas);
    }
    String text = execution.immediateSql();
    try {
      long count =
          context
              .returning()
              .run(
                  () ->
                      execution.drain(
                          context.returning().mayAnswerWithoutRows()
                              ? (delegate.execute(text) ? delegate.getResultSet() : null)
                              : delegate.executeQuery(text)));
      context.guard().release();
      drained(count);
      return null;
    } catch (SQLException e) {
      if (!context.mayBeOurFault(execution.cached(), e)) {
        execution.failed(e);
        throw VendorErrors.of(e, new SentText(execution.cached().plan(), text, false));
      }
      return runAsItWas(sql, execution, e, asItWas);
    }
  }

  // ---------------------------------------------------------------- batches

  @Override
  public void addBatch(String sql) throws SQLException {
    delegate.addBatch(sql); // for the driver's own error
    if (!delegate.isClosed()) {
      delegate.clearBatch(); // what is sent is another text
    }
    if (sql == null) {
      return; // some drivers pass it over
    }
    if (batch == null) {
      batch = new ArrayList<>();
    }
    batch.add(new Item(sql, escapes));
  }

  @Override
  public void clearBatch() throws SQLException {
    batch = null;
    delegate.clearBatch();
  }

  @Override
  public int[] executeBatch() throws SQLException {
    Batch.Sender sender = () -> Batch.widen(delegate.executeBatch());
    List<Item> texts = batchToSend();
    return collect(texts).run(sender, () -> sendAsItWas(texts, sender), Batch::narrow);
  }

  @Override
  public long[] executeLargeBatch() throws SQLException {
    Batch.Sender sender = () -> delegate.executeLargeBatch();
    List<Item> texts = batchToSend();
    return collect(texts).run(sender, () -> sendAsItWas(texts, sender), counts -> counts);
  }

  private List<Item> batchToSend() throws SQLException {
    endLast();
    notDrained();
    List<Item> texts = batch == null ? List.of() : batch;
    batch = null;
    return texts;
  }

  private long[] sendAsItWas(List<Item> texts, Batch.Sender sender) throws SQLException {
    delegate.clearBatch();
    for (Item item : texts) {
      CachedPlan cached = context.plans().toSend(item.sql, options);
      escapeAs(item.escapes);
      delegate.addBatch(cached.plan().original());
    }
    escapeAs(escapes);
    return sender.send();
  }

  /** Hands the texts that were collected to the driver. */
  private Batch collect(List<Item> texts) throws SQLException {
    List<CachedPlan> plans = new ArrayList<>();
    boolean control = false;
    for (Item item : texts) {
      CachedPlan any = context.plans().toSend(item.sql, options);
      CachedPlan cached = names.isElsewhere() ? elsewhere(any) : context.plans().ofItem(any);
      plans.add(cached);
      control |= cached.isControl();
    }
    Batch sending = new Batch(context, 0, false, false);
    for (int i = 0; i < texts.size(); i++) {
      CachedPlan cached = plans.get(i);
      escapeAs(texts.get(i).escapes);
      if (control) {
        // Where one item ends the transaction, the next one's position is not known beforehand.
        cached = cached.asItIs(GapReason.SHAPE, "batch with transaction control");
        delegate.addBatch(cached.plan().original());
        sending.addWithoutPosition(cached);
      } else {
        KeyedRowHasher key = cached.key();
        delegate.addBatch(sending.add(cached, key == null ? 0 : key.bits()).immediateSql());
        sending.values(context.values(cached, PinnedValues.NONE));
        sending.keyValues(context.keyValues(cached, PinnedValues.NONE));
      }
    }
    escapeAs(escapes);
    return sending;
  }

  private void escapeAs(boolean wanted) throws SQLException {
    if (wanted != escaping) {
      delegate.setEscapeProcessing(wanted);
      escaping = wanted;
    }
  }

  // ---------------------------------------------------------------- the rest

  @Override
  public void setEscapeProcessing(boolean enable) throws SQLException {
    set("escapes", statement -> statement.setEscapeProcessing(enable));
    escapes = enable;
    escaping = enable;
  }

  @Override
  public void setCursorName(String name) throws SQLException {
    set("cursor", statement -> statement.setCursorName(name));
  }

  @Override
  public void setPoolable(boolean poolable) throws SQLException {
    set("poolable", statement -> statement.setPoolable(poolable));
  }

  @Override
  public void setFetchDirection(int direction) throws SQLException {
    set("direction", statement -> statement.setFetchDirection(direction));
  }

  private void set(String what, Setting setting) throws SQLException {
    setting.set(delegate);
    if (this instanceof PreparedStatement) { // no other has a second one behind it
      if (settings == null) {
        settings = new LinkedHashMap<>();
      }
      settings.put(what, setting);
    }
  }

  /** Sets on another statement what was set on this one. */
  final void setAgain(Statement other) throws SQLException {
    if (settings != null) {
      for (Setting setting : settings.values()) {
        setting.set(other);
      }
    }
  }

  @Override
  public void setMaxRows(int max) throws SQLException {
    set("rows", statement -> statement.setMaxRows(max));
    rowsLimited = max > 0;
  }

  @Override
  public void setLargeMaxRows(long max) throws SQLException {
    set("rows", statement -> statement.setLargeMaxRows(max));
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
  public @Nullable Connection getConnection() throws SQLException {
    return delegate.getConnection() == null ? null : context.shown();
  }

  @Override
  public <T> T unwrap(Class<T> type) throws SQLException {
    return Unwrap.unwrap(this, delegate, type, context);
  }
}
