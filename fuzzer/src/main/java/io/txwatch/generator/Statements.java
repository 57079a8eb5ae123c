package io.txwatch.generator;

import java.util.Map;
import java.util.TreeMap;

/** Generates the statements of transactions over a schema. */
final class Statements {

  private final Chance chance;
  private final Workload workload;
  private final Queries queries;
  private final Writes writes;
  private final Map<String, Integer> kinds = new TreeMap<>();

  Statements(Vocabulary words, Contents contents) {
    this.chance = words.chance;
    this.workload = words.workload;
    this.queries = new Queries(words);
    this.writes = new Writes(words, contents);
  }

  /** How many of each kind were made. */
  Map<String, Integer> kinds() {
    return kinds;
  }

  Statement next() {
    return counted(
        switch (workload.kind(chance)) {
          case QUERY -> queries.plain();
          case LOCKING_QUERY -> queries.locking();
          case INSERT -> writes.insert();
          case UPSERT -> writes.upsert();
          case UPDATE -> writes.update();
          case DELETE -> writes.delete();
        });
  }

  /** A plain query. */
  Statement query() {
    return counted(queries.plain());
  }

  private Statement counted(Statement statement) {
    kinds.merge(statement.kind(), 1, Integer::sum);
    return statement;
  }
}
