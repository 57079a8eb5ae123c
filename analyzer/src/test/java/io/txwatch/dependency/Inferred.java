package io.txwatch.dependency;

import io.txwatch.history.Event;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** What {@link DependencyInference} tells, as texts. */
final class Inferred implements DependencyListener {

  /** As in {@link NaiveReference}. */
  final Set<String> all = new TreeSet<>();

  /** What the reference does not know of. */
  final Set<String> others = new TreeSet<>();

  final long contradictions;

  Inferred(List<Event> events) {
    DependencyInference inference = new DependencyInference(this);
    events.forEach(inference::accept);
    contradictions = inference.contradictions();
  }

  @Override
  public void committed(Transaction transaction) {}

  @Override
  public void dependency(Edge edge) {
    add(
        edge.basis() == Basis.ITEM ? all : others,
        (edge.basis() == Basis.ITEM ? "" : edge.basis() + " ") + edge.kind().term(),
        edge.from(),
        edge.to(),
        edge.fromStatement(),
        edge.toStatement(),
        edge.row());
  }

  @Override
  public void wrongRead(
      WrongRead why,
      Transaction writer,
      Transaction reader,
      Row row,
      int writeStatement,
      int readStatement) {
    switch (why) {
      case ABORTED -> add(all, "G1a", writer, reader, writeStatement, readStatement, row);
      case INTERMEDIATE -> add(all, "G1b", writer, reader, writeStatement, readStatement, row);
      case INTERNAL, GARBAGE ->
          add(others, why.toString(), writer, reader, writeStatement, readStatement, row);
    }
  }

  @Override
  public void forkedWrite(
      Transaction first, Transaction second, Row row, int firstStatement, int secondStatement) {
    add(others, "fork", first, second, firstStatement, secondStatement, row);
  }

  private static void add(
      Set<String> texts,
      String what,
      Transaction from,
      Transaction to,
      int fromStatement,
      int toStatement,
      Row row) {
    texts.add(NaiveReference.text(what, from.id(), to.id(), fromStatement, toStatement, row.id()));
  }
}
