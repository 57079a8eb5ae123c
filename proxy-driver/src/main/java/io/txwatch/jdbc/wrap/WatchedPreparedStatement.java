package io.txwatch.jdbc.wrap;

import io.txwatch.history.GapReason;
import io.txwatch.history.RecordedValue;
import io.txwatch.jdbc.error.Places;
import io.txwatch.jdbc.error.VendorErrors;
import io.txwatch.jdbc.execution.Batch;
import io.txwatch.jdbc.execution.Execution;
import io.txwatch.jdbc.execution.ExecutionContext;
import io.txwatch.jdbc.gate.Gates;
import io.txwatch.jdbc.parameter.ChangingValue;
import io.txwatch.jdbc.parameter.ParameterSetter;
import io.txwatch.jdbc.parameter.Parameters;
import io.txwatch.jdbc.plan.CachedPlan;
import io.txwatch.jdbc.plan.KeyedRowHasher;
import io.txwatch.jdbc.plan.PinnedValues;
import io.txwatch.jdbc.plan.StatementOptions;
import java.sql.CallableStatement;
import java.sql.JDBCType;
import java.sql.ParameterMetaData;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.SQLType;
import java.sql.SQLWarning;
import java.sql.Statement;
import java.sql.Types;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A prepared statement whose text carries the writer token as one more parameter: prepared once, in
 * one transaction, executed in many, each time with a token of its own.
 *
 * <p>There are two texts of a write: one that returns what it wrote, for {@code executeUpdate}, and
 * one that does not, for batches and for results that must stay what they are. Which one is needed
 * is known only when it is executed, so setters are kept as long as the other text, or the
 * application's own, may have to take their values over.
 */
class WatchedPreparedStatement extends DelegatingPreparedStatement {

  /** The plan for the text that the application prepared. */
  private CachedPlan plan;

  /** The plan for the text that the driver has. */
  private CachedPlan active;

  /** The catalog's version that the plan was made at. */
  private long plannedAt;

  /** True if the plan may be another one when the statement is executed. */
  private boolean mayPlanAnew;

  private final KeptParameters kept;

  /** Null before its result or its parameters were described. */
  private @Nullable PreparedMetadata metadata;

  /** What the driver knows the result's columns of; null if nothing is. */
  private @Nullable PreparedStatement described;

  /** Null if no item was added. */
  private @Nullable PreparedBatch batch;

  /** What was executed last, if the driver has another text by now; its results may be open. */
  private @Nullable PreparedStatement executed;

  /**
   * Wraps a statement that was prepared.
   *
   * @param active the plan that it was prepared by: {@code plan} or its variant without rows
   * @param plannedAt the catalog's version before the plan was made
   */
  WatchedPreparedStatement(
      PreparedStatement delegate,
      ExecutionContext context,
      StatementOptions options,
      CachedPlan plan,
      CachedPlan active,
      long plannedAt) {
    super(delegate, context, options);
    this.plan = plan;
    this.active = active;
    this.plannedAt = plannedAt;
    this.mayPlanAnew = mayPlanAnew();
    this.kept = new KeptParameters(plan.plan().parameterCount(), context.sql().driver());
  }

  /** Wraps a statement that is planned once. */
  WatchedPreparedStatement(
      PreparedStatement delegate,
      ExecutionContext context,
      StatementOptions options,
      CachedPlan plan,
      CachedPlan active) {
    this(delegate, context, options, plan, active, context.plans().version());
  }

  // ---------------------------------------------------------------- parameters

  @Override
  protected int place(int index) {
    return Places.behind(active.plan(), index);
  }

  @Override
  protected SQLException shown(SQLException error, int index) {
    return Places.shown(error, active.plan(), index);
  }

  @Override
  protected boolean keepsSetters() {
    // Another text may be sent: the application's own after an error, that of a new plan.
    return !(this instanceof CallableStatement);
  }

  @Override
  protected boolean keepsValues() {
    return plan.comparesPredicates();
  }

  @Override
  protected void keepValue(int index, long hash) {
    kept.keepHash(index, hash);
  }

  @Override
  protected boolean recordsValues() {
    return context.recordsValues();
  }

  @Override
  protected void record(int index, RecordedValue value) {
    kept.record(index, value);
  }

  @Override
  List<RecordedValue> recordedParameters() {
    return kept.recorded();
  }

