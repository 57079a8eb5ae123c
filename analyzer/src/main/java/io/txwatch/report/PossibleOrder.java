package io.txwatch.report;

import io.txwatch.anomaly.Anomaly;
import io.txwatch.anomaly.ContextRead;
import io.txwatch.anomaly.LockWait;
import io.txwatch.anomaly.ObservedStatement;
import io.txwatch.anomaly.ObservedTransaction;
import io.txwatch.anomaly.Phenomenon;
import io.txwatch.dependency.Dependency;
import io.txwatch.dependency.DependencyKind;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * An order of an anomaly's statements that its dependencies allow: one possible schedule, not a
 * record of the actual one, which is unknown.
 *
 * <p>Three rules determine the order. Statements keep their order within a transaction, and
 * transactions within a session (so). A write precedes the read that saw it and the write that
 * overwrote it (wr, ww). A read precedes the write that it did not see (rw), unless that
 * contradicts the first two rules; then the read was of an old snapshot, and the step is marked so.
 * Where several statements may come next, that of the first transaction in the anomaly does.
 */
public final class PossibleOrder {

  /**
   * A statement in its place.
   *
   * @param column the position, from 0, of its transaction in the anomaly
   * @param statement the statement
   * @param effects what it did to the rows of the cycle: {@code reads account row 7}
   * @param isContext whether it is no statement of a dependency, but a {@link ContextRead}
   */
  public record Step(
      int column, ObservedStatement statement, List<String> effects, boolean isContext) {}

  /** Identifies a statement by the position of its transaction and its number. */
  private record Place(int column, int number) {}

  private final Anomaly anomaly;
  private final RowNames rows;
  private final Map<Place, ObservedStatement> context = new LinkedHashMap<>();
  private final Map<Place, ObservedStatement> statements = new LinkedHashMap<>();
  private final Map<Place, Set<Place>> before = new LinkedHashMap<>();
  private final Map<Place, Set<String>> effects = new LinkedHashMap<>();

  private PossibleOrder(Anomaly anomaly) {
    this.anomaly = anomaly;
    this.rows = RowNames.of(anomaly);
  }

  /**
   * The steps, those for context among them. Time and space are quadratic in the number of
   * statements, which is small.
   */
  public static List<Step> of(Anomaly anomaly) {
    PossibleOrder order = new PossibleOrder(anomaly);
    for (int column = 0; column < anomaly.transactions().size(); column++) {
      for (ContextRead read : anomaly.transactions().get(column).context()) {
        order.context.put(new Place(column, read.statement().number()), read.statement());
      }
    }
    order.addStatements();
    order.addDependencies();
    order.placeContext();
    return order.sort();
  }

  /** The steps of the statements that the dependencies connect. */
  public static List<Step> ofDependencies(Anomaly anomaly) {
    PossibleOrder order = new PossibleOrder(anomaly);
    order.addStatements();
    order.addDependencies();
    return order.sort();
  }

  private List<ObservedStatement> statements(int column) {
    List<ObservedStatement> all = new ArrayList<>(anomaly.transactions().get(column).statements());
    context.forEach(
        (place, statement) -> {
          if (place.column() == column) {
            all.add(statement);
          }
        });
    all.sort(Comparator.comparingInt(ObservedStatement::number));
    return all;
  }

  private void addStatements() {
    for (int column = 0; column < anomaly.transactions().size(); column++) {
      Place previous = null;
      for (ObservedStatement statement : statements(column)) {
        Place place = new Place(column, statement.number());
        statements.put(place, statement);
        before.put(place, new LinkedHashSet<>());
        Set<String> ofStatement = new LinkedHashSet<>();
        statement.waits().forEach(wait -> ofStatement.add(waited(wait)));
        effects.put(place, ofStatement);
        if (previous != null) {
          require(previous, place);
        }
        previous = place;
      }
    }
  }

  private String waited(LockWait wait) {
    int holder = column(wait.transaction());
    return "waited "
        + CoverageText.duration(wait.micros())
        + " for a lock of "
        + (holder >= 0 ? Explanation.label(holder) : wait.operation());
  }

  private void addDependencies() {
    for (Dependency edge : anomaly.cycle()) {
      switch (edge.kind()) {
        case WW -> placeOverwrite(edge);
        case WR -> placeRead(edge);
        case SO, RT -> requireTransactionOrder(column(edge.from()), column(edge.to()));
        case WAITS -> {
          note(from(edge), "waits for a lock on", edge);
          note(to(edge), "locks", edge);
          require(to(edge), from(edge));
        }
        case RW -> {}
      }
    }
    for (Dependency edge : anomaly.cycle()) {
      if (edge.kind() == DependencyKind.RW) {
        placeMissedWrite(edge);
      }
    }
    if (anomaly.phenomenon() == Phenomenon.INTERMEDIATE_READ) {
      anomaly.cycle().forEach(this::placeBeforeNextWrite);
    }
  }

