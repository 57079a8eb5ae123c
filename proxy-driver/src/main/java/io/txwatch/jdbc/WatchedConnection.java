package io.txwatch.jdbc;

import io.txwatch.capture.SessionTracker;
import io.txwatch.capture.TransactionRules;
import io.txwatch.history.GapReason;
import io.txwatch.history.IsolationLevel;
import io.txwatch.history.StatementKind;
import io.txwatch.prepare.JdbcCatalog;
import io.txwatch.sql.Dialect;
import java.sql.CallableStatement;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A connection whose transactions and statements are observed. */
final class WatchedConnection extends DelegatingConnection {

  /** The savepoint that stands before a rewritten text that PostgreSQL has not executed yet. */
  private static final String GUARD = "txw_guard";

  private final WatchedDatabase database;
  private final SessionTracker tracker;
  private final JdbcCatalog catalog;
  private @Nullable PlanCache ownPlans;
  private boolean guarded;
  private @Nullable SideReads sideReads;
  private @Nullable KnownRows knownRows;

  /** The transaction that is sure to have its snapshot; 0 if that is not known of any. */
  private long snapshotOf;

  /** True if the last statement was a SET. */
  private boolean justSet;

  /** True if the last statement was a write that was made to return its rows. */
  private boolean justReturned;

  /** True if it is a pooled connection's handle, which the session outlives. */
  private final boolean handle;

  WatchedConnection(Connection delegate, WatchedSession session, boolean handle) {
    super(delegate);
    this.database = session.database();
    this.tracker = session.tracker();
    this.catalog = session.catalog();
    this.handle = handle;
  }

  // ---------------------------------------------------------------- what the statements ask

  SessionTracker tracker() {
    return tracker;
  }

  TransactionRules rules() {
    return database.rules();
  }

  /** The plan for a text. Never throws. */
  CachedPlan plan(String sql, StatementOptions options) {
    CachedPlan cached = plans().of(sql, catalog);
    return options.updatable() && cached.hidesColumns() ? plans().bare(cached, catalog) : cached;
  }

  CachedPlan withoutWrittenRows(CachedPlan cached) {
    return atThisLevel(plans().counting(cached, catalog));
  }

  /** The plan, or the variant that carries nothing where the isolation level is against it. */
  CachedPlan atThisLevel(CachedPlan cached) {
    return cached.carries() && !database.snapshots().mayCarry(tracker.level())
        ? carryingNothing(cached)
        : cached;
  }

  CachedPlan carryingNothing(CachedPlan cached) {
    return cached.carries() ? plans().carryingNothing(cached, catalog) : cached;
  }

  /** A session that looks names up elsewhere than it first did has plans of its own. */
  private PlanCache plans() {
    if (catalog.version() >>> 32 == 0) {
      return database.plans();
    }
    if (ownPlans == null) {
      ownPlans = database.ownPlans();
    }
    return ownPlans;
  }

  /**
   * The variant of a plan for batches of a prepared statement. MariaDB's driver sends a batch with
   * parameters in bulk, for which the server refuses some statements, and one without as it is: a
   * first parameter must not come from us.
   */
  CachedPlan forBatch(CachedPlan cached) {
    boolean first =
        cached.plan().parameterCount() == 0 && cached.plan().tokenParameters().length > 0;
    return first && rules().dialect() == Dialect.MARIADB
        ? asItIs(cached, GapReason.SHAPE, "batch of a statement without parameters")
        : withoutWrittenRows(cached);
  }

  CachedPlan asItIs(CachedPlan cached, GapReason reason, String detail) {
    return cached.isControl() ? cached : PlanCache.asItIs(cached, reason, detail);
  }

