package io.txwatch.oracle.txcheck;

import io.txwatch.anomaly.CycleNames;
import io.txwatch.anomaly.Phenomenon;
import io.txwatch.dependency.Dependency;
import io.txwatch.dependency.DependencyKind;
import io.txwatch.dependency.EdgeEvidence;
import io.txwatch.guarantee.Guarantee;
import io.txwatch.history.IsolationLevel;
import io.txwatch.oracle.txcheck.StatementTrace.TransactionSpan;
import io.txwatch.oracle.txcheck.TracedVersion.Row;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Isolation bugs (TxCheck, section 4): cycles of transactions whose statements depend on each other
 * by items. Predicate dependencies may be spurious and are left out.
 *
 * <p>Below SERIALIZABLE only plain queries count as reads, because a locking query may return newer
 * versions by design (IsoRel, section 3.4).
 */
final class ItemCycles {

  private final List<StatementTrace> traces;
  private final IsolationLevel level;
  private final Map<Long, List<Dependency>> outgoing = new HashMap<>();
  private final Map<Row, Long> rows = new HashMap<>();
  private final List<List<Dependency>> cycles = new ArrayList<>();

  private ItemCycles(List<StatementTrace> traces, IsolationLevel level) {
    this.traces = traces;
    this.level = level;
  }

  /**
   * The worst forbidden cycle, described; empty if there is none.
   *
   * @param traces the committed statements
   * @param guarantee what the DBMS promises at the level
   */
  static Optional<String> violation(
      List<StatementTrace> traces, IsolationLevel level, Guarantee guarantee) {
    if (!areVersionsUnique(traces)) {
      return Optional.empty();
    }
    ItemCycles search = new ItemCycles(traces, level);
    search.addDependencies();
    List<Long> transactions = search.outgoing.keySet().stream().sorted().toList();
    for (long start : transactions) {
      search.extend(start, start, new ArrayList<>());
    }
    Map<Long, String> sessions =
        traces.stream()
            .map(StatementTrace::transaction)
            .distinct()
            .collect(Collectors.toMap(span -> (long) span.number(), TransactionSpan::session));
    return search.cycles.stream()
        .map(CycleNames::inReadingOrder)
        .filter(cycle -> isForbidden(CycleNames.of(cycle), guarantee))
        .min(
            (one, other) ->
                Integer.compare(
                    CycleNames.rank(CycleNames.of(one)), CycleNames.rank(CycleNames.of(other))))
        .map(
            cycle ->
                "%s of %s by item dependencies, which the DBMS rules out"
                    .formatted(
                        CycleNames.of(cycle),
                        cycle.stream()
                            .map(edge -> sessions.getOrDefault(edge.from(), ""))
                            .distinct()
                            .sorted()
                            .collect(Collectors.joining(", "))));
  }

  /**
   * False if a row has the same version twice: a foreign key's action or a trigger has restored it,
   * and a read of it may be from before or after.
   */
  private static boolean areVersionsUnique(List<StatementTrace> traces) {
    Set<TracedVersion> known = new HashSet<>();
    for (StatementTrace trace : traces) {
      trace.writes().forEach(write -> write.replaced().ifPresent(known::add));
      for (RowWrite write : trace.writes()) {
        if (write.written().isPresent() && !known.add(write.written().get())) {
          return false;
        }
      }
    }
    return true;
  }

  private static boolean isForbidden(Phenomenon phenomenon, Guarantee guarantee) {
    return guarantee.prevents().contains(phenomenon) || guarantee.plainReads().contains(phenomenon);
  }

  private void addDependencies() {
    for (StatementTrace writer : traces) {
      for (RowWrite write : writer.writes()) {
        for (StatementTrace other : traces) {
          if (write.written().isPresent()) {
            if (reads(other, write.written().get())) {
              add(writer, other, DependencyKind.WR, write.row());
            }
            if (other.writes().stream().anyMatch(w -> w.replaced().equals(write.written()))) {
              add(writer, other, DependencyKind.WW, write.row());
            }
          }
          if (write.replaced().isPresent() && reads(other, write.replaced().get())) {
            add(other, writer, DependencyKind.RW, write.row());
          }
        }
      }
    }
  }

  private boolean reads(StatementTrace reader, TracedVersion version) {
    return reader.read().contains(version)
        && (level == IsolationLevel.SERIALIZABLE
            || ParsedStatement.of(reader.step().sql()).isPlainQuery());
  }

  private void add(StatementTrace from, StatementTrace to, DependencyKind kind, Row row) {
    long source = from.transaction().number();
    long target = to.transaction().number();
    if (source != target) {
      outgoing
          .computeIfAbsent(source, first -> new ArrayList<>())
          .add(
              new Dependency(
                  source,
                  target,
                  kind,
                  row.table(),
                  rows.computeIfAbsent(row, first -> rows.size() + 1L),
                  from.position(),
                  to.position(),
                  EdgeEvidence.ITEM));
    }
  }

  /** Collects the cycles through {@code start} and transactions with greater numbers. */
  private void extend(long start, long at, List<Dependency> path) {
    for (Dependency edge : outgoing.getOrDefault(at, List.of())) {
      boolean isOnPath = path.stream().anyMatch(before -> before.from() == edge.to());
      if (edge.to() == start) {
        List<Dependency> cycle = new ArrayList<>(path);
        cycle.add(edge);
        cycles.add(cycle);
      } else if (edge.to() > start && !isOnPath) {
        path.add(edge);
        extend(start, edge.to(), path);
        path.remove(path.size() - 1);
      }
    }
  }
}