  @Override
  protected <T> T taken(T value) {
    return ChangingValue.whenSet(context.sql().driver(), value);
  }

  @Override
  protected void keep(int index, ParameterSetter setter) {
    kept.keep(index, setter);
  }

  @Override
  protected void valueSet(int index, long value) {
    KeyedRowHasher key = plan.key();
    if (key != null && key.takes(index)) {
      kept.keepKeyValue(index, key.of(index, value));
    }
    if (isPinned(index)) {
      kept.pin(index, value);
    }
  }

  /** True if the value of a parameter is needed to identify rows, or to know what they contain. */
  private boolean isPinned(int index) {
    return isPinned(plan, index);
  }

  private static boolean isPinned(CachedPlan plan, int index) {
    return plan.namesBy(index)
        || plan.isValue(index)
        || plan.comparesKeyWith(index)
        || Gates.installed() != null; // a gate distinguishes calls by their keys
  }

  @Override
  protected void valueSet(int index, double value) {
    forgetKeyValue(index);
  }

  @Override
  protected void valueSet(int index, @Nullable Object value) {
    KeyedRowHasher key = plan.key();
    if (key != null && key.takes(index)) {
      kept.keepKeyValue(index, key.of(index, value));
    }
    if (isPinned(index)) {
      pin(index, value);
    }
  }

  @Override
  protected void valueSet(int index, @Nullable Object value, int type) {
    if (value == null || isOfType(value, type)) {
      valueSet(index, value);
    } else {
      otherValueSet(index); // the driver converts it
    }
  }

  @Override
  protected void valueSet(int index, @Nullable Object value, SQLType type) {
    if (type instanceof JDBCType known) {
      valueSet(index, value, known.getVendorTypeNumber());
    } else {
      otherValueSet(index);
    }
  }

  private static boolean isOfType(Object value, int type) {
    if (value instanceof String) {
      return type == Types.VARCHAR;
    }
    boolean isInteger =
        value instanceof Integer
            || value instanceof Long
            || value instanceof Short
            || value instanceof Byte;
    if (!isInteger) {
      return false;
    }
    long number = ((Number) value).longValue();
    return switch (type) {
      case Types.BIGINT -> true;
      case Types.INTEGER -> number == (int) number;
      case Types.SMALLINT -> number == (short) number;
      default -> false;
    };
  }

  @Override
  protected void otherValueSet(int index) {
    forgetKeyValue(index);
  }

  private void forgetKeyValue(int index) {
    KeyedRowHasher key = plan.key();
    if (key != null && key.takes(index)) {
      kept.keepKeyValue(index, 0);
    }
    if (isPinned(index)) {
      kept.pin(index, null);
    }
  }

  private void pin(int index, @Nullable Object value) {
    boolean integer =
        value instanceof Integer
            || value instanceof Long
            || value instanceof Short
            || value instanceof Byte;
    if (integer && value instanceof Number number) {
      kept.pin(index, number.longValue());
    } else {
      kept.pin(index, value instanceof String || value instanceof UUID ? value : null);
    }
  }

  private boolean mayPlanAnew() {
    return context.plans().mayChange() && !(this instanceof CallableStatement);
  }

  /**
   * A table of it may have been looked up, prepared or changed after the statement was prepared.
   *
   * @return true if it was planned again
   */
  private boolean planAnew() throws SQLException {
    long version = context.plans().version();
    if ((version == plannedAt && !mayPlanAnew)
        || kept.isStreamed()
        || names.isElsewhere() // where the tables are others
        || this instanceof CallableStatement) {
      return false;
    }
    CachedPlan now = context.plans().toSend(plan.plan().original(), options);
    while (version != context.plans().version()) { // a table was prepared before or while it waited
      version = context.plans().version();
      now = context.plans().toSend(plan.plan().original(), options);
    }
    mayPlanAnew = mayPlanAnew();
    if (version == plannedAt) {
      return false;
    }
    plannedAt = version;
    CachedPlan before = plan;
    plan = now;
    kept.plannedAnew(before, index -> isPinned(before, index));
    if (metadata != null) {
      metadata.close();
      metadata = null;
    }
    return true;
  }

  @Override
  long bits(KeyedRowHasher key) {
    return kept.bits(key);
  }

  @Override
  PinnedValues pinned() {
    return kept;
  }

