package io.txwatch.anomaly;

import io.txwatch.dependency.DependencyListener;
import io.txwatch.dependency.Edge;
import io.txwatch.dependency.Row;
import io.txwatch.dependency.Transaction;
import io.txwatch.dependency.WrongRead;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Finds anomalies in dependencies.
 *
 * <p>Two graphs are kept apart: one of the proven dependencies, and, once a possible one occurs,
 * one of all of them. Possible dependencies therefore cost nothing where there are none, never hide
 * a proven cycle behind a shorter one, and never appear in a finding that looks proven. A finding
 * on two transactions that was reported as proven is not reported as possible, too. A third graph,
 * of proven dependencies and the requested {@linkplain io.txwatch.dependency.CommitOrder orders},
 * yields the anomalies that exist only because of these orders; it exists only if any were
 * requested.
 */
public final class AnomalyDetector implements DependencyListener {

  /** The edges that one search for a cycle may examine. */
  private static final int MAX_EDGES_PER_SEARCH = 4096;

  /**
   * The same if orders count: a cycle may lead through every transaction that ended in between. No
   * search is made for an edge that closes no cycle.
   */
  private static final int MAX_EDGES_PER_ORDERED_SEARCH = 1 << 20;

  private static final int MAX_EDGES_PER_POSSIBLE_SEARCH = 512;
  private static final int MAX_POSSIBLE_SEARCHES = 16;

  /** The bounds of the number of pairs of transactions whose findings are remembered. */
  private static final int MIN_REPORTED_PAIRS = 1 << 8;

  private static final int MAX_REPORTED_PAIRS = 1 << 16;

  /** The bytes that a remembered pair takes in all maps together. */
  private static final int BYTES_PER_PAIR = 1500;

  private final Consumer<Finding> onFinding;
  private final CycleFinder proven;
  private @Nullable CycleFinder possible;
  private @Nullable CycleFinder ordered;
  private final Map<WrongReadKey, Boolean> reportedReads;
  private final int maxReportedPairs;

  private record WrongReadKey(Phenomenon phenomenon, long writer, long reader) {}

  /** Reports each finding to {@code onFinding}. */
  public AnomalyDetector(Consumer<Finding> onFinding) {
    this(onFinding, Long.MAX_VALUE);
  }

  /**
   * Reports each finding to {@code onFinding}.
   *
   * @param bytes the memory for remembering what was reported, the graphs not included
   */
  public AnomalyDetector(Consumer<Finding> onFinding, long bytes) {
    this.onFinding = onFinding;
    this.maxReportedPairs =
        (int) Math.max(MIN_REPORTED_PAIRS, Math.min(MAX_REPORTED_PAIRS, bytes / BYTES_PER_PAIR));
    this.reportedReads = CycleFinder.boundedMap(maxReportedPairs);
    this.proven =
        new CycleFinder(
            onFinding, finding -> true, MAX_EDGES_PER_SEARCH, Integer.MAX_VALUE, maxReportedPairs);
  }

  @Override
  public void committed(Transaction transaction) {
    proven.add(transaction);
    if (possible != null) {
      possible.add(transaction);
    }
    if (ordered != null) {
      ordered.add(transaction);
    }
  }

  @Override
  public void dependency(Edge edge) {
    if (edge.isDiscarded()) {
      return;
    }
    if (edge.kind().isOrder() && ordered == null) {
      ordered =
          new CycleFinder(
              onFinding,
              AnomalyDetector::isInversion,
              MAX_EDGES_PER_ORDERED_SEARCH,
              Integer.MAX_VALUE,
              maxReportedPairs);
      ordered.addAll(proven);
    }
    if (ordered != null && !edge.evidence().possible()) {
      ordered.add(edge);
    }
    if (edge.kind().isOrder()) {
      return;
    }
    if (edge.evidence().possible() && possible == null) {
      possible =
          new CycleFinder(
              onFinding,
              finding -> finding.possible() && !proven.hasReported(finding),
              MAX_EDGES_PER_POSSIBLE_SEARCH,
              MAX_POSSIBLE_SEARCHES,
              maxReportedPairs);
      possible.addAll(proven);
    }
    if (possible != null) {
      possible.add(edge);
    }
    if (!edge.evidence().possible()) {
      proven.add(edge);
    }
  }

  @Override
  public void wrongRead(WrongRead why, Edge read) {
    Finding finding = Finding.of(why, read);
    WrongReadKey key = new WrongReadKey(finding.phenomenon(), read.from().id(), read.to().id());
    if (reportedReads.put(key, true) == null) {
      onFinding.accept(finding);
    }
  }

  @Override
  public void forkedWrite(
      Transaction first, Transaction second, Row row, int firstStatement, int secondStatement) {
    if (first.isDiscarded() || second.isDiscarded()) {
      return;
    }
    proven.report(
        new Finding(
            Phenomenon.LOST_UPDATE,
            Optional.of(CycleClass.G2_ITEM),
            Edge.ofForkedWrite(first, second, row, firstStatement, secondStatement)));
  }

  private static boolean isInversion(Finding finding) {
    return finding.phenomenon() == Phenomenon.TRANSACTION_INVERSION;
  }

  /**
   * Searches the cycles that the edges since the last call closed. Must be called after each event.
   */
  public void flush() {
    proven.flush();
    if (possible != null) {
      possible.flush();
    }
    if (ordered != null) {
      ordered.flush();
    }
  }

  /**
   * The additional findings if undecided transactions committed. Must be called after {@link
   * #flush}.
   *
   * @param supposition emits the hypothetical dependencies to a listener; whether there are any
   */
  public List<Finding> findHypothetical(Predicate<DependencyListener> supposition) {
    HypotheticalCommits suppositions = new HypotheticalCommits();
    return supposition.test(suppositions)
        ? suppositions.findings(proven, MAX_EDGES_PER_SEARCH)
        : List.of();
  }

  /** Removes discarded transactions from the graphs. */
  public void discard() {
    proven.discard();
    if (possible != null) {
      possible.discard();
    }
    if (ordered != null) {
      ordered.discard();
    }
  }

  public long bytes() {
    return proven.bytes()
        + (possible == null ? 0 : possible.bytes())
        + (ordered == null ? 0 : ordered.bytes());
  }

  public int transactions() {
    return proven.size();
  }

  /** The number of searches for a proven cycle that exceeded their budget without a result. */
  public long exhaustedSearches() {
    return proven.exhaustedSearches();
  }
}
