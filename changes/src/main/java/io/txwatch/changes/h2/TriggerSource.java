package io.txwatch.changes.h2;

import io.txwatch.changes.ChangeGap;
import io.txwatch.changes.ChangeGap.Reason;
import io.txwatch.changes.ChangeListener;
import io.txwatch.changes.ChangeSource;
import io.txwatch.changes.ChangeStatistics;
import io.txwatch.changes.ChangedRow;
import io.txwatch.changes.ChangedTable;
import io.txwatch.changes.ChangedTransaction;
import io.txwatch.changes.ColumnType;
import io.txwatch.changes.JdbcValues;
import io.txwatch.changes.LogPosition;
import io.txwatch.changes.Probe;
import io.txwatch.changes.SchemaChange;
import io.txwatch.changes.UnknownValue;
import io.txwatch.changes.h2.PendingTransaction.Change;
import io.txwatch.history.BackgroundThreads;
import java.io.IOException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Pattern;
import org.h2.constraint.ConstraintUnique;
import org.h2.engine.Database;
import org.h2.engine.SessionLocal;
import org.h2.jdbc.JdbcConnection;
import org.h2.mvstore.tx.Transaction;
import org.h2.schema.Schema;
import org.h2.schema.SchemaObject;
import org.h2.schema.TriggerObject;
import org.h2.table.Table;
import org.h2.value.Value;
import org.jspecify.annotations.Nullable;

/**
 * The changes of one H2 database in memory, by triggers: see the package.
 *
 * <p>Positions are times of {@link System#nanoTime}: once {@link ChangeListener#position} states
 * one, every transaction whose COMMIT had returned by then was delivered. {@link
 * ChangedTransaction#connectionId} is H2's {@code SESSION_ID()}.
 *
 * <p>Someone has to call {@link #executed} after DDL and TRUNCATE. DDL that is not reported is
 * noticed within a tenth of a second, and is a gap of the new tables.
 */
public final class TriggerSource implements ChangeSource {

  /** How often triggers are tried to be created without a further change of the schema. */
  private static final int MAX_ATTEMPTS = 10;

  /** Of all open transactions together. */
  static final int MAX_ROWS = 400_000;

