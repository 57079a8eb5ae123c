package io.txwatch.jdbc.execution;

import io.txwatch.capture.CallSites;
import io.txwatch.capture.KeyText;
import io.txwatch.capture.SessionTracker;
import io.txwatch.capture.TransactionRules;
import io.txwatch.dialect.DialectSql;
import io.txwatch.history.Database;
import io.txwatch.history.GapReason;
import io.txwatch.history.IsolationLevel;
import io.txwatch.history.KeyValues;
import io.txwatch.history.RecordedValue;
import io.txwatch.history.StatementKind;
import io.txwatch.history.ValueHash;
import io.txwatch.jdbc.error.VendorErrors;
import io.txwatch.jdbc.gate.Gate;
import io.txwatch.jdbc.gate.GatedCall;
import io.txwatch.jdbc.gate.GatedConnection;
import io.txwatch.jdbc.gate.Gates;
import io.txwatch.jdbc.plan.CachedPlan;
import io.txwatch.jdbc.plan.PinnedValues;
import io.txwatch.jdbc.read.SideReadRunner;
import io.txwatch.jdbc.session.ConnectionNumber;
import io.txwatch.jdbc.session.ConnectionState;
import io.txwatch.jdbc.session.SavepointGuard;
import io.txwatch.jdbc.session.SessionLevel;
import io.txwatch.jdbc.session.SessionPlans;
import io.txwatch.jdbc.session.TransactionIds;
import io.txwatch.jdbc.session.WatchedSession;
import io.txwatch.jdbc.value.RecordedResult;
import io.txwatch.jdbc.value.StatementValues;
import io.txwatch.plan.KeyColumn;
import io.txwatch.plan.TransactionControl;
import io.txwatch.plan.ValuePlan;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What the execution of a statement needs of its connection: the plans, what makes it safe to try a
 * rewritten text, the reads beside statements. It ends at the driver: what the application gets of
 * the connection are wrappers around it.
 */
public final class ExecutionContext {

  /**
   * The class of SQLStates of texts that are not executed: syntax error or access rule violation.
   */
  private static final String REJECTED = "42";

  private final ConnectionState state;
  private final SessionPlans plans;
  private final SavepointGuard guard;
  private final ReturningWrites returning;

  /** What the application has of the connection. */
  private Connection shown;

  private @Nullable SideReadRunner sideReads;
  private final boolean recordsValues;

  /** True if the driver, or the application past txwatch, may set savepoints. */
  private boolean mayHaveOtherSavepoints;

  public ExecutionContext(Connection real, WatchedSession session) {
    this.state = new ConnectionState(real, session);
    this.shown = real;
    this.plans = new SessionPlans(session);
    this.guard = new SavepointGuard(state);
    this.recordsValues = session.database().recordsValues();
    this.returning = new ReturningWrites(state);
    this.mayHaveOtherSavepoints =
        state.writerTexts().areIds() && TransactionIds.setsSavepoints(real);
  }

  // ---------------------------------------------------------------- its parts

  /** The driver's connection and the session on it. */
  public ConnectionState state() {
    return state;
  }

  /** The driver's connection. */
  public Connection real() {
    return state.real();
  }

  SessionTracker tracker() {
    return state.tracker();
  }

  /** What can be added to its statements, and what its driver does. */
  public DialectSql sql() {
    return state.sql();
  }

  public TransactionRules rules() {
    return state.rules();
  }

  /** The plans for its texts. */
  public SessionPlans plans() {
    return plans;
  }

  /** Makes it safe to try a rewritten text. */
  public SavepointGuard guard() {
    return guard;
  }

  /** Its writes that are made to return their rows. */
  public ReturningWrites returning() {
    return returning;
  }

  /** Where in the application its statements are executed. */
  public CallSites callSites() {
    return state.database().callSites();
  }

  /** True if versions are known by value: nothing of ours is sent on the connection. */
  public boolean isByValue() {
    return state.database().versions().areByValue();
  }

  /** The reads beside its statements. */
  public SideReadRunner sideReads() {
    SideReadRunner known = sideReads;
    if (known == null) {
      known = new SideReadRunner(state);
      sideReads = known;
    }
    return known;
  }

  /** What the application has of the connection: the watched one, maybe with more interfaces. */
  public Connection shown() {
    return shown;
  }

  public void shownAs(Connection connection) {
    shown = connection;
  }

  // ---------------------------------------------------------------- around a statement

  /** The application is about to send a statement. */
  public void beforeNext(CachedPlan next) {
    TransactionControl control = next.plan().control();
    if (control instanceof TransactionControl.Commit
        || control instanceof TransactionControl.ImplicitCommit
        || control instanceof TransactionControl.Prepare
        || control instanceof TransactionControl.Begin) {
      identify();
    }
    if (isByValue() || plans.isOff()) {
      return; // nothing of ours on the application's connection
    }
    SessionLevel.askIfUnknown(state, next);
    if (sideReads != null || next.asksFoundRows()) {
      try {
        sideReads().beforeNext(next);
      } catch (RuntimeException e) {
        fault(e);
      }
    }
  }

  /**
   * True if a statement that is about to be sent writes under the id of its transaction, and not of
   * a part of it that began with a savepoint, and that id is not known.
   */
  public boolean writesUnderTransactionId(CachedPlan cached) {
    return state.writerTexts().areIds()
        && cached.countsWrites()
        && !mayHaveOtherSavepoints
        && !guard.isSet()
        && tracker().isUnidentifiedWithoutSavepoint();
  }

  private final StatementValues.KeyNames names =
      new StatementValues.KeyNames() {
        @Override
        public boolean isNew(String table, long key) {
          return tracker().isNewKey(table, key, key);
        }

        @Override
        public void name(String table, long key, List<KeyColumn> columns, List<String> values) {
          tracker().named(table, key, KeyText.of(columns, values, state.database().redacts()));
        }
      };