  /** Orders what was read for context after the writes that it saw. */
  private void placeContext() {
    for (int column = 0; column < anomaly.transactions().size(); column++) {
      for (ContextRead read : anomaly.transactions().get(column).context()) {
        Place place = new Place(column, read.statement().number());
        Place write = new Place(column, read.write());
        for (Dependency edge : anomaly.cycle()) {
          boolean isOfRow = edge.row() == read.row() && edge.table().equals(read.table());
          if (isOfRow && edge.kind() == DependencyKind.WW && to(edge).equals(write)) {
            prefer(from(edge), place);
          }
        }
        effects
            .getOrDefault(place, new LinkedHashSet<>())
            .add("reads " + rows.of(read) + " (context)");
      }
    }
  }

  private Place from(Dependency edge) {
    return new Place(column(edge.from()), edge.fromStatement());
  }

  private Place to(Dependency edge) {
    return new Place(column(edge.to()), edge.toStatement());
  }

  private void placeOverwrite(Dependency edge) {
    require(from(edge), to(edge));
    note(from(edge), "writes", edge);
    note(to(edge), "writes", edge);
  }

  private void placeRead(Dependency edge) {
    if (anomaly.phenomenon() == Phenomenon.GARBAGE_READ) {
      note(to(edge), "reads what no transaction wrote from", edge);
      return;
    } else if (anomaly.phenomenon() == Phenomenon.DUPLICATE_WRITE) {
      note(to(edge), "reads an element twice from", edge);
      return;
    } else if (anomaly.phenomenon() == Phenomenon.INCOMPATIBLE_ORDER) {
      note(from(edge), "reads", edge);
      note(to(edge), "reads another order of", edge);
      return;
    }
    require(from(edge), to(edge));
    note(from(edge), "writes", edge);
    if (edge.from() == edge.to()) { // a read that missed its transaction's own write
      note(to(edge), "reads an old version of", edge);
    } else {
      note(
          to(edge),
          edge.evidence().byPredicate() ? "by its predicate, sees the change of" : "reads",
          edge);
    }
  }

  private void placeMissedWrite(Dependency edge) {
    boolean inTime = prefer(from(edge), to(edge));
    if (edge.evidence().byPredicate()) {
      note(from(edge), "by its predicate, does not see the change of", edge);
    } else {
      note(from(edge), inTime ? "reads" : "reads an old version of", edge);
    }
    note(to(edge), "writes", edge);
  }

  /** Orders an intermediate read before the writer's next write that is shown. */
  private void placeBeforeNextWrite(Dependency edge) {
    Place read = new Place(column(edge.to()), edge.toStatement());
    statements.keySet().stream()
        .filter(place -> place.column() == column(edge.from()))
        .filter(place -> place.number() > edge.fromStatement())
        .findFirst()
        .ifPresent(
            next -> {
              if (prefer(read, next)) {
                note(next, "writes", edge);
              }
            });
  }

  private int column(long transaction) {
    List<ObservedTransaction> all = anomaly.transactions();
    for (int i = 0; i < all.size(); i++) {
      if (all.get(i).id() == transaction) {
        return i;
      }
    }
    return -1;
  }

  private void note(Place place, String what, Dependency edge) {
    Set<String> known = effects.get(place);
    if (known != null) {
      known.add(what + " " + rows.of(edge));
    }
  }

  private void require(Place earlier, Place later) {
    if (statements.containsKey(earlier)
        && statements.containsKey(later)
        && !earlier.equals(later)) {
      before.getOrDefault(later, new LinkedHashSet<>()).add(earlier);
    }
  }

  /** Orders all statements of one transaction before those of another. */
  private void requireTransactionOrder(int earlier, int later) {
    for (Place first : statements.keySet()) {
      for (Place second : statements.keySet()) {
        if (first.column() == earlier && second.column() == later) {
          require(first, second);
        }
      }
    }
  }

  /** Adds an order that is optional; false if it contradicts the present ones. */
  private boolean prefer(Place earlier, Place later) {
    if (!statements.containsKey(earlier) || !statements.containsKey(later)) {
      return true;
    }
    if (earlier.equals(later) || comesBefore(later, earlier, new LinkedHashSet<>())) {
      return earlier.equals(later);
    }
    require(earlier, later);
    return true;
  }

  private boolean comesBefore(Place earlier, Place later, Set<Place> seen) {
    Collection<Place> direct = before.getOrDefault(later, Set.of());
    return direct.contains(earlier)
        || direct.stream().anyMatch(p -> seen.add(p) && comesBefore(earlier, p, seen));
  }

  private List<Step> sort() {
    List<Step> steps = new ArrayList<>();
    Set<Place> waiting = new LinkedHashSet<>(statements.keySet());
    while (!waiting.isEmpty()) {
      Place next =
          waiting.stream()
              .filter(
                  place ->
                      before.getOrDefault(place, Set.of()).stream().noneMatch(waiting::contains))
              .findFirst()
              // The dependencies contradict each other; all statements are shown nevertheless.
              .orElseGet(() -> waiting.iterator().next());
      waiting.remove(next);
      ObservedStatement statement = statements.get(next);
      if (statement != null) {
        steps.add(
            new Step(
                next.column(),
                statement,
                List.copyOf(effects.getOrDefault(next, Set.of())),
                context.containsKey(next)));
      }
    }
    return steps;
  }
}
