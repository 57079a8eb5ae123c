package io.txwatch.stale;

import io.txwatch.anomaly.ObservedStatement;
import io.txwatch.anomaly.ObservedTransaction;
import io.txwatch.dependency.Granularity;
import io.txwatch.history.Access;
import io.txwatch.history.AccessedColumns;
import io.txwatch.history.Cluster;
import io.txwatch.history.Database;
import io.txwatch.history.Event;
import io.txwatch.history.Outcome;
import io.txwatch.history.RowAccess;
import io.txwatch.stale.ReplicatedRow.Used;
import io.txwatch.stale.ReplicatedRow.Write;
import io.txwatch.stale.RowHistory.Token;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Finds stale reads in a stream of events. Not thread-safe.
 *
 * <p>T2 reads row x on a standby, in a version that T1, an earlier transaction of its trace, had
 * replaced or deleted on the primary, or that is older than the one that T1 had read. All versions
 * between the two are known, and a column that was read differs between them.
 *
 * <p>It is proven if T1 committed before T2 began: both ran in one process, the event of T1's end
 * precedes that of T2's beginning, and so do the times in them. Otherwise it is possible only.
 *
 * <p>What was not observed only hides stale reads. Transactions of which events are missing are
 * ignored. Nothing is remembered of a primary until a session is opened to one of its standbys, nor
 * when the primary was started again, which may have lost transactions and use their ids again.
 */
public final class StaleReads {

  /**
   * The rows that are remembered of a cluster; the one that was used the longest ago is evicted.
   */
  static final int MAX_ROWS = 1 << 13;

  private static final int MAX_CLUSTERS = 1 << 6;
  private static final int MAX_ACTIVE = 1 << 12;
  private static final int MAX_SESSIONS = 1 << 16;
  private static final int MAX_TEXTS = 1 << 10;

  /** The accesses of a transaction; one with more is ignored. */
  private static final int MAX_STEPS = 1 << 10;

  private record RowKey(String table, long row) {}

  private record Session(String name, Database database) {}

  private record Step(RowAccess access, ColumnSet read, ColumnSet written, ObservedStatement by) {}

  /** An active transaction of a cluster that has a standby. */
  private static final class Active {
    final Event.TransactionBegan began;
    final Session session;
    final long beganAt;
    final List<Step> steps = new ArrayList<>();
    int events = 1;
    boolean isIgnored;

    Active(Event.TransactionBegan began, Session session, long beganAt) {
      this.began = began;
      this.session = session;
      this.beganAt = beganAt;
      this.isIgnored = !began.share().isAll();
    }

    private Cluster cluster() {
      return session.database().cluster();
    }
  }

  /** A cluster that has a standby with sessions. */
  private static final class Replicated {

    /** The primary's run; empty until a session to it begins a transaction. */
    private String run = "";

    private String primaryScope = "";

    private final Map<RowKey, ReplicatedRow> rows = bounded(MAX_ROWS);

    private void primary(Database database) {
      if (!database.run().equals(run)) {
        rows.clear();
        run = database.run();
      }
      primaryScope = database.scope();
    }

    private ReplicatedRow row(RowAccess access) {
      return rows.computeIfAbsent(
          new RowKey(access.table(), access.row()), key -> new ReplicatedRow());
    }
  }

  private final boolean reportsPossible;
  private final boolean isRowTheItem;
  private final Consumer<StaleRead> out;
  private final Map<Long, Session> sessions = bounded(MAX_SESSIONS);
  private final Map<Long, Active> active = bounded(MAX_ACTIVE);
  private final Map<String, Replicated> clusters = bounded(MAX_CLUSTERS);
  private final Map<String, AccessedColumns> texts = new HashMap<>();
  private long clock;

  /**
   * Emits each stale read to {@code out}, from within {@link #accept}.
   *
   * @param across {@link Across#TRACE} to emit also those that are only possible
   */
  public StaleReads(Across across, Granularity granularity, Consumer<StaleRead> out) {
    this.reportsPossible = across == Across.TRACE;
    this.isRowTheItem = granularity == Granularity.ROW;
    this.out = out;
  }

  /** The entry that was used the longest ago is evicted. */
  private static <K, V> Map<K, V> bounded(int most) {
    return new LinkedHashMap<>(16, 0.75f, true) {
      private static final long serialVersionUID = 1;

      @Override
      protected boolean removeEldestEntry(Map.Entry<K, V> eldest) {
        return size() > most;
      }
    };
  }