  /** A statement was executed. */
  void executed(CachedPlan cached) {
    StatementKind kind = cached.kind();
    justSet = false;
    if (kind == StatementKind.DDL || kind == StatementKind.OTHER) {
      String sql = cached.plan().original();
      catalog.executed(sql);
      justSet = sql.stripLeading().regionMatches(true, 0, "SET", 0, 3);
    }
    if (justReturned && cached.asksRowCount()) {
      database.memory().asksRowCount();
    }
    justReturned = cached.returnsWrittenRows();
  }

  /** Tables were changed elsewhere. */
  void tablesChanged() {
    catalog.invalidate();
    forgetKeys();
  }

  // ---------------------------------------------------------------- reads beside statements

  SideReads sideReads() {
    if (sideReads == null) {
      sideReads = new SideReads(this, database.snapshots());
    }
    return sideReads;
  }

  /** The application is about to send a statement. */
  void beforeNext(CachedPlan next) {
    if (sideReads != null || next.asksFoundRows()) {
      try {
        sideReads().beforeNext(next);
      } catch (RuntimeException e) {
        fault(e);
      }
    }
  }

  private void beforeCommit() {
    readBeside(SideReads::beforeCommit);
  }

  private void readBeside(Consumer<SideReads> what) {
    if (sideReads != null) {
      try {
        what.accept(sideReads);
      } catch (RuntimeException e) {
        fault(e);
      }
    }
  }

  /** A statement of that kind, in that transaction, has returned a row. */
  void rowSeen(StatementKind kind, long transaction) {
    if (snapshotOf != transaction && database.snapshots().fixesSnapshot(kind)) {
      snapshotOf = transaction;
    }
  }

  /** The rows that its transaction has read by a key. */
  KnownRows knownRows() {
    if (knownRows == null) {
      knownRows = new KnownRows();
    }
    return knownRows;
  }

  /** Rows are no longer known by the keys that they were read by. */
  void forgetKeys() {
    if (knownRows != null) {
      knownRows.forget();
    }
  }

  /** A statement is sent after which other rows may bear the keys that were read. */
  void mayMoveKeys(@Nullable KnownKey key) {
    if (knownRows != null && key != null) {
      switch (key.role()) {
        case MAY_MOVE -> knownRows.forget(key.table());
        case ANY_MAY_MOVE -> forgetKeys();
        case NONE, READS, WRITES -> {}
      }
    }
  }

  /** True if that transaction is sure to have its snapshot. */
  boolean hasSnapshot(long transaction) {
    return snapshotOf == transaction;
  }

  /** A table is larger than a plan supposed: plans are made anew. */
  void outgrown(CachedPlan cached) {
    if (cached.outgrow()) {
      catalog.invalidate();
    }
  }

  boolean hasJustSet() {
    return justSet;
  }

  /** How many rows a read of ours may bring. */
  int mostSideRows() {
    return database.mostSideRows();
  }

  SideReadMemory memory() {
    return database.memory();
  }

  /** True if metadata of that table names columns of ours. */
  boolean hasOurColumns(
      @Nullable String inCatalog, @Nullable String inSchema, @Nullable String table) {
    String schema = inSchema == null ? inCatalog : inSchema;
    try {
      return catalog.hasOurColumns(schema == null ? "" : schema, table == null ? "" : table);
    } catch (RuntimeException e) {
      fault(e);
      return true;
    }
  }

  void gap(GapReason reason, String detail) {
    try {
      tracker.gap(reason, detail);
    } catch (RuntimeException e) {
      fault(e);
    }
  }

  /** Something of ours went wrong: counted, said once, never the application's business. */
  void fault(Throwable fault) {
    Faults.tell(fault);
    try {
      tracker.gap(GapReason.FAULT, fault.getClass().getSimpleName());
    } catch (RuntimeException e) {
      Faults.tell(e);
    }
  }

  // ---------------------------------------------------------------- failing open

