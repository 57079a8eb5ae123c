package io.txwatch.generator;

/**
 * The kind of cases of a campaign. It depends on the oracles: those that check single statements
 * need many forms of statements; one that checks dependency graphs needs transactions that use the
 * same rows; one that searches anomaly patterns needs transactions that follow them.
 */
public enum CaseKind {

  /** Statements of all forms, many of which change or lock all rows. */
  STATEMENTS(32),

  /**
   * Transactions that read rows and then write some of them (IsoRel, sections 3.1.1, 3.2.1, 5.1 and
   * 5.3).
   *
   * <p>All anomalies of the paper's section 5.3 require that no locks conflict. InnoDB's locks
   * conflict if two transactions write a table without an index for the search, and a transaction
   * that writes a whole table leaves no row that only the other one has written. So half of the
   * writes select a row by the table's first column, mostly its key; there are as many tables as in
   * the paper, with at least two rows each; and nearly all transactions commit, because one that is
   * rolled back has no dependencies.
   *
   * <p>A DELETE shows the fewest dependencies (3.3.3), and later statements cannot find the row.
   * The writes of foreign key actions are not observed, and the paper's tables have no foreign keys
   * (3.1.1). Both are rare.
   */
  HISTORIES(128),

  /**
   * Transactions that follow an anomaly pattern (APTrans, section 3.3), mostly on tables that refer
   * to each other.
   */
  PATTERNS(128);

  /** The kinds of statements, in the order of their probabilities. */
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

  /** The number of sessions of a large case, and the most statements of its transactions. */
  static final int LARGE = 5;

  private final int casesPerSchema;

  CaseKind(int casesPerSchema) {
    this.casesPerSchema = casesPerSchema;
  }

  /**
   * The number of consecutive cases with the same tables. The paper uses the same tables for ten
   * minutes (5.1).
   */
  public int casesPerSchema() {
    return casesPerSchema;
  }

  int tables(RandomSource random) {
    return switch (this) {
      case STATEMENTS -> random.percent(62) ? 1 : random.percent(85) ? 2 : MAX_TABLES;
      case HISTORIES, PATTERNS -> random.between(1, MAX_TABLES);
    };
  }

  /** The number of a table's initial rows. */
  int rows(RandomSource random) {
    return random.between(
        this == STATEMENTS ? 1 : 2, this == HISTORIES ? 5 : TableContents.MAX_ROWS);
  }

  int sessions(RandomSource random) {
    return switch (random.alternative("sessions", 87, 12, 1)) {
      case 0 -> 2;
      case 1 -> random.between(3, MAX_SESSIONS);
      default -> LARGE;
    };
  }

  /** True if a session has a single statement and no transaction. */
  boolean isSingleStatement(RandomSource random) {
    return this == STATEMENTS && random.percent("single statement", 12);
  }

  boolean commits(RandomSource random) {
    return random.percent(this == STATEMENTS ? 80 : 90);
  }

  /** True if a table gets a foreign key, where possible. */
  boolean refersToParent(RandomSource random) {
    return random.percent("foreign key", this == HISTORIES ? 20 : 75);
  }

  /** True if foreign keys may have actions, whose writes the triggers of most DBMSs do not see. */
  boolean hasForeignKeyActions(GeneratedDialect grammar) {
    return this != PATTERNS || grammar.actionsFireTriggers();
  }

  /** True if a table generates the values of its key. */
  boolean hasAutoIncrement(RandomSource random) {
    return random.percent(this == PATTERNS ? 10 : this == STATEMENTS ? 3 : 1);
  }

  /** True if a transaction starts with a plain query, which takes InnoDB's snapshot. */
  boolean startsWithQuery(RandomSource random) {
    return this == HISTORIES && random.percent(60);
  }

  /** True if a query reads whole rows of a table, whatever forms there are. */
  boolean readsWholeRows(RandomSource random) {
    return this == HISTORIES && random.percent(50);
  }

  /** True if a write selects rows by one value of their first column. */
  boolean targetsSingleKey(RandomSource random) {
    return this == HISTORIES && random.percent(50);
  }

  Kind kind(RandomSource random) {
    return Kind.values()[
        switch (this) {
          case STATEMENTS -> random.alternative("statement", 25, 8, 19, 4, 26, 18);
          case HISTORIES, PATTERNS -> random.alternative("statement", 40, 4, 10, 4, 34, 8);
        }];
  }
}
