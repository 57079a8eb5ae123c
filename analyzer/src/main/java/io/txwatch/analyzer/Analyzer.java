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
import io.txwatch.dependency.CommitOrder;
import io.txwatch.dependency.Dependency;
import io.txwatch.dependency.DependencyInference;
import io.txwatch.dependency.Edge;
import io.txwatch.dependency.Transaction;
import io.txwatch.guarantee.Advice;
import io.txwatch.guarantee.Judge;
import io.txwatch.history.Database;
import io.txwatch.history.Event;
import io.txwatch.history.EventSink;
import io.txwatch.history.GapReason;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;

/**
 * Events in, anomalies and coverage out. For one thread at a time.
 *
 * <p>Only transactions that committed, and of which no event was lost, are accused: every anomaly
 * is told when the last event that proves it has come, and is confirmed then. An anomaly that is
 * {@linkplain Anomaly#possible() possible} is told as suspected, and so is, {@linkplain #suspect()
 * on demand}, one that would be there if transactions that run for long, or whose outcome is not
 * known, committed; the latter is confirmed or {@linkplain #onWithdrawn withdrawn} when they end.
 * But where the level forbids it, what is suspected is counted only, since then it is most likely
 * none: the DBMS may still refuse that commit.
 *
 * <p><b>What is discarded.</b> Let a transaction's horizon be the beginning of the oldest one that
 * ran when it began: all that overlapped with it began later. Discarded is who was over before the
 * horizon of the oldest transaction that runs, with its reads and writes. Time is the order in
 * which events arrive.
 *
 * <p>So these anomalies can be missed, and none else: those between transactions of which one was
 * over before the horizon of another; no transaction overlapped with both. It takes a read of what
 * was replaced long ago, or a chain of three transactions or more, each of which overlapped with
 * the next. For an event that completes an anomaly is of a transaction that runs, or begins later,
 * and what is discarded was over before its horizon. The exception is what only a later list tells:
 * a write that was not seen when it happened, by which an anomaly of others is completed.
 *
 * <p><b>Memory.</b> A transaction that never ends would keep all that follow it. So memory is
 * bounded by a {@link MemoryBudget}, too. When that is used up, transactions that run are given up:
 * those for which most is kept, then the oldest, one after the other, until enough of what is over
 * can be discarded. So one discarded transaction costs what is between it and others, and nothing
 * else. Where that is not enough all that are over are discarded, and in the end everything. Each
 * transaction that is discarded early in one of these ways, and each statement with more rows than
 * there is room for, is counted as {@link GapReason#FORGOTTEN}.
 */
public final class Analyzer implements EventSink {

  /** So many reads and writes are looked at for suspicions whenever asked. */
  private static final long MAX_SUSPECT_WORK = 10_000;

  /** So many transactions at least are in the graph when it is built anew; else twice as many. */
  static final int MIN_GRAPH_TRANSACTIONS = 1024;

  /**
   * Versions that were named in so many events before are kept, needed or not: a row that is
   * written every now and then has lists that would be read all the way down each time.
   */
  private static final long RETAINED_VERSION_EVENTS = 1 << 14;

  private final Judge judge;
  private final Consumer<Anomaly> onAnomaly;
  private final CoverageCounter coverage = new CoverageCounter();
  private final MemoryBudget memory;
  private final Set<CommitOrder> orders;
  private AnomalyDetector detector;
  private DependencyInference inference;
  private final SuspectedAnomalies suspected;
  private Consumer<Anomaly> onWithdrawn = anomaly -> {};
  private int graphRebuildSize = MIN_GRAPH_TRANSACTIONS;
  private long suspectedAt;
  private long retained;

  /**
   * Tells {@code onAnomaly} each anomaly, from within {@link #accept}; an eighth of the heap is
   * its.
   */
  public Analyzer(Judge judge, Consumer<Anomaly> onAnomaly) {
    this(judge, onAnomaly, Runtime.getRuntime().maxMemory() / 8);
  }

  /**
   * Tells {@code onAnomaly} each anomaly, from within {@link #accept}.
   *
   * @param memory how many bytes it may take
   */
  public Analyzer(Judge judge, Consumer<Anomaly> onAnomaly, long memory) {
    this(judge, onAnomaly, memory, Set.of());
  }

  /**
   * The same, with orders that count besides dependencies. Then nobody is discarded before the
   * memory is used up: in the order of a session what was over long ago still counts.
   */
  public Analyzer(Judge judge, Consumer<Anomaly> onAnomaly, long memory, Set<CommitOrder> orders) {
    this.judge = judge;
    this.onAnomaly = onAnomaly;
    this.memory = new MemoryBudget(memory);
    this.orders = Set.copyOf(orders);
    this.suspected = new SuspectedAnomalies(this.memory.forSuspectedAnomalies());
    this.detector = newDetector();
    this.inference = new DependencyInference(detector, this.orders, this.memory.maxWithinEvent());
    this.retained = orders.isEmpty() ? Long.MAX_VALUE : 0;
  }

