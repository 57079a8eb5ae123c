package io.txwatch.generator;

import java.util.Map;
import java.util.TreeMap;

/** Generates the statements of transactions over a schema. */
final class StatementGenerator {

  private final RandomSource random;
  private final CaseKind caseKind;
  private final QueryGenerator queries;
  private final WriteGenerator writes;
  private final Map<String, Integer> kinds = new TreeMap<>();

  StatementGenerator(StatementContext context, TableContents contents) {
    this.random = context.random;
    this.caseKind = context.caseKind;
    this.queries = new QueryGenerator(context);
    this.writes = new WriteGenerator(context, contents);
  }

  /** The number of generated statements of each kind. */
  Map<String, Integer> kinds() {
    return kinds;
  }

  GeneratedStatement next() {
    return counted(
        switch (caseKind.kind(random)) {
          case QUERY -> queries.plain();
          case LOCKING_QUERY -> queries.locking();
          case INSERT -> writes.insert();
          case UPSERT -> writes.upsert();
          case UPDATE -> writes.update();
          case DELETE -> writes.delete();
        });
  }

  /** A plain query. */
  GeneratedStatement query() {
    return counted(queries.plain());
  }

  private GeneratedStatement counted(GeneratedStatement statement) {
    kinds.merge(statement.kind(), 1, Integer::sum);
    return statement;
  }
}