  /**
   * What an execution will show of its rows by their values.
   *
   * @param parameters as they are set now
   * @return null if versions are not known by value, or the text touches no rows
   */
  public @Nullable StatementValues values(CachedPlan cached, PinnedValues parameters) {
    ValuePlan plan = cached.values();
    try {
      return plan == null
          ? null
          : new StatementValues(
              plan, ValueHash.ofThisProcess(), parameters, sql().driver().asksForColumns(), names);
    } catch (RuntimeException e) {
      fault(e);
      return null;
    }
  }

  /** True if parameters and values of statements are recorded. */
  public boolean recordsValues() {
    return recordsValues;
  }

  /**
   * Records what an execution is given and returns.
   *
   * @param parameters as they are set now
   */
  public RecordedResult recording(CachedPlan cached, List<RecordedValue> parameters) {
    return new RecordedResult(
        cached.withoutKeys().plan().original(),
        parameters,
        sql().driver().asksForColumns(),
        sql().driver().mayCloseStreams());
  }

  /** The values of a key's columns in the rows that an execution chooses or inserts. */
  public List<KeyValues> keyValues(CachedPlan cached, PinnedValues parameters) {
    if (mayStoreOthers(cached)) {
      return List.of();
    }
    try {
      return cached.keyValues(parameters);
    } catch (RuntimeException e) {
      fault(e);
      return List.of();
    }
  }

  /** True if rows may be inserted with other values than those that are given. */
  boolean mayStoreOthers(CachedPlan cached) {
    return cached.kind() == StatementKind.INSERT
        && sql().mayMakeValuesFit()
        && !state.catalog().storesAsGiven();
  }

  /** True if an error may come from what we added to a text. */
  public boolean mayBeOurFault(CachedPlan cached, SQLException error) {
    // What would be tried again after a rollback would be without what came before it.
    return rules().afterError(error) != TransactionRules.AfterError.ROLLED_BACK
        && VendorErrors.mayBeOurs(cached.plan(), error, sql());
  }

  // ---------------------------------------------------------------- the gate

  /** A transaction is about to be ended by a call without a text. */
  public void atGate(GatedCall.Type type) {
    Gate gate = Gates.installed();
    if (gate != null) {
      gate.before(GatedCall.on(gated, type, List.of(), ""));
    }
  }

  /** A transaction was ended by a call without a text, which has returned. */
  public void endedAtGate(boolean hasCommitted) {
    Gate gate = Gates.installed();
    if (gate != null) {
      gate.ended(gated, hasCommitted);
    }
  }

  private final GatedConnection gated =
      new GatedConnection() {
        @Override
        public long number() {
          return ConnectionNumber.of(real());
        }

        @Override
        public Database database() {
          return state.catalog().database();
        }

        @Override
        public boolean keepsSnapshot() {
          return tracker().keepsSnapshot();
        }

        @Override
        public IsolationLevel level() {
          return tracker().level();
        }

        @Override
        public boolean isAutocommit() {
          return !tracker().inTransactionMode();
        }

        @Override
        public Connection openAnother() throws SQLException {
          return state.source().open();
        }
      };

  GatedConnection gated() {
    return gated;
  }

  // ---------------------------------------------------------------- around a transaction's end

  /** The transaction is about to be committed. */
  public void beforeCommit() {
    tracker().endSent();
    identify();
    readBeside(SideReadRunner::beforeCommit);
  }

  /** The work of a branch of a distributed transaction is about to end on this connection. */
  public void beforeBranchEnds() {
    identify();
  }

  private void identify() {
    if (!plans.isOff()) {
      TransactionIds.identify(state);
    }
  }

  /** The transaction is about to go back to a savepoint. */
  public void beforeRollbackTo() {
    readBeside(SideReadRunner::beforeRollbackTo);
  }

  /** The transaction is about to be rolled back: nothing of it matters any more. */
  public void beforeRollback() {
    tracker().endSent();
    readBeside(SideReadRunner::forget);
  }

  private void readBeside(Consumer<SideReadRunner> what) {
    if (sideReads != null) {
      try {
        what.accept(sideReads);
      } catch (RuntimeException e) {
        fault(e);
      }
    }
  }

  // ---------------------------------------------------------------- what is not observed

  /** The application is given something of the driver's, and what it does with it is not seen. */
  public void bypassed(String by) {
    mayHaveOtherSavepoints = true;
    tracker().levelIsUnstable();
    state.knownRows().forget();
    gap(GapReason.BYPASS, by);
  }

  /** A row was written through a result. */
  public void writtenThrough() {
    gap(GapReason.OPAQUE, "row written through a result");
    try {
      tracker().wroteUnnamed();
    } catch (RuntimeException e) {
      fault(e);
    }
  }

  /** A statement is about to be executed: what it does to levels may hold for itself. */
  void executing(CachedPlan cached) {
    if (!cached.mayBeNoStatement()) {
      executed(cached);
    }
  }

  /** A statement failed. A text that the DBMS rejected as a whole has changed nothing. */
  void failed(CachedPlan cached, SQLException error) {
    String state = error.getSQLState();
    if (!cached.mayBeNoStatement() || state == null || !state.startsWith(REJECTED)) {
      executed(cached);
    }
  }

  /** A statement was executed. */
  void executed(CachedPlan cached) {
    tracker().levelMayHaveChanged(cached.levelChange());
  }

  /** Something was not observed: counted. */
  void gap(GapReason reason, String detail) {
    state.gap(reason, detail);
  }

  /** Something of ours went wrong: counted, printed once, never the application's business. */
  public void fault(Throwable fault) {
    state.fault(fault);
  }
}
