package io.txwatch.jdbc.wrap;

import io.txwatch.capture.SessionTracker;
import io.txwatch.catalog.JdbcCatalog;
import io.txwatch.history.GapReason;
import io.txwatch.jdbc.error.VendorErrors;
import io.txwatch.jdbc.execution.ExecutionContext;
import io.txwatch.jdbc.gate.GatedCall;
import io.txwatch.jdbc.plan.CachedPlan;
import io.txwatch.jdbc.plan.StatementOptions;
import io.txwatch.jdbc.session.Levels;
import io.txwatch.jdbc.session.WatchedSession;
import io.txwatch.plan.LevelChange;
import java.sql.CallableStatement;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.util.concurrent.Executor;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** A connection whose transactions and statements are observed. */
public class WatchedConnection extends DelegatingConnection {

  private static final Pattern SCHEMA_TERM =
      Pattern.compile("(?i)[?&]useCatalogTerm=(?:Use)?SCHEMA\\b");

  private final ExecutionContext context;
  private final JdbcCatalog catalog;
  private final SessionTracker tracker;
  private final Runnable onClose;

  /**
   * Wraps a connection.
   *
   * @param onClose what is done once the application has closed it
   */
  public WatchedConnection(Connection delegate, WatchedSession session, Runnable onClose) {
    super(delegate);
    this.context = new ExecutionContext(delegate, session);
    this.catalog = session.catalog();
    this.tracker = session.tracker();
    this.onClose = onClose;
    context.shownAs(this);
  }

  /** What its statements need of it. */
  public ExecutionContext context() {
    return context;
  }

  // ---------------------------------------------------------------- transactions

  @Override
  public void setAutoCommit(boolean autoCommit) throws SQLException {
    if (autoCommit) {
      if (tracker.inTransactionMode()) {
        context.atGate(GatedCall.Type.COMMIT);
      }
      context.beforeCommit();
    }
    try {
      delegate.setAutoCommit(autoCommit);
    } catch (SQLException e) {
      if (autoCommit) {
        tracker.commitFailed(e);
        context.endedAtGate(false);
      }
      throw e;
    }
    tracker.autoCommit(autoCommit);
    if (autoCommit) {
      context.endedAtGate(true);
    }
  }

  @Override
  public void commit() throws SQLException {
    context.atGate(GatedCall.Type.COMMIT);
    context.beforeCommit();
    try {
      delegate.commit();
    } catch (SQLException e) {
      tracker.commitFailed(e);
      context.endedAtGate(false);
      throw e;
    }
    tracker.committed();
    context.endedAtGate(true);
  }

  @Override
  public void rollback() throws SQLException {
    context.atGate(GatedCall.Type.ROLLBACK);
    context.beforeRollback();
    try {
      delegate.rollback();
    } catch (SQLException e) {
      tracker.rollbackFailed(e);
      context.endedAtGate(false);
      throw e;
    }
    tracker.rolledBack();
    context.endedAtGate(false);
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
    context.beforeRollbackTo();
    delegate.rollback(savepoint);
    tracker.rolledBackTo(nameOf(savepoint));
    context.state().knownRows().forget();
    catalog.rolledBackToSavepoint();
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
    try {
      delegate.setTransactionIsolation(level);
    } catch (SQLException e) {
      tracker.levelMayHaveChanged(LevelChange.SESSION);
      throw e;
    }
    tracker.level(Levels.of(level));
  }

  @Override
  public void close() throws SQLException {
    if (tracker.inBranch() && !delegate.isClosed()) {
      context.beforeBranchEnds();
    }
    try {
      delegate.close();
    } finally {
      onClose.run();
    }
  }

  @Override
  public void setSchema(String schema) throws SQLException {
    delegate.setSchema(schema);
    catalog.pathChanged(schema, false, isIgnored(false));
    calledTo(schema);
  }

  @Override
  public void setCatalog(String name) throws SQLException {
    delegate.setCatalog(name);
    catalog.pathChanged(name, true, isIgnored(true));
    calledTo(name);
  }