  /**
   * A rewritten text is about to be sent. On PostgreSQL an error aborts the transaction, so a text
   * that has never been executed there has a savepoint set before it, once in its life.
   *
   * @throws SQLException if the connection turns out to be lost: what the application's own text
   *     would have been told
   */
  void guard(CachedPlan cached) throws SQLException {
    guarded = false;
    if (cached.isProven()
        || rules().dialect() != Dialect.POSTGRESQL
        || !tracker.inTransactionMode()
        || tracker.mustRollBack()) {
      return;
    }
    try (Statement statement = delegate.createStatement()) {
      statement.execute("SAVEPOINT " + GUARD);
      guarded = true;
    } catch (SQLException e) {
      if (TransactionRules.connectionLost(e)) {
        throw e;
      }
    }
  }

  /** The text that was guarded has been executed. */
  void unguard() {
    if (guarded) {
      guarded = false;
      if (!onTheSide("RELEASE SAVEPOINT " + GUARD)) {
        fault(new IllegalStateException("the guarding savepoint is gone"));
      }
    }
  }

  /** Executes something of ours; false if it failed. */
  boolean onTheSide(String sql) {
    try (Statement statement = delegate.createStatement()) {
      statement.execute(sql);
      return true;
    } catch (SQLException e) {
      return false;
    }
  }

  /**
   * True if a write that is made to return its rows does what it does by itself. H2 keeps what such
   * a write did before it failed, so it must be undone, for which there must be a transaction. And
   * at REPEATABLE READ it takes the snapshot of a table when a statement first names it, and does
   * not count what is named within {@code FINAL TABLE (…)}, so such a write would overwrite what
   * the plain one fails on with 40001. Nor where the application asks for ROW_COUNT() after one:
   * MariaDB has none after RETURNING.
   */
  boolean mayReturnWrittenRows() {
    if (memory().isAskedForRowCount()) {
      return false;
    }
    return !rules().failedQueryKeepsWrites()
        || (tracker.inTransactionMode() && tracker.level() != IsolationLevel.REPEATABLE_READ);
  }

  /** A write that was made to return its rows. */
  interface ReturningWrite {
    /** Sends it; null if the DBMS gives no result at all, for it wrote no row. */
    @Nullable ResultSet send() throws SQLException;
  }

  /**
   * Runs a write as a query that returns its rows, and gives their number. If it fails, nothing of
   * it stays, as nothing of a plain write would.
   */
  long write(Execution execution, ReturningWrite query) throws SQLException {
    if (!rules().failedQueryKeepsWrites()) {
      return drain(execution, query);
    }
    Savepoint before = delegate.setSavepoint();
    long count;
    try {
      count = drain(execution, query);
    } catch (SQLException e) {
      undo(before, e);
      throw e;
    }
    delegate.releaseSavepoint(before);
    return count;
  }

  private static long drain(Execution execution, ReturningWrite query) throws SQLException {
    ResultSet rows = query.send();
    return rows == null ? 0 : execution.drain(rows);
  }

  /** True if the DBMS gives no result, not even an empty one, where a WHERE can never be true. */
  boolean mayAnswerWithoutRows() {
    return rules().dialect() == Dialect.MARIADB;
  }

  private void undo(Savepoint before, SQLException error) {
    try {
      if (rules().afterError(error) == TransactionRules.AfterError.ROLLED_BACK) {
        delegate.rollback();
      } else {
        delegate.rollback(before);
      }
    } catch (SQLException e) {
      error.addSuppressed(e);
    }
  }

  /** True if an error may come from what we added to a text. */
  boolean mayBeOurFault(CachedPlan cached, SQLException error) {
    // What would be tried again after a rollback would be without what came before it.
    return rules().afterError(error) != TransactionRules.AfterError.ROLLED_BACK
        && VendorErrors.mayBeOurs(cached, error, rules().dialect());
  }

  /** True if the transaction is as it was before the text that failed, or can be put back. */
  boolean canTryAgain() {
    if (guarded) {
      guarded = false;
      return onTheSide("ROLLBACK TO SAVEPOINT " + GUARD) && onTheSide("RELEASE SAVEPOINT " + GUARD);
    }
    return rules().dialect() != Dialect.POSTGRESQL || !tracker.inTransactionMode();
  }

