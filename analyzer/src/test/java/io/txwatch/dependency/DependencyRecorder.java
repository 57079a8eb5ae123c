package io.txwatch.dependency;

import io.txwatch.history.Event;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** Records what {@link DependencyInference} emits, as texts. */
final class DependencyRecorder implements DependencyListener {

  /** As in {@link NaiveReference}. */
  final Set<String> all = new TreeSet<>();

  /** Emissions that the reference does not compute. */
  final Set<String> others = new TreeSet<>();

  final long contradictions;

  DependencyRecorder(List<Event> events) {
    DependencyInference inference = new DependencyInference(this);
    events.forEach(inference::accept);
    contradictions = inference.contradictions();
  }

  @Override
  public void committed(Transaction transaction) {}

  @Override
  public void dependency(Edge edge) {
    add(
        edge.evidence() == EdgeEvidence.ITEM ? all : others,
        (edge.evidence() == EdgeEvidence.ITEM ? "" : edge.evidence() + " ") + edge.kind().term(),
        edge);
  }

  @Override
  public void wrongRead(WrongRead why, Edge read) {
    switch (why) {
      case ABORTED -> add(all, "G1a", read);
      case INTERMEDIATE -> add(all, "G1b", read);
      case INTERNAL, GARBAGE -> add(others, why.toString(), read);
    }
  }

  @Override
  public void forkedWrite(
      Transaction first, Transaction second, Row row, int firstStatement, int secondStatement) {
    add(others, "fork", Edge.ofRead(first, second, row, firstStatement, secondStatement));
  }

  private static void add(Set<String> texts, String what, Edge edge) {
    texts.add(
        NaiveReference.text(
            what,
            edge.from().id(),
            edge.to().id(),
            edge.fromStatement(),
            edge.toStatement(),
            edge.row().id()));
  }
}
