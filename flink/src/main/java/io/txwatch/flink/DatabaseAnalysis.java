package io.txwatch.flink;

import io.txwatch.analyzer.Analyzer;
import io.txwatch.anomaly.Anomaly;
import io.txwatch.guarantee.Judge;
import io.txwatch.history.Event;
import io.txwatch.link.TopicStreams;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

/**
 * The analysis of one database: an analyzer, and which of the records that it received are still
 * needed. The analyzer is a graph of objects, which is not stored: an analysis with the same {@link
 * AnalysisStart} that receives the records since then again detects the same from there on.
 *
 * <p>A record is needed from the first one on that has an event of a transaction that the analyzer
 * retains. A transaction is retained as long as it may be part of a cycle.
 */
final class DatabaseAnalysis {

  /**
   * How far apart in event time events may be analyzed that happened at once: clocks differ by up
   * to {@link HistoryJob#MAX_CLOCK_DIFFERENCE}, and a stream states every two seconds up to when it
   * is complete.
   */
  private static final long OVERLAP_MILLIS = HistoryJob.MAX_CLOCK_DIFFERENCE.toMillis() + 5_000;

  private final Analyzer analyzer;
  private final TopicStreams streams;
  private final AnalysisStart start;

  /** For each record since the start, in order. */
  private final ArrayDeque<Analyzed> analyzed = new ArrayDeque<>();

  /** The first records of the last {@link #OVERLAP_MILLIS}, with the analyzer's time before. */
  private final ArrayDeque<Analyzed> recent = new ArrayDeque<>();

  private record Analyzed(TimedRecord timed, long clockBefore, Set<Long> transactions) {}

  /** Continues from a start. */
  DatabaseAnalysis(AnalysisStart start, Consumer<Anomaly> onAnomaly, long memory) {
    this.start = start;
    this.streams = start.streams();
    this.analyzer = new Analyzer(Judge.DBMS, onAnomaly, memory);
    analyzer.shared();
    start.events().forEach(analyzer::accept);
  }

  /** Analyzes the next record. */
  void accept(TimedRecord timed) {
    long before = analyzer.clock();
    while (!recent.isEmpty()
        && recent.getFirst().timed.millis() < timed.millis() - OVERLAP_MILLIS) {
      recent.removeFirst();
    }
    analyzer.retain(recent.isEmpty() ? before : recent.getFirst().clockBefore);
    Set<Long> transactions = new HashSet<>();
    TopicStreamsInput.accept(
        streams,
        timed.record(),
        (Event event) -> {
          if (event.transaction() != 0) {
            transactions.add(event.transaction());
          }
          analyzer.accept(event);
        });
    Analyzed last = new Analyzed(timed, before, transactions);
    analyzed.add(last);
    recent.add(last);
  }

  /** The number of records since the start. */
  int size() {
    return analyzed.size();
  }

  /**
   * Moves the start behind the records that are no longer needed.
   *
   * @return how many these are
   */
  int discard() {
    Set<Long> retained = new HashSet<>();
    analyzer.forEachRetained(retained::add);
    int count = 0;
    while (!analyzed.isEmpty() && isOver(analyzed.getFirst(), retained)) {
      start.pass(analyzed.removeFirst().timed);
      count++;
    }
    return count;
  }

  private boolean isOver(Analyzed first, Set<Long> retained) {
    boolean isRecent = !recent.isEmpty() && first.clockBefore >= recent.getFirst().clockBefore;
    return !isRecent && first.transactions.stream().noneMatch(retained::contains);
  }

  /** Where the records begin that are still needed. */
  AnalysisStart start() {
    return start;
  }

  /** Those records. */
  List<TimedRecord> needed() {
    List<TimedRecord> all = new ArrayList<>();
    analyzed.forEach(one -> all.add(one.timed));
    return all;
  }

  /** Ends the analysis: no more records follow. */
  void finish() {
    for (String running : streams.running()) {
      analyzer.accept(TopicStreamsInput.gap(running + " still writes or was killed"));
    }
    analyzer.suspectAll();
    analyzer.close();
  }
}
