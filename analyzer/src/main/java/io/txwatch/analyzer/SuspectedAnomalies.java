package io.txwatch.analyzer;

import io.txwatch.anomaly.Anomaly;
import io.txwatch.anomaly.Finding;
import io.txwatch.anomaly.ObservedStatement;
import io.txwatch.anomaly.ObservedTransaction;
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
 * all, the youngest are kept, at most {@value #MAX_SUSPICIONS} and so many as there is memory for.
 */
final class SuspectedAnomalies {

  private static final int MAX_SUSPICIONS = 1 << 12;

  private static final int BYTES_PER_SUSPICION = 400;
  private static final int BYTES_PER_TRANSACTION = 200;
  private static final int BYTES_PER_EDGE = 100;

  /** What is suspected of whom. */
  private record Key(Phenomenon phenomenon, Set<Long> transactions) {
    static Key of(Finding finding) {
      Set<Long> ids = new TreeSet<>();
      finding.transactions().forEach(transaction -> ids.add(transaction.id()));
      return new Key(finding.phenomenon(), ids);
    }
  }

  /**
   * What became of one so far.
   *
   * @param reported the anomaly that was told; empty if the level forbids it, and it was only
   *     counted
   * @param undecided its transactions that have not ended with a known outcome
   */
  private record Suspicion(Optional<Anomaly> reported, Set<Long> undecided) {
    long bytes() {
      return BYTES_PER_SUSPICION
          + (long) BYTES_PER_TRANSACTION * undecided.size()
          + reported.map(SuspectedAnomalies::bytes).orElse(0L);
    }
  }

  private static long bytes(Anomaly anomaly) {
    long bytes = (long) BYTES_PER_EDGE * anomaly.cycle().size() + anomaly.advice().length();
    for (ObservedTransaction transaction : anomaly.transactions()) {
      bytes += BYTES_PER_TRANSACTION;
      for (ObservedStatement statement : transaction.statements()) {
        bytes += BYTES_PER_EDGE + 2L * (statement.sql().length() + statement.callSite().length());
      }
    }
    return bytes;
  }

  private final Map<Key, Suspicion> open = new LinkedHashMap<>();
  private final long maxBytes;
  private long bytes;

  /**
   * Nothing is suspected.
   *
   * @param maxBytes how many bytes the suspicions may take
   */
  SuspectedAnomalies(long maxBytes) {
    this.maxBytes = maxBytes;
  }

  /** Transactions in confirmed anomalies since {@link #resolve} was last called. */
  private final List<Set<Long>> confirmed = new ArrayList<>();

  /** Whether this was not suspected yet. */
  boolean isNew(Finding finding) {
    return !open.containsKey(Key.of(finding));
  }

  /** Opens a suspicion; {@code reported} is empty if nobody is told of it. */
  void open(Finding finding, Optional<Anomaly> reported) {
    Set<Long> undecided = new HashSet<>();
    for (Transaction transaction : finding.transactions()) {
      if (!isDecided(transaction.outcome())) {
        undecided.add(transaction.id());
      }
    }
    Suspicion opened = new Suspicion(reported, undecided);
    Suspicion before = open.put(Key.of(finding), opened);
    bytes += opened.bytes() - (before == null ? 0 : before.bytes());
    Iterator<Suspicion> eldest = open.values().iterator();
    while (open.size() > MAX_SUSPICIONS || bytes > maxBytes && open.size() > 1) {
      bytes -= eldest.next().bytes();
      eldest.remove();
    }
  }

  private static boolean isDecided(Optional<Outcome> outcome) {
    return outcome.isPresent() && outcome.get() != Outcome.UNKNOWN;
  }

  /** Whether nothing is suspected. */
  boolean isEmpty() {
    return open.isEmpty();
  }

  /** An anomaly was proven. */
  void markConfirmed(Finding finding) {
    if (!open.isEmpty()) {
      confirmed.add(Key.of(finding).transactions());
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
      for (Iterator<Map.Entry<Key, Suspicion>> all = open.entrySet().iterator(); all.hasNext(); ) {
        Map.Entry<Key, Suspicion> next = all.next();
        Suspicion suspicion = next.getValue();
        long weight = suspicion.bytes();
        if (!suspicion.undecided.remove(transaction)) {
          continue;
        }
        bytes += suspicion.bytes() - weight;
        if (outcome == Outcome.ABORTED || suspicion.undecided.isEmpty()) {
          bytes -= suspicion.bytes();
          all.remove();
          if (!confirmed.contains(next.getKey().transactions())) {
            suspicion.reported.ifPresent(withdrawn::add);
          }
        }
      }
    }
    confirmed.clear();
    return withdrawn;
  }
}
