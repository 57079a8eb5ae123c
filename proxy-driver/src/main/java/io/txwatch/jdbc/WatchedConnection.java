package io.txwatch.jdbc;

import io.txwatch.capture.CallSites;
import io.txwatch.capture.SessionTracker;
import io.txwatch.capture.TransactionRules;
import io.txwatch.capture.WriterTexts;
import io.txwatch.catalog.JdbcCatalog;
import io.txwatch.history.GapReason;
import io.txwatch.history.IsolationLevel;
import io.txwatch.sql.TransactionControl;
import java.sql.CallableStatement;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A connection whose transactions and statements are observed. */
final class WatchedConnection extends DelegatingConnection {

  private final WatchedDatabase database;
  private final SessionTracker tracker;
  private final JdbcCatalog catalog;

  /** The plans for its texts. */
  final SessionPlans plans;

  /** Makes it safe to try a rewritten text. */
  final SavepointGuard guard;

  /** Its writes that are made to return their rows. */
  final ReturningWrites returning;

  /** What its statements have left behind. */
  final EarlierStatements earlier;

  /** The rows that its transaction has read by a key. */
  final KnownRows knownRows = new KnownRows();

  /** What the application holds of it: itself, or itself with the driver's interfaces. */
  private Connection shown = this;

  private @Nullable SideReads sideReads;

  /** The pooled connection that it is a handle of, which the session outlives; null if of none. */
  private final @Nullable WatchedPooledConnection pooled;

  /** True if the driver, or the application past txwatch, may set savepoints. */
  private boolean mayHaveOtherSavepoints;

  WatchedConnection(
      Connection delegate, WatchedSession session, @Nullable WatchedPooledConnection pooled) {
    super(delegate);
    this.database = session.database();
    this.tracker = session.tracker();
    this.catalog = session.catalog();
    this.pooled = pooled;
    this.plans = new SessionPlans(session);
    this.earlier = new EarlierStatements(session);
    this.guard = new SavepointGuard(this);
    this.returning = new ReturningWrites(this);
    this.mayHaveOtherSavepoints =
        database.writerTexts().areIds() && TransactionIds.setsSavepoints(delegate);
  }

  /**
   * True if a statement that is about to be sent writes under the id of its transaction, and not of
   * a part of it that began with a savepoint, and that id is not known.
   */
  boolean writesUnderTransactionId(CachedPlan cached) {
    return database.writerTexts().areIds()
        && cached.countsWrites()
        && !mayHaveOtherSavepoints
        && !guard.isSet()
        && tracker.isUnidentifiedWithoutSavepoint();
  }

  // ---------------------------------------------------------------- what the statements ask

  SessionTracker tracker() {
    return tracker;
  }

  /** Where in the application its statements are executed. */
  CallSites callSites() {
    return database.callSites();
  }

  TransactionRules rules() {
    return database.rules();
  }

  /** What the application holds of it. */
  Connection shown() {
    return shown;
  }

  void shownAs(Connection withInterfaces) {
    shown = withInterfaces;
  }

  /** The application is given something of the driver's, and what it does with it is not seen. */
  void bypassed(String by) {
    mayHaveOtherSavepoints = true;
    plans.bypassed();
    knownRows.forget();
    gap(GapReason.BYPASS, by);
  }

  /** Tables were changed elsewhere. */
  void tablesChanged() {
    catalog.invalidate();
    knownRows.forget();
  }

  /** The plan for a text that is sent right afterwards. */
  CachedPlan planToSend(String sql, StatementOptions options)
      throws SQLFeatureNotSupportedException {
    catalog.sending();
    catalog.executing(true);
    try {
      CachedPlan cached = plans.of(sql, options);
      if (catalog.isWaiting() && !cached.asksDiagnostics()) {
        catalog.lookUpWaiting();
        cached = plans.of(sql, options);
      }
      return cached;
    } finally {
      catalog.executing(false);
    }
  }

  /** True if a plan that was made now may be another one by the time when it is executed. */
  boolean plansMayChange() {
    return catalog.isWaiting() || catalog.preparesTables();
  }

  /** A statement is about to be sent: no table is prepared until it {@linkplain #sent was}. */
  void sending() {
    catalog.sending();
  }

  /** The statement was executed. */
  void sent() {
    catalog.sent();
  }

  /** What plans depend on: while it stays, so do they. */
  long catalogVersion() {
    return catalog.version();
  }

  // ---------------------------------------------------------------- reads beside statements

  SideReads sideReads() {
    if (sideReads == null) {
      sideReads = new SideReads(this, database.snapshots());
    }
    return sideReads;
  }

  /** True if the server is in a transaction that accepts statements. */
  boolean acceptsStatements() {
    return catalog.isInTransaction();
  }

  /** The application is about to send a statement. */
  void beforeNext(CachedPlan next) {
    TransactionControl control = next.plan().control();
    if (control instanceof TransactionControl.Commit
        || control instanceof TransactionControl.ImplicitCommit
        || control instanceof TransactionControl.Begin) {
      TransactionIds.identify(this);
    }
    if (catalog.isWaiting() && !next.asksDiagnostics()) {
      catalog.lookUpWaiting();
    }
    if (sideReads != null || next.asksFoundRows()) {
      try {
        sideReads().beforeNext(next);
      } catch (RuntimeException e) {
        fault(e);
      }
    }
  }