  /** The application's own text was executed where the rewritten one failed. */
  Execution goOnWithout(Execution execution, SQLException ours) {
    CachedPlan untouched = doNotRewrite(execution.cached(), ours);
    return execution.with(untouched);
  }

  /** From now on the text is sent as it is. */
  CachedPlan doNotRewrite(CachedPlan cached, SQLException ours) {
    Faults.tellRewriting(ours);
    catalog.invalidate();
    return plans().doNotRewrite(cached, "SQLState " + ours.getSQLState());
  }

  // ---------------------------------------------------------------- transactions

  @Override
  public void setAutoCommit(boolean autoCommit) throws SQLException {
    if (autoCommit) {
      beforeCommit();
    }
    try {
      delegate.setAutoCommit(autoCommit);
    } catch (SQLException e) {
      if (autoCommit) {
        tracker.commitFailed(e);
      }
      throw e;
    }
    tracker.autoCommit(autoCommit);
  }

  @Override
  public void commit() throws SQLException {
    beforeCommit();
    try {
      delegate.commit();
    } catch (SQLException e) {
      tracker.commitFailed(e);
      throw e;
    }
    tracker.committed();
  }

  @Override
  public void rollback() throws SQLException {
    if (sideReads != null) {
      sideReads.forget();
    }
    try {
      delegate.rollback();
    } catch (SQLException e) {
      tracker.rollbackFailed(e);
      throw e;
    }
    tracker.rolledBack();
  }

  @Override
  public Savepoint setSavepoint() throws SQLException {
    Savepoint savepoint = delegate.setSavepoint();
    tracker.savepoint(nameOf(savepoint));
    return savepoint;
  }

  @Override
  public Savepoint setSavepoint(String name) throws SQLException {
    Savepoint savepoint = delegate.setSavepoint(name);
    tracker.savepoint(nameOf(savepoint));
    return savepoint;
  }

  @Override
  public void rollback(Savepoint savepoint) throws SQLException {
    readBeside(SideReads::beforeRollbackTo);
    delegate.rollback(savepoint);
    tracker.rolledBackTo(nameOf(savepoint));
    forgetKeys();
  }

  @Override
  public void releaseSavepoint(Savepoint savepoint) throws SQLException {
    delegate.releaseSavepoint(savepoint);
    tracker.released(nameOf(savepoint));
  }

  private static String nameOf(Savepoint savepoint) {
    try {
      return savepoint.getSavepointName();
    } catch (SQLException unnamed) {
      try {
        return "#" + savepoint.getSavepointId();
      } catch (SQLException e) {
        return "#" + System.identityHashCode(savepoint);
      }
    }
  }

  @Override
  public void setTransactionIsolation(int level) throws SQLException {
    delegate.setTransactionIsolation(level);
    IsolationLevel known = Levels.of(level);
    if (known != null) {
      tracker.level(known);
    }
  }

  @Override
  public void close() throws SQLException {
    try {
      delegate.close();
    } finally {
      closed();
    }
  }

  private void closed() {
    if (handle) {
      tracker.handedBack();
    } else if (tracker.closed()) {
      catalog.close();
    }
  }

  @Override
  public void setSchema(String schema) throws SQLException {
    delegate.setSchema(schema);
    catalog.pathChanged();
  }

  @Override
  public void setCatalog(String name) throws SQLException {
    delegate.setCatalog(name);
    catalog.pathChanged();
  }

  @Override
  public void abort(Executor executor) throws SQLException {
    try {
      delegate.abort(executor);
    } finally {
      closed();
    }
  }

  // ---------------------------------------------------------------- statements

  @Override
  public Statement createStatement() throws SQLException {
    return new WatchedStatement(delegate.createStatement(), this, StatementOptions.PLAIN);
  }

