package io.txwatch.generator;

/**
 * What the cases of a campaign are like. It hangs on who judges: oracles of single statements want
 * many forms of them, one of dependency graphs wants transactions that meet in rows.
 */
public enum Workload {

  /** Statements of all forms, many of which change, or lock, all that there is. */
  STATEMENTS(32),

  /**
   * Transactions that read rows and then write some of them (IsoRel, sections 3.1.1, 3.2.1, 5.1 and
   * 5.3).
   *
   * <p>What is behind all anomalies of its section 5.3 is that no locks were in conflict. InnoDB's
   * are where two write a table without an index to choose the rows by, and whoever writes a whole
   * table leaves no row that only the other has written. So half of the writes name a row by the
   * table's first column, mostly its key; tables are as many as in the paper, and of two rows at
   * least; and nearly all transactions commit, for one that is rolled back has no dependencies.
   *
   * <p>What a DELETE takes away tells the least (3.3.3), and is not there to be met any more; what
   * a foreign key's action writes nobody tells of, and the paper's tables have none (3.1.1). Both
   * are few.
   */
  HISTORIES(128);

  /** The kinds of statements, as they are drawn. */
  enum Kind {
    QUERY,
    LOCKING_QUERY,
    INSERT,
    UPSERT,
    UPDATE,
    DELETE
  }

  private static final int MAX_TABLES = 3;
  private static final int MAX_SESSIONS = 4;

  private final int casesPerSchema;

  Workload(int casesPerSchema) {
    this.casesPerSchema = casesPerSchema;
  }

  /**
   * How many cases that follow each other have the same tables. In the paper they serve for ten
   * minutes (5.1).
   */
  public int casesPerSchema() {
    return casesPerSchema;
  }

  int tables(RandomSource random) {
    return switch (this) {
      case STATEMENTS -> random.percent(62) ? 1 : random.percent(85) ? 2 : MAX_TABLES;
      case HISTORIES -> random.between(1, MAX_TABLES);
    };
  }

  /** How many rows a table begins with. */
  int rows(RandomSource random) {
    return random.between(
        this == STATEMENTS ? 1 : 2, this == STATEMENTS ? TableContents.MAX_ROWS : 5);
  }

  int sessions(RandomSource random) {
    return random.percent(88) ? 2 : random.between(3, MAX_SESSIONS);
  }

  /** True if a session has but one statement, and no transaction. */
  boolean isSingleStatement(RandomSource random) {
    return this == STATEMENTS && random.percent(12);
  }

  boolean commits(RandomSource random) {
    return random.percent(this == STATEMENTS ? 80 : 90);
  }

  /** True if a table refers to another one that it can refer to. */
  boolean refersToParent(RandomSource random) {
    return random.percent(this == STATEMENTS ? 75 : 20);
  }

  /** True if a transaction begins with a plain query, which is what fixes InnoDB's snapshot. */
  boolean startsWithQuery(RandomSource random) {
    return this == HISTORIES && random.percent(60);
  }

  /** True if a query is one of a table's whole rows, whatever forms there are. */
  boolean readsWholeRows(RandomSource random) {
    return this == HISTORIES && random.percent(50);
  }

  /** True if a write is of rows with one value in their first column. */
  boolean targetsSingleKey(RandomSource random) {
    return this == HISTORIES && random.percent(50);
  }

  Kind kind(RandomSource random) {
    int draw = random.below(100);
    return switch (this) {
      case STATEMENTS -> kind(draw, 25, 33, 52, 56, 82);
      case HISTORIES -> kind(draw, 40, 44, 54, 58, 92);
    };
  }

  /** The kind within whose bound a number is; beyond the last of them it is the last kind. */
  private static Kind kind(int draw, int... bounds) {
    int kind = 0;
    while (kind < bounds.length && draw >= bounds[kind]) {
      kind++;
    }
    return Kind.values()[kind];
  }
}
