package io.txwatch.slice;

import io.txwatch.dependency.Dependency;

/** A statement: its transaction's id, and its number in it. */
record Place(long transaction, int statement) {

  static Place from(Dependency edge) {
    return new Place(edge.from(), edge.fromStatement());
  }

  static Place to(Dependency edge) {
    return new Place(edge.to(), edge.toStatement());
  }
}