  /**
   * True if the driver of MySQL or MariaDB takes no notice of {@code setCatalog}, or of {@code
   * setSchema}: one of them has no effect, by a setting of the driver. Nothing is sent.
   */
  private boolean isIgnored(boolean catalogIsSet) throws SQLException {
    if (!context.isByValue() || !catalog.namesAreDatabases()) {
      return false;
    }
    DatabaseMetaData driver = delegate.getMetaData();
    boolean hasSchemas =
        SCHEMA_TERM.matcher(String.valueOf(driver.getURL())).find() // MariaDB's
            || driver.supportsSchemasInDataManipulation(); // MySQL's
    return hasSchemas == catalogIsSet;
  }

  /** MySQL's driver has it ready, MariaDB's may have to ask the server. */
  private void calledTo(String name) throws SQLException {
    if (context.isByValue()) {
      return; // the catalog follows the session, and asks nothing
    }
    if (catalog.namesAreDatabases()) {
      boolean asks = context.sql().driver().sendsBatchesInBulk();
      catalog.calledTo(asks ? name : shownDatabase());
    } else if (context.sql().driver().compilesStatements()) {
      catalog.calledTo(delegate.getSchema());
    }
  }

  private @Nullable String shownDatabase() throws SQLException {
    String shown = delegate.getCatalog();
    return shown == null ? delegate.getSchema() : shown;
  }

  @Override
  public void abort(Executor executor) throws SQLException {
    try {
      delegate.abort(executor);
    } finally {
      onClose.run();
    }
  }

  // ---------------------------------------------------------------- statements

  @Override
  public Statement createStatement() throws SQLException {
    return new WatchedStatement(delegate.createStatement(), context, StatementOptions.PLAIN);
  }

  @Override
  public Statement createStatement(int type, int concurrency) throws SQLException {
    return new WatchedStatement(
        delegate.createStatement(type, concurrency),
        context,
        StatementOptions.of(type, concurrency, StatementOptions.PLAIN.preparer()));
  }

  @Override
  public Statement createStatement(int type, int concurrency, int holdability) throws SQLException {
    return new WatchedStatement(
        delegate.createStatement(type, concurrency, holdability),
        context,
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
    long plannedAt = context.plans().version();
    CachedPlan cached = context.plans().of(sql, options);
    CachedPlan active =
        options.keysAsked() || cached.usage().isBatched() || !context.returning().mayReturn()
            ? context.plans().withoutWrittenRows(cached)
            : cached;
    PreparedStatement prepared;
    try {
      // Without a savepoint, which would begin the transaction: PostgreSQL's driver sends nothing.
      String text = sql == null ? sql : active.plan().preparedSql();
      prepared = options.preparer().prepare(delegate, text);
    } catch (SQLException e) {
      if (!context.mayBeOurFault(active, e) || !context.guard().goBack()) {
        throw VendorErrors.of(e, active.prepared());
      }
      prepared = options.preparer().prepare(delegate, active.plan().original());
      cached = context.plans().refused(active, e);
      active = cached;
    }
    return new WatchedPreparedStatement(prepared, context, options, cached, active, plannedAt);
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
    return context
        .plans()
        .of(sql, StatementOptions.PLAIN)
        .asItIs(GapReason.OPAQUE, "callable statement");
  }

  private CallableStatement call(CallableStatement prepared, CachedPlan cached) {
    return new WatchedCallableStatement(prepared, context, StatementOptions.PLAIN, cached);
  }

  // ---------------------------------------------------------------- the rest

  @Override
  public DatabaseMetaData getMetaData() throws SQLException {
    return context.isByValue()
        ? new PlainDatabaseMetaData(delegate.getMetaData(), context)
        : new WatchedDatabaseMetaData(delegate.getMetaData(), context);
  }

  @Override
  public <T> T unwrap(Class<T> type) throws SQLException {
    T unwrapped = Unwrap.unwrap(this, delegate, type, context);
    Connection shown = context.shown();
    return unwrapped == this && type.isInstance(shown) ? type.cast(shown) : unwrapped;
  }
}
