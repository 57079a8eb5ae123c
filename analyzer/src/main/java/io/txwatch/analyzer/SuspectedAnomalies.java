package io.txwatch.analyzer;

import io.txwatch.anomaly.Anomaly;
import io.txwatch.anomaly.ContextRead;
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
 * The suspected anomalies that are open. Each is reported once and stays open until its
 * transactions have ended; those of transactions with an unknown outcome stay open for good. The
 * youngest are kept, at most {@value #MAX_SUSPICIONS} and as many as memory allows.
 */
final class SuspectedAnomalies {

  private static final int MAX_SUSPICIONS = 1 << 12;

  private static final int BYTES_PER_SUSPICION = 400;
  private static final int BYTES_PER_TRANSACTION = 200;
  private static final int BYTES_PER_EDGE = 100;

  /** A phenomenon and the transactions that it is suspected of. */
  private record Key(Phenomenon phenomenon, Set<Long> transactions) {
    static Key of(Finding finding) {
      Set<Long> ids = new TreeSet<>();
      finding.transactions().forEach(transaction -> ids.add(transaction.id()));
      return new Key(finding.phenomenon(), ids);
    }
  }

  /**
   * The state of one suspicion.
   *
   * @param reported the anomaly that was reported; empty if the level forbids it and it was only
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
        bytes += bytes(statement);
      }
      for (ContextRead read : transaction.context()) {
        bytes += bytes(read.statement());
      }
    }
    return bytes;
  }

  private static long bytes(ObservedStatement statement) {
    return BYTES_PER_EDGE + 2L * (statement.sql().length() + statement.callSite().length());
  }

  private final Map<Key, Suspicion> open = new LinkedHashMap<>();
  private final long maxBytes;
  private long bytes;

  /**
   * Starts without suspicions.
   *
   * @param maxBytes the most bytes that the suspicions may use
   */
  SuspectedAnomalies(long maxBytes) {
    this.maxBytes = maxBytes;
  }

  /** The transactions of the anomalies confirmed since {@link #resolve} was last called. */
  private final List<Set<Long>> confirmed = new ArrayList<>();

  /** Whether the finding is not suspected yet. */
  boolean isNew(Finding finding) {
    return !open.containsKey(Key.of(finding));
  }

  /** Opens a suspicion; {@code reported} is empty if it is not reported. */
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

  boolean isEmpty() {
    return open.isEmpty();
  }

  /** Marks the suspicion of a proven anomaly as confirmed. */
  void markConfirmed(Finding finding) {
    if (!open.isEmpty()) {
      confirmed.add(Key.of(finding).transactions());
    }
  }

  /**
   * Closes the suspicions that are decided by the end of a transaction, after the anomalies that it
   * completes were reported.
   *
   * @return the reported suspicions that did not come true
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
