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
 * From dependencies to findings.
 *
 * <p>Two graphs are kept apart: one of the proven dependencies, and, from the first possible one
 * on, one of all of them. So a possible dependency costs nothing where there is none, never hides a
 * proven cycle behind a shorter one, and never comes to stand in a finding that looks proven. What
 * is told of two transactions as proven is not told of them as possible, too. A third graph, of the
 * proven and of the {@linkplain io.txwatch.dependency.CommitOrder orders} that were asked for,
 * shows what is an anomaly by these alone; it is there only if they were.
 */
public final class AnomalyDetector implements DependencyListener {

  /** How many edges a search for one cycle may look at, and from how many edges it starts. */
  private static final int MAX_EDGES_PER_SEARCH = 4096;

  private static final int MAX_EDGES_PER_POSSIBLE_SEARCH = 512;
  private static final int MAX_POSSIBLE_SEARCHES = 16;

  /** How many pairs of transactions are remembered, at least and at most. */
  private static final int MIN_REPORTED_PAIRS = 1 << 8;

  private static final int MAX_REPORTED_PAIRS = 1 << 16;

  /** What remembering a pair takes in all the maps together, in bytes. */
  private static final int BYTES_PER_PAIR = 1500;

  private final Consumer<Finding> onFinding;
  private final CycleFinder proven;
  private @Nullable CycleFinder possible;
  private @Nullable CycleFinder ordered;
  private final Map<WrongReadKey, Boolean> reportedReads;
  private final int maxReportedPairs;

  /** A read that is wrong by itself. */
  private record WrongReadKey(Phenomenon phenomenon, long writer, long reader) {}

  /** Tells {@code onFinding} each finding. */
  public AnomalyDetector(Consumer<Finding> onFinding) {
    this(onFinding, Long.MAX_VALUE);
  }

  /**
   * Tells {@code onFinding} each finding.
   *
   * @param bytes what is remembered so that it is not told again takes up to so many, the graphs
   *     not counted
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
              MAX_EDGES_PER_SEARCH,
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

  /** Searches what the edges since the last call have closed. To be called after each event. */
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
   * What would be found besides if undecided transactions committed. To be called when all is
   * {@linkplain #flush searched}.
   *
   * @param supposition tells a listener what would follow; whether it told anything
   */
  public List<Finding> findHypothetical(Predicate<DependencyListener> supposition) {
    HypotheticalCommits suppositions = new HypotheticalCommits();
    return supposition.test(suppositions)
        ? suppositions.findings(proven, MAX_EDGES_PER_SEARCH)
        : List.of();
  }

  /** Lets go of the transactions that were discarded. */
  public void discard() {
    proven.discard();
    if (possible != null) {
      possible.discard();
    }
    if (ordered != null) {
      ordered.discard();
    }
  }

  /** How many bytes its graphs take. */
  public long bytes() {
    return proven.bytes()
        + (possible == null ? 0 : possible.bytes())
        + (ordered == null ? 0 : ordered.bytes());
  }

  /** How many transactions it remembers. */
  public int transactions() {
    return proven.size();
  }

  /** How many searches for a proven cycle ended without a result because they became too long. */
  public long exhaustedSearches() {
    return proven.exhaustedSearches();
  }
}
