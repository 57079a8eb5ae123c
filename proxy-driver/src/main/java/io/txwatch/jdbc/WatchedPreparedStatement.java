package io.txwatch.jdbc;

import io.txwatch.history.GapReason;
import io.txwatch.history.StatementKind;
import io.txwatch.sql.Carried;
import io.txwatch.sql.Dialect;
import java.sql.ParameterMetaData;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
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

  /** A row of a batch: the setters that made it. */
  private record Item(@Nullable Setter @Nullable [] setters, long @Nullable [] hashes, long key) {}

  /** The plan for the text that the application prepared. */
  private CachedPlan plan;

  /** The plan for the text that the driver has. */
  private CachedPlan active;

  private @Nullable Setter @Nullable [] kept;
  private long @Nullable [] hashes;

  /** The bits of the parameters that are values of a key. */
  private long @Nullable [] keyValues;

  private boolean streamed;

  /** The application's own text, prepared to tell of its result. */
  private @Nullable PreparedStatement asItWas;

  private @Nullable Batch batch;
  private final List<Item> items = new ArrayList<>(0);

  /**
   * Wraps a statement that was prepared.
   *
   * @param active the plan that it was prepared by: {@code plan} or its variant without rows
   */
  WatchedPreparedStatement(
      PreparedStatement delegate,
      WatchedConnection connection,
      StatementOptions options,
      CachedPlan plan,
      CachedPlan active) {
    super(delegate, connection, options);
    this.plan = plan;
    this.active = active;
  }

  // ---------------------------------------------------------------- parameters

  @Override
  protected int place(int index) {
    return Places.behind(active.plan(), index);
  }

  @Override
  protected boolean keepsSetters() {
    return plan.returnsWrittenRows()
        || !active.isProven()
        || active.plan().tokenParameters().length > 0
        || active.sideReads() != null
        || plan.carries();
  }

  @Override
  protected boolean keepsValues() {
    return plan.comparesPredicates();
  }

  @Override
  protected void keepValue(int index, long hash) {
    if (index >= 1 && index <= plan.plan().parameterCount()) {
      if (hashes == null) {
        hashes = new long[plan.plan().parameterCount()];
      }
      hashes[index - 1] = hash;
    }
  }

  @Override
  protected void keep(int index, Setter setter) {
    if (index >= 1 && index <= active.plan().parameterCount()) {
      if (kept == null) {
        kept = new Setter[active.plan().parameterCount()];
      }
      kept[index - 1] = setter;
    }
  }

  @Override
  protected void keyValue(int index, long value) {
    KnownKey key = plan.key();
    if (key != null && key.takes(index)) {
      keepKeyValue(index, key.of(index, value));
    }
  }

  @Override
  protected void keyValue(int index, @Nullable Object value) {
    KnownKey key = plan.key();
    if (key != null && key.takes(index)) {
      keepKeyValue(index, key.of(index, value));
    }
  }

  private void keepKeyValue(int index, long bits) {
    if (keyValues == null) {
      keyValues = new long[plan.plan().parameterCount()];
    }
    keyValues[index - 1] = bits;
  }

  @Override
  long bits(KnownKey key) {
    return key.bits(keyValues);
  }

  @Override
  protected void beforeStream() throws SQLException {
    // A stream can be read once: from here on the text does not change any more.
    prepareFor(connection.carryingNothing(connection.withoutWrittenRows(plan)));
    streamed = true;
  }

  @Override
  public void clearParameters() throws SQLException {
    prepared.clearParameters();
    kept = null;
    hashes = null;
    keyValues = null;
  }

  @Override
  Parameters parameters() {
    return new Parameters(kept, hashes, !streamed);
  }

  /** Changes to the text of another plan, and takes the parameters over. */
  private void prepareFor(CachedPlan wanted) throws SQLException {
    if (wanted == active || streamed || batch != null) {
      return;
    }
    PreparedStatement other =
        options.preparer().prepare(connection.delegate, wanted.plan().preparedSql());
    try {
      copySettings(prepared, other);
      replay(kept, other, wanted);
    } catch (SQLException | RuntimeException e) {
      other.close();
      throw e;
    }
    PreparedStatement former = prepared;
    prepared = other;
    delegate = other;
    active = wanted;
    former.close();
  }

  private static void copySettings(PreparedStatement from, PreparedStatement to)
      throws SQLException {
    if (from.getMaxRows() != to.getMaxRows()) {
      to.setMaxRows(from.getMaxRows());
    }
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
  }

  private static void replay(
      @Nullable Setter @Nullable [] setters, PreparedStatement statement, CachedPlan cached)
      throws SQLException {
    if (setters == null) {
      return;
    }
    for (int i = 0; i < setters.length; i++) {
      Setter setter = setters[i];
      if (setter != null) {
        setter.set(statement, Places.behind(cached.plan(), i + 1));
      }
    }
  }

  // ---------------------------------------------------------------- executing

  /** Something that is done with the prepared statement. */
  private interface PreparedCall<T> {
    T on(PreparedStatement statement) throws SQLException;
  }

  @Override
  public ResultSet executeQuery() throws SQLException {
    prepareFor(connection.withoutWrittenRows(plan));
    return showResult(run(PreparedStatement::executeQuery));
  }

  @Override
  public int executeUpdate() throws SQLException {
    prepareForWrite();
    PreparedCall<Integer> call = PreparedStatement::executeUpdate;
    if (active.returnsWrittenRows()) {
      Integer raw = runWrite(call);
      return raw == null ? (int) drainedCount() : (int) counted(raw);
    }
    return (int) counted(run(call));
  }

  @Override
  public long executeLargeUpdate() throws SQLException {
    prepareForWrite();
    PreparedCall<Long> call = PreparedStatement::executeLargeUpdate;
    if (active.returnsWrittenRows()) {
      Long raw = runWrite(call);
      return raw == null ? drainedCount() : counted(raw);
    }
    return counted(run(call));
  }

  @Override
  public boolean execute() throws SQLException {
    prepareForWrite();
    PreparedCall<Boolean> call = PreparedStatement::execute;
    if (active.returnsWrittenRows()) {
      Boolean raw = runWrite(call);
      return raw != null && hasResult(raw);
    }
    return hasResult(run(call));
  }

  private void prepareForWrite() throws SQLException {
    prepareFor(mayDrain() ? connection.atThisLevel(plan) : connection.withoutWrittenRows(plan));
  }

  private <T> T run(PreparedCall<T> call) throws SQLException {
    Execution execution = start(active);
    try {
      execution.setParameters(prepared);
      setAgain();
      T result = call.on(prepared);
      active.prove();
      connection.unguard();
      return result;
    } catch (SQLException e) {
      if (!mayBeOurFault(e)) {
        execution.failed(e);
        throw VendorErrors.of(e, execution.cached());
      }
      return runAsItWas(execution, e, call);
    }
  }

  /** What the application's own call gave, if ours was refused; else null, and it is drained. */
  private <T> @Nullable T runWrite(PreparedCall<T> asItWas) throws SQLException {
    Execution execution = start(active);
    try {
      execution.setParameters(prepared);
      setAgain();
      long count =
          connection.write(
              execution,
              () ->
                  connection.mayAnswerWithoutRows()
                      ? (prepared.execute() ? prepared.getResultSet() : null)
                      : prepared.executeQuery());
      connection.unguard();
      drained(count);
      return null;
    } catch (SQLException e) {
      if (!mayBeOurFault(e)) {
        execution.failed(e);
        throw VendorErrors.of(e, execution.cached());
      }
      return runAsItWas(execution, e, asItWas);
    }
  }

  /** Sets the parameters of the application's that the text takes once more. */
  private void setAgain() throws SQLException {
    Carried carried = active.plan().carried();
    int[] places = carried.places();
    for (int i = 0; i < places.length; i++) {
      int number = carried.parameters()[i];
      Setter setter = kept == null || number > kept.length ? null : kept[number - 1];
      if (setter != null) {
        setter.set(prepared, places[i]);
      } // else the application has not set it, which the driver will say
    }
  }

  private boolean mayBeOurFault(SQLException error) {
    return connection.mayBeOurFault(active, error);
  }

  private <T> T runAsItWas(Execution execution, SQLException ours, PreparedCall<T> call)
      throws SQLException {
    CachedPlan failed = execution.cached();
    if (failed.isProven() || streamed || !connection.canTryAgain()) {
      connection.doNotRewrite(failed, ours);
      execution.failed(ours);
      throw VendorErrors.of(ours, failed);
    }
    T result;
    try {
      prepareFor(connection.asItIs(failed, GapReason.FAULT, ""));
      result = call.on(prepared);
    } catch (SQLException e) {
      execution.failed(e); // not our fault: the application's own text gives it
      throw VendorErrors.theApplications(ours, e);
    }
    Execution instead = connection.goOnWithout(execution, ours);
    plan = instead.cached();
    active = plan;
    goOnWith(instead);
    return result;
  }

  // ---------------------------------------------------------------- batches

  @Override
  public void addBatch() throws SQLException {
    Batch collecting = batch;
    if (collecting == null) {
      prepareFor(connection.forBatch(plan));
      plan.batched(true);
      collecting = new Batch(connection);
    }
    KnownKey key = active.key();
    collecting.add(active, key == null ? 0 : bits(key)).setParameters(prepared);
    if (active.sideReads() != null) {
      collecting.parameters(parameters().copy());
    }
    prepared.addBatch();
    items.add(
        new Item(
            streamed || kept == null ? null : kept.clone(),
            hashes == null ? null : hashes.clone(),
            key == null ? 0 : bits(key)));
    batch = collecting;
  }

  @Override
  public void addBatch(String sql) throws SQLException {
    prepared.addBatch(sql); // for the driver's own error
  }

  @Override
  public void clearBatch() throws SQLException {
    prepared.clearBatch();
    forgetBatch();
  }

  private void forgetBatch() {
    batch = null;
    items.clear();
  }

  @Override
  public int[] executeBatch() throws SQLException {
    Batch sending = batchToSend();
    return sending.run(() -> Batch.widen(prepared.executeBatch()), Batch::narrow);
  }

  @Override
  public long[] executeLargeBatch() throws SQLException {
    Batch sending = batchToSend();
    return sending.run(() -> prepared.executeLargeBatch(), counts -> counts);
  }

  private Batch batchToSend() throws SQLException {
    endLast();
    notDrained();
    Batch sending = batch == null ? new Batch(connection) : batch;
    List<Item> sent = List.copyOf(items);
    forgetBatch();
    boolean tokens = active.plan().tokenParameters().length > 0;
    return tokens && !sending.tokensHold() ? addAgain(sent) : sending;
  }

  /** The transaction in which the items were added is not the one that they are executed in. */
  private Batch addAgain(List<Item> sent) throws SQLException {
    prepared.clearBatch();
    Batch again = new Batch(connection);
    for (Item item : sent) {
      replay(item.setters(), prepared, active);
      again.add(active, item.key()).setParameters(prepared);
      if (active.sideReads() != null) {
        again.parameters(
            new Parameters(item.setters(), item.hashes(), item.setters() != null || !streamed));
      }
      prepared.addBatch();
    }
    return again;
  }

  // ---------------------------------------------------------------- what it tells of itself

  @Override
  public @Nullable ResultSetMetaData getMetaData() throws SQLException {
    if (mustAskAsItWas()) {
      return mask(asItWas().getMetaData(), plainest());
    }
    return mask(prepared.getMetaData(), active);
  }

  private static @Nullable ResultSetMetaData mask(
      @Nullable ResultSetMetaData metaData, CachedPlan cached) throws SQLException {
    if (metaData == null || !cached.hidesColumns()) {
      return metaData;
    }
    int appended = cached.appendedColumns();
    ColumnMask mask =
        cached.plan().starShowsAuxiliary()
            ? ColumnMask.ofNames(metaData, appended)
            : ColumnMask.ofLast(appended, metaData.getColumnCount());
    return new WatchedResultSetMetaData(metaData, mask);
  }

  @Override
  public ParameterMetaData getParameterMetaData() throws SQLException {
    boolean other = mustAskAsItWas();
    CachedPlan cached = other ? plainest() : active;
    PreparedStatement statement = other ? asItWas() : prepared;
    ParameterMetaData metaData = statement.getParameterMetaData();
    return cached.plan().addedParameters() == 0
        ? metaData
        : new WatchedParameterMetaData(metaData, cached.plan());
  }

  /** What a text tells of itself before it was ever executed, also that it is wrong, is its own. */
  private boolean mustAskAsItWas() {
    return active.returnsWrittenRows() || !active.isProven();
  }

  /** The parameters that were set give their types. */
  private PreparedStatement asItWas() throws SQLException {
    PreparedStatement own = asItWas;
    if (own == null) {
      own = options.preparer().prepare(connection.delegate, plainest().plan().preparedSql());
      asItWas = own;
    }
    replay(kept, own, plainest());
    return own;
  }

  /** The application's text; where an INSERT must have its columns named, with that. */
  private CachedPlan plainest() {
    boolean inserts = plan.kind() == StatementKind.INSERT || plan.kind() == StatementKind.REPLACE;
    Dialect dialect = connection.rules().dialect();
    return inserts && (dialect == Dialect.POSTGRESQL || dialect == Dialect.SQLITE)
        ? connection.withoutWrittenRows(plan)
        : connection.asItIs(plan, GapReason.SHAPE, "");
  }

  @Override
  public void close() throws SQLException {
    if (asItWas != null) {
      asItWas.close();
      asItWas = null;
    }
    super.close();
  }

  @Override
  public String toString() {
    return active.plan().isRewritten() ? active.plan().original() : prepared.toString();
  }
}