  /** The transaction is about to be committed. */
  private void beforeCommit() {
    TransactionIds.identify(this);
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

  /** A table is larger than a plan supposed: plans are made anew. */
  void outgrown(CachedPlan cached) {
    if (cached.outgrow()) {
      catalog.invalidate();
    }
  }

  /** How many rows a read of ours may bring. */
  WriterTexts writerTexts() {
    return database.writerTexts();
  }

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
    catalog.executing(true); // the driver has just sent queries of its own for the metadata
    try {
      return catalog.hasOurColumns(schema == null ? "" : schema, table == null ? "" : table);
    } catch (RuntimeException e) {
      fault(e);
      return true;
    } finally {
      catalog.executing(false);
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
    Faults.report(fault);
    try {
      tracker.gap(GapReason.FAULT, fault.getClass().getSimpleName());
    } catch (RuntimeException e) {
      Faults.report(e);
    }
  }

  // ---------------------------------------------------------------- failing open

  /** Executes something of ours; false if it failed. */
  boolean onTheSide(String sql) {
    try (Statement statement = delegate.createStatement()) {
      statement.execute(sql);
      return true;
    } catch (SQLException e) {
      return false;
    }
  }

  /** True if an error may come from what we added to a text. */
  boolean mayBeOurFault(CachedPlan cached, SQLException error) {
    // What would be tried again after a rollback would be without what came before it.
    return rules().afterError(error) != TransactionRules.AfterError.ROLLED_BACK
        && VendorErrors.mayBeOurs(cached, error, rules().dialect());
  }

  /** The application's own text was executed where the rewritten one failed. */
  Execution goOnWithout(Execution execution, SQLException ours) {
    CachedPlan untouched = plans.doNotRewrite(execution.cached(), ours);
    return execution.with(untouched);
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
    knownRows.forget();
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
    if (pooled != null) {
      tracker.handedBack();
      pooled.handleClosed(this);
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
    return prepare(
        sql, StatementOptions.keysByNumber((real, text) -> real.prepareStatement(text, keys)));
  }

  @Override
  public PreparedStatement prepareStatement(String sql, String[] keys) throws SQLException {
    return prepare(
        sql, StatementOptions.keys(keys, (real, text) -> real.prepareStatement(text, keys)));
  }

  private PreparedStatement prepare(String sql, StatementOptions options) throws SQLException {
    CachedPlan cached = plans.of(sql, options);
    CachedPlan active =
        options.keysAsked() || cached.isBatched() || !returning.mayReturn()
            ? plans.withoutWrittenRows(cached)
            : cached;
    PreparedStatement prepared;
    try {
      // Without a savepoint, which would begin the transaction: PostgreSQL's driver sends nothing.
      String text = sql == null ? sql : active.plan().preparedSql();
      prepared = options.preparer().prepare(delegate, text);
      if (!plans.mayAssume(active, prepared)) {
        prepared.close();
        return prepare(sql, options);
      }
    } catch (SQLException e) {
      if (!mayBeOurFault(active, e) || !guard.goBack()) {
        throw VendorErrors.of(e, SentText.prepared(active));
      }
      try {
        prepared = options.preparer().prepare(delegate, active.plan().unwatched().text());
      } catch (SQLException raw) {
        throw VendorErrors.of(raw, SentText.unwatched(active, true));
      }
      cached = plans.doNotRewrite(cached, e);
      active = cached;
    }
    return new WatchedPreparedStatement(prepared, this, options, cached, active);
  }

  @Override
  public CallableStatement prepareCall(String sql) throws SQLException {
    CachedPlan cached = called(sql);
    return call(delegate.prepareCall(textOf(cached, sql)), cached);
  }

  @Override
  public CallableStatement prepareCall(String sql, int type, int concurrency) throws SQLException {
    CachedPlan cached = called(sql);
    return call(delegate.prepareCall(textOf(cached, sql), type, concurrency), cached);
  }

  @Override
  public CallableStatement prepareCall(String sql, int type, int concurrency, int holdability)
      throws SQLException {
    CachedPlan cached = called(sql);
    return call(delegate.prepareCall(textOf(cached, sql), type, concurrency, holdability), cached);
  }

  /** What is sent of a text; null, for which the driver has its own error, stays null. */
  private static String textOf(CachedPlan cached, String sql) {
    return sql == null ? sql : cached.plan().preparedSql();
  }

  private CachedPlan called(String sql) throws SQLException {
    return SessionPlans.asItIs(
        plans.of(sql, StatementOptions.PLAIN), GapReason.OPAQUE, "callable statement");
  }

  private CallableStatement call(CallableStatement prepared, CachedPlan cached) {
    return new WatchedCallableStatement(prepared, this, StatementOptions.PLAIN, cached);
  }

  // ---------------------------------------------------------------- the rest

  @Override
  public DatabaseMetaData getMetaData() throws SQLException {
    return new WatchedDatabaseMetaData(delegate.getMetaData(), this);
  }

  @Override
  public <T> T unwrap(Class<T> type) throws SQLException {
    T unwrapped = Unwrap.unwrap(this, delegate, type, this);
    return unwrapped == this && type.isInstance(shown) ? type.cast(shown) : unwrapped;
  }
}