  @Override
  public Statement createStatement(int type, int concurrency) throws SQLException {
    return new WatchedStatement(
        delegate.createStatement(type, concurrency),
        this,
        StatementOptions.of(type, concurrency, StatementOptions.PLAIN.preparer()));
  }

  @Override
  public Statement createStatement(int type, int concurrency, int holdability) throws SQLException {
    return new WatchedStatement(
        delegate.createStatement(type, concurrency, holdability),
        this,
        StatementOptions.of(type, concurrency, StatementOptions.PLAIN.preparer()));
  }

  @Override
  public PreparedStatement prepareStatement(String sql) throws SQLException {
    return prepare(sql, StatementOptions.PLAIN);
  }

  @Override
  public PreparedStatement prepareStatement(String sql, int type, int concurrency)
      throws SQLException {
    return prepare(
        sql,
        StatementOptions.of(
            type, concurrency, (real, text) -> real.prepareStatement(text, type, concurrency)));
  }

  @Override
  public PreparedStatement prepareStatement(String sql, int type, int concurrency, int holdability)
      throws SQLException {
    return prepare(
        sql,
        StatementOptions.of(
            type,
            concurrency,
            (real, text) -> real.prepareStatement(text, type, concurrency, holdability)));
  }

  @Override
  public PreparedStatement prepareStatement(String sql, int keys) throws SQLException {
    return prepare(
        sql,
        keys == Statement.NO_GENERATED_KEYS
            ? StatementOptions.PLAIN
            : StatementOptions.keys((real, text) -> real.prepareStatement(text, keys)));
  }

  @Override
  public PreparedStatement prepareStatement(String sql, int[] keys) throws SQLException {
    return prepare(sql, StatementOptions.keys((real, text) -> real.prepareStatement(text, keys)));
  }

  @Override
  public PreparedStatement prepareStatement(String sql, String[] keys) throws SQLException {
    return prepare(sql, StatementOptions.keys((real, text) -> real.prepareStatement(text, keys)));
  }

  private PreparedStatement prepare(String sql, StatementOptions options) throws SQLException {
    CachedPlan cached = plan(sql, options);
    CachedPlan active =
        options.keysAsked() || cached.isBatched() || !mayReturnWrittenRows()
            ? withoutWrittenRows(cached)
            : cached;
    PreparedStatement prepared;
    guard(active);
    try {
      prepared = options.preparer().prepare(delegate, active.plan().preparedSql());
      unguard();
    } catch (SQLException e) {
      if (!mayBeOurFault(active, e) || !canTryAgain()) {
        throw VendorErrors.of(e, active);
      }
      prepared = options.preparer().prepare(delegate, sql);
      cached = doNotRewrite(cached, e);
      active = cached;
    }
    return new WatchedPreparedStatement(prepared, this, options, cached, active);
  }

  @Override
  public CallableStatement prepareCall(String sql) throws SQLException {
    return call(delegate.prepareCall(sql), sql);
  }

  @Override
  public CallableStatement prepareCall(String sql, int type, int concurrency) throws SQLException {
    return call(delegate.prepareCall(sql, type, concurrency), sql);
  }

  @Override
  public CallableStatement prepareCall(String sql, int type, int concurrency, int holdability)
      throws SQLException {
    return call(delegate.prepareCall(sql, type, concurrency, holdability), sql);
  }

  private CallableStatement call(CallableStatement prepared, String sql) {
    CachedPlan cached =
        asItIs(plan(sql, StatementOptions.PLAIN), GapReason.OPAQUE, "callable statement");
    return new WatchedCallableStatement(prepared, this, StatementOptions.PLAIN, cached);
  }

  // ---------------------------------------------------------------- the rest

  @Override
  public DatabaseMetaData getMetaData() throws SQLException {
    return new WatchedDatabaseMetaData(delegate.getMetaData(), this);
  }

  @Override
  public <T> T unwrap(Class<T> type) throws SQLException {
    return Unwrap.unwrap(this, delegate, type, this);
  }
}
