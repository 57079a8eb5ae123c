package io.txwatch.report;

import io.txwatch.anomaly.Anomaly;
import io.txwatch.anomaly.ObservedStatement;
import io.txwatch.anomaly.ObservedTransaction;
import io.txwatch.anomaly.Phenomenon;
import io.txwatch.dependency.Dependency;
import io.txwatch.history.CallSite;
import io.txwatch.report.AnomalyGroups.Group;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Which operations of the application conflict with which: for each pair, how many anomalies have
 * transactions of both side by side in their cycle, and on which tables. An operation is what the
 * application calls a transaction, or, if it has no name, the source file of its first statement in
 * the anomaly.
 */
public final class OperationConflicts {

  private OperationConflicts() {}

  /**
   * A pair of operations that conflict.
   *
   * @param first the one that is first in alphabetical order
   * @param second the other, or the same
   * @param count the number of anomalies
   * @param phenomena what occurs between them
   * @param tables the tables of the dependencies between them
   */
  public record Conflict(
      String first,
      String second,
      long count,
      SortedSet<Phenomenon> phenomena,
      SortedSet<String> tables) {}

  /** The pairs, the one with the most anomalies first. */
  public static List<Conflict> of(List<Group> groups) {
    Map<String, Conflict> pairs = new TreeMap<>();
    for (Group group : groups) {
      for (Conflict conflict : conflicts(group)) {
        pairs.merge(conflict.first + '\n' + conflict.second, conflict, OperationConflicts::sum);
      }
    }
    List<Conflict> sorted = new ArrayList<>(pairs.values());
    sorted.sort(Comparator.comparing(Conflict::count).reversed());
    return sorted;
  }

  /** The pairs of a group, each once however many dependencies connect them. */
  private static Iterable<Conflict> conflicts(Group group) {
    Anomaly anomaly = group.first();
    Map<Long, String> operations = new HashMap<>();
    anomaly.transactions().forEach(t -> operations.put(t.id(), operation(t)));
    Map<String, Conflict> pairs = new TreeMap<>();
    for (Dependency edge : anomaly.cycle()) {
      String from = operations.getOrDefault(edge.from(), "");
      String to = operations.getOrDefault(edge.to(), "");
      if (!from.isEmpty() && !to.isEmpty()) {
        boolean inOrder = from.compareTo(to) <= 0;
        SortedSet<String> tables = new TreeSet<>();
        if (!edge.table().isEmpty()) {
          tables.add(edge.table());
        }
        Conflict conflict =
            new Conflict(
                inOrder ? from : to,
                inOrder ? to : from,
                group.count(),
                new TreeSet<>(List.of(anomaly.phenomenon())),
                tables);
        pairs.merge(
            conflict.first + '\n' + conflict.second, conflict, OperationConflicts::sameAnomaly);
      }
    }
    return pairs.values();
  }

  private static String operation(ObservedTransaction transaction) {
    if (!transaction.name().isEmpty()) {
      return transaction.shortName();
    }
    return transaction.statements().stream()
        .map(ObservedStatement::callSite)
        .filter(site -> !site.isEmpty())
        .map(site -> CallSite.place(site).replaceFirst(":\\d+$", ""))
        .findFirst()
        .orElse("");
  }

  private static Conflict sum(Conflict one, Conflict other) {
    return merged(one, other, one.count + other.count);
  }

  private static Conflict sameAnomaly(Conflict one, Conflict other) {
    return merged(one, other, one.count);
  }

  private static Conflict merged(Conflict one, Conflict other, long count) {
    SortedSet<Phenomenon> phenomena = new TreeSet<>(one.phenomena);
    phenomena.addAll(other.phenomena);
    SortedSet<String> tables = new TreeSet<>(one.tables);
    tables.addAll(other.tables);
    return new Conflict(one.first, one.second, count, phenomena, tables);
  }
}
