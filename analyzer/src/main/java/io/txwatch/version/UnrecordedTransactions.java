package io.txwatch.version;

import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;

/**
 * Watched transactions that may have changed something, and have no record yet: in the order in
 * which they were added, also those of one connection alone.
 */
final class UnrecordedTransactions implements Iterable<TimedTransaction> {

  private final Set<TimedTransaction> all = new LinkedHashSet<>();
  private final Map<Long, Set<TimedTransaction>> byConnection = new HashMap<>();

  /** One that is contained keeps its place. */
  void add(TimedTransaction transaction) {
    if (all.add(transaction)) {
      index(transaction);
    }
  }

  private void index(TimedTransaction transaction) {
    byConnection
        .computeIfAbsent(transaction.connection, any -> new LinkedHashSet<>())
        .add(transaction);
  }

  void remove(TimedTransaction transaction) {
    if (all.remove(transaction)) {
      Set<TimedTransaction> ofConnection = ofConnection(transaction.connection);
      ofConnection.remove(transaction);
      if (ofConnection.isEmpty()) {
        byConnection.remove(transaction.connection);
      }
    }
  }

  /** The connections of some of them are other ones now. */
  void connectionsChanged() {
    byConnection.clear();
    all.forEach(this::index);
  }

  /** Those of a connection: 0 for those whose connection is not known. */
  Set<TimedTransaction> ofConnection(long connection) {
    return byConnection.getOrDefault(connection, Set.of());
  }

  @Override
  public Iterator<TimedTransaction> iterator() {
    return all.iterator();
  }
}