  /** Processes an event. Events of one session must arrive in the order in which they happened. */
  public void accept(Event event) {
    clock++;
    if (event instanceof Event.SessionOpened e) {
      opened(e);
    } else if (event instanceof Event.SessionClosed e) {
      sessions.remove(e.session());
    } else if (clusters.isEmpty()) {
      return;
    }
    if (event instanceof Event.StatementExecuted e) {
      executed(e);
    } else if (event instanceof Event.TransactionBegan e) {
      began(e);
    } else if (event instanceof Event.TransactionEnded e) {
      ended(e);
    } else if (event instanceof Event.StatementsUndone e) {
      undone(e);
    } else if (event instanceof Event.Gap e) {
      Active transaction = active.get(e.transaction());
      if (transaction != null && isLoss(e)) {
        transaction.isIgnored = true;
      }
    }
  }

  private static boolean isLoss(Event.Gap gap) {
    return switch (gap.reason()) {
      case OVERFLOW, TORN_RECORD, CUT_OFF, FORGOTTEN, BYPASS, FAULT -> true;
      default -> false;
    };
  }

  /** Forgets everything except the sessions: what follows may be related to nothing before. */
  public void restart() {
    active.clear();
    clusters.values().forEach(cluster -> cluster.rows.clear());
  }

  private void opened(Event.SessionOpened event) {
    Cluster cluster = event.database().cluster();
    if (cluster.isKnown()) {
      sessions.put(event.session(), new Session(event.name(), event.database()));
      if (cluster.isStandby()) {
        clusters.computeIfAbsent(cluster.id(), id -> new Replicated());
      }
    }
  }

  private void began(Event.TransactionBegan event) {
    Session session = sessions.get(event.session());
    Replicated replicated =
        session == null ? null : clusters.get(session.database().cluster().id());
    if (session == null || replicated == null) {
      return;
    }
    Active known = active.get(event.transaction());
    if (known != null) { // its level is another one, or not known any more
      known.events++;
      return;
    }
    if (!session.database().cluster().isStandby()) {
      replicated.primary(session.database());
    }
    active.put(event.transaction(), new Active(event, session, clock));
  }

  private void executed(Event.StatementExecuted event) {
    Active transaction = active.get(event.transaction());
    if (transaction == null) {
      return;
    }
    transaction.events++;
    if (!event.succeeded() || transaction.isIgnored) {
      return;
    }
    ObservedStatement statement =
        new ObservedStatement(event.statement(), event.kind(), event.sql(), event.callSite());
    for (RowAccess access : event.rows()) {
      Optional<AccessedColumns.OfTable> columns = columns(event.columns(), access.table());
      transaction.steps.add(
          new Step(
              access,
              columns.map(used -> ColumnSet.of(used.read())).orElse(ColumnSet.ALL),
              columns.map(used -> ColumnSet.of(used.written())).orElse(ColumnSet.ALL),
              statement));
    }
    if (transaction.steps.size() > MAX_STEPS) {
      transaction.isIgnored = true;
      transaction.steps.clear();
    }
  }

  private Optional<AccessedColumns.OfTable> columns(String text, String table) {
    if (texts.size() == MAX_TEXTS) {
      texts.clear();
    }
    return texts.computeIfAbsent(text, AccessedColumns::parse).of(table);
  }

  /** What an undone statement read may be its own transaction's undone write. */
  private void undone(Event.StatementsUndone event) {
    Active transaction = active.get(event.transaction());
    if (transaction != null) {
      transaction.events++;
      transaction.steps.removeIf(
          step ->
              step.by().number() >= event.firstStatement()
                  && step.by().number() <= event.lastStatement());
    }
  }

