package io.txwatch.slice;

import io.txwatch.anomaly.Anomaly;
import io.txwatch.anomaly.ContextRead;
import io.txwatch.anomaly.ObservedStatement;
import io.txwatch.anomaly.ObservedTransaction;
import io.txwatch.anomaly.Phenomenon;
import io.txwatch.dependency.Dependency;
import io.txwatch.dependency.DependencyKind;
import io.txwatch.history.StatementKind;
import io.txwatch.report.PossibleOrder;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The reads and writes that an anomaly's dependencies consist of, in an order that they allow, and
 * the order of each row's versions.
 */
final class Accesses {

  /**
   * A statement in its place.
   *
   * @param column the position of its transaction in the anomaly, from 0
   * @param reads the rows that it reads, each with the write that made the version; empty if the
   *     version is older than all these writes
   * @param writes the rows that it writes
   */
  record Step(
      int column,
      ObservedStatement statement,
      Map<RowId, Optional<Place>> reads,
      Set<RowId> writes) {}

  private final Anomaly anomaly;
  private final List<PossibleOrder.Step> order;
  private final Map<RowId, Set<Place>> writers = new LinkedHashMap<>();
  private final Map<RowId, List<Place>> versions = new LinkedHashMap<>();
  private final Map<Place, Map<RowId, Optional<Place>>> reads = new LinkedHashMap<>();

  private Accesses(Anomaly anomaly, List<PossibleOrder.Step> order) {
    this.anomaly = anomaly;
    this.order = new ArrayList<>(order);
    if (anomaly.phenomenon() == Phenomenon.INTERMEDIATE_READ) {
      anomaly.cycle().forEach(this::addNextWrite);
    }
  }

  /** The accesses of an anomaly. */
  static Accesses of(Anomaly anomaly) {
    return of(anomaly, PossibleOrder.ofDependencies(anomaly));
  }

  /** The same with the reads that its writes may be based upon. */
  static Accesses withContext(Anomaly anomaly) {
    Accesses accesses = of(anomaly, PossibleOrder.of(anomaly));
    for (ObservedTransaction transaction : anomaly.transactions()) {
      transaction.context().forEach(read -> accesses.addContext(transaction.id(), read));
    }
    return accesses;
  }

  private static Accesses of(Anomaly anomaly, List<PossibleOrder.Step> order) {
    Accesses accesses = new Accesses(anomaly, order);
    anomaly.cycle().forEach(accesses::addWrites);
    accesses.orderVersions();
    anomaly.cycle().forEach(accesses::addRead);
    return accesses;
  }

  private void addContext(long transaction, ContextRead read) {
    RowId row = RowId.of(read);
    Place write = new Place(transaction, read.write());
    if (isWriter(row, write)) {
      addRead(new Place(transaction, read.statement().number()), row, before(row, write));
    }
  }

  /** The writer's next write of the row, which an anomaly does not contain. */
  private void addNextWrite(Dependency edge) {
    Place write = Place.from(edge);
    for (int column = 0; column < anomaly.transactions().size(); column++) {
      if (anomaly.transactions().get(column).id() == edge.from()
          && nextStatement(write).isEmpty()) {
        ObservedStatement next =
            new ObservedStatement(
                write.statement() + 1, StatementKind.UPDATE, "-- its next write of the row", "");
        order.add(new PossibleOrder.Step(column, next, List.of(), false));
      }
    }
  }

  private void addWrites(Dependency edge) {
    switch (edge.kind()) {
      case WW -> {
        addWrite(edge, Place.from(edge));
        addWrite(edge, Place.to(edge));
      }
      case WR -> {
        addWrite(edge, Place.from(edge));
        if (anomaly.phenomenon() == Phenomenon.INTERMEDIATE_READ) {
          nextStatement(Place.from(edge)).ifPresent(next -> addWrite(edge, next));
        }
      }
      case RW -> addWrite(edge, Place.to(edge));
      case SO, RT, WAITS -> {}
    }
  }

  private void addWrite(Dependency edge, Place place) {
    writers.computeIfAbsent(RowId.of(edge), row -> new LinkedHashSet<>()).add(place);
  }

  private Optional<Place> nextStatement(Place place) {
    return order.stream()
        .map(this::place)
        .filter(other -> other.transaction() == place.transaction())
        .filter(other -> other.statement() > place.statement())
        .findFirst();
  }

  private void orderVersions() {
    writers.forEach(
        (row, places) ->
            versions.put(row, order.stream().map(this::place).filter(places::contains).toList()));
  }

  private Place place(PossibleOrder.Step step) {
    ObservedTransaction transaction = anomaly.transactions().get(step.column());
    return new Place(transaction.id(), step.statement().number());
  }

  private void addRead(Dependency edge) {
    if (edge.kind() == DependencyKind.RW) {
      if (!isWriter(RowId.of(edge), Place.from(edge))) {
        addRead(Place.from(edge), RowId.of(edge), before(RowId.of(edge), Place.to(edge)));
      }
    } else if (edge.kind() == DependencyKind.WR) {
      boolean missed = edge.from() == edge.to() && edge.toStatement() > edge.fromStatement();
      addRead(
          Place.to(edge),
          RowId.of(edge),
          missed ? before(RowId.of(edge), Place.from(edge)) : Optional.of(Place.from(edge)));
    }
  }

  private boolean isWriter(RowId row, Place place) {
    return writers.getOrDefault(row, Set.of()).contains(place);
  }

  private void addRead(Place reader, RowId row, Optional<Place> version) {
    reads.computeIfAbsent(reader, place -> new LinkedHashMap<>()).put(row, version);
  }

  /** The write before another one of a row; empty if that is the first. */
  private Optional<Place> before(RowId row, Place write) {
    int at = versions.getOrDefault(row, List.of()).indexOf(write);
    return at <= 0 ? Optional.empty() : Optional.of(versions(row).get(at - 1));
  }

  /** The writes of a row, in the order of its versions. */
  List<Place> versions(RowId row) {
    return versions.getOrDefault(row, List.of());
  }

  /** The writes of a row that come after a version. */
  List<Place> versionsAfter(RowId row, Optional<Place> version) {
    List<Place> all = versions(row);
    int from = version.map(write -> all.indexOf(write) + 1).orElse(0);
    return all.subList(from, all.size());
  }

  /** The rows that it is about. */
  Set<RowId> rows() {
    Set<RowId> rows = new LinkedHashSet<>(versions.keySet());
    reads.values().forEach(read -> rows.addAll(read.keySet()));
    return rows;
  }

  /** The statements, in an order that the dependencies allow. */
  List<Step> steps() {
    List<Step> steps = new ArrayList<>();
    for (PossibleOrder.Step step : order) {
      Place place = place(step);
      Set<RowId> written = new LinkedHashSet<>();
      versions.forEach(
          (row, places) -> {
            if (places.contains(place)) {
              written.add(row);
            }
          });
      steps.add(
          new Step(step.column(), step.statement(), reads.getOrDefault(place, Map.of()), written));
    }
    return steps;
  }
}