  @Override
  protected void beforeStream() throws SQLException {
    // A stream can be read once: from here on the text does not change any more.
    if (kept.isStreamed()) {
      return;
    }
    if (names.isElsewhere()) {
      prepareElsewhere();
    } else {
      CachedPlan plain = context.plans().carryingNothing(context.plans().withoutWrittenRows(plan));
      if (batch == null) {
        prepareFor(plain);
      } else {
        collectAnew(batch, context.plans().forBatch(plain), true);
      }
    }
    kept.streamed();
  }

  @Override
  public void clearParameters() throws SQLException {
    prepared.clearParameters();
    kept.clear();
  }

  @Override
  Parameters parameters() {
    return kept.parameters();
  }

  /** Changes to the text of another plan, and takes the parameters over. */
  private void prepareFor(CachedPlan wanted) throws SQLException {
    // The application's own text is not prepared again: its names may mean other tables by now.
    boolean same =
        wanted == active
            || (!wanted.plan().isRewritten()
                && wanted.plan().preparedSql().equals(active.plan().preparedSql()));
    boolean has = same && !(names.isElsewhere() && names.mayHaveMoved());
    if (has && batch == null) {
      active = wanted;
    }
    if (has || !mayPrepareAnother() || batch != null || prepared.isClosed()) {
      return;
    }
    PreparedStatement other;
    try {
      other = names.prepare(options, wanted.plan().preparedSql());
    } catch (SQLException e) {
      if (!context.mayBeOurFault(wanted, e)) {
        throw VendorErrors.of(e, wanted.prepared());
      }
      prepareFor(wanted.asItIs(GapReason.FAULT, "")); // whose error is the application's
      plan = context.plans().refused(wanted, e);
      active = plan;
      return;
    }
    try {
      copySettings(prepared, other);
      kept.replay(other, wanted);
    } catch (SQLException | RuntimeException e) {
      other.close();
      throw e;
    }
    PreparedStatement former = prepared;
    prepared = other;
    delegate = other;
    active = wanted;
    if (executed == null) {
      executed = former; // its results may still be read
    } else {
      former.close();
    }
  }

  private boolean mayPrepareAnother() {
    return !context.isByValue() && !kept.isStreamed() && names.mayPrepare();
  }

  /**
   * Changes to the application's own text, prepared where this statement was. No plan is made: it
   * would be one for the tables of the session's database by now.
   */
  private void prepareElsewhere() throws SQLException {
    boolean rewritten = active.plan().isRewritten();
    if ((rewritten || names.mayHaveMoved()) && mayPrepareAnother()) {
      prepareFor(rewritten ? elsewhere(plan) : active);
      plan = active;
    }
  }

  @Override
  Statement executed() {
    return executed == null ? delegate : executed;
  }

  @Override
  public @Nullable SQLWarning getWarnings() throws SQLException {
    return executed().getWarnings();
  }

  @Override
  public void clearWarnings() throws SQLException {
    executed().clearWarnings();
  }

  /** An execution begins, which closes the results of the one before. */
  private void closeExecuted() throws SQLException {
    names.executed();
    PreparedStatement former = executed;
    if (former != null) {
      executed = null;
      former.close();
    }
  }

  private void copySettings(PreparedStatement from, PreparedStatement to) throws SQLException {
    if (from.getFetchSize() != to.getFetchSize()) {
      to.setFetchSize(from.getFetchSize());
    }
    if (from.getQueryTimeout() != to.getQueryTimeout()) {
      to.setQueryTimeout(from.getQueryTimeout());
    }
    if (from.getMaxFieldSize() != to.getMaxFieldSize()) {
      to.setMaxFieldSize(from.getMaxFieldSize());
    }
    if (from.isCloseOnCompletion()) {
      to.closeOnCompletion();
    }
    setAgain(to);
  }

  // ---------------------------------------------------------------- executing

  /** Something that is done with the prepared statement. */
  private interface PreparedCall<T> {
    T on(PreparedStatement statement) throws SQLException;
  }

  @Override
  public ResultSet executeQuery() throws SQLException {
    if (names.isElsewhere()) {
      prepareElsewhere();
    } else {
      planAnew();
      prepareFor(context.plans().withoutWrittenRows(plan));
    }
    closeExecuted();
    return showResult(run(start(active), PreparedStatement::executeQuery));
  }