  @Override
  public void accept(Event event) {
    coverage.count(event);
    inference.accept(event);
    detector.flush();
    if (!suspected.isEmpty() && event instanceof Event.TransactionEnded ended) {
      suspected.resolve(ended.transaction(), ended.outcome()).forEach(onWithdrawn);
    }
    if (memory.isTimeToDiscard(event)) {
      inference.discard(retained, clock() - RETAINED_VERSION_EVENTS);
      if (detector.transactions() >= graphRebuildSize) {
        rebuildGraph();
      }
    }
    if (bytes() > memory.maxLiveBytes()) {
      makeRoom();
    }
    countDiscarded(inference.truncatedStatements() + inference.evictedSessions());
  }

  @SuppressWarnings("this-escape") // only found later, from within accept
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

  /** Discards as little as it takes, the least valuable first. */
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
      restart();
    }
  }

  /** Discards what nobody can meet any more; true if there is room enough then. */
  private boolean discardEnded() {
    inference.makeRoom(false, retained);
    if (bytes() > memory.targetLiveBytes()) {
      rebuildGraph();
    }
    return bytes() <= memory.targetLiveBytes();
  }

  /**
   * Discards everything but which sessions are open. Also for whoever caught what {@link #accept}
   * threw: what is left then may contradict itself, and nothing may be concluded from it.
   */
  public void restart() {
    countDiscarded(inference.transactions());
    detector = newDetector();
    inference = inference.restarted(detector, orders, memory.maxWithinEvent());
    graphRebuildSize = MIN_GRAPH_TRANSACTIONS;
  }

  /** How many bytes are kept that grow with the traffic. */
  long bytes() {
    return inference.bytes() + detector.bytes();
  }

  /** How many events were taken in: the time by which it is judged what may be discarded. */
  public long clock() {
    return inference.clock();
  }

  /**
   * Has nobody discarded who was over at that {@linkplain #clock time} or later, unless for want of
   * memory: events may still come of transactions that ran beside him.
   */
  public void retain(long time) {
    retained = time;
  }

  /**
   * Has told what was suspected and came to nothing: one of its transactions was rolled back, or
   * did something before it committed that makes it none.
   */
  public void onWithdrawn(Consumer<Anomaly> listener) {
    onWithdrawn = listener;
  }

  /**
   * Tells what is suspected: what would be an anomaly if the transactions that are undecided
   * committed, of those that were there already when this was last called. So whoever is quick is
   * never suspected, but judged by what he did. To be called now and then; it does nothing when
   * much is to be looked at and little has happened.
   */
  public void suspect() {
    long since = inference.clock() - suspectedAt;
    if (since > 0) {
      suspect(suspectedAt, MAX_SUSPECT_WORK + since);
      suspectedAt = inference.clock();
    }
  }

  /** Tells all that is suspected: at the end of a history, when no outcomes will come any more. */
  public void suspectAll() {
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

  /** How many transactions are remembered. */
  int retainedTransactions() {
    return Math.max(inference.transactions(), detector.transactions());
  }

  /** How many versions of rows are remembered. */
  int retainedVersions() {
    return inference.versions();
  }

  /** How much was seen so far. */
  public Coverage coverage() {
    return coverage.coverage();
  }

  /** Nothing more will come. What is undecided stays so: it is no anomaly. */
  @Override
  public void close() {
    detector.flush();
  }

  private void report(Finding finding) {
    Anomaly anomaly =
        anomaly(finding, finding.possible() ? Confidence.SUSPECTED : Confidence.CONFIRMED);
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
        finding.transactions().stream().map(t -> observed(t, finding.edges())).toList(),
        finding.edges().stream().map(Analyzer::dependency).toList(),
        Advice.on(finding, verdict, database));
  }

  private static Dependency dependency(Edge edge) {
    return new Dependency(
        edge.from().id(),
        edge.to().id(),
        edge.kind(),
        edge.row().table(),
        edge.row().id(),
        edge.fromStatement(),
        edge.toStatement(),
        edge.evidence());
  }

  private static ObservedTransaction observed(Transaction transaction, List<Edge> edges) {
    Set<Integer> numbers = new TreeSet<>();
    for (Edge edge : edges) {
      if (edge.from() == transaction) {
        numbers.add(edge.fromStatement());
      }
      if (edge.to() == transaction) {
        numbers.add(edge.toStatement());
      }
    }
    List<ObservedStatement> statements = new ArrayList<>();
    for (int number : numbers) {
      transaction
          .statement(number)
          .ifPresent(
              s ->
                  statements.add(
                      new ObservedStatement(s.number(), s.kind(), s.sql(), s.callSite())));
    }
    return new ObservedTransaction(
        transaction.id(),
        transaction.sessionName(),
        transaction.level(),
        transaction.outcome(),
        statements,
        transaction.endedMicros());
  }
}
