package io.txwatch.analyzer;

import io.txwatch.anomaly.Anomaly;
import io.txwatch.anomaly.AnomalyDetector;
import io.txwatch.anomaly.Confidence;
import io.txwatch.anomaly.Finding;
import io.txwatch.anomaly.ObservedStatement;
import io.txwatch.anomaly.ObservedTransaction;
import io.txwatch.anomaly.Verdict;
import io.txwatch.coverage.Coverage;
import io.txwatch.coverage.CoverageCounter;
import io.txwatch.deadlock.Deadlocks;
import io.txwatch.deadlock.LockOrders;
import io.txwatch.deadlock.WaitCounter;
import io.txwatch.dependency.CommitOrder;
import io.txwatch.dependency.DependencyInference;
import io.txwatch.dependency.Edge;
import io.txwatch.dependency.Granularity;
import io.txwatch.dependency.KnownChange;
import io.txwatch.dependency.KnownRow;
import io.txwatch.dependency.Transaction;
import io.txwatch.guarantee.Advice;
import io.txwatch.guarantee.Judge;
import io.txwatch.history.Database;
import io.txwatch.history.Event;
import io.txwatch.history.EventSink;
import io.txwatch.history.GapReason;
import io.txwatch.stale.Across;
import io.txwatch.stale.StaleRead;
import io.txwatch.stale.StaleReads;
import io.txwatch.stale.StaleWrite;
import io.txwatch.stale.StaleWrites;
import io.txwatch.version.VersionResolver;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Detects anomalies in a stream of events, and counts the coverage. Not thread-safe.
 *
 * <p>An anomaly is reported as confirmed as soon as the last event that proves it arrives. Only
 * transactions that committed, and of which no event was lost, take part in confirmed anomalies.
 *
 * <p>An anomaly is reported as suspected if it is {@linkplain Anomaly#possible() possible}, or,
 * {@linkplain #suspect() on demand}, if it would exist should long-running transactions, or
 * transactions of unknown outcome, commit. The latter is confirmed or {@linkplain #onWithdrawn
 * withdrawn} when these transactions end. Where the level forbids a suspected anomaly it is only
 * counted: the DBMS may still refuse that commit, so it is most likely none.
 *
 * <p><b>Which transactions are discarded.</b> The horizon of a transaction is the time at which the
 * oldest transaction began that was active when it began. Everything that overlapped with the
 * transaction began after its horizon. A transaction is discarded, with its reads and writes, once
 * it ended before the horizon of the oldest active transaction. Time is the order in which events
 * arrive.
 *
 * <p>Discarding can therefore miss only anomalies between two transactions of which one ended
 * before the horizon of the other. No transaction overlapped with both. Such an anomaly needs a
 * read of a version that was replaced long ago, or a chain of three or more transactions, each
 * overlapping with the next. The reason: the event that completes an anomaly belongs to a
 * transaction that is active or begins later, and discarded transactions ended before its horizon.
 * There is one exception: a write that was not observed when it happened, and that a later writers'
 * list reveals, may complete an anomaly among other transactions. Therefore a transaction with such
 * a write is retained for {@value #RECENT_EVENTS} events after its end, as long as there is memory.
 *
 * <p><b>Memory.</b> A transaction that never ends would retain everything after it. Memory is
 * therefore also bounded by a {@link MemoryBudget}. When the budget is used up, active transactions
 * are abandoned, one at a time, until enough ended ones can be discarded: first those that occupy
 * the most memory, then the oldest. An abandoned transaction costs only the anomalies that it is
 * part of. If that is not enough, all ended transactions are discarded, and finally everything.
 * Every transaction that is discarded early, and every statement with more rows than fit, is
 * counted as {@link GapReason#FORGOTTEN}.
 */
public final class Analyzer implements EventSink {

  /**
   * The reads and writes that one call of {@link #suspect()} examines, besides one for each new
   * event.
   */
  private static final long MAX_SUSPECT_WORK = 10_000;

  /**
   * The graph is rebuilt when it contains this many transactions, or twice as many as the last
   * time.
   */
  static final int MIN_GRAPH_TRANSACTIONS = 1024;

  /**
   * Versions mentioned within this many events are retained even if nothing needs them: the
   * writers' lists of a row that is written now and then would otherwise be read to their ends each
   * time. So are transactions whose writes were not all seen.
   */
  private static final long RECENT_EVENTS = 1 << 14;

  private final Judge judge;
  private final Consumer<Anomaly> onAnomaly;
  private final Deadlocks deadlocks;
  private final WaitCounter waits = new WaitCounter();
  private final LockOrders lockOrders = new LockOrders();
  private final CoverageCounter coverage = new CoverageCounter();
  private final MemoryBudget memory;
  private final Set<CommitOrder> orders;
  private final VersionResolver versions;
  private AnomalyDetector detector;
  private DependencyInference inference;
  private final SuspectedAnomalies suspected;
  private final Granularity granularity;
  private Consumer<Anomaly> onWithdrawn = anomaly -> {};
  private @Nullable StaleWrites staleWrites;
  private StaleReads staleReads;
  private int graphRebuildSize = MIN_GRAPH_TRANSACTIONS;
  private long suspectedAt;

  /** The row-level dependencies before the last restart. */
  private long rowLevelBefore;

  private long retained;

  /**
   * Reports each anomaly to {@code onAnomaly}, from within {@link #accept}, and uses up to an
   * eighth of the heap.
   */
  public Analyzer(Judge judge, Consumer<Anomaly> onAnomaly) {
    this(judge, onAnomaly, Runtime.getRuntime().maxMemory() / 8);
  }

  /**
   * As the one above.
   *
   * @param granularity what counts as an item
   */
  public Analyzer(Judge judge, Consumer<Anomaly> onAnomaly, Granularity granularity) {
    this(judge, onAnomaly, Runtime.getRuntime().maxMemory() / 8, Set.of(), granularity);
  }

  /**
   * Reports each anomaly to {@code onAnomaly}, from within {@link #accept}.
   *
   * @param memory the most bytes that it may use
   */
  public Analyzer(Judge judge, Consumer<Anomaly> onAnomaly, long memory) {
    this(judge, onAnomaly, memory, Set.of());
  }

  /**
   * Also reports anomalies that exist only because of the given orders. No transaction is discarded
   * before the memory is used up then: a session's order also relates transactions that ended long
   * ago.
   */
  public Analyzer(Judge judge, Consumer<Anomaly> onAnomaly, long memory, Set<CommitOrder> orders) {
    this(judge, onAnomaly, memory, orders, Granularity.DEFAULT);
  }

  /**
   * As the others.
   *
   * @param granularity what counts as an item
   */
  public Analyzer(
      Judge judge,
      Consumer<Anomaly> onAnomaly,
      long memory,
      Set<CommitOrder> orders,
      Granularity granularity) {
    this.judge = judge;
    this.onAnomaly = onAnomaly;
    this.deadlocks = newDeadlocks();
    this.memory = new MemoryBudget(memory);
    this.orders = Set.copyOf(orders);
    this.granularity = granularity;
    this.suspected = new SuspectedAnomalies(this.memory.forSuspectedAnomalies());
    this.detector = newDetector();
    this.inference =
        new DependencyInference(detector, this.orders, this.memory.maxWithinEvent(), granularity);
    this.retained = orders.isEmpty() ? Long.MAX_VALUE : 0;
    this.versions = newResolver(memory);
    this.staleReads = newStaleReads(Across.OFF);
  }

  @SuppressWarnings("this-escape") // called later, from within accept
  private Deadlocks newDeadlocks() {
    return new Deadlocks(
        deadlock -> {
          lockOrders.reported(deadlock, inference::observed);
          onAnomaly.accept(deadlock);
        });
  }

  @SuppressWarnings("this-escape") // called later, from within accept
  private StaleReads newStaleReads(Across across) {
    return new StaleReads(across, granularity, this::reportStaleRead);
  }

  @SuppressWarnings("this-escape") // called later, from within accept
  private VersionResolver newResolver(long bytes) {
    VersionResolver.Listener listener =
        new VersionResolver.Listener() {
          @Override
          public void known(long session, long transaction, int statement, List<KnownRow> rows) {
            coverage.countKnown(rows);
            inference.known(session, transaction, statement, rows);
            if (staleWrites != null) {
              staleWrites.known(transaction, statement, rows);
            }
          }

          @Override
          public void writesKnown(int statements) {
            coverage.countKnownWrites(statements);
          }

          @Override
          public void unresolved(long transaction, Set<String> tables) {
            if (staleWrites != null) {
              staleWrites.unresolved(transaction, tables);
            }
          }

          @Override
          public void matters(KnownChange change) {
            inference.matters(change);
          }

          @Override
          public void notWatched(List<Event> events) {
            analyzeNotWatched(events);
          }
        };
    return new VersionResolver(this::analyze, listener, bytes / 8);
  }

  /** When such a transaction began is not known, so it has no place in an order by time. */
  private void analyzeNotWatched(List<Event> events) {
    if (orders.isEmpty()) {
      events.forEach(inference::accept);
      detector.flush();
    }
  }

  @Override
  public void accept(Event event) {
    if (event instanceof Event.ValuesRecorded) {
      return; // for predictions: no report shows these values
    }
    if (event instanceof Event.Changed
        || event instanceof Event.ChangesRead
        || event instanceof Event.ValuesObserved) {
      coverage.count(event); // it does not pass the resolver
    }
    versions.accept(event);
  }

  private void analyze(Event event) {
    coverage.count(event);
    inference.accept(event);
    detector.flush();
    deadlocks.accept(event, inference::observed);
    waits.accept(event, inference::observed);
    lockOrders.accept(event, inference::observed);
    if (staleWrites != null) {
      staleWrites.accept(event);
    }
    staleReads.accept(event);
    if (!suspected.isEmpty() && event instanceof Event.TransactionEnded ended) {
      suspected.resolve(ended.transaction(), ended.outcome()).forEach(onWithdrawn);
    }
    if (memory.isTimeToDiscard(event)) {
      concludeUnwatched();
      inference.discard(retained, clock() - RECENT_EVENTS);
      if (detector.transactions() >= graphRebuildSize) {
        rebuildGraph();
      }
    }
    if (bytes() > memory.maxLiveBytes()) {
      makeRoom();
    }
    countDiscarded(inference.truncatedStatements() + inference.evictedSessions());
  }

  private void concludeUnwatched() {
    inference.concludeUnwatched(retained);
    detector.flush();
  }

  @SuppressWarnings("this-escape") // called later, from within accept
  private AnomalyDetector newDetector() {
    return new AnomalyDetector(this::report, memory.forReportedAnomalies());
  }

  private void rebuildGraph() {
    detector.discard();
    graphRebuildSize = Math.max(MIN_GRAPH_TRANSACTIONS, 2 * detector.transactions());
  }

  private void countDiscarded(long count) {
    if (count > 0) {
      coverage.count(new Event.Gap(0, 0, GapReason.FORGOTTEN, "", count));
    }
  }

  /** Discards as little as necessary, the least valuable first. */
  private void makeRoom() {
    if (discardEnded()) {
      return;
    }
    countDiscarded(inference.abandonHeavierThan(memory.maxPerTransaction()));
    for (int together = 1;
        !discardEnded() && inference.isBlockedByOldest(retained);
        together *= 2) {
      countDiscarded(inference.abandonOldest(together));
    }
    if (bytes() > memory.targetLiveBytes()) {
      countDiscarded(inference.makeRoom(true, retained));
      rebuildGraph();
    }
    if (bytes() > memory.targetLiveBytes()) {
      restartAnalysis();
    }
  }

  /** Discards the transactions that can be in no further anomaly; true if that made enough room. */
  private boolean discardEnded() {
    concludeUnwatched();
    inference.makeRoom(false, retained);
    if (bytes() > memory.targetLiveBytes()) {
      rebuildGraph();
    }
    return bytes() <= memory.targetLiveBytes();
  }

  /**
   * Discards everything except the list of open sessions. Callers must call it after {@link
   * #accept} threw: the remaining state may be inconsistent, and nothing may be concluded from it.
   */
  public void restart() {
    versions.restart();
    lockOrders.restart();
    restartAnalysis();
  }

  private void restartAnalysis() {
    countDiscarded(inference.transactions());
    detector = newDetector();
    rowLevelBefore += inference.rowLevelDependencies();
    inference = inference.restarted(detector, orders, memory.maxWithinEvent());
    graphRebuildSize = MIN_GRAPH_TRANSACTIONS;
    if (staleWrites != null) {
      staleWrites.restart();
    }
    staleReads.restart();
  }

  /**
   * Also reports stale writes, and stale reads that are only possible, from the next event on. They
   * take memory of their own, which {@link StaleWrites} bounds.
   */
  public void across(Across across) {
    staleWrites =
        across == Across.OFF ? null : new StaleWrites(across, granularity, this::reportStaleWrite);
    staleReads = newStaleReads(across);
  }

  /**
   * Events of several processes may come, from the next one on: a process of which none has come
   * yet may watch any writer, so that no one counts as not watched.
   */
  public void shared() {
    versions.shared();
  }

  private void reportStaleWrite(StaleWrite found) {
    String key = inference.rowKey(found.scope(), found.table(), found.row());
    onAnomaly.accept(StaleWriteAnomaly.of(found, key));
  }

  private void reportStaleRead(StaleRead found) {
    String key = inference.rowKey(found.primaryScope(), found.table(), found.row());
    onAnomaly.accept(StaleReadAnomaly.of(found, key));
  }

  /** The bytes used by state that grows with the traffic. */
  public long bytes() {
    return inference.bytes() + detector.bytes();
  }

  /** The number of events accepted: the time that decides what may be discarded. */
  public long clock() {
    return inference.clock();
  }

  /**
   * Retains the transactions that ended at that {@linkplain #clock time} or later, as far as memory
   * allows: events of transactions that overlapped with them may still arrive.
   */
  public void retain(long time) {
    retained = time;
  }

  /**
   * Sets the listener for suspected anomalies that did not come true: one of the transactions was
   * rolled back, or later did something that rules the anomaly out.
   */
  public void onWithdrawn(Consumer<Anomaly> listener) {
    onWithdrawn = listener;
  }

  /**
   * Reports suspected anomalies: those that would exist if the undecided transactions committed.
   * Only transactions that had begun when this was last called are considered, so short
   * transactions are never suspected but judged by what they did. To be called periodically; it
   * does nothing if there is much to examine and little has happened.
   */
  public void suspect() {
    long since = inference.clock() - suspectedAt;
    if (since > 0) {
      suspect(suspectedAt, MAX_SUSPECT_WORK + since);
      suspectedAt = inference.clock();
    }
  }

  /**
   * Reports all suspected anomalies: at the end of a history, when no more outcomes will arrive.
   */
  public void suspectAll() {
    versions.flush();
    suspect(Long.MAX_VALUE, Long.MAX_VALUE);
  }

  private void suspect(long before, long most) {
    detector.flush();
    for (Finding finding :
        detector.findHypothetical(
            listener -> inference.inferHypothetical(before, most, listener))) {
      if (suspected.isNew(finding)) {
        Anomaly anomaly = anomaly(finding, Confidence.SUSPECTED);
        boolean forbidden = anomaly.verdict() == Verdict.VIOLATION;
        suspected.open(finding, forbidden ? Optional.empty() : Optional.of(anomaly));
        if (forbidden) {
          coverage.countForbidden();
        } else {
          onAnomaly.accept(anomaly);
        }
      }
    }
  }

  /**
   * Analyzes what has waited too long for the DBMS's record of changes. To be called periodically,
   * also while no events arrive.
   *
   * @param nanos the time by any clock that never goes back
   * @return whether something was analyzed
   */
  public boolean tick(long nanos) {
    return versions.tick(nanos);
  }

  /** The number of transactions retained. */
  int retainedTransactions() {
    return Math.max(inference.transactions(), detector.transactions());
  }

  /**
   * Passes on the ids of the transactions that may be part of an anomaly to come: those that are
   * active, that wait for the DBMS's record of changes, or that ended and are not discarded. An
   * analyzer that receives all events from the first one of these on detects what this one would.
   */
  public void forEachRetained(LongConsumer consumer) {
    inference.forEachRetained(consumer);
    versions.forEachPending(consumer);
  }

  /** The number of row versions retained. */
  int retainedVersions() {
    return inference.versions();
  }

  /** The coverage so far. */
  public Coverage coverage() {
    return coverage
        .coverage(rowLevelBefore + inference.rowLevelDependencies(), versions.counts())
        .with(waits.waits(deadlocks.repeated()))
        .with(lockOrders.found());
  }

  /** Ends the history. Transactions that are still undecided stay so, and make no anomaly. */
  @Override
  public void close() {
    versions.flush();
    detector.flush();
    deadlocks.flush(inference::observed);
    waits.flush();
    retained = Long.MAX_VALUE;
    concludeUnwatched();
  }

  private void report(Finding finding) {
    Anomaly anomaly = anomaly(finding, Confidence.CONFIRMED);
    if (finding.possible() && anomaly.verdict() == Verdict.VIOLATION) {
      coverage.countForbidden();
      return;
    }
    suspected.markConfirmed(finding);
    onAnomaly.accept(anomaly);
  }

  private Anomaly anomaly(Finding finding, Confidence confidence) {
    Database database = finding.edges().get(0).from().database();
    Verdict verdict = judge.judge(finding, database);
    return new Anomaly(
        finding.phenomenon(),
        finding.cycleClass(),
        verdict,
        confidence,
        database,
        finding.level(),
        finding.transactions().stream().map(t -> observed(t, finding)).toList(),
        finding.edges().stream().map(Edge::dependency).toList(),
        Advice.on(finding, verdict, database));
  }

  private ObservedTransaction observed(Transaction transaction, Finding finding) {
    List<ObservedStatement> statements = new ArrayList<>();
    for (int number : finding.statements(transaction)) {
      transaction
          .statement(number)
          .map(
              statement ->
                  ObservedStatement.of(statement, transaction)
                      .with(waits.of(transaction.id(), number)))
          .ifPresent(statements::add);
    }
    return new ObservedTransaction(
        transaction.id(),
        transaction.sessionName(),
        transaction.level(),
        transaction.outcome(),
        statements,
        transaction.endedMicros(),
        transaction.name(),
        transaction.traceId(),
        finding.context(transaction),
        deadlocks.attempt(transaction.id()));
  }
}