  @Override
  public int executeUpdate() throws SQLException {
    prepareForWrite();
    Integer raw = runWrite(start(active), PreparedStatement::executeUpdate);
    return (int) (raw == null ? drainedCount() : counted(raw));
  }

  @Override
  public long executeLargeUpdate() throws SQLException {
    prepareForWrite();
    Long raw = runWrite(start(active), PreparedStatement::executeLargeUpdate);
    return raw == null ? drainedCount() : counted(raw);
  }

  @Override
  public boolean execute() throws SQLException {
    prepareForWrite();
    Boolean raw = runWrite(start(active), PreparedStatement::execute);
    return raw != null && hasResult(raw);
  }

  private void prepareForWrite() throws SQLException {
    if (names.isElsewhere()) {
      prepareElsewhere();
    } else {
      planAnew();
      prepareFor(context.plans().ofWrite(plan, mayDrain()));
    }
    closeExecuted();
  }

  private <T> T run(Execution execution, PreparedCall<T> call) throws SQLException {
    try {
      execution.setParameters(prepared);
      kept.setAgain(active, prepared);
      describe();
      execution.sent();
      T result = call.on(prepared);
      execution.returned();
      active.usage().prove();
      context.guard().release();
      return result;
    } catch (SQLException e) {
      execution.returned();
      if (!mayBeOurFault(e)) {
        execution.failed(e);
        throw VendorErrors.of(e, execution.cached().prepared());
      }
      return runAsItWas(execution, e, call);
    }
  }

  /** Lets the driver know the result's columns, as it would if it had described this text. */
  private void describe() throws SQLException {
    if (metadata != null
        && described != prepared
        && active.plan().isRewritten()
        && context.sql().driver().readsDescribedInBinary()) {
      prepared.getMetaData();
      described = prepared;
    }
  }

  /**
   * Runs a statement that may be a write that was made to return its rows, which are read here.
   *
   * @return what the call gave if it is another one, or the DBMS refused ours; null if rows were
   *     read, and the count is {@link #drainedCount}
   */
  private <T> @Nullable T runWrite(Execution execution, PreparedCall<T> asItWas)
      throws SQLException {
    if (!active.returnsWrittenRows()) {
      return run(execution, asItWas);
    }
    try {
      execution.setParameters(prepared);
      kept.setAgain(active, prepared);
      long count =
          context
              .returning()
              .run(
                  () ->
                      execution.drain(
                          context.returning().mayAnswerWithoutRows()
                              ? (prepared.execute() ? prepared.getResultSet() : null)
                              : prepared.executeQuery()));
      context.guard().release();
      drained(count);
      return null;
    } catch (SQLException e) {
      if (prepared.isClosed()) {
        execution.failed(e);
        return asItWas.on(prepared); // for the driver's own error
      }
      if (!mayBeOurFault(e)) {
        execution.failed(e);
        throw VendorErrors.of(e, execution.cached().prepared());
      }
      return runAsItWas(execution, e, asItWas);
    }
  }

  private boolean mayBeOurFault(SQLException error) {
    return context.mayBeOurFault(active, error);
  }

  private <T> T runAsItWas(Execution execution, SQLException ours, PreparedCall<T> call)
      throws SQLException {
    CachedPlan failed = execution.cached();
    if (!mayPrepareAnother() || !context.guard().goBack()) {
      context.plans().failed(failed, ours);
      execution.failed(ours);
      throw VendorErrors.of(ours, failed.prepared());
    }
    T result;
    try {
      prepareFor(failed.asItIs(GapReason.FAULT, ""));
      closeExecuted();
      result = call.on(prepared);
    } catch (SQLException e) {
      execution.failed(e); // not our fault: the application's own text gives it
      throw e;
    }
    Execution instead = execution.withoutRewriting(ours);
    plan = instead.cached();
    active = plan;
    goOnWith(instead);
    return result;
  }

  // ---------------------------------------------------------------- batches

  @Override
  public void addBatch() throws SQLException {
    PreparedBatch collecting = batch;
    if (collecting == null) {
      collecting = newBatch();
    }
    try {
      collecting.add(prepared);
    } catch (SQLException e) {
      throw VendorErrors.of(e, active.prepared());
    }
    batch = collecting;
  }

  private PreparedBatch newBatch() throws SQLException {
    if (names.isElsewhere()) {
      prepareElsewhere();
    } else {
      prepareFor(context.plans().forBatch(plan));
    }
    plan.usage().batched();
    return new PreparedBatch(context, active, kept);
  }

