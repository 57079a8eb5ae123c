package io.txwatch.endtoend;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jgrapht.Graph;
import org.jgrapht.alg.connectivity.KosarajuStrongConnectivityInspector;
import org.jgrapht.graph.AbstractBaseGraph;
import org.jgrapht.graph.DefaultEdge;
import org.jgrapht.graph.DefaultGraphSpecificsStrategy;
import org.jgrapht.graph.DefaultGraphType;
import org.jgrapht.util.SupplierUtil;

/**
 * What an application logged of its own transactions, and the dependency graph that follows from
 * this log alone.
 *
 * <p>Each row of the application has a column {@code version} that the application itself counts up
 * with each write, so the writes of a row are in order and each read identifies the write that it
 * saw. A delete counts as the version after the one that it returned. Nothing of txwatch is used
 * here.
 */
final class ApplicationLog {

  /**
   * One attempt at a transaction.
   *
   * @param worker the number of its worker
   * @param number its number among the attempts of its worker, from 0
   * @param committed true if the commit was acknowledged
   * @param accesses what it read and wrote, in order; empty for what was rolled back
   */
  record Attempt(int worker, int number, boolean committed, List<Access> accesses) {}

  /** A version that was read, or written. */
  record Access(boolean write, long row, int version) {}

  /** The name of an attempt. */
  record Id(int worker, int number) {}

  private record Version(long row, int number) {}

  private final Map<Version, Id> writers = new HashMap<>();
  private final Map<Id, Attempt> committed = new LinkedHashMap<>();

  ApplicationLog(Collection<Attempt> attempts) {
    for (Attempt attempt : attempts) {
      if (attempt.committed()) {
        committed.put(id(attempt), attempt);
      }
    }
    committed.forEach(
        (id, attempt) -> {
          for (Access access : attempt.accesses()) {
            if (access.write()) {
              Id other = writers.put(new Version(access.row(), access.version()), id);
              if (other != null && !other.equals(id)) {
                throw new IllegalStateException("two writers of one version: " + access);
              }
            }
          }
        });
  }

  private Optional<Id> writer(long row, int version) {
    return Optional.ofNullable(writers.get(new Version(row, version)));
  }

  private static Id id(Attempt attempt) {
    return new Id(attempt.worker(), attempt.number());
  }

  int committedCount() {
    return committed.size();
  }

  /** True if there is such an edge; through any row if the row is empty. */
  boolean hasEdge(Id from, Id to, String kind, Optional<Long> row) {
    Attempt first = committed.get(from);
    Attempt second = committed.get(to);
    if (first == null || second == null || from.equals(to)) {
      return false;
    }
    return switch (kind) {
      case "ww" -> hasAccess(second, true, row, -1, from);
      case "wr" -> hasAccess(second, false, row, 0, from);
      case "rw" -> hasAccess(first, false, row, 1, to);
      default -> false;
    };
  }

  /**
   * True if it wrote or read a version of the row for which {@code writer} wrote that neighbour.
   */
  private boolean hasAccess(
      Attempt attempt, boolean write, Optional<Long> row, int neighbour, Id writer) {
    return attempt.accesses().stream()
        .anyMatch(
            access ->
                access.write() == write
                    && row.filter(wanted -> wanted != access.row()).isEmpty()
                    && writer(access.row(), access.version() + neighbour)
                        .filter(writer::equals)
                        .isPresent());
  }

  /** The sets of transactions each of which lies on a cycle with each other one of its set. */
  List<Set<Id>> tangles() {
    return new KosarajuStrongConnectivityInspector<>(graph())
        .stronglyConnectedSets().stream().filter(set -> set.size() > 1).toList();
  }

  private Graph<Id, DefaultEdge> graph() {
    // Without the index of edges by their ends, which takes most of the memory.
    Graph<Id, DefaultEdge> graph =
        new AbstractBaseGraph<>(
            null,
            SupplierUtil.DEFAULT_EDGE_SUPPLIER,
            DefaultGraphType.directedMultigraph(),
            new DefaultGraphSpecificsStrategy<>()) {};
    committed.keySet().forEach(graph::addVertex);
    committed.forEach(
        (id, attempt) -> {
          for (Access access : attempt.accesses()) {
            int before = access.version() - (access.write() ? 1 : 0);
            writer(access.row(), before).ifPresent(writer -> connect(graph, writer, id));
            if (!access.write()) {
              writer(access.row(), access.version() + 1)
                  .ifPresent(writer -> connect(graph, id, writer));
            }
          }
        });
    return graph;
  }

  private static void connect(Graph<Id, DefaultEdge> graph, Id from, Id to) {
    if (!from.equals(to)) {
      graph.addEdge(from, to);
    }
  }

  /**
   * The lost updates: a transaction that read a version and wrote the row, while another
   * transaction's write of it came in between.
   */
  List<LostUpdate> lostUpdates() {
    List<LostUpdate> found = new ArrayList<>();
    for (Attempt attempt : committed.values()) {
      Map<Long, Integer> read = new HashMap<>();
      for (Access access : attempt.accesses()) {
        if (!access.write()) {
          read.putIfAbsent(access.row(), access.version());
        } else {
          Optional.ofNullable(read.remove(access.row()))
              .filter(version -> version + 1 < access.version())
              .ifPresent(
                  version ->
                      found.add(
                          new LostUpdate(
                              access.row(),
                              id(attempt),
                              writer(access.row(), version + 1).orElseThrow(),
                              access.version() - version - 1)));
        }
      }
    }
    return found;
  }

  /**
   * A lost update.
   *
   * @param by the transaction that wrote over the others
   * @param first the first one that it wrote over
   * @param count how many writes it wrote over
   */
  record LostUpdate(long row, Id by, Id first, int count) {}
}
