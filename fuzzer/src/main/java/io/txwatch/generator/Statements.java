package io.txwatch.generator;

import java.util.Map;
import java.util.TreeMap;

/** Generates the statements of transactions over a schema. */
final class Statements {

  private final Chance chance;
  private final Queries queries;
  private final Writes writes;
  private final Map<String, Integer> kinds = new TreeMap<>();

  Statements(Vocabulary words, Contents contents) {
    this.chance = words.chance;
    this.queries = new Queries(words);
    this.writes = new Writes(words, contents);
  }

  /** How many of each kind were made. */
  Map<String, Integer> kinds() {
    return kinds;
  }

  Statement next() {
    Statement statement = draw(chance.below(100));
    kinds.merge(statement.kind(), 1, Integer::sum);
    return statement;
  }

  private Statement draw(int draw) {
    if (draw < 25) {
      return queries.plain();
    }
    if (draw < 33) {
      return queries.locking();
    }
    if (draw < 52) {
      return writes.insert();
    }
    if (draw < 56) {
      return writes.upsert();
    }
    return draw < 82 ? writes.update() : writes.delete();
  }
}