  /** Collects the items once more. */
  private PreparedBatch collectAnew(PreparedBatch collected, CachedPlan wanted)
      throws SQLException {
    return collectAnew(collected, wanted, false);
  }

  private PreparedBatch collectAnew(PreparedBatch collected, CachedPlan wanted, boolean streamed)
      throws SQLException {
    prepared.clearBatch();
    batch = null;
    prepareFor(wanted);
    PreparedBatch again = collected.withText(active, prepared, streamed);
    kept.replay(prepared, active);
    batch = again;
    return again;
  }

  @Override
  public void addBatch(String sql) throws SQLException {
    if (sql == null) {
      prepared.addBatch(sql); // which MySQL's driver passes over
      return;
    }
    CachedPlan text =
        context
            .plans()
            .toSend(sql, options)
            .asItIs(GapReason.SHAPE, "text in the batch of a prepared statement");
    PreparedBatch collecting = batch == null ? newBatch() : batch;
    collecting.add(text, prepared); // or the driver's own error: most allow none
    batch = collecting;
  }

  @Override
  public void clearBatch() throws SQLException {
    prepared.clearBatch();
    batch = null;
    if (context.sql().driver().clearsParametersWithBatch()) {
      kept.clear();
    }
  }

  @Override
  public int[] executeBatch() throws SQLException {
    Batch.Sender sender = () -> Batch.widen(prepared.executeBatch());
    PreparedBatch collected = batchToSend();
    return toSend(collected).run(sender, asItWas(collected, sender), Batch::narrow);
  }

  @Override
  public long[] executeLargeBatch() throws SQLException {
    Batch.Sender sender = () -> prepared.executeLargeBatch();
    PreparedBatch collected = batchToSend();
    return toSend(collected).run(sender, asItWas(collected, sender), counts -> counts);
  }

  private Batch toSend(@Nullable PreparedBatch collected) throws SQLException {
    return collected == null ? new Batch(context, 0, true, false) : collected.toSend(prepared);
  }

  /**
   * Sends the items with the application's own text; null if they cannot be collected once more.
   */
  private Batch.@Nullable Sender asItWas(@Nullable PreparedBatch collected, Batch.Sender sender) {
    if (collected == null || collected.isStreamed() || kept.isStreamed()) {
      return null;
    }
    return () -> {
      prepared.clearBatch();
      prepareFor(active.asItIs(GapReason.FAULT, ""));
      collected.withText(active, prepared, false);
      kept.replay(prepared, active);
      long[] counts = sender.send();
      plan = active;
      return counts;
    };
  }

  private @Nullable PreparedBatch batchToSend() throws SQLException {
    endLast();
    notDrained();
    closeExecuted();
    PreparedBatch collected = batch;
    if (collected != null
        && names.isElsewhere()
        && mayPrepareAnother()
        && !collected.isStreamed()) {
      collected = collectAnew(collected, elsewhere(plan));
      plan = active;
    } else if (collected != null && planAnew()) {
      collected = collectAnew(collected, context.plans().forBatch(plan));
    }
    if (collected != null
        && collected.controlsTransaction()
        && !kept.isStreamed()
        && names.mayPrepare()) {
      collected =
          collectAnew(collected, plan.asItIs(GapReason.SHAPE, "batch with transaction control"));
    }
    batch = null;
    return collected;
  }

  // ---------------------------------------------------------------- its description

  @Override
  public @Nullable ResultSetMetaData getMetaData() throws SQLException {
    return metadata().ofResult(prepared, active, plan, kept);
  }

  @Override
  public ParameterMetaData getParameterMetaData() throws SQLException {
    return metadata().ofParameters(prepared, active, plan, kept);
  }

  private PreparedMetadata metadata() {
    PreparedMetadata known = metadata;
    if (known == null) {
      names.executed(); // it may be prepared by now
      known = new PreparedMetadata(context, text -> names.prepare(options, text));
      metadata = known;
    }
    return known;
  }

  @Override
  public void close() throws SQLException {
    if (metadata != null) {
      metadata.close();
    }
    closeExecuted();
    super.close();
  }

  @Override
  public String toString() {
    String described = prepared.toString();
    return active.plan().isRewritten() ? active.prepared().filledIn(described) : described;
  }
}
