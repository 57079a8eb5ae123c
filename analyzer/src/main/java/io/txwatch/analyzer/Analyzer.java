package io.txwatch.analyzer;

import io.txwatch.anomaly.Anomaly;
import io.txwatch.anomaly.AnomalyDetector;
import io.txwatch.anomaly.Confidence;
import io.txwatch.anomaly.Finding;
import io.txwatch.anomaly.ObservedStatement;
import io.txwatch.anomaly.ObservedTransaction;
import io.txwatch.anomaly.Verdict;
import io.txwatch.dependency.Dependency;
import io.txwatch.dependency.DependencyInference;
import io.txwatch.dependency.Transaction;
import io.txwatch.graph.DependencyGraph.Edge;
import io.txwatch.guarantee.Advice;
import io.txwatch.guarantee.Judge;
import io.txwatch.history.Database;
import io.txwatch.history.Event;
import io.txwatch.history.EventSink;
import io.txwatch.history.GapReason;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;

/**
 * Events in, anomalies and coverage out. For one thread at a time.
 *
 * <p>Only transactions that committed, and of which no event was lost, are accused: every anomaly
 * is told when the last event that proves it has come, and is confirmed then. An anomaly that is
 * {@linkplain Anomaly#possible() possible} is told as suspected; but where the level forbids it, it
 * is counted only, since then it is most likely none.
 *
 * <p><b>What is forgotten.</b> Let a transaction's horizon be the beginning of the oldest one that
 * ran when it began: all that overlapped with it began later. Forgotten is who was over before the
 * horizon of the oldest transaction that runs, with its reads and writes. Time is the order in
 * which events arrive.
 *
 * <p>So these anomalies can be missed, and none else: those between transactions of which one was
 * over before the horizon of another; no transaction overlapped with both. It takes a read of what
 * was replaced long ago, or a chain of three transactions or more, each of which overlapped with
 * the next. For an event that completes an anomaly is of a transaction that runs, or begins later,
 * and what is forgotten was over before its horizon. The exception is what only a later list tells:
 * a write that was not seen when it happened, by which an anomaly of others is completed.
 *
 * <p>A transaction that never ends would keep all that follow it. So memory is bounded by a {@link
 * MemoryBudget}, too. When that is used up all that are over are forgotten, and those that are
 * forgotten early by it are counted as {@link GapReason#FORGOTTEN}.
 */
public final class Analyzer implements EventSink {

  private final Judge judge;
  private final Consumer<Anomaly> found;
  private final CoverageCount coverage = new CoverageCount();
  private final MemoryBudget memory;
  private final AnomalyDetector detector = new AnomalyDetector(this::tell);
  private final DependencyInference inference = new DependencyInference(detector);
  private long retained = Long.MAX_VALUE;

  /**
   * Tells {@code found} each anomaly, from within {@link #accept}; an eighth of the heap is its.
   */
  public Analyzer(Judge judge, Consumer<Anomaly> found) {
    this(judge, found, Runtime.getRuntime().maxMemory() / 8);
  }

  /**
   * Tells {@code found} each anomaly, from within {@link #accept}.
   *
   * @param memory how many bytes, roughly, it may hold before it begins anew
   */
  public Analyzer(Judge judge, Consumer<Anomaly> found, long memory) {
    this.judge = judge;
    this.found = found;
    this.memory = new MemoryBudget(memory);
  }

  @Override
  public void accept(Event event) {
    coverage.count(event);
    inference.accept(event);
    detector.flush();
    boolean usedUp = memory.isUsedUpBy(event);
    if (usedUp || memory.isTimeToForget()) {
      forget(usedUp);
    }
  }

  private void forget(boolean early) {
    long forgottenEarly = inference.forget(early, retained);
    detector.forget();
    memory.forgot(inference.transactions(), inference.versions());
    if (forgottenEarly > 0) {
      coverage.count(new Event.Gap(0, 0, GapReason.FORGOTTEN, "", forgottenEarly));
    }
  }

  /** How many events were taken in: the time by which it is judged what may be forgotten. */
  public long clock() {
    return inference.clock();
  }

  /**
   * Has nobody forgotten who was over at that {@linkplain #clock time} or later, unless for want of
   * memory: events may still come of transactions that ran beside him.
   */
  public void retain(long time) {
    retained = time;
  }

  /** How many transactions are remembered. */
  int remembered() {
    return Math.max(inference.transactions(), detector.transactions());
  }

  /** How many versions of rows are remembered. */
  int rememberedVersions() {
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

  private void tell(Finding finding) {
    Database database = finding.edges().get(0).from().database();
    Verdict verdict = judge.judge(finding, database);
    if (finding.possible() && verdict == Verdict.VIOLATION) {
      coverage.countForbidden();
      return;
    }
    found.accept(
        new Anomaly(
            finding.phenomenon(),
            finding.cycleClass(),
            verdict,
            finding.possible() ? Confidence.SUSPECTED : Confidence.CONFIRMED,
            database,
            finding.level(),
            finding.transactions().stream().map(t -> observed(t, finding.edges())).toList(),
            finding.edges().stream().map(Analyzer::dependency).toList(),
            Advice.on(finding, verdict, database)));
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
        edge.basis());
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
