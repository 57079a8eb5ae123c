package io.txwatch.report;

import io.txwatch.anomaly.Anomaly;
import io.txwatch.anomaly.Confidence;
import io.txwatch.anomaly.ContextRead;
import io.txwatch.anomaly.ObservedStatement;
import io.txwatch.anomaly.ObservedTransaction;
import io.txwatch.anomaly.Phenomenon;
import io.txwatch.anomaly.Verdict;
import io.txwatch.baseline.AcceptedAnomaly;
import io.txwatch.baseline.Baseline;
import io.txwatch.baseline.BaselineMatch;
import io.txwatch.baseline.Fingerprint;
import io.txwatch.dependency.Dependency;
import io.txwatch.dependency.DependencyKind;
import io.txwatch.dependency.EdgeEvidence;
import io.txwatch.history.CallSite;
import io.txwatch.history.IsolationLevel;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.regex.Pattern;

/**
 * Groups anomalies that differ only in their rows and transactions: the same phenomenon through the
 * same statements, lines, callers and operations of the application is one problem to fix, however
 * often it occurs.
 *
 * <p>Not thread-safe. Memory is bounded by {@value #MAX_GROUPS} groups and by the lengths of their
 * statements, which may take a 32nd of the heap.
 */
public final class AnomalyGroups {

  private static final Pattern LITERAL = Pattern.compile("'(?:[^']|'')*+'|\\b\\d[\\w.]*+");
  private static final Pattern LIST = Pattern.compile("\\(\\?(?:\\s*,\\s*\\?)++\\)");

  static final int MAX_GROUPS = 1_000;

  /**
   * A group of anomalies.
   *
   * @param first the first anomaly
   * @param count the number of anomalies
   * @param firstMicros when the earliest was complete, in microseconds since 1970; 0 if unknown
   * @param lastMicros when the latest was complete
   * @param accepted the entry of the baseline that accepts it; empty if none does
   */
  public record Group(
      Anomaly first,
      long count,
      long firstMicros,
      long lastMicros,
      Optional<AcceptedAnomaly> accepted) {

    private static final double MICROS_PER_SECOND = 1e6;

    public Group(Anomaly first) {
      this(first, 1, first.micros(), first.micros());
    }

    /** A group that no baseline accepts. */
    public Group(Anomaly first, long count, long firstMicros, long lastMicros) {
      this(first, count, firstMicros, lastMicros, Optional.empty());
    }

    /** What identifies it over several runs. Groups that differ in lines or levels may share it. */
    public Fingerprint id() {
      return Fingerprint.of(first);
    }

    /** This group, as a baseline has it. */
    public Group accepted(Optional<AcceptedAnomaly> by) {
      return new Group(first, count, firstMicros, lastMicros, by);
    }

    /**
     * This group with one more anomaly. The clocks of several nodes may disagree, so neither end
     * moves inwards.
     */
    Group with(Anomaly next) {
      long micros = next.micros();
      return new Group(
          first,
          count + 1,
          firstMicros == 0 || micros != 0 && micros < firstMicros ? micros : firstMicros,
          Math.max(lastMicros, micros),
          accepted);
    }

    /**
     * The rate per second between the first and the last; empty if that is less than a second, or
     * unknown.
     */
    public OptionalDouble perSecond() {
      double seconds = (lastMicros - firstMicros) / MICROS_PER_SECOND;
      return firstMicros == 0 || seconds < 1
          ? OptionalDouble.empty()
          : OptionalDouble.of((count - 1) / seconds);
    }
  }

  /**
   * What the anomalies of a group have in common. Each edge counts once, in any order and however
   * often the cycle contains it: a cycle of five transactions through the lines of a cycle of two
   * is the same problem.
   */
  private record Shape(
      Phenomenon phenomenon,
      Verdict verdict,
      Confidence confidence,
      IsolationLevel isolation,
      String database,
      List<Edge> edges) {}

  /** An edge by the places that it connects. */
  private record Edge(
      DependencyKind kind, EdgeEvidence evidence, String table, Place from, Place to) {}

  /** A statement's text and call site with its caller, and the name of its transaction. */
  private record Place(String operation, String site, String caller, String sql) {}

  private final Map<Shape, Group> groups = new LinkedHashMap<>();

  /** The ids of the groups, if there is a baseline. */
  private final Map<Shape, Fingerprint> ids = new HashMap<>();

  private final Baseline baseline;
  private final long maxCharacters;
  private long characters;
  private long ungrouped;

  /** Creates no groups yet. */
  public AnomalyGroups() {
    this(Baseline.NONE);
  }

  /** Creates no groups yet, of which a baseline accepts some. */
  public AnomalyGroups(Baseline baseline) {
    this(baseline, Runtime.getRuntime().maxMemory() / 32 / Character.BYTES);
  }

  /** Creates no groups yet, with a limit for the characters of their statements. */
  AnomalyGroups(Baseline baseline, long maxCharacters) {
    this.baseline = baseline;
    this.maxCharacters = maxCharacters;
  }

  /**
   * Counts an anomaly.
   *
   * @return its group, including this anomaly; {@code count} is 1 if it is the first of its kind,
   *     or if there was no room for another group
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
    if (baseline.entries().isEmpty()) {
      return group;
    }
    return group.accepted(baseline.accepting(ids.computeIfAbsent(shape, of -> group.id())));
  }

  /** The groups, in the order of their first anomalies. */
  public List<Group> groups() {
    if (baseline.entries().isEmpty()) {
      return List.copyOf(groups.values());
    }
    BaselineMatch match = match();
    List<Group> marked = new ArrayList<>();
    groups.forEach(
        (shape, group) -> {
          Fingerprint id = ids.get(shape);
          marked.add(id == null ? group : group.accepted(match.accepting(id)));
        });
    return marked;
  }

  /** What the baseline accepts of the groups. */
  public BaselineMatch match() {
    return baseline.match(ids.values());
  }

  /** The number of anomalies without a group, for lack of room. */
  public long ungrouped() {
    return ungrouped;
  }

  /**
   * The characters of its statements, and once more those of dependencies, which the group's shape
   * may contain as well.
   */
  private static long length(Anomaly anomaly) {
    long characters = 0;
    for (ObservedTransaction transaction : anomaly.transactions()) {
      for (ObservedStatement statement : transaction.statements()) {
        characters += 2L * (statement.sql().length() + statement.callSite().length());
      }
      for (ContextRead read : transaction.context()) {
        characters += read.statement().sql().length() + read.statement().callSite().length();
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
        anomaly.database().product().displayName(),
        edges.stream().distinct().sorted(Comparator.comparing(Edge::toString)).toList());
  }

  /** A statement without its literals, and with value lists of one length. */
  private static String withoutValues(String sql) {
    return LIST.matcher(LITERAL.matcher(sql).replaceAll("?")).replaceAll("(?)");
  }

  private static Place site(Anomaly anomaly, long transaction, int statement) {
    for (ObservedTransaction observed : anomaly.transactions()) {
      if (observed.id() == transaction) {
        for (ObservedStatement candidate : observed.statements()) {
          if (candidate.number() == statement) {
            return new Place(
                observed.name(),
                CallSite.place(candidate.callSite()),
                CallSite.caller(candidate.callSite()),
                withoutValues(candidate.sql()));
          }
        }
      }
    }
    return new Place("", "", "", "");
  }
}
