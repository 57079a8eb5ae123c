package io.txwatch.analyzer;

import io.txwatch.anomaly.Anomaly;
import io.txwatch.anomaly.Finding;
import io.txwatch.anomaly.Phenomenon;
import io.txwatch.dependency.Transaction;
import io.txwatch.history.Outcome;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * The books of what was suspected: each suspicion is told once, and stays open until its
 * transactions have ended. Those of transactions whose outcome nobody knows stay open for good; of
 * all, the {@value #MOST} youngest are kept.
 */
final class Suspicions {

  private static final int MOST = 1 << 12;

  /** What is suspected of whom. */
  private record Suspicion(Phenomenon phenomenon, Set<Long> transactions) {
    static Suspicion of(Finding finding) {
      Set<Long> ids = new TreeSet<>();
      finding.transactions().forEach(transaction -> ids.add(transaction.id()));
      return new Suspicion(finding.phenomenon(), ids);
    }
  }

  /**
   * What became of one so far.
   *
   * @param told the anomaly that was told; empty if the level forbids it, and it was only counted
   * @param undecided its transactions that have not ended with a known outcome
   */
  private record Open(Optional<Anomaly> told, Set<Long> undecided) {}

  private final Map<Suspicion, Open> open =
      new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<Suspicion, Open> eldest) {
          return size() > MOST;
        }
      };

  /** Transactions in confirmed anomalies since {@link #resolve} was last called. */
  private final List<Set<Long>> confirmed = new ArrayList<>();

  /** Whether this was not suspected yet. */
  boolean isNew(Finding finding) {
    return !open.containsKey(Suspicion.of(finding));
  }

  /** Opens a suspicion; {@code told} is empty if nobody is told of it. */
  void open(Finding finding, Optional<Anomaly> told) {
    Set<Long> undecided = new HashSet<>();
    for (Transaction transaction : finding.transactions()) {
      if (!isDecided(transaction.outcome())) {
        undecided.add(transaction.id());
      }
    }
    open.put(Suspicion.of(finding), new Open(told, undecided));
  }

  private static boolean isDecided(Optional<Outcome> outcome) {
    return outcome.isPresent() && outcome.get() != Outcome.UNKNOWN;
  }

  /** Whether nothing is suspected. */
  boolean isEmpty() {
    return open.isEmpty();
  }

  /** An anomaly was proven. */
  void confirmed(Finding finding) {
    if (!open.isEmpty()) {
      confirmed.add(Suspicion.of(finding).transactions());
    }
  }

  /**
   * A transaction ended, and what follows from that was told: closes the suspicions that are
   * decided by it.
   *
   * @return those that were told and that nothing came of
   */
  List<Anomaly> resolve(long transaction, Outcome outcome) {
    List<Anomaly> withdrawn = new ArrayList<>();
    if (outcome != Outcome.UNKNOWN) {
      for (Iterator<Map.Entry<Suspicion, Open>> all = open.entrySet().iterator(); all.hasNext(); ) {
        Map.Entry<Suspicion, Open> next = all.next();
        Open suspicion = next.getValue();
        if (suspicion.undecided.remove(transaction)
            && (outcome == Outcome.ABORTED || suspicion.undecided.isEmpty())) {
          all.remove();
          if (!confirmed.contains(next.getKey().transactions())) {
            suspicion.told.ifPresent(withdrawn::add);
          }
        }
      }
    }
    confirmed.clear();
    return withdrawn;
  }
}