  private static final long BUSY_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);
  private static final long IDLE_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
  private static final long MAX_DDL_WAIT_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final long MAX_CLOSING_NANOS = TimeUnit.SECONDS.toNanos(4);
  private static final long UNREPORTED_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
  private static final long MAX_LOOK_WAIT_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  /** Anywhere in a text: it may begin with a comment, or with another statement. */
  private static final Pattern CHANGES_TABLES =
      Pattern.compile(
          "\\b(?:create|alter|drop|truncate|rename|runscript|import)\\b", Pattern.CASE_INSENSITIVE);

  private static final Pattern MAY_CREATE_TABLES =
      Pattern.compile(
          "\\bcreate\\b[^;]*\\btable\\b|\\brunscript\\b|\\bimport\\b", Pattern.CASE_INSENSITIVE);

  /** One statement that leaves what is there as it is. */
  private static final Pattern CREATES_ALONE =
      Pattern.compile("\\s*create\\s+(?!or\\s+replace\\b)[^;]*;?\\s*", Pattern.CASE_INSENSITIVE);

  private final Database database;
  private final TriggerDdl ddl;
  private final String name;
  private final String id = UUID.randomUUID().toString().substring(0, 8);
  private final Map<Transaction, PendingTransaction> pending = new ConcurrentHashMap<>();

  /** The number of the last change of the database. */
  private final AtomicLong changeCount = new AtomicLong();

  private final Map<Integer, SentStatements> sent = new ConcurrentHashMap<>();
  private final AtomicInteger rowsHeld = new AtomicInteger();
  private final AtomicInteger failures = new AtomicInteger();
  private final ConcurrentLinkedQueue<SchemaChange> schemaChanges = new ConcurrentLinkedQueue<>();

  /** Of sessions that found the schema changed by somebody else. */
  private final ConcurrentLinkedQueue<CountDownLatch> lookRequests = new ConcurrentLinkedQueue<>();

  private final ConcurrentLinkedQueue<CountDownLatch> installRequests =
      new ConcurrentLinkedQueue<>();
  private final CountDownLatch installed = new CountDownLatch(1);
  private final Thread thread;
  private volatile State state = State.NEW;
  private volatile String problem = "not started";
  private volatile boolean isClosing;
  private volatile boolean isDatabaseClosed;
  private volatile boolean isPositionWanted;
  private volatile boolean isDescriptionWanted;

  /** Somebody has waited in vain for the triggers of new tables. */
  private volatile boolean isLate;

  private volatile boolean isIdle;
  private volatile LogPosition position;
  private volatile long transactions;
  private volatile long rows;
  private volatile long gaps;

  // Of the thread of the source:
  private @Nullable ChangeListener listener;
  private final Set<H2Tables.Name> refused = new HashSet<>();
  private volatile long schemaNumber = -1;

  /** The last number that this thread has seen, and when it saw it first. */
  private long noticedNumber = -1;

  private long noticedAt;

  /** The number of a schema that a session has waited for. */
  private volatile long awaitedNumber = -1;

  /** How long sessions have waited so, in nanoseconds. */
  private final AtomicLong waited = new AtomicLong();

  private final long createdAt = System.nanoTime();

  private int triggersCreated;
  private int failedAttempts;
  private long installedAt;

  /**
   * A source that is not started yet. (Not a constructor: callers are compiled without H2.)
   *
   * @param connection H2's own to the database, for which {@link #probe} found nothing missing; it
   *     is neither used nor kept
   */
  public static TriggerSource of(Connection connection) {
    return new TriggerSource(database(connection));
  }

  private static Database database(Connection connection) {
    Probe probe = probe(connection);
    if (!probe.isReadable()) {
      throw new IllegalArgumentException(probe.missing());
    }
    return session(connection).getDatabase();
  }

  private TriggerSource(Database database) {
    this.database = database;
    ddl = new TriggerDdl(database);
    name = database.getShortName();
    position = new LogPosition(name, System.nanoTime());
    thread = BackgroundThreads.create("txwatch-h2-" + name, this::run);
  }

  /**
   * Whether a database's changes can be read by triggers.
   *
   * @param connection H2's own, not a wrapper; nothing is executed on it
   */
  public static Probe probe(Connection connection) {
    try {
      if (!(connection instanceof JdbcConnection own)) {
        return refused("not a connection of the H2 that txwatch's class loader sees");
      }
      if (!(own.getSession() instanceof SessionLocal session)) {
        return refused("the H2 database is on a server: its triggers would need txwatch there");
      }
      if (session.getDatabase().isPersistent()) {
        return refused("the H2 database is in a file: triggers would stay behind in it");
      }
      if (session.getDatabase().isReadOnly()) {
        return refused("the H2 database is read-only");
      }
      ClassLoader loader = org.h2.api.Trigger.class.getClassLoader();
      if (Class.forName(RowTrigger.class.getName(), false, loader) != RowTrigger.class) {
        return refused("the class loader of H2 has another txwatch");
      }
      // Methods of the engine that are used later: another H2 may lack them.
      SessionLocal.class.getMethod("getTransaction");
      SessionLocal.class.getMethod("getCurrentCommand");
      SessionLocal.class.getMethod("getCommandStartOrEnd");
      SessionLocal.class.getMethod("getLockTimeout");
      SessionLocal.class.getMethod("setLockTimeout", int.class);
      SessionLocal.class.getMethod("commit", boolean.class);
      SessionLocal.class.getMethod("rollback");
      Table.class.getMethod("lock", SessionLocal.class, int.class);
      Database.class.getMethod("lockMeta", SessionLocal.class);
      Database.class.getMethod("allocateObjectId");
      Database.class.getMethod("addSchemaObject", SessionLocal.class, SchemaObject.class);
      Database.class.getMethod("removeSchemaObject", SessionLocal.class, SchemaObject.class);
      TriggerDdl.triggersOfTable();
      Transaction.class.getMethod("getStatus");
      Transaction.class.getMethod("setSavepoint");
      Database.class.getMethod("getModificationMetaId");
      Database.class.getMethod("getSystemSession");
      Database.class.getMethod("getAllSchemas");
      Schema.class.getMethod("getAllTablesAndViews", SessionLocal.class);
      Schema.class.getMethod("getAllConstraints");
      Schema.class.getMethod("getAllTriggers");
      TriggerObject.class.getMethod("getTable");
      ConstraintUnique.class.getMethod("getColumns");
      Value.class.getMethod("getTypeName", int.class);
      Table.class.getMethod("getModificationId");
      Table.class.getMethod("getSQLTableType");
      return new Probe("", List.of("TRUNCATE is seen where a watched session executes it"));
    } catch (ClassNotFoundException e) {
      return refused("the class loader of H2 does not see txwatch");
    } catch (NoClassDefFoundError e) {
      return refused(
          "the class loader of txwatch does not see H2's class "
              + String.valueOf(e.getMessage()).replace('/', '.')
              + ": is H2 in a class loader of its own, or earlier than 2.2?");
    } catch (NoSuchMethodException | NoSuchFieldException | LinkageError e) {
      return refused("not a version of H2 that txwatch knows (2.2 and later)");
    } catch (RuntimeException e) {
      return refused("H2 cannot be asked: " + e);
    }
  }

  private static Probe refused(String missing) {
    return new Probe(missing, List.of());
  }

  private static SessionLocal session(Connection connection) {
    return (SessionLocal) ((JdbcConnection) connection).getSession();
  }

  /**
   * The number of a connection's session, as in {@link ChangedTransaction#connectionId}; nothing is
   * executed.
   *
   * @param connection H2's own, not a wrapper
   */
  public static int sessionId(Connection connection) {
    return session(connection).getId();
  }

  /**
   * A session will report what it sends from now on, until {@link #noLongerSending}.
   *
   * @param session its number
   */
  public SentStatements sendingOf(int session) {
    return sent.computeIfAbsent(session, number -> new SentStatements());
  }

  /** A session is no longer watched. */
  public void noLongerSending(int session) {
    sent.remove(session);
  }

  /** Another source of the same database, that is not started yet. */
  public TriggerSource another() {
    TriggerSource other = new TriggerSource(database);
    other.sent.putAll(sent);
    return other;
  }

  /** The name of the database; that of one without a name is generated by H2. */
  public String database() {
    return name;
  }

  /** True if this is the source of the database of a connection of H2's own. */
  public boolean isOf(Connection connection) {
    return connection instanceof JdbcConnection own
        && own.getSession() instanceof SessionLocal session
        && session.getDatabase() == database;
  }

  @Override
  public void start(ChangeListener receiver) throws IOException {
    synchronized (this) {
      if (state != State.NEW) {
        throw new IllegalStateException("started before");
      }
      state = State.CONNECTING;
      listener = receiver;
    }
    thread.start();
    try {
      if (!installed.await(10, TimeUnit.SECONDS)) {
        isClosing = true;
        throw new IOException("no triggers could be created within ten seconds");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      isClosing = true;
      throw new IOException("interrupted", e);
    }
    if (state != State.READING) {
      throw new IOException(problem);
    }
  }

  @Override
  public State state() {
    return state;
  }

  @Override
  public String problem() {
    return problem;
  }

  @Override
  public LogPosition position() {
    return position;
  }

  /** The present time. That it has been reached is then stated soon, in about a millisecond. */
  @Override
  public LogPosition endOfLog() {
    LogPosition end = new LogPosition(name, System.nanoTime() + 1);
    isPositionWanted = true;
    LockSupport.unpark(thread);
    return end;
  }

  @Override
  public ChangeStatistics statistics() {
    return new ChangeStatistics(0, changeCount.get(), transactions, rows, gaps, 0, 0, 0, 0, 0);
  }

  /**
   * A session has executed a statement that is no query and no DML. DDL and TRUNCATE, which fire no
   * trigger, are a {@linkplain ChangeListener#schemaChange change of the schema}. New tables get a
   * trigger: then this waits until they have one, but at most a second. To be called before
   * anything is written to them.
   *
   * @param schema the current schema of the session
   * @param text the statement, or several
   */
  public void executed(String schema, String text) {
    if (state != State.READING
        || Thread.currentThread() == thread
        || !CHANGES_TABLES.matcher(text).find()) {
      return;
    }
    if (!CREATES_ALONE.matcher(text).matches()) {
      schemaChanges.add(new SchemaChange(schema, text, new LogPosition(name, System.nanoTime())));
    }
    if (MAY_CREATE_TABLES.matcher(text).find()) {
      awaitTriggers();
    } else {
      isDescriptionWanted = true;
      LockSupport.unpark(thread);
    }
  }

  private void awaitTriggers() {
    isLate |= !isServed(installRequests, MAX_DDL_WAIT_NANOS);
  }

  /**
   * A session is about to use the database. If somebody who is not watched has changed the schema,
   * this waits until the tables are looked up, but at most a tenth of a second, once for each
   * change: else the first transactions after it would be lost. Where the schema changes all the
   * time, sessions wait for a second, and half of the time, at most.
   */
  public void using() {
    long number = database.getModificationMetaId();
    if (number != schemaNumber
        && number != awaitedNumber
        && waited.get() < MAX_DDL_WAIT_NANOS + (System.nanoTime() - createdAt) / 2
        && state == State.READING
        && Thread.currentThread() != thread) {
      long began = System.nanoTime();
      isServed(lookRequests, MAX_LOOK_WAIT_NANOS);
      awaitedNumber = number; // only now: others that use the database meanwhile wait, too
      waited.addAndGet(System.nanoTime() - began);
    }
  }

  private boolean isServed(Queue<CountDownLatch> requests, long nanos) {
    CountDownLatch done = new CountDownLatch(1);
    requests.add(done);
    LockSupport.unpark(thread);
    try {
      return done.await(nanos, TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // The application's: it finds its interrupt again.
      return false;
    }
  }

  // The thread of the application: never waits, never throws.

  void changed(
      WatchedTable table,
      Connection connection,
      @Nullable Object @Nullable [] before,
      @Nullable Object @Nullable [] after) {
    try {
      if (isClosing) {
        return;
      }
      SessionLocal session = session(connection);
      Transaction transaction = session.getTransaction();
      PendingTransaction own = pending.get(transaction);
      int status = transaction.getStatus();
      if (status == PendingTransaction.STATUS_ROLLED_BACK) {
        if (own != null) {
          rowsHeld.addAndGet(own.rollBack());
        }
      } else if (status == PendingTransaction.STATUS_ROLLING_BACK) {
        if (own != null) {
          rowsHeld.addAndGet(own.undo(table, session, before, after));
        }
      } else {
        if (own == null) {
          own = new PendingTransaction(transaction, session.getId(), sent.get(session.getId()));
          pending.put(transaction, own);
        }
        rowsHeld.addAndGet(
            own.add(
                table,
                session,
                before,
                after,
                table.version(),
                changeCount.incrementAndGet(),
                rowsHeld.get() >= MAX_ROWS));
        if (isIdle) {
          isIdle = false;
          LockSupport.unpark(thread);
        }
      }
    } catch (Throwable e) { // The statement of the application must not fail.
      failures.incrementAndGet();
    }
  }

  void databaseClosed() {
    isDatabaseClosed = true;
    LockSupport.unpark(thread);
  }

  /** With its trigger, a table's rollbacks vanish; if the table was dropped, there are none. */
  void triggerRemoved(WatchedTable table) {
    if (!isClosing) {
      for (PendingTransaction one : pending.values()) {
        one.triggerRemoved(table);
      }
    }
  }

  // The thread of the source.

  private void run() {
    try {
      install(true);
      state = State.READING;
      problem = "";
    } catch (SQLException | RuntimeException | LinkageError e) {
      problem = "no triggers could be created: " + e;
      isClosing = true;
    }
    installed.countDown();
    try {
      while (!isClosing && !isDatabaseClosed) {
        boolean isBusy = step();
        if (!isBusy) {
          isIdle = true;
          if (pending.isEmpty()
              && installRequests.isEmpty()
              && lookRequests.isEmpty()
              && !isPositionWanted
              && !isDescriptionWanted) {
            LockSupport.parkNanos(this, IDLE_PAUSE_NANOS);
          }
          isIdle = false;
        } else if (installRequests.isEmpty() && lookRequests.isEmpty()) {
          LockSupport.parkNanos(this, BUSY_PAUSE_NANOS);
        }
      }
      deliver();
    } finally {
      finish();
    }
  }

  private boolean step() {
    List<CountDownLatch> requests = new ArrayList<>();
    for (CountDownLatch one = installRequests.poll(); one != null; one = installRequests.poll()) {
      requests.add(one);
    }
    List<CountDownLatch> looks = new ArrayList<>();
    for (CountDownLatch one = lookRequests.poll(); one != null; one = lookRequests.poll()) {
      looks.add(one);
    }
    boolean isWanted = isDescriptionWanted || !looks.isEmpty();
    isDescriptionWanted = false;
    if (!requests.isEmpty() || isWanted || isChangedByOthers()) {
      deliver();
      tryInstall(!requests.isEmpty());
      requests.forEach(CountDownLatch::countDown);
      looks.forEach(CountDownLatch::countDown);
    }
    deliver();
    return !pending.isEmpty();
  }

  /**
   * Whether the schema has changed, and no session has reported it for some time: one that has just
   * executed the definition is about to.
   */
  private boolean isChangedByOthers() {
    long number = database.getModificationMetaId();
    long now = System.nanoTime();
    if (number != noticedNumber) {
      noticedNumber = number;
      noticedAt = now;
    }
    return number != schemaNumber
        && now - noticedAt >= UNREPORTED_NANOS
        && now - installedAt >= IDLE_PAUSE_NANOS;
  }

  private void tryInstall(boolean isInTime) {
    try {
      install(isInTime);
    } catch (SQLException | RuntimeException e) {
      if (!isDatabaseClosed) {
        gap(Reason.TABLE_UNKNOWN, "", "", "tables cannot be looked up: " + e.getMessage());
      }
    }
  }

  /**
   * Creates the triggers that are missing and describes all tables again.
   *
   * @param isInTime false if rows may have been written to new tables
   */
  private void install(boolean isInTime) throws SQLException {
    H2Tables catalog = H2Tables.read(database);
    Set<H2Tables.Name> served = served(catalog);
    List<H2Tables.Name> created = new ArrayList<>();
    Map<H2Tables.Name, String> failed = new HashMap<>();
    for (Map.Entry<H2Tables.Name, Table> entry : catalog.engineTables().entrySet()) {
      H2Tables.Name table = entry.getKey();
      if (served.contains(table)) {
        continue;
      }
      if (catalog.unreadable().contains(table)) {
        refuse(table, "it has a column of a type whose values triggers may not get");
      } else {
        try {
          create(entry.getValue());
          created.add(table);
          refused.remove(table);
        } catch (SQLException e) {
          failed.put(table, "no trigger could be created: " + e.getMessage());
        }
      }
    }
    H2Tables present = describe();
    failed.keySet().retainAll(present.tables().keySet()); // The others were dropped, or renamed.
    failed.forEach(this::refuse);
    Set<H2Tables.Name> createdMeanwhile = new HashSet<>(present.tables().keySet());
    createdMeanwhile.removeAll(served(present));
    createdMeanwhile.removeAll(refused);
    if (!createdMeanwhile.isEmpty()) {
      schemaNumber = -1; // they get their triggers next time
    }
    boolean isFirst = failedAttempts == 0;
    failedAttempts = failed.isEmpty() ? 0 : failedAttempts + 1;
    if (failedAttempts > 0 && failedAttempts < MAX_ATTEMPTS) {
      schemaNumber = -1; // one that was dropped, and created again meanwhile
    }
    boolean isTooLate = !isInTime || isLate || !isFirst;
    boolean isUncommitted =
        (isTooLate || state == State.CONNECTING) && !created.isEmpty() && hasUncommitted();
    isLate = false;
    if (isTooLate || isUncommitted) {
      for (H2Tables.Name table : created) {
        gap(
            isUncommitted ? Reason.TABLE_UNKNOWN : Reason.WRITTEN_BEFORE,
            table.schema(),
            table.table(),
            isUncommitted
                ? "transactions were open when its trigger was created"
                : "it was created before its trigger");
      }
    }
    installedAt = System.nanoTime();
  }

  private void create(Table table) throws SQLException {
    WatchedTable watched = WatchedTable.register(this, id + "_" + ++triggersCreated);
    try {
      ddl.create(table, watched.trigger(), RowTrigger.class, MAX_DDL_WAIT_NANOS);
    } catch (SQLException | RuntimeException e) {
      watched.unregister();
      throw e;
    }
  }

  private void refuse(H2Tables.Name table, String detail) {
    if (refused.add(table)) {
      gap(Reason.TABLE_UNKNOWN, table.schema(), table.table(), detail);
    }
  }

  /** The tables that have a trigger of this source. */
  private Set<H2Tables.Name> served(H2Tables catalog) {
    Set<H2Tables.Name> served = new HashSet<>();
    catalog
        .triggers()
        .forEach(
            (trigger, table) -> {
              if (isOwn(trigger)) {
                served.add(table);
              }
            });
    return served;
  }

  private boolean isOwn(String trigger) {
    WatchedTable table = WatchedTable.ofTrigger(trigger);
    return table != null && table.source() == this;
  }

  private boolean hasUncommitted() throws SQLException {
    Connection connection = database.getSystemSession().createConnection(false);
    try (Statement statement = connection.createStatement();
        ResultSet sessions =
            statement.executeQuery(
                "SELECT COUNT(*) FROM information_schema.sessions"
                    + " WHERE contains_uncommitted AND session_id <> SESSION_ID()")) {
      return sessions.next() && sessions.getInt(1) > 0;
    }
  }

  /** A description holds for the changes that were made at the number before and after it. */
  private H2Tables describe() {
    H2Tables catalog;
    long number;
    int attempts = 0;
    do {
      number = database.getModificationMetaId();
      catalog = H2Tables.read(database);
    } while (number != database.getModificationMetaId() && ++attempts < 10);
    for (Map.Entry<String, H2Tables.Name> trigger : catalog.triggers().entrySet()) {
      WatchedTable watched = WatchedTable.ofTrigger(trigger.getKey());
      ChangedTable described = catalog.tables().get(trigger.getValue());
      Table table = catalog.engineTables().get(trigger.getValue());
      if (watched != null && watched.source() == this && described != null && table != null) {
        watched.describe(described, table);
      }
    }
    refused.retainAll(catalog.tables().keySet());
    schemaNumber = number;
    return catalog;
  }

  /**
   * Delivers what has ended. A transaction that ended at {@code through}, and made its last change
   * no later than {@code last}, is found; so are all those whose rows it has written over.
   */
  private void deliver() {
    boolean isWanted = isPositionWanted;
    isPositionWanted = false;
    long through = System.nanoTime();
    long last = changeCount.get();
    List<PendingTransaction> ended = new ArrayList<>();
    for (PendingTransaction one : pending.values()) {
      if (one.hasEnded() && one.lastChange() <= last) {
        ended.add(one);
      }
    }
    ended.sort(Comparator.comparingLong(PendingTransaction::lastChange));
    for (SchemaChange one = schemaChanges.poll(); one != null; one = schemaChanges.poll()) {
      SchemaChange change = one;
      call(receiver -> receiver.schemaChange(change));
    }
    int failed = failures.getAndSet(0);
    if (failed > 0) {
      gap(Reason.NOT_UNDERSTOOD, "", "", failed + " changed rows could not be taken");
    }
    for (PendingTransaction one : ended) {
      pending.remove(one.transaction());
      deliver(one);
      rowsHeld.addAndGet(-one.changes().size());
    }
    boolean isLate = through - position.offset() >= IDLE_PAUSE_NANOS;
    if (isWanted || isLate || !ended.isEmpty()) {
      LogPosition reached = new LogPosition(name, through);
      position = reached;
      call(receiver -> receiver.position(reached, true));
    }
  }

  private void deliver(PendingTransaction one) {
    rowsHeld.addAndGet(one.finishUndo());
    if (one.isUncertain()) {
      if (!one.changes().isEmpty() || one.isTooLarge()) {
        gap(
            Reason.ROLLED_BACK,
            "",
            "",
            "it is not certain which changes of a transaction were rolled back");
      }
      return;
    }
    boolean isComplete = true;
    if (one.isTooLarge()) {
      isComplete = false;
      gap(Reason.TOO_LARGE, "", "", "a transaction changed more rows than are held");
    }
    List<ChangedRow> changes = new ArrayList<>(one.changes().size());
    for (Change change : one.changes()) {
      ChangedRow row = rowChange(change);
      if (row == null) {
        isComplete = false;
      } else {
        changes.add(row);
      }
    }
    if (changes.isEmpty() && isComplete) {
      return; // rolled back
    }
    transactions++;
    rows += changes.size();
    ChangedTransaction transaction =
        new ChangedTransaction(
            name,
            Long.toString(transactions),
            new LogPosition(name, position.offset() + 1),
            one.session(),
            ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now()),
            1,
            null,
            changes,
            isComplete);
    call(receiver -> receiver.transaction(transaction));
  }

  private @Nullable ChangedRow rowChange(Change change) {
    WatchedTable watched = change.table();
    if (!watched.isDescribedSince(change.version())) {
      tryInstall(false);
    }
    ChangedTable table = watched.describedAt(change.version());
    Object[] image = change.after() == null ? change.before() : change.after();
    if (table == null || image == null || image.length != table.columns().size()) {
      ChangedTable last = watched.lastDescription();
      gap(
          Reason.TABLE_UNKNOWN,
          last == null ? "" : last.schema(),
          last == null ? "" : last.name(),
          "rows were written between two changes of its columns");
      return null;
    }
    return new ChangedRow(
        change.before() == null
            ? ChangedRow.Kind.INSERT
            : change.after() == null ? ChangedRow.Kind.DELETE : ChangedRow.Kind.UPDATE,
        table,
        normalized(table, change.before()),
        normalized(table, change.after()),
        change.group(),
        null);
  }

  private static @Nullable Object @Nullable [] normalized(
      ChangedTable table, @Nullable Object @Nullable [] row) {
    if (row == null) {
      return null;
    }
    @Nullable Object[] values = new @Nullable Object[row.length];
    for (int i = 0; i < row.length; i++) {
      ColumnType type = table.columns().get(i).type();
      Object value = row[i];
      values[i] =
          value instanceof UUID uuid
              ? uuid.toString()
              : value != null && type == ColumnType.OTHER
                  ? UnknownValue.NOT_COMPARABLE
                  : JdbcValues.normalized(type, value);
    }
    return values;
  }

  private void gap(Reason reason, String schema, String table, String detail) {
    gaps++;
    call(receiver -> receiver.gap(new ChangeGap(reason, schema, table, detail)));
  }

  private void call(java.util.function.Consumer<ChangeListener> call) {
    ChangeListener receiver = listener;
    if (receiver != null) {
      try {
        call.accept(receiver);
      } catch (RuntimeException e) {
        gaps++;
        try {
          receiver.gap(new ChangeGap(Reason.LISTENER_FAILED, "", "", e.toString()));
        } catch (RuntimeException again) {
          problem = "the listener fails: " + again;
        }
      }
    }
  }

  /** Its own, and those that sources closed before could not drop. */
  private void dropTriggers() {
    long end = System.nanoTime() + MAX_CLOSING_NANOS;
    for (TriggerObject trigger : H2Tables.triggers(database)) {
      try {
        if (isOwn(trigger.getName()) || WatchedTable.ofTrigger(trigger.getName()) == null) {
          ddl.drop(trigger, end - System.nanoTime());
        }
      } catch (SQLException e) {
        remain(e);
      }
    }
  }

  private void remain(Exception e) {
    problem = "closed, but triggers remain: " + e.getMessage();
  }

  /** Leaves nothing behind, but what cannot be dropped. */
  private void finish() {
    isClosing = true;
    state = State.CLOSED;
    if (problem.isEmpty()) {
      problem = isDatabaseClosed ? "the database was closed" : "closed";
    }
    if (!isDatabaseClosed) {
      try {
        dropTriggers();
      } catch (RuntimeException e) { // the database is being closed
        remain(e);
      }
    }
    try {
      WatchedTable.unregisterAll(this);
    } catch (NoClassDefFoundError e) {
      // the class loader was closed before a table was watched, so there is none to unregister
    }
    pending.clear();
    for (CountDownLatch one = installRequests.poll(); one != null; one = installRequests.poll()) {
      one.countDown();
    }
  }

  @Override
  public void close() {
    isClosing = true;
    if (state == State.NEW) {
      state = State.CLOSED;
      return;
    }
    LockSupport.unpark(thread);
    if (Thread.currentThread() != thread) {
      try {
        thread.join(TimeUnit.SECONDS.toMillis(5));
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