  private void ended(Event.TransactionEnded event) {
    Active transaction = active.remove(event.transaction());
    Replicated cluster = transaction == null ? null : clusters.get(transaction.cluster().id());
    if (transaction == null
        || cluster == null
        || transaction.isIgnored
        || event.outcome() != Outcome.COMMITTED
        || event.events() > 0 && event.events() != transaction.events) {
      return;
    }
    boolean isStandby = transaction.cluster().isStandby();
    if (!isStandby && !transaction.session.database().run().equals(cluster.run)) {
      return; // the primary was started again meanwhile
    }
    Set<RowKey> reported = new HashSet<>();
    for (Step step : transaction.steps) {
      Optional<Token> version = ReplicatedRow.version(step.access().writers());
      if (version.isPresent() && step.access().certain()) {
        if (!isStandby) {
          onPrimary(transaction, step, version.get(), cluster, event);
        } else if (step.access().access() == Access.READ) {
          onStandby(transaction, step, version.get(), cluster, event, reported);
        }
      }
    }
  }

  private void onPrimary(
      Active transaction,
      Step step,
      Token version,
      Replicated cluster,
      Event.TransactionEnded end) {
    Access access = step.access().access();
    String trace = transaction.began.traceId();
    boolean isWrite = access == Access.INSERT || access == Access.UPDATE;
    boolean isDelete = access == Access.DELETE;
    if (isWrite) {
      cluster
          .row(step.access())
          .add(
              version,
              new Write(
                  observed(transaction, step, end),
                  ReplicatedRow.replaced(step.access().writers()),
                  access == Access.UPDATE ? step.written() : ColumnSet.ALL));
    }
    if (!trace.isEmpty() && (isWrite || isDelete || access == Access.READ)) {
      cluster
          .row(step.access())
          .use(trace, used(transaction, step, version, end, isWrite || isDelete));
    }
  }

  private Used used(
      Active transaction, Step step, Token version, Event.TransactionEnded end, boolean isWrite) {
    return new Used(
        version,
        step.access().access() == Access.DELETE,
        isWrite,
        isWrite ? ColumnSet.ALL : step.read(),
        observed(transaction, step, end),
        node(transaction),
        clock);
  }

  private void onStandby(
      Active transaction,
      Step step,
      Token version,
      Replicated cluster,
      Event.TransactionEnded end,
      Set<RowKey> reported) {
    String trace = transaction.began.traceId();
    if (trace.isEmpty()) {
      return;
    }
    ReplicatedRow row = cluster.row(step.access());
    Used before = row.usedBy(trace).orElse(null);
    if (before == null || row.columnsBetween(version, before.version()).isPresent()) {
      row.use(trace, used(transaction, step, version, end, false));
      return;
    }
    boolean isEarlier = before.endedAt() < transaction.beganAt;
    boolean isProven =
        isEarlier
            && before.node() == node(transaction)
            && before.by().endedMicros() <= transaction.began.micros();
    ColumnSet older = stale(row, before, version);
    ColumnSet columns = isRowTheItem ? older : older.intersection(step.read());
    if (columns.isEmpty() || !isProven && !(reportsPossible && isEarlier)) {
      return;
    }
    Optional<ObservedTransaction> writer =
        before.isWrite() ? Optional.of(before.by()) : row.writer(before.version());
    if (writer.isPresent()
        && reported.add(new RowKey(step.access().table(), step.access().row()))) {
      out.accept(
          new StaleRead(
              before.by(),
              writer.get(),
              observed(transaction, step, end),
              transaction.session.database(),
              cluster.primaryScope,
              step.access().table(),
              step.access().row(),
              isRowTheItem ? List.of() : columns.sorted(),
              isProven));
    }
  }

  /**
   * The columns in which a version is older than the one that the trace used; none if it is not.
   */
  private ColumnSet stale(ReplicatedRow row, Used before, Token version) {
    if (before.isDeleted() && before.version().equals(version)) {
      return ColumnSet.ALL;
    }
    Optional<ColumnSet> written = row.columnsBetween(before.version(), version);
    if (written.isEmpty()) {
      return ColumnSet.NONE;
    }
    return before.isDeleted() || isRowTheItem
        ? ColumnSet.ALL
        : written.get().intersection(before.columns());
  }

  /** The upper half of a session's id. */
  private static long node(Active transaction) {
    return transaction.began.session() >>> Integer.SIZE;
  }

  private static ObservedTransaction observed(
      Active transaction, Step step, Event.TransactionEnded end) {
    return new ObservedTransaction(
        end.transaction(),
        transaction.session.name(),
        transaction.began.level(),
        Optional.of(end.outcome()),
        List.of(step.by()),
        end.micros(),
        transaction.began.name(),
        transaction.began.traceId());
  }
}
