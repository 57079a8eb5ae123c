package io.txwatch.report;

import io.txwatch.anomaly.Anomaly;
import io.txwatch.anomaly.ObservedStatement;
import io.txwatch.anomaly.ObservedTransaction;
import io.txwatch.anomaly.Phenomenon;
import io.txwatch.anomaly.Verdict;
import io.txwatch.dependency.Basis;
import io.txwatch.dependency.Dependency;
import io.txwatch.dependency.DependencyKind;
import io.txwatch.history.IsolationLevel;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Anomalies that differ only in their rows and transactions, taken together: the same phenomenon
 * through the same lines of the application is one thing to mend, however often it happens.
 *
 * <p>Not thread-safe. Space is bounded by {@value #MAX_GROUPS} groups.
 */
public final class AnomalyGroups {

  /** How many groups are kept. */
  static final int MAX_GROUPS = 1_000;

  /**
   * Anomalies of one kind.
   *
   * @param first the first of them
   * @param count how many there were
   */
  public record Group(Anomaly first, long count) {}

  /** What anomalies of a group have in common. The edges begin where they read least. */
  private record Shape(
      Phenomenon phenomenon,
      Verdict verdict,
      IsolationLevel isolation,
      String database,
      List<Edge> edges) {}

  /** An edge by the places in the application that it runs between. */
  private record Edge(DependencyKind kind, Basis basis, String table, String from, String to) {}

  private final Map<Shape, Group> groups = new LinkedHashMap<>();
  private long notKept;

  /**
   * Counts an anomaly.
   *
   * @return its group, this anomaly counted; {@code count} is 1 if it is the first of its kind, or
   *     if there was no room for another kind
   */
  public Group add(Anomaly anomaly) {
    Shape shape = shape(anomaly);
    Group known = groups.get(shape);
    if (known == null && groups.size() == MAX_GROUPS) {
      notKept++;
      return new Group(anomaly, 1);
    }
    Group group =
        known == null ? new Group(anomaly, 1) : new Group(known.first(), known.count() + 1);
    groups.put(shape, group);
    return group;
  }

  /** The groups, in the order in which they were first seen. */
  public List<Group> groups() {
    return List.copyOf(groups.values());
  }

  /** How many anomalies belong to no group for want of room. */
  public long notKept() {
    return notKept;
  }

  private static Shape shape(Anomaly anomaly) {
    List<Edge> edges = new ArrayList<>();
    for (Dependency edge : anomaly.cycle()) {
      edges.add(
          new Edge(
              edge.kind(),
              edge.basis(),
              edge.table(),
              site(anomaly, edge.from(), edge.fromStatement()),
              site(anomaly, edge.to(), edge.toStatement())));
    }
    return new Shape(
        anomaly.phenomenon(),
        anomaly.verdict(),
        anomaly.isolation(),
        anomaly.database().displayName(),
        leastRotation(edges));
  }

  /** A cycle may be told from any of its transactions on: of all tellings, the least. */
  private static List<Edge> leastRotation(List<Edge> edges) {
    List<Edge> least = List.copyOf(edges);
    List<Edge> next = new ArrayList<>(edges);
    for (int i = 1; i < edges.size(); i++) {
      Collections.rotate(next, 1);
      if (next.toString().compareTo(least.toString()) < 0) {
        least = List.copyOf(next);
      }
    }
    return least;
  }

  /** The statement's call site, or its text if that is not known. */
  private static String site(Anomaly anomaly, long transaction, int statement) {
    for (ObservedTransaction observed : anomaly.transactions()) {
      if (observed.id() == transaction) {
        for (ObservedStatement candidate : observed.statements()) {
          if (candidate.number() == statement) {
            return candidate.callSite().isEmpty() ? candidate.sql() : candidate.callSite();
          }
        }
      }
    }
    return "";
  }
}
