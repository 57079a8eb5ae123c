package io.txwatch.report;

import io.txwatch.anomaly.Anomaly;
import io.txwatch.anomaly.Confidence;
import io.txwatch.anomaly.ObservedStatement;
import io.txwatch.anomaly.ObservedTransaction;
import io.txwatch.anomaly.Phenomenon;
import io.txwatch.anomaly.Verdict;
import io.txwatch.dependency.Dependency;
import io.txwatch.dependency.DependencyKind;
import io.txwatch.dependency.EdgeEvidence;
import io.txwatch.history.CallSite;
import io.txwatch.history.IsolationLevel;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.regex.Pattern;

/**
 * Anomalies that differ only in their rows and transactions, taken together: the same phenomenon
 * through the same lines of the application is one thing to mend, however often it happens.
 *
 * <p>Not thread-safe. Space is bounded by {@value #MAX_GROUPS} groups and by the lengths of their
 * statements, which may take a 32nd of the heap.
 */
public final class AnomalyGroups {

  private static final Pattern LITERAL = Pattern.compile("'(?:[^']|'')*+'|\\b\\d[\\w.]*+");
  private static final Pattern LIST = Pattern.compile("\\(\\?(?:\\s*,\\s*\\?)++\\)");

  /** How many groups are kept. */
  static final int MAX_GROUPS = 1_000;

  /**
   * Anomalies of one kind.
   *
   * @param first the first of them
   * @param count how many there were
   * @param firstMicros when the earliest was complete, in microseconds since 1970; 0 if that is not
   *     known
   * @param lastMicros when the latest was
   */
  public record Group(Anomaly first, long count, long firstMicros, long lastMicros) {

    private static final double MICROS_PER_SECOND = 1e6;

    /** A group of one. */
    public Group(Anomaly first) {
      this(first, 1, first.micros(), first.micros());
    }

    /** The group with one more. Clocks of several nodes may lie: neither end moves inwards. */
    Group with(Anomaly next) {
      long micros = next.micros();
      return new Group(
          first,
          count + 1,
          firstMicros == 0 || micros != 0 && micros < firstMicros ? micros : firstMicros,
          Math.max(lastMicros, micros));
    }

    /**
     * How many there were a second between the first and the last; empty if that was less than a
     * second, or is not known.
     */
    public OptionalDouble perSecond() {
      double seconds = (lastMicros - firstMicros) / MICROS_PER_SECOND;
      return firstMicros == 0 || seconds < 1
          ? OptionalDouble.empty()
          : OptionalDouble.of((count - 1) / seconds);
    }
  }

  /**
   * What anomalies of a group have in common. Of the edges each counts once, in whatever order and
   * however often it is in the cycle: a cycle of five transactions that run through the lines of a
   * cycle of two is the same thing to mend.
   */
  private record Shape(
      Phenomenon phenomenon,
      Verdict verdict,
      Confidence confidence,
      IsolationLevel isolation,
      String database,
      List<Edge> edges) {}

  /** An edge by the places in the application that it runs between. */
  private record Edge(
      DependencyKind kind, EdgeEvidence evidence, String table, String from, String to) {}

  private final Map<Shape, Group> groups = new LinkedHashMap<>();
  private final long maxCharacters;
  private long characters;
  private long ungrouped;

  /** No groups. */
  public AnomalyGroups() {
    this(Runtime.getRuntime().maxMemory() / 32 / Character.BYTES);
  }

  /** No groups, of statements of at most so many characters in all. */
  AnomalyGroups(long maxCharacters) {
    this.maxCharacters = maxCharacters;
  }

  /**
   * Counts an anomaly.
   *
   * @return its group, this anomaly counted; {@code count} is 1 if it is the first of its kind, or
   *     if there was no room for another kind
   */
  public Group add(Anomaly anomaly) {
    Shape shape = shape(anomaly);
    Group known = groups.get(shape);
    if (known == null
        && (groups.size() == MAX_GROUPS
            || characters > 0 && characters + length(anomaly) > maxCharacters)) {
      ungrouped++;
      return new Group(anomaly);
    }
    characters += known == null ? length(anomaly) : 0;
    Group group = known == null ? new Group(anomaly) : known.with(anomaly);
    groups.put(shape, group);
    return group;
  }

  /** The groups, in the order in which they were first seen. */
  public List<Group> groups() {
    return List.copyOf(groups.values());
  }

  /** How many anomalies belong to no group for want of room. */
  public long ungrouped() {
    return ungrouped;
  }

  /** Twice those of its statements: they may stand in what the group has in common, too. */
  private static long length(Anomaly anomaly) {
    long characters = 0;
    for (ObservedTransaction transaction : anomaly.transactions()) {
      for (ObservedStatement statement : transaction.statements()) {
        characters += 2L * (statement.sql().length() + statement.callSite().length());
      }
    }
    return characters;
  }

  private static Shape shape(Anomaly anomaly) {
    List<Edge> edges = new ArrayList<>();
    for (Dependency edge : anomaly.cycle()) {
      edges.add(
          new Edge(
              edge.kind(),
              edge.evidence(),
              edge.table(),
              site(anomaly, edge.from(), edge.fromStatement()),
              site(anomaly, edge.to(), edge.toStatement())));
    }
    return new Shape(
        anomaly.phenomenon(),
        anomaly.verdict(),
        anomaly.confidence(),
        anomaly.isolation(),
        anomaly.database().displayName(),
        edges.stream().distinct().sorted(Comparator.comparing(Edge::toString)).toList());
  }

  /** A text without its literals, and with lists of values as long as any other. */
  private static String withoutValues(String sql) {
    return LIST.matcher(LITERAL.matcher(sql).replaceAll("?")).replaceAll("(?)");
  }

  /** The statement's call site, or its text if that is not known. */
  private static String site(Anomaly anomaly, long transaction, int statement) {
    for (ObservedTransaction observed : anomaly.transactions()) {
      if (observed.id() == transaction) {
        for (ObservedStatement candidate : observed.statements()) {
          if (candidate.number() == statement) {
            return candidate.callSite().isEmpty()
                ? withoutValues(candidate.sql())
                : CallSite.place(candidate.callSite());
          }
        }
      }
    }
    return "";
  }
}
